"""One pass: finish what the ledger has, then pull, publish and confirm new items.

The feed abandons an item after three pulls, so each pull must count. Items are pulled only if every
target is ready and nothing is unfinished. The first item of a pass is pulled alone. If the feed
delivers it for the first time, the rest is pulled together, up to 100, and published in parallel.
If it delivered the item before, an answer was lost; the pass then stays at one item at a time,
because each lost answer costs every item in it a delivery.

Items are published in the order of their generation; in parallel, an item can overtake at most as
many others as there are threads.

A post that a target does not accept for days is parked there (see ``delivery``). The feed is then
told that the item is used if another target has it, else that it is rejected. The ledger keeps the
text, so the post can still be published.

A refused post is held, and retried once the target has accepted another one. To get another one,
items are pulled beside it: once in the same pass and once an hour later, as each pull costs the
held item a delivery. Beside a post that a firewall or a wrong setting blocks, only the later pull
is made.

An item never stops the others: an item that causes internal errors is retried in the next passes
and then parked.
"""

import logging
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from copydesk_connectors.engine.delivery import Stopped, TargetWorker
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.intake import Intake
from copydesk_connectors.engine.ledger import Entry, Ledger
from copydesk_connectors.engine.log import logger
from copydesk_connectors.engine.report import Outcome, Report
from copydesk_connectors.engine.states import (
    FAULTS,
    SETTLED,
    DeliveryEvent,
    DeliveryState,
    ItemEvent,
    ItemState,
    Verdict,
    verdict,
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

__all__ = ["Courier", "Outcome"]


class Courier:
    """Publishes the items of one feed on its targets, up to ``parallel`` at a time.

    It calls ``stop`` between steps and ends the pass if that returns True.
    """

    def __init__(
        self,
        feed: FeedClient,
        ledger: Ledger,
        targets: Sequence[Target],
        stop: Callable[[], bool] = lambda: False,
        parallel: int = 1,
    ) -> None:
        self._feed = feed
        self._ledger = ledger
        self._targets = {target.name: target for target in targets}
        self._stop = stop
        self._parallel = parallel
        self._begin_pass()

    def _begin_pass(self) -> None:
        self._report = Report()
        self._intake = Intake(self._feed, self._ledger, self._report, self._targets)
        self._workers = {
            name: TargetWorker(target, self._ledger, self._report, self._stop, self._parallel)
            for name, target in self._targets.items()
        }
        self._taken_up = 0
        self._looked_again: set[str] = set()

    def progress(self) -> str:
        """Return the progress of the pass, as a sentence."""
        return f"{self._report.outcome.confirmed} of {self._taken_up} posts are done"

    def once(self) -> Outcome:
        """Make one pass and return its outcome."""
        self._begin_pass()
        try:
            for worker in self._workers.values():
                worker.look()
            # Held posts come last: a new post shows soonest whether the site accepts any.
            unfinished = sorted(self._ledger.unfinished(), key=_held_since)
            self._taken_up += len(unfinished)
            self._carry_all(unfinished)
            self._look_again()
            self._pull_until_empty()
        except Stopped:
            self._report.trouble("stopped as requested; the next start continues")
        return self._report.outcome

    def _pull_until_empty(self) -> None:
        while self._may_pull():
            self._step()
            entries = self._intake.take(at_once=self._at_once())
            if not entries:
                return
            self._taken_up += len(entries)
            self._carry_all(entries)
            self._look_again()

    def _may_pull(self) -> bool:
        down = [name for name, worker in self._workers.items() if not worker.usable]
        waiting = self._intake.room()
        # The reason was reported when it was found.
        until = ""
        if down:
            until = f"{' and '.join(down)} can be used"
        elif waiting:
            until = f"{waiting} waiting posts are done"
        if until:
            said = f"no new posts are taken from the feed until {until}"
            self._report.say(logging.WARNING, said)
        return not until

    def _look_again(self) -> None:
        """Retry held posts whose target has accepted another post since."""
        names = {name for name, d in self._workers.items() if d.usable and d.refusals.accepted}
        held = [
            entry
            for entry in self._ledger.unfinished()
            if entry.id not in self._looked_again
            and any(d.held and d.target in names for d in entry.deliveries)
        ]
        self._looked_again |= {entry.id for entry in held}
        self._carry_all(sorted(held, key=_held_since))

    def _at_once(self) -> int:
        return max((worker.at_once for worker in self._workers.values()), default=1)

    def _carry_all(self, entries: Sequence[Entry]) -> None:
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
        """Take one item as far as possible; an internal error stops only this item."""
        try:
            if entry.state is ItemState.OPEN:
                self._carry_open(entry)
            elif entry.state is ItemState.CONFIRMING:
                self._confirm(entry.id)
            else:
                self._reject(entry.id, entry.reason)
        except (Stopped, LedgerError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001
            logger.exception("internal error with the item %s; please report it", entry.id)
            self._faulted(entry.id, f"internal error ({type(error).__name__}); please report it")

    def _faulted(self, item_id: str, reason: str) -> None:
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
                    given_up = DeliveryEvent.GIVEN_UP
                    self._ledger.move_delivery(item_id, owed.target, given_up, reason=reason)
            if faults > FAULTS:  # not even the feed can be told
                self._ledger.move_item(item_id, ItemEvent.FORGOTTEN, reason=reason)
                return
        self._carry(self._ledger.entry(item_id))

    def _carry_open(self, entry: Entry) -> None:
        states = [owed.state for owed in entry.deliveries]
        if verdict(states) is Verdict.WAIT:
            try:
                post = Post.from_item(entry.raw)
            except BadItem as error:
                self._reject(entry.id, str(error))
                return
            states = self._deliver(post, entry)
        self._conclude(entry.id, states)

    def _deliver(self, post: Post, entry: Entry) -> list[DeliveryState]:
        states = []
        for owed in self._intake.owe(entry).deliveries:
            if owed.state in SETTLED:
                states.append(owed.state)
            elif owed.target in self._workers:  # else it was removed from the configuration
                sent_once = entry.delivery_count == 1
                states.append(self._workers[owed.target].deliver(post, owed, sent_once=sent_once))
        return states

    def _conclude(self, item_id: str, states: Sequence[DeliveryState]) -> None:
        match verdict(states):
            case Verdict.WAIT:
                self._report.waits()
            case Verdict.CONFIRM:
                self._confirm(item_id)
            case Verdict.REJECT:
                reasons = (d.reason for d in self._ledger.deliveries(item_id))
                self._reject(item_id, "; ".join(filter(None, reasons)))

    def _confirm(self, item_id: str) -> None:
        self._step()
        entry = self._ledger.entry(item_id)
        if entry.state is not ItemState.CONFIRMING:
            self._ledger.move_item(item_id, ItemEvent.CONFIRM_BEGUN)
        try:
            self._feed.confirm(item_id)
        except FeedConflict as error:
            self._ledger.move_item(item_id, ItemEvent.ANSWER_REFUSED, reason=str(error))
            if entry.feed_has == "rejected":  # the user was told at the retry
                said = "is published; the feed still counts it as rejected"
                self._report.say(logging.INFO, said, item_id)
                return
            self._report.trouble(
                f"{item_id} is published and stays on the site, but the feed had given it up",
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


def _held_since(entry: Entry) -> str:
    """Return a sort key: held items come last, the longest untried one first among them."""
    return max((d.updated_at for d in entry.deliveries if d.held), default="")
