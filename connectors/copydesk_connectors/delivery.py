"""Taking one post as far as it goes on one target.

Where a step fails, the post stays where it was and is tried again in the next pass. A post that
fails again and again while its target is ready for others is set aside there: see
``states.is_hopeless``. It then counts as refused, stays in the ledger with its text, and
``copydesk-connect retry`` takes it up again.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from copydesk_connectors.errors import (
    ConnectorError,
    DraftGone,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.internal_links import Links, fill
from copydesk_connectors.ledger import Delivery as Owed
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.log import logger
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Concurrent, Copy, CopyState, Keyed, Publisher, Reconciling
from copydesk_connectors.related import choose_links
from copydesk_connectors.report import Report
from copydesk_connectors.states import (
    SETTLED,
    Delivery,
    DeliveryEvent,
    ItemEvent,
    Verdict,
    is_hopeless,
    verdict,
)

_NOT_YET = frozenset({Delivery.RECEIVED, Delivery.DRAFTING})


class Stopped(Exception):
    """The process was asked to end."""


class Desk:
    """One target, and whose turn it is there. Any number of threads may bring posts."""

    def __init__(
        self,
        target: Publisher,
        ledger: Ledger,
        report: Report,
        stop: Callable[[], bool],
        parallel: int,
    ) -> None:
        self.target = target
        self.at_once = min(parallel, target.at_once) if isinstance(target, Concurrent) else 1
        self._name = target.name
        self._ledger = ledger
        self._report = report
        self._stop = stop
        self._turns = threading.Semaphore(self.at_once)
        self._drafts = threading.Lock()
        self._usable_turn = threading.Lock()
        self.usable = False

    def look(self) -> None:
        """See whether the target can be used in this pass."""
        self.usable = self._is_ready()

    def deliver(self, post: Post, owed: Owed, *, sent_once: bool = False) -> Delivery:
        """Take one post as far as it goes; gives the state that it has then.

        ``sent_once`` says that the feed has handed the post out once, which was to us.

        Raises:
            Stopped: between two steps.
        """
        with self._turns:
            return self._deliver(post, owed, sent_once)

    def _deliver(self, post: Post, owed: Owed, sent_once: bool) -> Delivery:
        state, remote_id, links = owed.state, owed.remote_id, owed.links
        new = sent_once and state is Delivery.RECEIVED
        lost = 0
        while state not in SETTLED:
            if not self.usable:
                self._report.say(logging.WARNING, "waits for the target", post.id, self._name)
                return state
            if self._stop():
                raise Stopped
            try:
                if state in _NOT_YET:
                    state, remote_id, links = self._make(post, links, new)
                    new = False
                    continue
                state = self._publish(fill(post, links), remote_id, state)
                lost += state is Delivery.RECEIVED
                if lost > 1:
                    raise Unavailable("its draft disappears each time that it is made")
            except Refused as error:
                self._report.trouble(f"{self._name} refused {post.id}", error, retry=False)
                state = self._move(post, DeliveryEvent.TURNED_DOWN, reason=str(error))
            except (Unavailable, Misconfigured) as error:
                return self._failed(post, error, state)
        return state

    def _make(self, post: Post, links: Links, new: bool) -> tuple[Delivery, str, Links]:
        target = self.target
        if isinstance(target, Keyed):
            links = self._begin(post, links)
            with self._faults():
                copy = target.put(fill(post, links))
            if copy is not None:
                return self._shown(post, copy, DeliveryEvent.PUT_UP), copy.remote_id, links
        copy = None
        if not (new and isinstance(target, Reconciling) and target.reconciles):
            with self._faults():
                copy = target.find(post)
        if copy is None:
            links = self._begin(post, links)
            with self._drafts, self._faults():
                copy = target.draft(fill(post, links))
        self._report.note(post.id, self._name, copy.notes)
        if copy.state is CopyState.WITHDRAWN:
            return self._withdrawn(post, copy), copy.remote_id, links
        # What follows is publishing, with no request in between.
        with self._ledger.together():
            self._move(post, DeliveryEvent.DRAFT_MADE, remote_id=copy.remote_id)
            state = self._move(post, DeliveryEvent.PUBLISH_BEGUN)
        return state, copy.remote_id, links

    def _begin(self, post: Post, links: Links) -> Links:
        # Written down before they are used: each later look has to expect the same text.
        with self._faults():
            links = links or choose_links(post, self.target)
        self._move(post, DeliveryEvent.DRAFT_BEGUN, links=links)
        return links

    def _publish(self, post: Post, remote_id: str, state: Delivery) -> Delivery:
        if state is Delivery.DRAFTED:
            self._move(post, DeliveryEvent.PUBLISH_BEGUN)
        try:
            with self._faults():
                copy = self.target.publish(post, remote_id)
        except DraftGone as error:
            self._report.say(
                logging.WARNING, "the draft is made again", post.id, self._name, reason=str(error)
            )
            return self._move(post, DeliveryEvent.DRAFT_LOST, remote_id="")
        return self._shown(post, copy, DeliveryEvent.MADE_PUBLIC)

    def _shown(self, post: Post, copy: Copy, event: DeliveryEvent) -> Delivery:
        self._report.note(post.id, self._name, copy.notes)
        if copy.state is CopyState.WITHDRAWN:
            return self._withdrawn(post, copy)
        state = self._settle(post, event, copy)
        done = "published" if copy.state is CopyState.PUBLIC else "left as a draft"
        self._report.say(logging.INFO, done, post.id, self._name, url=copy.url)
        return state

    def _withdrawn(self, post: Post, copy: Copy) -> Delivery:
        if not copy.notes:  # else the site has said it in its own words
            taken = "was taken away by its owner and stays away"
            self._report.say(logging.WARNING, taken, post.id, self._name)
        return self._settle(post, DeliveryEvent.FOUND_IN_TRASH, copy)

    def _settle(self, post: Post, event: DeliveryEvent, copy: Copy) -> Delivery:
        """Write down that the post is there and, with the same stroke, what is to be done now."""
        with self._ledger.together():
            state = self._move(post, event, remote_id=copy.remote_id, url=copy.url or None)
            everywhere = [delivery.state for delivery in self._ledger.deliveries(post.id)]
            if verdict(everywhere) is Verdict.CONFIRM:
                self._ledger.move_item(post.id, ItemEvent.CONFIRM_BEGUN)
        return state

    def _failed(self, post: Post, error: Unavailable | Misconfigured, state: Delivery) -> Delivery:
        self._report.trouble(f"{post.id} is not yet on {self._name}", error)
        # One post may fail where others would not: only a target that is down is left out.
        with self._usable_turn:
            if self.usable:
                self.usable = self._is_ready()
        owed = self._ledger.note_failure(post.id, self._name, str(error), target_ready=self.usable)
        in_a_row = self._ledger.set_aside_in_a_row(self._name)
        if not self.usable or not is_hopeless(owed.failures, owed.failing_for, in_a_row):
            return state
        hours = owed.failing_for.total_seconds() / 3600
        reason = f"set aside after {owed.failures} tries in {hours:.0f} hours: {error}"
        self._report.trouble(
            f"{post.id} on {self._name} was {reason}. When that is mended: "
            f"copydesk-connect retry {post.id}",
            retry=False,
        )
        return self._move(post, DeliveryEvent.GIVEN_UP, reason=reason)

    def _is_ready(self) -> bool:
        try:
            with self._faults():
                self.target.ready()
        except (Unavailable, Misconfigured) as error:
            self._report.trouble(f"target {self._name}", error)
            return False
        return True

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """A fault of the target's code fails this one step, and not the posts beside it."""
        try:
            yield
        except ConnectorError:
            raise
        except Exception as error:  # noqa: BLE001
            logger.exception("internal error in the target %s; please report it", self._name)
            raise Unavailable(
                f"internal error ({type(error).__name__}); please report it"
            ) from None

    def _move(
        self,
        post: Post,
        event: DeliveryEvent,
        *,
        remote_id: str | None = None,
        url: str | None = None,
        reason: str = "",
        links: Links = (),
    ) -> Delivery:
        return self._ledger.move_delivery(
            post.id, self._name, event, remote_id=remote_id, url=url, reason=reason, links=links
        ).state
