"""Which pieces are written again, and what their writer is told."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from app.core.pieces import Manuscript, Piece
from app.core.quality.desk import inspect
from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.lengths import post_words
from app.core.rewriting import to_rewrite
from app.core.writing import assemble
from tests.unit.manuscripts import BRIEF, written


def names(manuscript: Manuscript, pieces: Mapping[str, Piece], *findings: Finding) -> list[str]:
    return sorted(to_rewrite(manuscript, pieces, findings))


@pytest.mark.parametrize(
    ("section", "piece"),
    [
        ("meta.description", "description"),
        ("sections[0]", "introduction"),
        ("sections[1]", "sections.0.0"),
        ("sections[2]", "sections.1.0"),
        ("sections[3].callout.label", "callout"),
        ("sections[3].callout.text", "callout"),
        ("sections[4]", "sections.2.0"),
        ("sections[5].heading", "faqs"),
        ("faqs", "faqs"),
        ("faqs[1].question", "faqs"),
        ("faqs[1].answer", "faqs"),
        ("sections[6]", "conclusion"),
    ],
)
def test_a_blocker_goes_to_the_piece_that_stands_there(section: str, piece: str) -> None:
    redo = to_rewrite(*written(), [blocker("link", section, "Contains a link.")])
    assert list(redo) == [piece]
    assert redo[piece][1] == ["- Contains a link."]


@pytest.mark.parametrize("path", ["sections.0.0", "sections.0.1", "sections.1.0", "sections.2.1"])
def test_a_blocker_inside_a_section_goes_to_its_paragraph(path: str) -> None:
    manuscript, pieces = written()
    manuscript.texts[path] += " It is at example.com today."
    found = [f for f in inspect(assemble(manuscript), BRIEF) if f.check == "link"]
    assert names(manuscript, pieces, *found) == [path]


def test_repetition_sends_the_second_paragraph_back() -> None:
    again = "This very sentence stands in here twice. It does."
    manuscript, pieces = written(sections_0_1=again, sections_2_1=f"Now then. {again}")
    found = [f for f in inspect(assemble(manuscript), BRIEF) if f.check == "repeated_sentence"]
    assert names(manuscript, pieces, *found) == ["sections.2.1"]


def test_warnings_and_what_no_piece_can_mend_send_nothing_back() -> None:
    manuscript, pieces = written()
    findings = [
        warning("paragraph_length", "sections[1]", "Too long."),
        warning("keyword_density", "post", "Too often.", keyword="cold brew"),
        blocker("title_length", "title", "Too long."),
    ]
    assert to_rewrite(manuscript, pieces, findings) == {}


def test_an_unused_keyword_goes_to_the_paragraph_that_it_was_given_to_and_to_one_more() -> None:
    nothing = "Nothing is said here. Nothing at all."
    manuscript, pieces = written(sections_1_0=nothing)
    (finding,) = (f for f in inspect(assemble(manuscript), BRIEF) if f.check == "keyword_missing")
    redo = to_rewrite(manuscript, pieces, [finding])
    assert list(redo) == ["sections.1.0", "sections.0.1"]
    for piece, reasons in redo.values():
        assert piece.phrases == ("steel filter",)
        assert reasons == ['- Put the words "steel filter" into the first sentence.']

    # In vain again: there are two that had to use it.
    pieces |= {name: piece for name, (piece, _) in redo.items()}
    assert list(to_rewrite(manuscript, pieces, [finding])) == [
        "sections.0.1",
        "sections.1.0",
        "sections.2.1",
    ]


def test_a_keyword_used_too_often_goes_to_the_paragraphs_that_use_it_more_than_they_must() -> None:
    manuscript, pieces = written(
        sections_0_0="A burr grinder is a burr grinder. It is.",
        sections_0_1="No burr grinder is needed here. Not one.",
        conclusion="Nothing is said of it in here. Nothing.",
    )
    finding = blocker("keyword_density", "post", "Too often.", keyword="burr grinder")
    redo = to_rewrite(manuscript, pieces, [finding])
    assert set(redo) == {"sections.0.0", "sections.0.1"}
    assert "once" in redo["sections.0.0"][1][0]
    assert "never" in redo["sections.0.1"][1][0]
    # Once where it was given is as often as it must be.
    finding = blocker("keyword_density", "post", "Too often.", keyword="cold brew")
    assert to_rewrite(manuscript, pieces, [finding]) == {}


def lack(manuscript: Manuscript, missing: int, *, room: int) -> Finding:
    """Have a post lack so many words, with so much room up to its limit."""
    words = post_words(assemble(manuscript))
    manuscript.brief = replace(BRIEF, min_words=words + missing, max_words=words + room)
    findings = inspect(assemble(manuscript), manuscript.brief)
    (finding,) = (f for f in findings if f.check == "too_short")
    return finding


@pytest.mark.parametrize(
    ("missing", "room", "expected", "sentences"),
    [
        (1, 300, ["sections.1.1"], 5),
        (51, 300, ["sections.1.1"], 5),
        (52, 300, ["sections.1.1", "sections.2.2"], 5),
        (153, 300, ["sections.1.1", "sections.1.2", "sections.2.2"], 5),
        (1, 34, ["sections.1.1"], 2),
    ],
)
def test_too_few_words_add_paragraphs_to_the_shortest_sections_as_many_as_it_takes(
    missing: int, room: int, expected: list[str], sentences: int
) -> None:
    manuscript, pieces = written(
        sections_1_0="It is short.", sections_2_0="So is this.", sections_2_1="And it, too."
    )
    manuscript.texts["sections.0.0"] += " Now and then it is longer." * 20
    finding = lack(manuscript, missing, room=room)
    redo = to_rewrite(manuscript, pieces, [finding])
    assert sorted(redo) == expected
    points = set()
    for name, (piece, reasons) in redo.items():
        assert (piece.sentences, reasons) == (sentences, [])
        assert piece.prompt(manuscript, [], temperature=0.7, seed=1).max_tokens
        manuscript.texts[name] = f"New in {name}."
        points.add(piece.about)
    assert len(points) == len(expected)
    # They stand in the post, each in its section and behind what was there.
    for name in expected:
        section = assemble(manuscript).sections[{"1": 2, "2": 4}[name.split(".")[1]]]
        assert f"New in {name}." in section.content_markdown.split("\n\n")[1:]


def test_further_paragraphs_of_a_verified_post_ask_for_what_the_sources_say() -> None:
    manuscript, pieces = written(sections_1_0="It is short.")
    finding = lack(manuscript, 1, room=300)
    manuscript.brief = replace(manuscript.brief, verified=True)
    (piece, _) = to_rewrite(manuscript, pieces, [finding])["sections.1.1"]
    assert "notes" in piece.task


def test_without_room_too_few_words_go_to_the_shortest_paragraphs_as_many_as_it_takes() -> None:
    manuscript, pieces = written(sections_1_0="It is short.", sections_2_1="It is short as well.")
    for missing, expected in (
        (1, ["sections.1.0"]),
        (34, ["sections.1.0"]),
        (35, ["sections.1.0", "sections.2.1"]),
    ):
        finding = lack(manuscript, missing, room=33)
        redo = to_rewrite(manuscript, pieces, [finding])
        assert sorted(redo) == expected
        assert redo["sections.1.0"][0].sentences == BRIEF.sentences + 2
        assert "Write 7 sentences." in redo["sections.1.0"][1][0]


def test_a_paragraph_that_is_too_short_keeps_its_other_reasons() -> None:
    manuscript, pieces = written(sections_1_0="It is short.")
    lack(manuscript, 1, room=1)
    link = blocker("link", "sections[2]", "Contains a link.")
    short = blocker("too_short", "post", "Too short.")
    for findings in ([link, short], [short, link]):
        (piece, reasons) = to_rewrite(manuscript, pieces, findings)["sections.1.0"]
        assert piece.sentences == BRIEF.sentences + 2
        assert len(reasons) == 2


def test_too_many_words_go_to_what_trim_leaves_alone() -> None:
    finding = blocker("too_long", "post", "The post has 500 words; at most 400 are allowed.")
    redo = to_rewrite(*written(), [finding])
    assert set(redo) == {"introduction", "callout", "faqs", "conclusion"}


def test_any_other_blocker_about_the_whole_post_goes_to_every_paragraph() -> None:
    redo = to_rewrite(*written(), [blocker("anything", "post", "It is dull.")])
    assert set(redo) == {f"sections.{n}" for n in ("0.0", "0.1", "1.0", "2.0", "2.1")}
