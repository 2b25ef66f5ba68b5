"""The ledger of claims: what earlier posts of a feed say is not contradicted unnoticed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from app.core.checks import Finding, Kind, Passage, Severity, claimed
from app.core.planning.brief import Brief
from app.core.writing.completion import Completion, Prompt
from app.services import post_writer
from app.services.claims import Ledger
from app.services.journal import Answers, Journal, Owner
from app.services.pipeline import Writers, Written
from app.services.retention import CLAIMS_KEPT, delete_old
from app.store import claims as store
from app.store import database, models
from tests.support.claim_posts import ASIDE, TUNED, posts
from tests.support.claim_posts import Written as Numbered
from tests.support.contexts import context_at
from tests.support.integration import BEGIN, Feed, ManualClock
from tests.support.long_tests import LONG
from tests.support.scripted_worker import WRITTEN, Worker, distinct_post

SCOPE = "tkn_1"


def passages(sentences: Sequence[str]) -> list[Passage]:
    half = len(sentences) // 2
    texts = (" ".join(sentences[:half]), " ".join(sentences[half:]))
    return [Passage(f"sections[{at}]", Kind.PROSE, text) for at, text in enumerate(texts)]


def save(post_id: str, title: str, *sentences: str, scope: str = SCOPE) -> None:
    claims = [claim for _, _, claim in claimed(passages(sentences), "en")]
    with database.writing() as session:
        store.add(session, scope, (post_id, title), claims, BEGIN)


def findings(*sentences: str, scope: str = SCOPE) -> list[Finding]:
    return Ledger(scope).findings(passages(sentences), "en")


def test_a_contradiction_is_a_warning_with_the_title_and_sentence_of_the_earlier_post(
    feed: Feed,
) -> None:
    save("itm_1", "Cold brew at home", "Steep the coarse grounds for 12 hours.")
    (finding,) = findings("Steep the coarse grounds for 6 hours in the fridge.")
    assert finding.severity is Severity.WARNING
    assert finding.fixable
    assert "The earlier post “Cold brew at home” says 12 hours" in finding.reason
    assert "“Steep the coarse grounds for 12 hours.”" in finding.reason


@pytest.mark.parametrize(
    "sentence",
    [
        "Steep the coarse grounds for 12 hours in the fridge.",
        "Steep the fine grounds for 6 hours.",
        "If the room is warm, steep the coarse grounds for 6 hours.",
        "Steep the coarse grounds at 6 °C.",
        "Roast the coarse grounds for 6 minutes.",
    ],
)
def test_what_may_differ_is_no_contradiction(feed: Feed, sentence: str) -> None:
    save("itm_1", "Cold brew at home", "Steep the coarse grounds for 12 hours.")
    assert findings(sentence) == []


def test_other_feeds_do_not_count(feed: Feed) -> None:
    save("itm_1", "Cold brew", "Steep the coarse grounds for 12 hours.", scope="tkn_2")
    assert findings("Steep the coarse grounds for 6 hours.") == []


def test_a_replay_uses_the_recorded_look_up_and_reads_no_ledger(feed: Feed) -> None:
    save("itm_1", "Cold brew", "Steep the coarse grounds for 12 hours.")
    recorded: list[Completion | None] = []

    def record(prompt: Prompt, look_up: object) -> Completion | None:
        assert callable(look_up)
        recorded.append(look_up())
        return recorded[-1]

    texts = passages(["Steep the coarse grounds for 6 hours."])
    first = Ledger(SCOPE, record).findings(texts, "en")
    again = Ledger("", lambda prompt, look_up: recorded[0]).findings(texts, "en")
    assert first == again != []
    assert Ledger("", lambda prompt, look_up: None).findings(texts, "en") == []


def test_an_item_is_stored_with_its_claims_and_the_next_run_sees_and_records_them(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, seen = Worker(feed, monkeypatch), []
    first = [
        claim for _, _, claim in claimed(passages(["The copper kettle costs 40 euros."]), "en")
    ]

    def write_post(writers: Writers, brief: Brief, **_: object) -> Written:
        assert writers.ledger is not None
        seen.append(
            writers.ledger.findings(passages(["You pay 60 euros for the copper kettle."]), "en")
        )
        return replace(WRITTEN, post=distinct_post(len(seen)), claims=tuple(first))

    monkeypatch.setattr(post_writer, "write_post", write_post)
    for _ in range(2):
        worker.queue()
        assert worker.run_next()
        feed.clock.move(timedelta(hours=1))
    assert [len(each) for each in seen] == [0, 1]
    with database.reading() as session:
        purposes = session.scalars(select(models.JournalCall.purpose))
        assert list(purposes) == ["claims"]
        posts_with_claims = session.scalars(select(models.PostClaim.post_id).distinct())
        assert set(posts_with_claims) == set(session.scalars(select(models.FeedItem.id)))


def test_a_post_that_is_resumed_sees_no_posts_that_appeared_since(feed: Feed) -> None:
    """Its prompts must stay those that were answered before."""
    owner = Owner("job_1", "", {}, lambda session, until: True)
    journal = Journal(owner, feed.clock)
    journal._answers = Answers([models.JournalCall(prompt="of the plan", answer={})])
    found = Completion("[]")
    assert journal.recalled(Prompt("", "[1]"), lambda: found) is None
    assert journal.recalled(Prompt("", "[2]"), lambda: found) is None


def test_claims_are_deleted_with_their_keys_after_their_time(feed: Feed) -> None:
    save("itm_1", "Cold brew", "Steep the coarse grounds for 12 hours.")
    delete_old(
        context_at(ManualClock(BEGIN + CLAIMS_KEPT - timedelta(days=1))),
        pause=lambda seconds: False,
    )
    assert findings("Steep the coarse grounds for 6 hours.")
    deleted = delete_old(
        context_at(ManualClock(BEGIN + CLAIMS_KEPT + timedelta(days=1))),
        pause=lambda seconds: False,
    )
    assert deleted["claims"] == 1
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(models.ClaimKey)) == 0


def found_and_alarms(written: Sequence[Numbered]) -> tuple[int, int, list[str]]:
    """How many planted contradictions are found, and how many other posts are warned of."""
    found = alarms = 0
    shown = []
    for post in written:
        warned = findings(*post.sentences)
        if post.pattern is not None:
            found += bool(warned)
            if not warned:
                shown.append(f"missed: {post.sentences}")
        elif warned:
            alarms += 1
            shown.append(f"alarm: {warned[0].reason}")
        save(f"itm_{post.number:06}", post.title, *post.sentences)
    return found, alarms, shown


@LONG
@pytest.mark.parametrize(("patterns", "least"), [(TUNED, 45), (ASIDE, 45)])
def test_of_1000_posts_the_contradictions_are_found_with_few_false_alarms(
    feed: Feed, patterns: Sequence[tuple[int, str]], least: int
) -> None:
    """Of 50 planted contradictions, 90 % are found; of the other posts, 2 % may be warned of.

    Version 3.6.0 of the desk finds 46 of the tuned ones and 45 of those put aside, and warns of no
    other post.
    """
    found, alarms, shown = found_and_alarms(list(posts(1000, 50, patterns)))
    assert found >= least, shown
    assert alarms <= 19, shown
