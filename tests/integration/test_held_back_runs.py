"""“pausing a rule stops only that keyword group; pausing a token stops all its rules”: the run that
a paused rule has queued is out of the workers' sight until no pause is left."""

from datetime import timedelta

from app.services import accounts, rules, runs, schedule
from app.store import database, models
from app.store.leases import may_begin
from tests.support.integration import BEGIN, Feed


def in_sight(feed: Feed) -> int:
    """How many runs a worker would look at, whatever it then makes of them."""
    with database.reading() as session:
        return len(may_begin(session, models.Run, feed.clock.now()))


def test_a_run_comes_back_when_no_pause_is_left(feed: Feed) -> None:
    paused, other = (feed.add_rule(name, due=BEGIN) for name in ("Paused", "Other"))
    assert schedule.tick(feed.context) == 2
    rules.pause_rule(feed.context, paused, paused=True)
    assert in_sight(feed) == 1
    accounts.pause_token(feed.token, paused=True)
    assert in_sight(feed) == 0
    feed.clock.move(timedelta(days=400))
    assert runs.claim(feed.context) is None
    accounts.pause_token(feed.token, paused=False)
    claimed = runs.claim(feed.context)
    assert claimed is not None
    assert claimed.rule.id == other
    assert runs.claim(feed.context) is None
    rules.pause_rule(feed.context, paused, paused=False)
    claimed = runs.claim(feed.context)
    assert claimed is not None
    assert claimed.rule.id == paused


def test_a_run_that_was_begun_is_left_alone(feed: Feed) -> None:
    rule = feed.add_rule("Begun", due=BEGIN)
    assert schedule.tick(feed.context) == 1
    claimed = runs.claim(feed.context)
    assert claimed is not None
    before = [(run.status, run.not_before, run.attempts) for run in feed.runs()]
    for pause in (True, False):
        rules.pause_rule(feed.context, rule, paused=pause)
        assert [(run.status, run.not_before, run.attempts) for run in feed.runs()] == before
