"""What operators watch besides what is counted, read at most once in a few seconds."""

import logging
import time
from collections import Counter
from pathlib import Path
from threading import Lock

from sqlalchemy.exc import SQLAlchemyError

from app.core.billing.costs import CostScope
from app.core.billing.metering import period_start
from app.ports import Breaker, StoredState
from app.services.attention import late_since
from app.services.context import Context
from app.services.cost_reports import near_caps
from app.store import attention as store
from app.store import costs, receivers
from app.store.backup import age_of_newest
from app.store.costs import INSTALLATION
from app.store.database import reading
from app.store.due import count_due
from app.store.models import Job, Leased, Run, WebhookDelivery
from app.store.overview import MOST_COUNTED

log = logging.getLogger(__name__)

CACHE_SECONDS = 5.0
"""The database is asked once in this time, however often it is watched."""
_KINDS: dict[str, type[Leased]] = {"job": Job, "run": Run, "webhook": WebhookDelivery}


class StateReader:
    """Reads the state; the last one is returned again for ``CACHE_SECONDS``.

    Args:
        tick_seconds: how often the scheduler looks for due rules.
        backups: the folder of backups, if it is known.
    """

    def __init__(self, context: Context, tick_seconds: float, backups: Path | None = None) -> None:
        self._context = context
        self._tick_seconds = tick_seconds
        self._backups = backups
        self._lock = Lock()
        self._state: StoredState | None = None
        self._read_at = float("-inf")

    def read(self) -> StoredState | None:
        """Return the state; None if the database does not answer."""
        with self._lock:
            if time.monotonic() - self._read_at >= CACHE_SECONDS:
                try:
                    self._state = read_state(self._context, self._tick_seconds, self._backups)
                except (SQLAlchemyError, OSError) as error:
                    self._state = None
                    log.warning("the database did not answer: %s", type(error).__name__)
                self._read_at = time.monotonic()
            return self._state


def read_state(context: Context, tick_seconds: float, backups: Path | None = None) -> StoredState:
    """Return the state. Each statement reads up to a bound, by an index."""
    now = context.clock.now()
    with reading() as session:
        waits = {name: store.waiting(session, kind) for name, kind in _KINDS.items()}
        failing, saturated = store.count_rules(session)
        month = costs.spent(session, [INSTALLATION], period_start(now))
        reached = Counter(each.kind for each in near_caps(context, session, MOST_COUNTED, 100))
        return StoredState(
            waiting={name: each.count for name, each in waits.items()},
            oldest_seconds={
                name: max(0.0, (now - each.since).total_seconds()) if each.since else 0.0
                for name, each in waits.items()
            },
            in_progress={name: store.count_held(session, kind) for name, kind in _KINDS.items()},
            given_up_webhooks=store.failed_deliveries(session),
            receivers_off=receivers.count_off(session),
            late_rules=count_due(session.connection(), late_since(context, tick_seconds)),
            failing_rules=failing,
            saturated_rules=saturated,
            month_micros=month[INSTALLATION].figures.micros if month else 0,
            reached_caps={kind.value: reached[kind] for kind in CostScope},
            resting_endpoints=sum(
                state.breaker is Breaker.OPEN for state in context.model().states()
            ),
            backup_seconds=None if backups is None else age_of_newest(backups),
        )
