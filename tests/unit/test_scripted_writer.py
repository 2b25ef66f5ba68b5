"""The scripted model as planner, writer and editor, by the modules of app/core/writing alone."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.core.checks import ScorePart, check_post, passages, post_words, score
from app.core.planning.brief import Brief, make_brief
from app.core.schemas.request import GenerateRequest
from app.core.text import find_phrase, word_count
from app.core.writing.answer import accept, read_answer
from app.core.writing.completion import Completion, Prompt
from app.core.writing.draft import (
    CONCLUSION,
    FAQS,
    INTRODUCTION,
    Draft,
    Part,
    PartKind,
    assemble,
    parts_of,
    section_part,
)
from app.core.writing.editor import EDITOR_CHECKS, Fault, Manuscript
from app.core.writing.parsing import load
from app.core.writing.plan import Form, check_plan, read_plan
from app.core.writing.profile import LARGE, SMALL, Profile, Strategy
from app.core.writing.prompts import parts_prompt, plan_prompt, rewrite_prompt
from app.core.writing.strategy import share_out, words_of
from app.deadline import Deadline
from app.ports import Model
from app.services.pipeline import Writers, write_post
from tests.support.scripted_model import bank
from tests.support.scripted_model.behaviours import INVENTED, SAME_AGAIN, tokens
from tests.support.scripted_model.requirements import read
from tests.support.scripted_writer import scripted

SECTIONS = replace(LARGE, strategy=Strategy.SECTIONS)
PIECES = replace(SMALL, strategy=Strategy.PIECES)
KEYWORDS = {
    "one": ["cold brew coffee"],
    "three": ["cold brew coffee", "coffee ratio", "grinder settings"],
    "ten": ["home office", "standing desk", "desk lamp", "ergonomic chair", "monitor arm",
            "cable tray", "foot rest", "noise", "webcam", "desk mat"],
    "long": ["how to keep a small vegetable garden alive"],
    "Cyrillic": ["домашний хлеб"],
    "signs": ["C++"],
}  # fmt: skip


def brief_of(keywords: Sequence[str], words: int, topic: str = "", **limits: object) -> Brief:
    request = GenerateRequest.model_validate(
        {
            "keywords": keywords,
            "topic": topic or None,
            "constraints": {"maxWords": words, **limits},
        }
    )
    return make_brief(request, max_words=words)


def ask(draft: Draft, brief: Brief, profile: Profile, asked: tuple[Part, ...], how: str) -> Draft:
    words = words_of(draft.plan, brief)
    prompt = parts_prompt(brief, profile, draft, asked, words, "", seed=1)
    for part, text in read_answer(scripted(prompt, how).text, asked).items():
        draft = accept(draft, part, text)
    return draft


def write(brief: Brief, profile: Profile = LARGE, how: str = "good") -> tuple[Draft, Brief]:
    """Return the first draft, and the brief with the planned number of sections."""
    prompt = plan_prompt(brief, profile, "", [], seed=1)
    plan = read_plan(load(scripted(prompt, how).text, prompt.schema or {}), brief)
    assert not check_plan(plan, brief)
    draft = Draft(plan)
    for asked in share_out(plan, brief, profile):
        draft = ask(draft, brief, profile, asked, how)
    return draft, brief


def rewrite(draft: Draft, brief: Brief, parts: Sequence[Part], how: str) -> Draft:
    words = words_of(draft.plan, brief)
    feedback = {part: ["“x”: wrong. Say y."] for part in parts}
    prompt = rewrite_prompt(brief, LARGE, draft, feedback, words, "", seed=9)
    for part, text in read_answer(scripted(prompt, how).text, list(parts)).items():
        draft = accept(draft, part, text)
    return draft


def found_by_editor(draft: Draft, brief: Brief, how: str = "good") -> list[tuple[str, str]]:
    """Return the checks and reasons of the editor's findings."""
    manuscript = Manuscript(list(passages(assemble(draft, brief))), "en")
    prompt = manuscript.prompt(brief, draft.plan, "", seed=1)
    answer = load(scripted(prompt, how).text, prompt.schema or {})
    return [(each.check, each.reason) for each in manuscript.findings(answer)]


@pytest.mark.parametrize("profile", [LARGE, SECTIONS, PIECES, SMALL], ids=lambda p: p.strategy)
@pytest.mark.parametrize("words", [100, 300, 600, 1000, 2000, 3000, 4000])
def test_its_posts_pass_every_check_with_the_full_score(words: int, profile: Profile) -> None:
    several = ["one", "ten", "Cyrillic"] if words >= 2000 else list(KEYWORDS)
    for number, keywords in enumerate(KEYWORDS[name] for name in several):
        with_faqs = words >= 300 and (number + words // 100) % 2 == 0
        draft, brief = write(brief_of(keywords, words, includeFAQs=with_faqs), profile)
        report = check_post(assemble(draft, brief), brief)
        assert report.findings == (), (keywords, [each.reason for each in report.findings])
        assert score(report.findings, set(ScorePart)).total == 100
        assert found_by_editor(draft, brief) == []


class Paid(Model):
    """The scripted writer, and the tokens of prompts and answers as its endpoint counts them."""

    name, concurrency = "scripted", 1

    def __init__(self, how: str = "good") -> None:
        self.calls, self.tokens, self.how = 0, 0, how

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        completion = scripted(prompt, self.how)
        self.calls += 1
        self.tokens += sum(map(tokens, (prompt.system, prompt.user, completion.text)))
        return completion

    def ping(self) -> None:
        """Always there."""


@pytest.mark.parametrize(
    ("words", "has_editor", "most"),
    [(1000, True, 4.5), (1000, False, 2.5), (3000, True, 3.3), (3000, False, 1.8)],
)
def test_a_post_costs_few_calls_and_tokens(words: int, has_editor: bool, most: float) -> None:
    """Written once and read once by the editor, the post alone has 2.3 tokens for each word."""
    model = Paid()
    brief = brief_of(["cold brew coffee"], words)
    editor = model if has_editor else None
    written = write_post(Writers(model, editor=editor, seed=1), brief, deadline=Deadline(600))
    assert model.calls == 2 + has_editor
    assert model.tokens / post_words(written.post) <= most


@pytest.mark.parametrize("fault", [Fault.FALSE, Fault.DISJOINTED, Fault.UNANSWERED_QUESTION])
def test_a_rewritten_section_keeps_the_keyword_that_it_alone_uses(fault: Fault) -> None:
    keywords = ["harbour bridge", "Brackwater"]
    for number in range(6):
        model = Paid(f"faulty:{fault.value}")
        brief = brief_of(keywords, 300, f"case {number}")
        written = write_post(Writers(model, editor=model, seed=1), brief, deadline=Deadline(600))
        assert written.quality.revision_count == 1


@pytest.mark.parametrize("profile", [LARGE, SECTIONS, SMALL], ids=["whole", "sections", "small"])
def test_parts_have_the_length_the_phrases_and_the_claims_that_were_asked_for(
    profile: Profile,
) -> None:
    for words in (600, 1000, 3000):
        draft, brief = write(brief_of(KEYWORDS["three"], words), profile)
        lengths = words_of(draft.plan, brief)
        loose = [each for planned in draft.plan.sections for each in planned.loose]
        for number, planned in enumerate(draft.plan.sections, 1):
            part = section_part(number)
            text = draft.text(part)
            assert word_count(text) == pytest.approx(lengths[part], rel=0.1)
            for keyword in brief.keywords:
                is_said = find_phrase(planned.heading, keyword, "en")
                wanted = keyword in planned.keywords and not is_said
                if profile is LARGE and keyword in loose:
                    continue  # It may stand in any section.
                assert len(find_phrase(text, keyword, "en")) == wanted
            assert all(text.count(claim) == 1 for claim in planned.claims)
        bodies = "\n".join(
            draft.text(section_part(at + 1)) for at in range(len(draft.plan.sections))
        )
        for keyword in loose if profile is LARGE else ():
            assert len(find_phrase(bodies, keyword, "en")) == loose.count(keyword)
        for part in (INTRODUCTION, CONCLUSION):
            assert word_count(draft.text(part)) == pytest.approx(lengths[part], rel=0.1, abs=5)


@pytest.mark.parametrize(
    ("topic", "form", "line"),
    [
        ("how to make it", Form.STEPS, r"^1\. \w.*\n2\. \w"),
        ("cans compared to bottles", Form.TABLE, r"^\| .* \|\n\| --- .*\n\| "),
        ("ten ideas for guests", Form.LIST, r"^- \w.*\n- \w"),
    ],
)
def test_the_form_of_a_section_follows_the_topic(topic: str, form: Form, line: str) -> None:
    draft, _ = write(brief_of(["cold brew coffee"], 1000, topic))
    numbers = [at for at, section in enumerate(draft.plan.sections, 1) if section.form is form]
    assert numbers
    for number in numbers:
        assert re.search(line, draft.text(section_part(number)), re.MULTILINE)


def test_the_bank_has_faults_of_every_kind() -> None:
    faults = bank.faults()
    assert len(faults) >= 60
    assert {fault.kind for fault in faults} == {fault.value for fault in Fault}


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("profile", [LARGE, SECTIONS, PIECES], ids=lambda p: p.strategy)
def test_a_planted_fault_is_found_by_the_editor_alone_and_a_rewrite_is_clean(
    fault: Fault, profile: Profile
) -> None:
    how = f"faulty:{fault.value}"
    draft, brief = write(brief_of(["cold brew coffee"], 1000), profile, how)
    assert not [each for each in check_post(assemble(draft, brief), brief).findings if each.blocks]
    (found,) = found_by_editor(draft, brief, how)
    assert found[0] == EDITOR_CHECKS[fault].name
    clean, _ = write(brief_of(["cold brew coffee"], 1000), profile)
    changed = [part for part in draft.texts if draft.texts[part] != clean.texts[part]]
    assert len({part.whole for part in changed}) == 1
    if profile.strategy is not Strategy.PIECES:
        again = rewrite(draft, brief, changed, how)
        assert again.texts == clean.texts
    stubborn = f"stubborn:{fault.value}"
    again = rewrite(draft, brief, [changed[0].whole], stubborn)
    assert [check for check, _ in found_by_editor(again, brief, stubborn)] == [found[0]]


def test_every_fault_is_one_sentence_that_the_editor_finds() -> None:
    draft, brief = write(brief_of(["cold brew coffee"], 600))
    for fault in bank.faults():
        text = f"{draft.text(INTRODUCTION)} {fault.first} {fault.text}"
        found = found_by_editor(draft.with_text(INTRODUCTION, text), brief)
        assert found == [(f"editor_{fault.kind}", f"“{fault.text}”: {fault.problem} {fault.fix}")]


def test_quotations_that_the_text_does_not_have_are_dropped() -> None:
    draft, brief = write(brief_of(["cold brew coffee"], 600))
    assert found_by_editor(draft, brief, "false_editor") == []
    texts = list(passages(assemble(draft, brief)))
    prompt = Manuscript(texts, "en").prompt(brief, draft.plan, "", seed=1)
    assert load(scripted(prompt, "false_editor").text, prompt.schema or {})["findings"]


@pytest.mark.parametrize("how", ["preface", "fenced", "think"])
def test_talk_around_an_answer_changes_nothing(how: str) -> None:
    good, brief = write(brief_of(["cold brew coffee"], 1000))
    draft = Draft(good.plan)
    for asked in share_out(good.plan, brief, LARGE):
        draft = ask(draft, brief, LARGE, asked, how)
    assert draft == good


def test_answers_without_markers_or_without_a_part_leave_parts_out() -> None:
    draft, brief = write(brief_of(["cold brew coffee"], 1000, includeFAQs=True), LARGE)
    plan = draft.plan
    parts = parts_of(plan, brief)

    def missing(how: str) -> list[Part]:
        written = ask(Draft(plan), brief, LARGE, parts, how)
        return [part for part in parts if not written.has(part)]

    assert missing("good") == []
    assert missing("no_markers") == list(parts)
    assert len(missing("missing_part")) == 1
    assert missing("no_faqs") == [FAQS]


@pytest.mark.parametrize(
    ("how", "mark", "everywhere"),
    [
        ("link", "https://", True),
        ("html", "<b>", True),
        ("placeholder", "TODO", True),
        ("assistant_talk", "As an AI", True),
        ("repeated_sentence", SAME_AGAIN, True),
        ("invents", INVENTED, True),
        ("invents_once", INVENTED, False),
    ],
)
def test_bad_prose_is_bad_in_its_parts(how: str, mark: str, everywhere: bool) -> None:
    good, brief = write(brief_of(["cold brew coffee"], 1000))
    draft = Draft(good.plan)
    for asked in share_out(good.plan, brief, LARGE):
        draft = ask(draft, brief, LARGE, asked, how)
    has = {part for part in good.texts if mark in draft.text(part)}
    assert has == (set(good.texts) if everywhere else {INTRODUCTION})
    assert not any(mark in text for text in good.texts.values())


def test_lengths_and_phrases_can_be_wrong() -> None:
    strategy = {"keywordUsageStrategy": "exact"}
    good, brief = write(brief_of(["cold brew coffee"], 1000, **strategy))
    part = section_part(1)

    def text(how: str) -> str:
        return ask(Draft(good.plan), brief, SECTIONS, (part,), how).text(part)

    assert word_count(text("short")) < 5
    assert word_count(text("long")) > 2 * word_count(text("good"))
    assert find_phrase(text("good"), "cold brew coffee", "en")
    assert not find_phrase(text("missing_keyword"), "cold brew coffee", "en")
    assert "cold brew coffees" in text("inflected")
    assert not text("truncated").endswith(".")


def test_pieces_are_the_parts_so_that_a_rewrite_is_a_second_attempt() -> None:
    draft, brief = write(brief_of(["cold brew coffee"], 1000))
    words = words_of(draft.plan, brief)
    parts = parts_of(draft.plan, brief)
    first = parts_prompt(brief, LARGE, Draft(draft.plan), parts, words, "", seed=1)
    second = rewrite_prompt(brief, LARGE, draft, {parts[1]: ["x"]}, words, "", seed=2)
    assert parts[1].kind is PartKind.SECTION
    assert read(second.user).pieces == [read(first.user).pieces[1]]


def test_repeats_writes_the_same_sections_under_another_title() -> None:
    brief = brief_of(["cold brew coffee"], 1000)
    other = replace(brief, topic="another topic")
    (one, _), (two, _) = write(brief, how="repeats"), write(other, how="repeats")
    assert one.plan.title != two.plan.title
    assert one.texts == two.texts
