"""One pass: deliver what the ledger has, pull new items, and answer the feeds.

The connector takes custody of an item: once the ledger has its text and one required target has the
post, the feed is told that it is used. The other targets get the post from the ledger, each at its
own speed: every target has a queue, in the order in which the items were received, and a brake of
its own. A target that is down stops neither the others nor the feeds.

A feed abandons an item after three pulls, so each pull must count. Items are pulled only if a
required target is ready and the items before them are answered. The first item of a pass is pulled
alone. If the feed delivers it for the first time, the rest is pulled together, up to 100. If it
delivered the item before, an answer was lost; the pass then stays at one item at a time, because
each lost answer costs every item in it a delivery.

Items are published in the order of their generation; in parallel, an item can overtake at most as
many others as there are threads.

A post that a target does not accept for days is parked there (see ``delivery``). The feed is then
told that the item is used if another target has it, else that it is rejected. The ledger keeps the
text, so the post can still be published. An item that no route sends to a target is parked as well:
left at the feed, it would block the others and be abandoned.

A refused post is held, and retried once the target has accepted another one. To get another one,
items are pulled beside it: once in the same pass and once an hour later, as each pull costs the
held item a delivery. Beside a post that a firewall or a wrong setting blocks, only the later pull
is made. The same holds for an item all of whose targets are down while others work, and for one
that failed again on a target that was ready.

An item never stops the others: an item that causes internal errors is retried in the next passes
and then parked.
"""

import logging
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic

from copydesk_connectors.engine.delivery import Stopped, TargetWorker
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.intake import Intake
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.log import logger
from copydesk_connectors.engine.records import Entry
from copydesk_connectors.engine.report import Outcome, Report
from copydesk_connectors.engine.routes import Routing
from copydesk_connectors.engine.states import (
    ENDED,
    FAULTS,
    SETTLED,
    DeliveryState,
    ItemState,
    Verdict,
)
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.errors import (
    BadItem,
    FeedConflict,
    LedgerError,
    Misconfigured,
    Unavailable,
)
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import either

__all__ = ["LONGEST_BACKLOG", "Courier", "Outcome"]

LONGEST_BACKLOG = 2_000
"""If this many posts wait for a target, nothing more is pulled for it."""

# A target's turn: at most this many posts, and no new post after this time. Then feeds are pulled
# again, so that a long backlog of one target does not delay the others.
_TURN_POSTS = 100
_TURN_S = 60.0
_UNROUTED = "no route sends it to a target; it is parked in the ledger"


class Courier:
    """Publishes the items of feeds on their targets, up to ``parallel`` at a time.

    It calls ``stop`` between steps and ends the pass if that returns True.
    """

    def __init__(
        self,
        feeds: Sequence[FeedClient],
        ledger: Ledger,
        targets: Sequence[Target],
        stop: Callable[[], bool] = lambda: False,
        parallel: int = 1,
        routing: Routing = Routing(),  # noqa: B008 - it is immutable
    ) -> None:
        self._feeds = feeds
        self._ledger = ledger
        self._targets = {target.name: target for target in targets}
        self._stop = stop
        self._parallel = parallel
        self._routing = routing

    def _begin_pass(self) -> None:
        self._workers = {
            name: TargetWorker(
                target, self._ledger, self._report, self._stop, self._parallel, self._settled
            )
            for name, target in self._targets.items()
        }
        names = [feed.name for feed in self._feeds]
        self._intakes = [
            Intake(feed, self._ledger, self._report, self._routing, self._workers, names)
            for feed in self._feeds
        ]
        self._said: set[str] = set()
        self._tried: dict[str, set[str]] = defaultdict(set)
        self._tried_again: dict[str, set[str]] = defaultdict(set)
        # Feeds that gave no usable answer to a confirm or reject: the rest waits for the next pass.
        self._silent: set[str] = set()
        self._confirmed: set[str] = set()
        self._faulty: set[str] = set()
        self._answering: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def once(self, *, first_only: bool = False) -> Outcome:
        """Make one pass and return its outcome; with ``first_only``, after one pull at most."""
        self._report = Report()
        try:
            self._begin_pass()
            self._look()
            unfinished = self._ledger.unfinished()
            self._sort(unfinished)
            more = True
            while more:
                delivered = self._deliver()
                more = self._pull() or delivered
                if first_only:
                    self._deliver()
                    break
        except Stopped:
            self._report.trouble("stopped as requested; the next start continues")
        except LedgerError as error:  # without it, a step could be taken twice or be lost
            self._report.trouble(str(error))
        return self._report.outcome

    def _look(self) -> None:
        """Find out which targets can be used in this pass."""
        threads = min(self._parallel, len(self._workers) or 1)
        with ThreadPoolExecutor(threads, thread_name_prefix="look") as pool:
            list(pool.map(TargetWorker.look, self._workers.values()))

    def _sort(self, entries: Iterable[Entry]) -> None:
        """Answer the items that no target has to work on, and park those without a target."""
        for entry in entries:
            self._guarded(entry.id, partial(self._sort_one, entry))

    def _sort_one(self, entry: Entry) -> None:
        if entry.state is not ItemState.OPEN:
            self._answer(entry.id)
            return
        try:
            Post.from_item(entry.raw)
        except BadItem as error:
            self._reject(entry, str(error))
            return
        intake = self._intake_of(entry)
        owed = intake.owe(entry) if intake else entry
        if not any(delivery.target in self._targets for delivery in owed.deliveries):
            self._reject(entry, _UNROUTED)
        else:
            self._answer(entry.id)

    def _deliver(self) -> bool:
        """Let each target take its next posts; return whether there were any."""
        turns = {
            name: self._ledger.queue(name, _TURN_POSTS, self._tried[name])
            for name, worker in self._workers.items()
            if worker.usable
        }
        self._take_turns(turns, self._tried)
        # Held posts, if their target has accepted another post since.
        again = {
            name: self._ledger.queue(name, _TURN_POSTS, self._tried_again[name], only_held=True)
            for name, worker in self._workers.items()
            if worker.usable and worker.refusals.accepted
        }
        self._take_turns(again, self._tried_again)
        return any(turns.values())

    def _take_turns(self, turns: Mapping[str, list[str]], tried: dict[str, set[str]]) -> None:
        lines = [
            (self._workers[name], deque(ids), tried[name]) for name, ids in turns.items() if ids
        ]
        for worker, ids, _ in lines:
            worker.give_slots(ids)
        threads = sum(min(worker.at_once, len(ids)) for worker, ids, _ in lines)
        if threads == 1 or self._parallel == 1:
            for line in lines:
                self._take_turn(*line)
            return
        if not lines:
            return
        with ThreadPoolExecutor(threads, thread_name_prefix="post") as pool:
            tasks = [
                pool.submit(self._take_turn, *line)
                for line in lines
                for _ in range(min(line[0].at_once, len(line[1])))
            ]
            try:
                for task in tasks:
                    task.result()
            except BaseException:
                for _, ids, _ in lines:
                    ids.clear()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _take_turn(self, worker: TargetWorker, ids: deque[str], tried: set[str]) -> None:
        end = monotonic() + _TURN_S
        while worker.usable and monotonic() < end:
            try:
                item_id = ids.popleft()
            except IndexError:
                return
            tried.add(item_id)
            self._guarded(item_id, partial(self._carry, item_id, worker))

    def _carry(self, item_id: str, worker: TargetWorker) -> None:
        """Take one item to one target as far as possible, then answer the feed if it can be."""
        entry = self._ledger.entry(item_id)
        name = worker.target.name
        owed = next(delivery for delivery in entry.deliveries if delivery.target == name)
        if owed.state in SETTLED:
            return
        state = worker.deliver(Post.from_item(entry.raw), owed, sent_once=entry.delivery_count == 1)
        is_late = entry.state in ENDED and item_id not in self._confirmed
        if is_late and state is DeliveryState.PUBLISHED:
            self._report.late()
        self._answer(item_id)

    def _pull(self) -> bool:
        """Pull from each feed once; return whether there was anything new."""
        pulled = 0
        for intake in self._intakes:
            if intake.is_open and self._may_pull(intake):
                self._step()
                entries = intake.take(at_once=self._at_once())
                self._sort(entries)
                pulled += len(entries)
        return pulled > 0

    def _may_pull(self, intake: Intake) -> bool:
        reach = self._routing.reach(intake.feed.name, self._targets)
        required = self._routing.required(reach)
        until = ""
        if not any(self._workers[name].usable for name in required):
            # The reason was reported when it was found.
            until = f"{either(required)} can be used"
        elif waiting := intake.room():
            if waiting <= self._report.waiting:
                return False  # they wait for their slots; the summary says so
            until = f"{waiting} waiting posts are done"
        said = f"no new posts are taken from {intake.feed.label} until {until}"
        if until and said not in self._said:
            self._said.add(said)
            self._report.say(logging.WARNING, said)
        return not until and not self._is_full(intake, reach)

    def _is_full(self, intake: Intake, reach: Sequence[str]) -> bool:
        """Return whether too many posts wait for a target of a feed, and say so."""
        full = [
            backlog
            for backlog in self._ledger.backlogs()
            if backlog.target in reach and backlog.posts >= LONGEST_BACKLOG
        ]
        for backlog in full:
            said = (
                f"{backlog.posts} posts wait for {backlog.target}, so no new posts are taken from "
                f"{intake.feed.label}; they stay there. Repair {backlog.target}, or remove it from "
                "the configuration"
            )
            self._report.trouble(said)
        return bool(full)

    def _at_once(self) -> int:
        return max((worker.at_once for worker in self._workers.values()), default=1)

    def _intake_of(self, entry: Entry) -> Intake | None:
        """Return the intake of an item's feed; None if the feed is no longer configured."""
        return next((intake for intake in self._intakes if intake.owns(entry)), None)

    def _guarded(self, item_id: str, step: Callable[[], None]) -> None:
        """Take a step with one item; an internal error stops only this item, for this pass."""
        if item_id in self._faulty:
            return
        try:
            step()
        except (Stopped, LedgerError):
            raise
        except Exception as error:  # noqa: BLE001
            logger.exception("internal error with the item %s; please report it", item_id)
            self._faulted(item_id, f"internal error ({type(error).__name__}); please report it")

    def _faulted(self, item_id: str, reason: str) -> None:
        self._faulty.add(item_id)
        faults = self._ledger.note_fault(item_id, reason)
        if faults < FAULTS:
            self._report.trouble(f"{item_id} is not done: {reason}")
            return
        reason = f"parked after {faults} tries: {reason}"
        fix = f"When that is fixed: copydesk-connect retry {item_id}"
        self._report.trouble(f"{item_id} was {reason}. {fix}", retry=False)
        entry = self._ledger.entry(item_id)
        with self._ledger.together():
            for owed in entry.deliveries:
                if owed.state not in SETTLED:
                    given_up = DeliveryState.PARKED
                    self._ledger.move_delivery(item_id, owed.target, given_up, reason=reason)
            if entry.state in ENDED:
                return
            if faults > FAULTS:  # not even the feed can be told
                self._ledger.move_item(item_id, ItemState.FORGOTTEN, reason=reason)
                return
        self._faulty.discard(item_id)
        self._guarded(item_id, partial(self._answer, item_id))

    def _settled(self, item_id: str) -> None:
        """Record that the feed must be told, in the transaction that settles a delivery."""
        entry = self._ledger.entry(item_id)
        if entry.state is ItemState.OPEN and self._verdict(entry) is Verdict.CONFIRM:
            self._ledger.move_item(item_id, ItemState.CONFIRMING)

    def _verdict(self, entry: Entry) -> Verdict:
        # A target that was removed from the configuration holds nothing up.
        return self._routing.verdict([d for d in entry.deliveries if d.target in self._targets])

    def _answer(self, item_id: str) -> None:
        """Tell the feed about an item if there is something to tell."""
        with self._answering[item_id]:
            entry = self._ledger.entry(item_id)
            said = self._verdict(entry) if entry.state is ItemState.OPEN else Verdict.WAIT
            if entry.state is ItemState.CONFIRMING or said is Verdict.CONFIRM:
                self._confirm(entry)
            elif entry.state is ItemState.REJECTING:
                self._reject(entry, entry.reason)
            elif said is Verdict.REJECT:
                reasons = (delivery.reason for delivery in entry.deliveries)
                self._reject(entry, "; ".join(filter(None, reasons)))

    def _feed_of(self, entry: Entry) -> FeedClient | None:
        """Return the feed to tell about an item; None, for a reason said, if it cannot be told."""
        intake = self._intake_of(entry)
        if intake is None:
            self._report.trouble(
                f"the feed {entry.feed or 'of older posts'} is not in the configuration and cannot "
                "be told what became of its posts: add it again under this name",
                retry=False,
            )
            return None
        return None if intake.feed.name in self._silent else intake.feed

    def _confirm(self, entry: Entry) -> None:
        self._step()
        if entry.state is not ItemState.CONFIRMING:
            self._ledger.move_item(entry.id, ItemState.CONFIRMING)
        feed = self._feed_of(entry)
        if feed is None:
            return
        try:
            feed.confirm(entry.id, next((each.url for each in entry.deliveries if each.url), ""))
        except FeedConflict as error:
            self._ledger.move_item(entry.id, ItemState.CONFLICT, reason=str(error))
            if entry.feed_has == "rejected":  # the user was told at the retry
                said = "is published; the feed still counts it as rejected"
                self._report.say(logging.INFO, said, entry.id)
                return
            self._report.trouble(
                f"{entry.id} is published and stays on the site, but the feed had given it up",
                error,
                retry=False,
            )
        except (Unavailable, Misconfigured) as error:
            self._silent.add(feed.name)
            self._report.trouble(f"{entry.id} is published but not yet confirmed", error)
        else:
            self._ledger.move_item(entry.id, ItemState.CONFIRMED)
            self._confirmed.add(entry.id)
            self._report.confirmed(entry.id)

    def _reject(self, entry: Entry, reason: str) -> None:
        self._step()
        self._ledger.move_item(entry.id, ItemState.REJECTING, reason=reason)
        feed = self._feed_of(entry)
        if feed is None:
            return
        try:
            feed.reject(entry.id)
        except FeedConflict as error:
            reason = f"{reason}; {error}"
            self._ledger.move_item(entry.id, ItemState.CONFLICT, reason=reason)
            self._report.trouble(f"{entry.id} cannot be rejected", error, retry=False)
        except (Unavailable, Misconfigured) as error:
            self._silent.add(feed.name)
            self._report.trouble(f"{entry.id} is not yet rejected", error)
        else:
            self._ledger.move_item(entry.id, ItemState.REJECTED, reason=reason)
            self._report.trouble(f"{entry.id} was rejected: {reason}", retry=False)

    def _step(self) -> None:
        if self._stop():
            raise Stopped
