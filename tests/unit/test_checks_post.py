"""Checks over a whole post: lengths, sections, headings, keywords; and the score."""

from collections.abc import Callable

import pytest

from app.core.checks import (
    CHECKS,
    Finding,
    Kind,
    ScorePart,
    Severity,
    block_place,
    blocker,
    check_post,
    description_findings,
    heading_findings,
    passages,
    post_words,
    score,
    title_findings,
    width,
)
from app.core.planning.brief import Brief
from app.core.schemas.post import Faq, Section, SectionType, SEOPost
from tests.unit.findings import findings_in, of, warning

MakePost = Callable[..., SEOPost]
MakeBrief = Callable[..., Brief]


def test_a_good_post_passes_with_nothing_to_say(make_post: MakePost, make_brief: MakeBrief) -> None:
    assert findings_in(make_post(), make_brief()) == []


def test_a_good_post_without_questions_or_box(make_post: MakePost, make_brief: MakeBrief) -> None:
    brief = make_brief(faqs=0, callout=False)
    assert findings_in(make_post(faqs=(), callout=None, brief=brief), brief) == []


def test_the_words_of_a_post_are_all_that_stands_below_its_title(make_post: MakePost) -> None:
    post = make_post(
        title="Not counted at all",
        description="Nor is this one.",
        introduction="One two three.",
        bodies=(("Four five", "Six seven.\n\nEight."),),
        callout=None,
        faqs=(Faq(question="Nine ten?", answer="Eleven."),),
        conclusion="Twelve.",
    )
    # "Frequently asked questions" stands on the page as well.
    assert post_words(post) == 12 + 3


@pytest.mark.parametrize(
    ("low", "high", "check"),
    [(0, 0, None), (-5, 5, None), (1, 1, "too_short"), (-1, -1, "too_long")],
)
def test_word_count_at_its_edges(
    make_post: MakePost, make_brief: MakeBrief, low: int, high: int, check: str | None
) -> None:
    words = post_words(make_post())
    brief = make_brief(min_words=words + low, max_words=words + high)
    findings = findings_in(make_post(), brief)
    assert [f.check for f in findings] == ([check] if check else [])
    for finding in findings:
        assert finding.severity is Severity.BLOCKER
        assert finding.section == "post"
        assert str(words) in finding.reason


def test_sections_of_another_number_than_planned(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    (finding,) = findings_in(make_post(), make_brief(sections=(3, 3)))
    assert (finding.check, finding.section, finding.blocks) == ("sections", "post", True)
    assert "has 2 sections between introduction and conclusion, not 3" in finding.reason


def test_missing_questions(make_post: MakePost, make_brief: MakeBrief) -> None:
    (finding,) = findings_in(make_post(), make_brief(faqs=3))
    assert (finding.check, finding.section, finding.blocks) == ("sections", "faqs", True)
    (finding,) = findings_in(make_post(faqs=()), make_brief())
    assert (finding.check, finding.section, finding.blocks) == ("sections", "faqs", True)


def test_a_post_begins_with_an_introduction_and_ends_with_a_conclusion(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    post = make_post()
    turned = post.model_copy(update={"sections": (*post.sections[1:], post.sections[0])})
    reasons = {f.reason for f in of("sections", findings_in(turned, make_brief()))}
    assert reasons == {
        "The post does not begin with an introduction. Write every part that was requested.",
        "The post does not end with a conclusion. Write every part that was requested.",
    }


@pytest.mark.parametrize(
    ("characters", "severity"),
    [
        (9, Severity.BLOCKER),
        (10, Severity.WARNING),
        (14, Severity.WARNING),
        (15, None),
        (60, None),
        (61, Severity.WARNING),
        (75, Severity.WARNING),
        (76, Severity.BLOCKER),
    ],
)
def test_title_length_at_its_edges(characters: int, severity: Severity | None) -> None:
    findings = list(title_findings("t" * characters))
    assert [f.severity for f in findings] == ([severity] if severity else [])
    for finding in findings:
        assert (finding.check, finding.section) == ("title_length", "title")
        assert f"is {characters} characters long. Write a title of 15 to 60" in finding.reason


@pytest.mark.parametrize(
    ("characters", "severity"),
    [
        (69, Severity.BLOCKER),
        (70, Severity.WARNING),
        (120, Severity.WARNING),
        (121, None),
        (156, None),
        (157, Severity.WARNING),
        (165, Severity.WARNING),
        (166, Severity.BLOCKER),
    ],
)
def test_description_length_at_its_edges(characters: int, severity: Severity | None) -> None:
    findings = list(description_findings("d" * characters))
    assert [f.severity for f in findings] == ([severity] if severity else [])
    for finding in findings:
        assert (finding.check, finding.section) == ("description_length", "meta.description")
        assert (
            f"is {characters} characters long. Write a meta description of 121 to 156"
            in finding.reason
        )


def test_full_width_characters_take_the_room_of_two() -> None:
    assert width("水出しコーヒー") == 14
    assert width("ＳＥＯ cold") == 11
    assert list(title_findings("水" * 30)) == []
    assert [f.blocks for f in title_findings("水" * 31)] == [False]
    assert [f.blocks for f in title_findings("水" * 38)] == [True]


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (["Grind it coarse", "Let it rest"], []),
        (["Grind it coarse", "GRIND it — coarse!"], [("b", "blocker")]),
        (["Cold brew, at home!", "Let it rest"], [("a", "blocker")]),
        (["Conclusion", "Let it rest"], [("a", "blocker")]),
        (["Frequently Asked Questions", "Let it rest"], [("a", "blocker")]),
        (["…", "Let it rest"], [("a", "blocker")]),
        (["h" * 45 + " " + "h" * 44, "Let it rest"], []),
        (["h" * 45 + " " + "h" * 45, "Let it rest"], [("a", "blocker")]),
        (["Grinding", "Let it rest"], [("a", "warning")]),
    ],
)
def test_headings(headings: list[str], expected: list[tuple[str, str]]) -> None:
    findings = heading_findings("Cold brew at home", headings, ["a", "b"])
    assert [(f.section, f.severity.value) for f in findings] == expected


def test_a_heading_is_named_by_its_place(make_post: MakePost, make_brief: MakeBrief) -> None:
    bodies = (
        ("Cold brew rests", "The jar rests for a very long night with its burr grinder."),
        ("Cold brew rests", "Nothing else is asked of you or of your kitchen."),
    )
    (finding,) = of("heading", findings_in(make_post(bodies=bodies), make_brief()))
    assert (finding.section, finding.blocks) == ("sections[2].heading", True)


def test_a_section_without_a_heading_is_a_blocker(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    post = make_post()
    bare = Section(type=SectionType.BODY, content_markdown="It rests for a night or two.")
    post = post.model_copy(update={"sections": (post.sections[0], bare, *post.sections[2:])})
    (finding,) = of("heading", findings_in(post, make_brief()))
    assert (finding.section, finding.blocks) == ("sections[1].heading", True)


def test_every_text_of_a_post_is_inspected_once(make_post: MakePost) -> None:
    assert [passage.section for passage in passages(make_post())] == [
        "title",
        "meta.description",
        "sections[0]",
        "sections[1].heading",
        "sections[1].blocks[0]",
        "sections[1].blocks[1]",
        "sections[2].heading",
        "sections[2]",
        "sections[3].callout.label",
        "sections[3].callout.text",
        "sections[4].heading",
        "faqs[0].question",
        "faqs[0].answer",
        "faqs[1].question",
        "faqs[1].answer",
        "sections[5]",
    ]


BLOCKS = """\
Take these **two** steps:

1. Weigh the beans on a *small* scale.
2. Grind them.
    - coarse for a jar

### Which jar

| Jar | Litres |
| --- | --- |
| Glass | 2 |

> A jar is a jar.

Type `brew --cold <jar>` into the box.

```sh
brew --cold ${JAR} # **now**
```"""


def test_each_block_item_and_cell_is_a_passage(make_post: MakePost) -> None:
    post = make_post(bodies=(("How to begin", BLOCKS),))
    found = [each for each in passages(post) if each.section.startswith("sections[1].")]
    assert [
        (each.section.removeprefix("sections[1]."), each.kind, each.text) for each in found
    ] == [
        ("heading", Kind.HEADING, "How to begin"),
        ("blocks[0]", Kind.PROSE, "Take these two steps:"),
        ("blocks[1].items[0]", Kind.ITEM, "Weigh the beans on a small scale."),
        ("blocks[1].items[1]", Kind.ITEM, "Grind them."),
        ("blocks[1].items[1].items[0]", Kind.ITEM, "coarse for a jar"),
        ("blocks[2]", Kind.HEADING, "Which jar"),
        ("blocks[3].header[0]", Kind.CELL, "Jar"),
        ("blocks[3].header[1]", Kind.CELL, "Litres"),
        ("blocks[3].rows[0][0]", Kind.CELL, "Glass"),
        ("blocks[3].rows[0][1]", Kind.CELL, "2"),
        ("blocks[4]", Kind.PROSE, "A jar is a jar."),
        ("blocks[5]", Kind.PROSE, "Type brew --cold <jar> into the box."),
        ("blocks[6]", Kind.CODE, "brew --cold ${JAR} # **now**"),
    ]
    assert [each.heading for each in found if each.kind is Kind.PROSE] == [
        "How to begin", "Which jar", "Which jar",
    ]  # fmt: skip
    assert found[-4].about == "Glass Litres"
    assert block_place(found[4].section) == (1, "blocks[1].items[1].items[0]")
    assert block_place("sections[0]") == (0, "blocks[0]")
    assert block_place("faqs[0].answer") is None


def test_blocks_are_no_faults(make_post: MakePost, make_brief: MakeBrief) -> None:
    post = make_post(bodies=(("How to begin", BLOCKS),))
    found = check_post(post, make_brief(sections=(1, 1), min_words=10)).findings
    assert [f for f in found if f.section.startswith("sections[1]")] == []


@pytest.mark.parametrize(
    ("content", "check", "path"),
    [
        ("It rests for a night.\n\n# A large heading it is.", "markup", "blocks[1]"),
        ("It rests for a night.\n\n## A heading of the post.", "markup", "blocks[1]"),
        ("It rests **for a night.\n\nIt is a good drink.", "markup", "blocks[0]"),
        ("Take these:\n\n- a jar\n- see [this](http://a.example)", "link", "blocks[1].items[1]"),
        ("Take these:\n\n- a jar\n- ![x](http://a.example/i.png)", "link", "blocks[1].items[1]"),
        ("| A | B |\n| --- | --- |\n| <b>x</b> | y |", "html", "blocks[0].rows[0][0]"),
        ("Take these:\n\n- a jar\n- TODO", "placeholder", "blocks[1].items[1]"),
        ("> It is at www.a.example today.", "link", "blocks[0]"),
        ("```\ncurl http://a.example\n```", "link", "blocks[0]"),
        ("It rests for a night.\n\nIt is good and", "cut_off", "blocks[1]"),
        ("It rests for a night.\n\nThen you take these things:", "cut_off", "blocks[1]"),
        ("### Two\n\nHardly any.\n\n### Three\n\nIt is good here.", "empty", "blocks[1]"),
    ],
)
def test_a_finding_points_at_the_block(
    make_post: MakePost, make_brief: MakeBrief, content: str, check: str, path: str
) -> None:
    post = make_post(bodies=(("How to begin", content),))
    found = check_post(post, make_brief(sections=(1, 1), min_words=1)).findings
    (finding,) = (f for f in found if f.section.startswith("sections[1]"))
    assert (finding.check, finding.section, finding.blocks) == (check, f"sections[1].{path}", True)


def test_headings_inside_a_section_divide_it(make_post: MakePost, make_brief: MakeBrief) -> None:
    half = "\n\n".join(f"It rests for a night in jar {n} of ten jars." for n in range(20))

    def distance(content: str) -> list[Finding]:
        found = check_post(make_post(bodies=(("How to begin", content),)), make_brief()).findings
        return of("subheading_distance", found)

    (finding,) = distance(f"{half}\n\n{half}")
    assert finding.section == "sections[1].blocks[0]"
    assert distance(f"{half}\n\n### Then\n\n{half}") == []


def test_words_of_items_and_cells_count_but_no_numbers_of_a_list(make_post: MakePost) -> None:
    plain = post_words(make_post(bodies=(("How to begin", "One two."),)))
    listed = "1. One\n2. two\n    - three\n\n| four | five |\n| --- | --- |\n| six | **seven** |"
    assert post_words(make_post(bodies=(("How to begin", listed),))) == plain + 5


def test_blockers_come_first_and_the_score_falls_with_each_finding(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    bodies = (
        ("Why a coarse grind matters", "In this article a burr grinder keeps the pieces even."),
        ("How long it rests", "Ten hours are enough in a kitchen, see example.com."),
    )
    findings = findings_in(make_post(bodies=bodies), make_brief(min_words=50))
    assert [f.check for f in findings] == ["link", "self_reference", "keyword_heading"]
    assert score(findings, set(ScorePart)).total == round(100 / 2 * 0.9 * 0.9)
    assert score([], set(ScorePart)).total == 100
    assert score([blocker("a", "post", "b")] * 8).total == 0
    assert score([warning("a", "post", "b")], set(ScorePart)).total == 90


def test_a_warning_counts_less_in_a_long_text_and_more_in_a_short_one() -> None:
    found = [warning("a", "post", "b")]
    by_words = [score(found, set(ScorePart), words).total for words in (50, 250, 500, 1000, 50_000)]
    assert by_words == [81, 81, 90, 95, 100]


def test_of_one_check_three_warnings_count_at_most() -> None:
    three, thirty = [warning("a", "post", "b")] * 3, [warning("a", "post", "b")] * 30
    assert score(three, set(ScorePart)).total == score(thirty, set(ScorePart)).total == 73
    assert score([*thirty, warning("c", "post", "b")], set(ScorePart)).total == 66


def test_warnings_about_readability_do_not_lower_the_score() -> None:
    """“an editor's mark and the number agree”: editors do not mind long sentences in an essay."""
    names = (
        "sentence_length", "passive_voice", "transition_words", "flesch", "same_openings",
        "paragraph_length", "subheading_distance",
    )  # fmt: skip
    assert score([CHECKS[name].found("post") for name in names], set(ScorePart)).total == 100


def test_many_findings_of_an_editor_still_tell_poor_texts_apart() -> None:
    """“an editor's mark and the number agree”: halving for each would leave all of them at 0."""
    by_count = [
        score([blocker("editor_false", "post", "b")] * count, set(ScorePart)).total
        for count in (0, 1, 5, 20)
    ]
    assert by_count == [100, 90, 59, 12]
    assert score([warning("editor_filler", "post", "b")] * 4, set(ScorePart)).total == 81


def test_good_and_bad_texts_that_nobody_read_differ() -> None:
    """“Score in five parts …, the public number documented and capped (70)”."""
    faults = [warning(name, "post", "b") for name in "abcdefgh"]
    every = [score(faults[:count]).total for count in range(len(faults) + 1)]
    assert every == sorted(set(every), reverse=True)
    assert (every[0], score([blocker("a", "post", "b")]).total) == (70, 35)


def test_a_score_has_five_parts_each_a_number_or_not_examined() -> None:
    """“each a number or not examined; … capped where substance was not examined”."""
    found = [
        CHECKS["link"].found("post"), CHECKS["repeated_phrase"].found("post"),
        CHECKS["disputed_claim"].found("post"),
    ]  # fmt: skip
    everything = score(found, set(ScorePart))
    assert everything.total == round(100 / 2 * 0.9 / 2)
    assert everything.parts == {
        ScorePart.MECHANICS: 50,
        ScorePart.STRUCTURE: 100,
        ScorePart.CONSISTENCY: 100,
        ScorePart.SUBSTANCE: 90,
        ScorePart.GROUNDING: 50,
    }
    unread = score([])
    assert (unread.total, unread.parts[ScorePart.SUBSTANCE]) == (70, None)
    assert str(unread) == (
        "70 of 100 (mechanics 100, structure 100, consistency 100, substance not examined,"
        " grounding not examined)"
    )


def test_what_a_caller_sees_of_a_finding() -> None:
    finding = blocker("link", "sections[2]", "Contains a link.", (3, 9))
    assert finding.to_wire() == {
        "check": "link",
        "section": "sections[2]",
        "reason": "Contains a link.",
    }
