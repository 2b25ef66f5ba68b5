"""One pass: carry on from the ledger, then pull, publish and confirm what is new.

Items are pulled only when every target could take a post and nothing is left unfinished: the feed
gives an item up after three pulls, so each pull must count. The first item of a pass is pulled
alone. Where that was its first sending, what waits behind it is pulled together, up to 100, and
several posts are made at a time; where it was sent before, an answer was lost on the way, and one
lost answer must not cost a hundred items a sending again: then it stays at one.

Posts are taken up in the order in which they were generated. Several at a time may overtake each
other by no more places than there are at a time.

What a target does not accept for days is set aside there (see ``delivery``). The feed is then told
what is so: confirm where the post is on another target, else reject. Both end the item there, so
that it is neither handed out again nor given up later, while its text stays in our ledger, from
which it can still be published.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from copydesk_connectors.delivery import Desk, Stopped
from copydesk_connectors.errors import BadItem, FeedConflict, Misconfigured, Unavailable
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.ledger import Entry, Ledger
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Publisher
from copydesk_connectors.report import Outcome, Report
from copydesk_connectors.states import SETTLED, Item, ItemEvent, Verdict, verdict

__all__ = ["Courier", "Outcome"]


class Courier:
    """Carries items from one feed to its targets, up to ``parallel`` at a time.

    ``stop`` is asked between any two steps.
    """

    def __init__(
        self,
        feed: FeedClient,
        ledger: Ledger,
        targets: Sequence[Publisher],
        stop: Callable[[], bool] = lambda: False,
        parallel: int = 1,
    ) -> None:
        self._feed = feed
        self._ledger = ledger
        self._targets = {target.name: target for target in targets}
        self._stop = stop
        self._parallel = parallel
        self._desks: dict[str, Desk] = {}
        self._report = Report()
        self._taken_up = 0

    def progress(self) -> str:
        """How far the pass has got, for somebody who waits for it."""
        return f"{self._report.outcome.confirmed} of {self._taken_up} posts are done"

    def once(self) -> Outcome:
        """Do all that can be done now."""
        self._report, self._taken_up = Report(), 0
        self._desks = {
            name: Desk(target, self._ledger, self._report, self._stop, self._parallel)
            for name, target in self._targets.items()
        }
        try:
            for desk in self._desks.values():
                desk.look()
            self._carry_all(self._ledger.unfinished())
            self._pull_until_empty()
        except Stopped:
            self._report.trouble("stopped before the end, as asked; the next start carries on")
        return self._report.outcome

    def _pull_until_empty(self) -> None:
        seen: set[str] = set()
        several = False
        while True:
            waiting = len(self._ledger.unfinished())
            if waiting or not all(desk.usable for desk in self._desks.values()):
                # A problem that says why was noted when it was met.
                self._report.say(logging.WARNING, f"the feed is left alone: {waiting} items wait")
                return
            self._step()
            try:
                if not seen:
                    self._feed.ready()
                pulled = self._feed.pull(several=several)
            except (Unavailable, Misconfigured) as error:
                self._report.trouble("the feed", error)
                return
            fresh = [raw for raw in pulled if str(raw["id"]) not in seen]
            if pulled and not fresh:
                self._report.trouble(
                    f"the feed hands out {pulled[0]['id']} although it was answered"
                )
            if not fresh:
                return
            seen |= {str(raw["id"]) for raw in fresh}
            several = self._at_once() > 1 and all(_sendings(raw) == 1 for raw in fresh)
            self._carry_all(self._receive(fresh))

    def _receive(self, pulled: Sequence[Mapping[str, Any]]) -> list[Entry]:
        """Write all of them down, with one stroke and before anything is sent."""
        entries = []
        with self._ledger.together():
            for raw in sorted(pulled, key=lambda raw: str(raw.get("generatedAt"))):
                item_id = str(raw["id"])
                entry = self._ledger.receive(item_id, raw, _sendings(raw))
                entries.append(self._owe(entry))
        for entry in entries:
            said = f"received (sending {entry.delivery_count} of 3)"
            self._report.say(logging.INFO, said, item=entry.id)
        return entries

    def _owe(self, entry: Entry) -> Entry:
        # What had ended and is handed out again is answered, and not put on targets added since.
        if entry.deliveries and all(d.state in SETTLED for d in entry.deliveries):
            return entry
        if self._targets.keys() <= {delivery.target for delivery in entry.deliveries}:
            return entry
        return self._ledger.owe(entry.id, self._targets)

    def _at_once(self) -> int:
        return max((desk.at_once for desk in self._desks.values()), default=1)

    def _carry_all(self, entries: Sequence[Entry]) -> None:
        self._taken_up += len(entries)
        workers = min(self._at_once(), len(entries))
        if workers < 2:
            for entry in entries:
                self._carry(entry)
            return
        with ThreadPoolExecutor(workers, thread_name_prefix="post") as pool:
            tasks = [pool.submit(self._carry, entry) for entry in entries]
            try:
                for task in tasks:
                    task.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _carry(self, entry: Entry) -> None:
        """Take one item as far as it goes."""
        if entry.state is Item.OPEN:
            self._carry_open(entry)
        elif entry.state is Item.CONFIRMING:
            self._confirm(entry.id)
        else:
            self._reject(entry.id, entry.reason)

    def _carry_open(self, entry: Entry) -> None:
        try:
            post = Post.from_item(entry.raw)
        except BadItem as error:
            self._reject(entry.id, str(error))
            return
        states = []
        for owed in self._owe(entry).deliveries:
            if owed.state in SETTLED:
                states.append(owed.state)
            elif owed.target in self._desks:  # else it was taken out of the file since
                sent_once = entry.delivery_count == 1
                states.append(self._desks[owed.target].deliver(post, owed, sent_once=sent_once))
        match verdict(states):
            case Verdict.WAIT:
                self._report.waits()
            case Verdict.CONFIRM:
                self._confirm(entry.id)
            case Verdict.REJECT:
                reasons = (d.reason for d in self._ledger.deliveries(entry.id))
                self._reject(entry.id, "; ".join(filter(None, reasons)))

    def _confirm(self, item_id: str) -> None:
        self._step()
        entry = self._ledger.entry(item_id)
        if entry.state is not Item.CONFIRMING:
            self._ledger.move_item(item_id, ItemEvent.CONFIRM_BEGUN)
        try:
            self._feed.confirm(item_id)
        except FeedConflict as error:
            self._ledger.move_item(item_id, ItemEvent.ANSWER_REFUSED, reason=str(error))
            if entry.feed_has == "rejected":  # as was said when it was taken up again
                said = "is published; the feed goes on counting it as rejected"
                self._report.say(logging.INFO, said, item_id)
                return
            self._report.trouble(
                f"{item_id} is published and stays, but the feed had given it up and may have "
                "written it off",
                error,
                retry=False,
            )
        except (Unavailable, Misconfigured) as error:
            self._report.trouble(f"{item_id} is published but not yet confirmed", error)
        else:
            self._ledger.move_item(item_id, ItemEvent.CONFIRM_ACCEPTED)
            self._report.confirmed(item_id)

    def _reject(self, item_id: str, reason: str) -> None:
        self._step()
        self._ledger.move_item(item_id, ItemEvent.REJECT_BEGUN, reason=reason)
        try:
            self._feed.reject(item_id)
        except FeedConflict as error:
            self._ledger.move_item(item_id, ItemEvent.ANSWER_REFUSED, reason=f"{reason}; {error}")
            self._report.trouble(f"{item_id} cannot be rejected", error, retry=False)
        except (Unavailable, Misconfigured) as error:
            self._report.trouble(f"{item_id} is not yet rejected", error)
        else:
            self._ledger.move_item(item_id, ItemEvent.REJECT_ACCEPTED, reason=reason)
            self._report.trouble(f"{item_id} was rejected: {reason}", retry=False)

    def _step(self) -> None:
        if self._stop():
            raise Stopped


def _sendings(raw: Mapping[str, Any]) -> int:
    return int(raw.get("deliveryCount") or 0)
