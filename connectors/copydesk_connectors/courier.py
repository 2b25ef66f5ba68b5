"""One pass: carry on from the ledger, then pull, publish and confirm what is new.

An item is pulled only when every target could take a post and nothing is left unfinished: the
feed gives an item up after three pulls, so each pull must count.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copydesk_connectors.errors import (
    BadItem,
    DraftGone,
    FeedConflict,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.internal_links import Links, fill
from copydesk_connectors.ledger import Delivery as Owed
from copydesk_connectors.ledger import Entry, Ledger
from copydesk_connectors.log import logger
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Keyed, Publisher
from copydesk_connectors.related import choose_links
from copydesk_connectors.states import (
    SETTLED,
    Delivery,
    DeliveryEvent,
    Item,
    ItemEvent,
    Verdict,
    verdict,
)


@dataclass
class Outcome:
    """What a pass came to.

    ``problems`` are sentences; ``unfinished`` tells that another pass may do better, after
    ``retry_after`` seconds where the other side named a time.
    """

    confirmed: int = 0
    problems: list[str] = field(default_factory=list)
    unfinished: bool = False
    retry_after: float = 0.0


class _Stopped(Exception):
    """The process was asked to end."""


class Courier:
    """Carries items from one feed to its targets. ``stop`` is asked between any two steps."""

    def __init__(
        self,
        feed: FeedClient,
        ledger: Ledger,
        targets: Sequence[Publisher],
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._feed = feed
        self._ledger = ledger
        self._targets = {target.name: target for target in targets}
        self._stop = stop
        self._usable: set[str] = set()
        self._outcome = Outcome()

    def once(self) -> Outcome:
        """Do all that can be done now."""
        self._outcome = Outcome()
        try:
            self._usable = {name for name in self._targets if self._is_ready(name)}
            for entry in self._ledger.unfinished():
                self._carry(entry)
            self._pull_until_empty()
        except _Stopped:
            self._trouble("stopped before the end, as asked; the next start carries on")
        return self._outcome

    def _pull_until_empty(self) -> None:
        seen: set[str] = set()
        while True:
            waiting = self._ledger.unfinished()
            if waiting or len(self._usable) < len(self._targets):
                # A problem that says why was noted when it was met.
                self._say(logging.WARNING, f"the feed is left alone: {len(waiting)} items wait")
                return
            self._step()
            try:
                if not seen:
                    self._feed.ready()
                pulled = self._feed.pull()
            except (Unavailable, Misconfigured) as error:
                self._trouble("the feed", error)
                return
            fresh = [raw for raw in pulled if str(raw["id"]) not in seen]
            if pulled and not fresh:
                self._trouble(f"the feed hands out {pulled[0]['id']} although it was answered")
            if not fresh:
                return
            # All of them are written down before anything is sent.
            for entry in [self._receive(raw) for raw in fresh]:
                seen.add(entry.id)
                self._carry(entry)

    def _receive(self, raw: Mapping[str, Any]) -> Entry:
        item_id, count = str(raw["id"]), int(raw.get("deliveryCount") or 0)
        entry = self._ledger.receive(item_id, raw, count)
        self._say(logging.INFO, f"received (sending {count} of 3)", item=item_id)
        return entry

    def _carry(self, entry: Entry) -> None:
        """Take one item as far as it goes."""
        if entry.state is Item.OPEN:
            entry = self._ledger.owe(entry.id, self._targets)
            try:
                post = Post.from_item(entry.raw)
            except BadItem as error:
                self._reject(entry.id, str(error))
                return
            deliveries = [d for d in entry.deliveries if d.target in self._targets]
            states = [self._deliver(post, delivery) for delivery in deliveries]
            match verdict(states):
                case Verdict.WAIT:
                    self._outcome.unfinished = True
                case Verdict.CONFIRM:
                    self._confirm(entry.id)
                case Verdict.REJECT:
                    reasons = (d.reason for d in self._ledger.entry(entry.id).deliveries)
                    self._reject(entry.id, "; ".join(filter(None, reasons)))
        elif entry.state is Item.CONFIRMING:
            self._confirm(entry.id)
        else:
            self._reject(entry.id, entry.reason)

    def _deliver(self, post: Post, owed: Owed) -> Delivery:
        """Take one item as far as it goes on one target; gives the state it has then."""
        name, state, remote_id, links = owed.target, owed.state, owed.remote_id, owed.links
        while state not in SETTLED:
            if name not in self._usable:
                self._say(logging.WARNING, "waits for the target", item=post.id, target=name)
                return state
            self._step()
            try:
                if state in {Delivery.RECEIVED, Delivery.DRAFTING}:
                    state, remote_id, links = self._make(post, name, links)
                else:
                    state = self._publish(fill(post, links), name, remote_id)
            except Refused as error:
                self._trouble(f"{name} refused {post.id}", error, retry=False)
                state = self._move(post, name, DeliveryEvent.TURNED_DOWN, reason=str(error))
            except (Unavailable, Misconfigured) as error:
                self._ledger.note_failure(post.id, name, str(error))
                self._trouble(f"{post.id} is not yet on {name}", error)
                # One post may fail where others would not: only a target that is down is left out.
                if not self._is_ready(name):
                    self._usable.discard(name)
                return state
        return state

    def _make(self, post: Post, name: str, links: Links) -> tuple[Delivery, str, Links]:
        target = self._targets[name]
        if isinstance(target, Keyed):
            links = self._begin(post, target, links)
            copy = target.put(fill(post, links))
            if copy is not None:
                return self._shown(post, name, copy, DeliveryEvent.PUT_UP), copy.remote_id, links
        copy = target.find(post)
        if copy is None:
            links = self._begin(post, target, links)
            copy = target.draft(fill(post, links))
        self._note(post, name, copy.notes)
        if copy.state is CopyState.WITHDRAWN:
            return self._withdraw(post, name, copy), copy.remote_id, links
        state = self._move(post, name, DeliveryEvent.DRAFT_MADE, remote_id=copy.remote_id)
        return state, copy.remote_id, links

    def _begin(self, post: Post, target: Publisher, links: Links) -> Links:
        # Written down before they are used: each later look has to expect the same text.
        links = links or choose_links(post, target)
        self._move(post, target.name, DeliveryEvent.DRAFT_BEGUN, links=links)
        return links

    def _publish(self, post: Post, name: str, remote_id: str) -> Delivery:
        self._move(post, name, DeliveryEvent.PUBLISH_BEGUN)
        try:
            copy = self._targets[name].publish(post, remote_id)
        except DraftGone as error:
            self._say(logging.WARNING, "the draft is made again", post.id, name, reason=str(error))
            return self._move(post, name, DeliveryEvent.DRAFT_LOST, remote_id="")
        return self._shown(post, name, copy, DeliveryEvent.MADE_PUBLIC)

    def _shown(self, post: Post, name: str, copy: Copy, event: DeliveryEvent) -> Delivery:
        self._note(post, name, copy.notes)
        if copy.state is CopyState.WITHDRAWN:
            return self._withdraw(post, name, copy)
        state = self._move(post, name, event, remote_id=copy.remote_id, url=copy.url)
        done = "published" if copy.state is CopyState.PUBLIC else "left as a draft"
        self._say(logging.INFO, done, post.id, name, url=copy.url)
        return state

    def _withdraw(self, post: Post, name: str, copy: Copy) -> Delivery:
        if not copy.notes:  # else the site has said it in its own words
            self._say(logging.WARNING, "was taken away by its owner: it stays so", post.id, name)
        return self._move(post, name, DeliveryEvent.FOUND_IN_TRASH, remote_id=copy.remote_id)

    def _confirm(self, item_id: str) -> None:
        self._step()
        self._ledger.move_item(item_id, ItemEvent.CONFIRM_BEGUN)
        try:
            self._feed.confirm(item_id)
        except FeedConflict as error:
            self._ledger.move_item(item_id, ItemEvent.ANSWER_REFUSED, reason=str(error))
            self._trouble(
                f"{item_id} is published and stays, but the feed had given it up and may have "
                "written it off",
                error,
                retry=False,
            )
        except (Unavailable, Misconfigured) as error:
            self._trouble(f"{item_id} is published but not yet confirmed", error)
        else:
            self._ledger.move_item(item_id, ItemEvent.CONFIRM_ACCEPTED)
            self._outcome.confirmed += 1
            self._say(logging.INFO, "confirmed", item_id)

    def _reject(self, item_id: str, reason: str) -> None:
        self._step()
        self._ledger.move_item(item_id, ItemEvent.REJECT_BEGUN, reason=reason)
        try:
            self._feed.reject(item_id)
        except FeedConflict as error:
            self._ledger.move_item(item_id, ItemEvent.ANSWER_REFUSED, reason=f"{reason}; {error}")
            self._trouble(f"{item_id} cannot be rejected", error, retry=False)
        except (Unavailable, Misconfigured) as error:
            self._trouble(f"{item_id} is not yet rejected", error)
        else:
            self._ledger.move_item(item_id, ItemEvent.REJECT_ACCEPTED, reason=reason)
            self._trouble(f"{item_id} was rejected: {reason}", retry=False)

    def _is_ready(self, name: str) -> bool:
        try:
            self._targets[name].ready()
        except (Unavailable, Misconfigured) as error:
            self._trouble(f"target {name}", error)
            return False
        return True

    def _step(self) -> None:
        if self._stop():
            raise _Stopped

    def _move(
        self,
        post: Post,
        name: str,
        event: DeliveryEvent,
        *,
        remote_id: str | None = None,
        url: str | None = None,
        reason: str = "",
        links: Links = (),
    ) -> Delivery:
        return self._ledger.move_delivery(
            post.id, name, event, remote_id=remote_id, url=url, reason=reason, links=links
        ).state

    def _note(self, post: Post, name: str, notes: Sequence[str]) -> None:
        for note in notes:
            self._say(logging.WARNING, note, post.id, name)

    def _trouble(self, what: str, error: Exception | None = None, *, retry: bool = True) -> None:
        problem = what if error is None else f"{what}: {error}"
        self._outcome.problems.append(problem)
        self._outcome.unfinished |= retry
        if isinstance(error, Unavailable) and error.retry_after is not None:
            self._outcome.retry_after = max(self._outcome.retry_after, error.retry_after)
        self._say(logging.WARNING if retry else logging.ERROR, problem)

    def _say(
        self,
        level: int,
        message: str,
        item: str | None = None,
        target: str | None = None,
        *,
        url: str | None = None,
        reason: str | None = None,
    ) -> None:
        fields = {"item": item, "target": target, "url": url, "reason": reason}
        logger.log(level, "%s", message, extra=fields)
