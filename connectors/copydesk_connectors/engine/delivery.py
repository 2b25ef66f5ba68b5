"""Publish one post on one target.

If a step fails, the post keeps its state and the next pass tries it again. A post that keeps
failing while its target is ready is parked (``states.is_hopeless``): it counts as refused, and the
ledger keeps its text for ``copydesk-connect retry``.

A target with a calendar gives each post a slot, which is recorded before anything is sent. If the
site cannot schedule posts, a post waits in the ledger for its slot; that is not a failure.

A refused post is held until it is known whose fault the refusal is (``states.ruling``). The ledger
stores held posts, so a restart forgets none.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.log import logger
from copydesk_connectors.engine.records import Delivery
from copydesk_connectors.engine.report import Report, moment_text
from copydesk_connectors.engine.states import (
    NOT_DRAFTED,
    SETTLED,
    SLOT_HOLDERS,
    DeliveryState,
    Held,
    Ruling,
    is_hopeless,
    ruling,
)
from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.errors import (
    ConnectorError,
    DraftGone,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.target.internal_links import Links, Page, fill, places
from copydesk_connectors.target.post import Post

# What a site may make of a post, by the configured status.
_SHOWN_AS = {
    "publish": {CopyState.PUBLIC, CopyState.SCHEDULED},
    "scheduled": {CopyState.PUBLIC, CopyState.SCHEDULED},
    "pending": {CopyState.PENDING},
    "draft": {CopyState.DRAFT},
}


class Stopped(Exception):
    """The process was asked to end."""


class Refusals:
    """The refusals of one target. Safe to use from any thread."""

    def __init__(self, ledger: Ledger, target: str) -> None:
        self._turn = threading.Lock()
        self._in_a_row = ledger.held(target)
        self.accepted = False
        """Whether the target has accepted a post in this pass."""

    def note_there(self, item_id: str, *, made: bool) -> None:
        """Record that a post is on the target. If it was ``made`` now, the target accepts posts."""
        with self._turn:
            self._in_a_row.discard(item_id)
            if made:
                self.accepted = True
                self._in_a_row.clear()

    def rule(self, item_id: str, held: Held, *, refused_before: bool) -> Ruling:
        """Return whose fault it is that a post was not accepted."""
        with self._turn:
            in_a_row = self._in_a_row | {item_id}
            ruled = ruling(
                held, refused_before=refused_before, accepted=self.accepted, in_a_row=len(in_a_row)
            )
            if ruled is not Ruling.FINAL:
                self._in_a_row = in_a_row
        return ruled

    def beside(self, item_id: str) -> int:
        """Return how many other posts the target refused since it last accepted one."""
        with self._turn:
            return len(self._in_a_row - {item_id})


class TargetWorker:
    """Publishes posts on one target. Safe to use from ``at_once`` threads."""

    def __init__(
        self,
        target: Target,
        ledger: Ledger,
        report: Report,
        stop: Callable[[], bool],
        parallel: int,
        settled: Callable[[str], None],
    ) -> None:
        """``settled`` is called with an item's id, in the transaction that settles its delivery."""
        self.target = target
        self.at_once = min(parallel, target.at_once)
        self._name = target.name
        self._ledger = ledger
        self._report = report
        self._stop = stop
        self._settled = settled
        self._drafts = threading.Semaphore(1 if target.drafts_in_turn else self.at_once)
        self._usable_turn = threading.Lock()
        self.refusals = Refusals(ledger, target.name)
        self.usable = False

    def look(self) -> None:
        """Find out whether the target can be used in this pass."""
        self.usable = self._is_ready()
        if self.usable:
            self._catch_up()

    def deliver(self, post: Post, owed: Delivery, *, sent_once: bool = False) -> DeliveryState:
        """Take one post as far as possible and return its new state.

        ``sent_once``: the feed has delivered the post only once. Raises Stopped between two steps.
        """
        state, remote_id, links = owed.state, owed.remote_id, owed.links
        made = False
        new = sent_once and state is DeliveryState.RECEIVED
        seen_now = False
        slot = owed.slot
        while state not in SETTLED:
            if not self.usable:
                self._report.say(logging.WARNING, "waits for the target", post.id, self._name)
                return state
            if self._stop():
                raise Stopped
            waits = state is DeliveryState.RECEIVED and not self.target.schedules
            if waits and slot is not None and slot > _now():
                self._report.waits_for_slot(post.id, slot)
                return state
            post = replace(post, slot=slot)
            try:
                if state in NOT_DRAFTED:
                    state, remote_id, links, made = self._make(post, links, new)
                    seen_now = True
                    continue
                state = self._publish(fill(post, links), remote_id, seen_now=seen_now)
            except (Refused, Misconfigured) as error:
                return self._not_accepted(post, owed, state, error)
            except Unavailable as error:
                return self._failed(post, error, state)
        if state is DeliveryState.PUBLISHED:
            self.refusals.note_there(post.id, made=made)
        return state

    def give_slots(self, item_ids: Iterable[str]) -> None:
        """Give the posts that need a slot the next free ones of the calendar, in this order.

        Called before the posts are published in parallel, so that they appear in the feed's order.
        """
        calendar = self.target.calendar
        if calendar is None:
            return
        with self._ledger.together():
            free = calendar.free_slots(_now(), self._slots(SLOT_HOLDERS).values())
            needy = [name for name in item_ids if self._ledger.lacks_slot(name, self._name)]
            given = dict(zip(needy, free, strict=False))
            self._ledger.set_slots(self._name, given)
        for item_id, slot in given.items():
            self._say_slot(item_id, slot)

    def _catch_up(self) -> None:
        """Move the posts that missed their slot to other slots; without a calendar, to none."""
        calendar = self.target.calendar
        if calendar is None:
            waiting = self._slots({DeliveryState.RECEIVED})
            self._ledger.set_slots(self._name, dict.fromkeys(waiting))
            return
        with self._ledger.together():
            waiting = self._slots({DeliveryState.RECEIVED})
            taken = self._slots(SLOT_HOLDERS - {DeliveryState.RECEIVED}).values()
            slots = calendar.caught_up(list(waiting.values()), taken, _now())
            new = zip(waiting, slots, strict=True)
            moved = {item_id: slot for item_id, slot in new if slot != waiting[item_id]}
            self._ledger.set_slots(self._name, moved)
        for item_id, slot in moved.items():
            self._say_slot(item_id, slot)

    def _say_slot(self, item_id: str, slot: datetime) -> None:
        said = f"appears on {moment_text(slot)}, by the calendar"
        self._report.say(logging.INFO, said, item_id, self._name)

    def _slots(self, states: Collection[DeliveryState]) -> dict[str, datetime]:
        slots = self._ledger.slots(self._name).items()
        return {item_id: slot for item_id, (slot, state) in slots if state in states}

    def _make(self, post: Post, links: Links, new: bool) -> tuple[DeliveryState, str, Links, bool]:
        """Find or create the post; the last value tells whether it was created now."""
        copy, made = None, False
        if not (new and self.target.reconciles):
            with self._faults():
                copy = self.target.find(post)
                if copy is not None:
                    _checked(copy)
        if copy is None:
            links = self._begin(post, links)
            with self._drafts, self._faults():
                copy = _checked(self.target.draft(fill(post, links)))
            made = True
        self._report.note(post.id, self._name, copy.notes)
        if copy.state is CopyState.WITHDRAWN:
            return self._withdrawn(post, copy), copy.remote_id, links, made
        state = self._move(post, DeliveryState.PUBLISHING, remote_id=copy.remote_id)
        return state, copy.remote_id, links, made

    def _begin(self, post: Post, links: Links) -> Links:
        # Recorded before they are used: every later look expects the same text.
        with self._faults():
            links = links or _choose_links(post, self.target)
        self._move(post, DeliveryState.DRAFTING, links=links)
        return links

    def _publish(self, post: Post, remote_id: str, *, seen_now: bool) -> DeliveryState:
        try:
            with self._faults():
                copy = _checked(self.target.publish(post, remote_id))
        except DraftGone as error:
            if seen_now:
                # The site's database probably lags; an owner is hardly that quick.
                problem = "the site does not show the draft that it had just now"
                raise Unavailable(problem) from error
            said = f"{error}; it stays deleted. To publish it: copydesk-connect retry {post.id}"
            copy = Copy(remote_id, CopyState.WITHDRAWN, notes=(said,))
        return self._shown(post, copy, seen_now=seen_now)

    def _shown(self, post: Post, copy: Copy, *, seen_now: bool) -> DeliveryState:
        self._report.note(post.id, self._name, copy.notes)
        if copy.state is CopyState.WITHDRAWN:
            state = self._withdrawn(post, copy)
            if not seen_now:
                return state
            # An owner is hardly that quick: the site itself hid it.
        else:
            state = self._settle(post, DeliveryState.PUBLISHED, copy)
            self._report.shown(post, self._name, copy)
        wanted = self.target.status
        if wanted in _SHOWN_AS and copy.state not in _SHOWN_AS[wanted]:
            self._report.trouble(
                f"{post.id} is {copy.state} on {self._name}, although the configuration has status "
                f'= "{wanted}": a plugin or a rule of the site decides so; change it there',
                retry=False,
            )
        return state

    def _withdrawn(self, post: Post, copy: Copy) -> DeliveryState:
        if not copy.notes:  # else the site has said it in its own words
            taken = "was removed by its owner and stays removed"
            self._report.say(logging.WARNING, taken, post.id, self._name)
        return self._settle(post, DeliveryState.WITHDRAWN, copy)

    def _settle(self, post: Post, state: DeliveryState, copy: Copy) -> DeliveryState:
        """Record in one transaction that the post is there and what the item needs next."""
        with self._ledger.together():
            state = self._move(
                post,
                state,
                remote_id=copy.remote_id,
                url=copy.url or None,
                reason="; ".join(copy.notes) if state is DeliveryState.WITHDRAWN else "",
                slot=copy.due,
                shown=copy.state,
            )
            self._settled(post.id)
        return state

    def _not_accepted(
        self, post: Post, owed: Delivery, state: DeliveryState, error: Refused | Misconfigured
    ) -> DeliveryState:
        held = Held.REFUSED if isinstance(error, Refused) else Held.BLOCKED
        refused_before = owed.held == Held.REFUSED
        ruled = self.refusals.rule(post.id, held, refused_before=refused_before)
        if ruled is Ruling.FINAL:
            self._report.trouble(f"{self._name} refused {post.id}", error, retry=False)
            return self._move(post, DeliveryState.REFUSED, reason=str(error))
        state = self._failed(post, error, state, held)
        with self._usable_turn:
            stopping = ruled is Ruling.STOP and self.usable
            self.usable = self.usable and not stopping
        if stopping:
            self._report.trouble(
                f"{self._name} accepted none of several posts in a row, so the site is at fault, "
                "not the posts. Nothing is rejected; the next pass tries them again"
            )
        return state

    def _failed(
        self, post: Post, error: ConnectorError, state: DeliveryState, held: Held | None = None
    ) -> DeliveryState:
        if held is Held.REFUSED:
            what = f"{self._name} refused {post.id}, which is held until it accepts another post"
        else:
            what = f"{post.id} is not yet on {self._name}"
        self._report.trouble(what, error)
        # Another post may succeed: only a target that is down gets no more posts.
        with self._usable_turn:
            if self.usable:
                self.usable = self._is_ready()
        owed = self._ledger.note_failure(
            post.id, self._name, str(error), target_ready=self.usable, held=held
        )
        in_a_row = self._ledger.parked_in_a_row(self._name) + self.refusals.beside(post.id)
        if not self.usable or not is_hopeless(owed.failures, owed.failing_for, in_a_row):
            return state
        hours = owed.failing_for.total_seconds() / 3600
        reason = f"parked after {owed.failures} tries in {hours:.0f} hours: {error}"
        self._report.trouble(
            f"{post.id} on {self._name} was {reason}. When that is fixed: "
            f"copydesk-connect retry {post.id}",
            retry=False,
        )
        return self._move(post, DeliveryState.PARKED, reason=reason)

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
        """Turn an exception in the target's code into a failure of this step only."""
        try:
            yield
        except ConnectorError:
            raise
        except Exception as error:  # noqa: BLE001
            logger.exception("internal error in the target %s; please report it", self._name)
            problem = f"internal error ({type(error).__name__}); please report it"
            raise Unavailable(problem) from None

    def _move(self, post: Post, state: DeliveryState, **facts: Any) -> DeliveryState:
        self._ledger.move_delivery(post.id, self._name, state, **facts)
        return state


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _checked(copy: Copy) -> Copy:
    """Return what a target gave, which may be another package's; TypeError if it is no copy."""
    if not isinstance(copy, Copy):
        raise TypeError(f"a target gave {type(copy).__name__} instead of a Copy")
    return copy


def _choose_links(post: Post, target: Target) -> Links:
    """Return a page of the site for each placeholder of a post, each page at most once."""
    chosen: list[Page | None] = []
    for text in places(post):
        try:
            pages = target.related(text)
        except (Unavailable, Misconfigured) as error:
            # A post without internal links is better than no post.
            fields = {"item": post.id, "target": target.name, "reason": str(error)}
            logger.warning("goes without internal links", extra=fields)
            pages = ()
        chosen.append(next((page for page in pages if page not in chosen), None))
    return tuple(chosen)
