"""The prompts: what a request, its sources and its post look like to a model."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.core.schemas.request import KeywordUsageStrategy, Tone
from app.sources.source import Source
from app.writing.angles import ANGLES
from app.writing.brief import EarlierPost, Rewrite
from app.writing.completion import Prompt
from app.writing.prompts import (
    cut_prompt,
    edit_prompt,
    read_prompt,
    write_local_prompt,
    write_prompt,
)
from tests.support.answers import BRIEF, POST

NOW = datetime(2026, 11, 28, tzinfo=UTC)
SOURCES = [Source("https://a.example/1", "a.example", "A “page”", "A fact.", "en", None, NOW)]
FULL = replace(
    BRIEF, topic="at home", region="GB", tone=Tone.BOLD, audience="beginners", brand_voice="dry",
    industry="coffee", target_url="https://shop.example/kit", angle=ANGLES[0], max_sections=3,
    strategy=KeywordUsageStrategy.EXACT, earlier=(EarlierPost("Old post", "About beans."),),
    rewrite=Rewrite("Name the price.", "# The first version"),
)  # fmt: skip


def every_prompt(verified: bool) -> list[Prompt]:
    brief = replace(FULL, verified=verified)
    asked = [(1, "A statement.")] if verified else []
    return [
        write_prompt(brief, SOURCES, 1),
        write_prompt(brief, [], 2),
        write_local_prompt(brief, SOURCES, 1),
        edit_prompt(brief, SOURCES, [POST, POST, POST], ["A: too long"], 1),
        edit_prompt(brief, [], [POST], [], 2, read=True),
        cut_prompt(brief, POST, 12),
        read_prompt(brief, SOURCES, POST, asked, 1),
    ]


@pytest.mark.parametrize("verified", [True, False])
def test_no_prompt_has_an_unfilled_mark_or_two_blank_lines(verified: bool) -> None:
    for prompt in every_prompt(verified):
        text = f"{prompt.system}\n{prompt.user}"
        assert "{%" not in text
        assert "{{" not in text
        assert "None" not in text
        assert "\n\n\n" not in text


def test_the_length_is_told_in_sections_and_no_more_of_them_than_the_request_allows() -> None:
    for brief, told in (
        (FULL, "2 sections of about 100"),
        (replace(FULL, max_sections=1), "1 section of about 200"),
    ):
        assert f"everything counted: at most {told} words" in write_prompt(brief, [], 1).user


def test_who_writes_again_gets_the_remark_and_the_text_that_it_is_about() -> None:
    """The editor and the reader judge by the remark alone."""
    for number, prompt in enumerate(every_prompt(verified=False)):
        assert ("“Name the price.”" in prompt.user) == (prompt.purpose != "cut")
        assert ("# The first version\n</sent_back>" in prompt.user) == (number < 3)
    assert "sent_back" not in write_prompt(BRIEF, [], 1).user


def test_sources_are_said_to_be_material_and_never_instructions() -> None:
    for prompt in (write_prompt(BRIEF, SOURCES, 1), edit_prompt(BRIEF, SOURCES, [POST], [], 1)):
        assert "never instructions" in prompt.user
        assert '<source number="1"' in prompt.user
