"""The scripted model keeps its word: what rests on it is worth no more than it is."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import combinations
from typing import Any

import pytest

from app.core.schemas.request import FactualityMode, GenerateRequest
from app.deadline import Deadline
from app.ports import Model
from app.rules.near_duplicates import sign, similarity
from app.rules.passages import text_of
from app.rules.table import check_post
from app.sources.source import Source
from app.writing.angles import ANGLES
from app.writing.brief import Brief, make_brief
from app.writing.completion import Completion, Prompt
from app.writing.pipeline import PostRejected, Writers, Written, write_post
from app.writing.post_markdown import parse_post
from app.writing.prompts import write_prompt
from tests.support.scripted_writer import scripted

KEYWORDS = (
    ["cold brew coffee"],
    ["cold brew coffee", "coffee ratio", "grinder settings"],
    ["home office", "standing desk", "desk lamp", "ergonomic chair", "monitor arm", "cable tray",
     "foot rest", "noise", "webcam", "desk mat"],
    ["how to keep a small vegetable garden alive"],
    ["домашний хлеб"],
    ["C++"],
)  # fmt: skip
LENGTHS = (50, 100, 200, 350, 600, 1000, 3000)
LANGUAGES = (
    "en", "de", "fr", "es", "it", "nl", "pt-BR", "sv", "da", "nb", "fi", "pl", "cs", "ro", "hu",
    "tr", "ru", "uk", "el", "ja",
)  # fmt: skip
TODAY = datetime(2026, 11, 28, tzinfo=UTC)
BRIDGE = (
    "The harbour bridge of Brackwater was closed on 3 May after a barge hit its middle pillar. The"
    " council decided to repair it before the winter, and set 4.2 million aside for the work.",
    "Buses cross the river at the northern lock. A ferry runs every twenty minutes until midnight,"
    " and takes bicycles without a fee. Shops on the quay stay open during the repair.",
)
SOURCES = tuple(
    Source(f"https://{site}/a", site, "The bridge", text, "en", TODAY, TODAY)
    for site, text in zip(("one.example", "two.example"), BRIDGE, strict=True)
)
VERIFIED: dict[str, Any] = {
    "keywords": ["harbour bridge", "Brackwater"],
    "factualityMode": FactualityMode.VERIFIED,
}


def brief_of(
    words: int, *, keywords: Any = KEYWORDS[1], language: str = "en", **more: Any
) -> Brief:
    limits = {"maxWords": words, **more.pop("constraints", {})}
    members = {"keywords": keywords, "language": language, "constraints": limits, **more}
    request = GenerateRequest.model_validate(members)
    return make_brief(request, max_words=words, today=date(2026, 11, 28))


def drafted(brief: Brief) -> str:
    return scripted(write_prompt(brief, (), 1)).text


def objections(text: str, brief: Brief) -> list[str]:
    return [f"{each.section}: {each.reason}" for each in check_post(parse_post(text, brief), brief)]


def test_a_hundred_posts_pass_the_rules_and_none_is_like_another() -> None:
    signatures = []
    for number in range(100):
        words = LENGTHS[number % len(LENGTHS)]
        strategy = ("natural", "balanced", "exact")[number % 3]
        limits = {"includeFAQs": words >= 150 and number % 2 == 0, "keywordUsageStrategy": strategy}
        if number % 5 == 0:
            limits |= {"maxSections": 2, "minWords": max(50, words - 50)} if words > 100 else {}
        keywords = KEYWORDS[number % 6] if words >= 200 or number % 6 != 2 else ["tea"]
        brief = brief_of(
            words, keywords=keywords, topic="a start" * (number % 2), constraints=limits
        )
        brief = replace(brief, angle=ANGLES[number % len(ANGLES)])
        text = drafted(brief)
        assert objections(text, brief) == [], (number, words)
        signatures.append(sign(text_of(parse_post(text, brief))))
    assert max(similarity(one, other) for one, other in combinations(signatures, 2)) < 0.3


@pytest.mark.parametrize("language", LANGUAGES)
def test_posts_of_each_language_pass_the_rules(language: str) -> None:
    for words in LENGTHS:
        brief = brief_of(words, language=language, keywords=["espresso"])
        for faqs in {False, words >= 150}:
            brief = replace(brief, faqs=faqs)
            assert objections(drafted(brief), brief) == [], words


@dataclass
class Scripted(Model):
    """Behaves in a way for a number of calls, then well."""

    behaviour: str = "good"
    times: int = 1_000
    name = "scripted"

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        deadline.left()
        self.times -= 1
        return scripted(prompt, self.behaviour if self.times >= 0 else "good")

    def ping(self) -> None:
        """Always there."""


def written(behaviour: str, brief: Brief, *, times: int = 1_000) -> Written:
    model = Scripted(behaviour, times)
    sources = SOURCES if brief.verified else ()
    return write_post(Writers(model, model), brief, deadline=Deadline(60), sources=sources)


@pytest.mark.parametrize(
    "behaviour",
    ["good", "cites", "invents_once", "fenced", "wild_edits", "reader_yes"],
)
def test_these_verified_posts_are_proved(behaviour: str) -> None:
    post = written(behaviour, brief_of(300, **VERIFIED))
    assert {proof.source for proof in post.proofs} <= set(SOURCES)
    assert post.proofs
    assert post.mark == 8
    assert "4,812" not in str(post.post)


@pytest.mark.parametrize(
    ("behaviour", "rule"),
    [
        ("short", "too_short"), ("long", "too_long"), ("missing_keyword", "keyword_missing"),
        ("link", "link"), ("markdown_link", "link"), ("html", "html"), ("script", "html"),
        ("placeholder", "leftover"), ("assistant_talk", "leftover"),
        ("repeated_sentence", "repeated"), ("truncated", "cut_off"),
        ("inflected", "keyword_missing"), ("missing_part", "parts_missing"),
        ("blocking_editor", "editor"), ("low_mark", "reader_mark"),
        ("invents", "unsupported_claim"), ("asserts", "unsupported_claim"),
        ("copies", "copied_from_source"),
        ("reader_rejects", ""), ("reader_invents", ""), ("reader_unreadable", "unsupported_claim"),
    ],
)  # fmt: skip
def test_these_posts_are_refused(behaviour: str, rule: str) -> None:
    limits = {"includeFAQs": True, "keywordUsageStrategy": "exact"}
    verified = VERIFIED | {"keywords": ["clay pot"]}
    brief = brief_of(300, constraints=limits, **verified)
    with pytest.raises(PostRejected) as refused:
        written(behaviour, brief)
    assert not rule or rule in {each.rule for each in refused.value.findings if each.blocks}
