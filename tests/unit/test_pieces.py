"""The pieces of a manuscript: what each asks of the model, and what can be said of it by itself."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.core.pieces import Piece
from app.core.writing import OUTLINE, TITLE, plan_pieces
from tests.unit.manuscripts import BRIEF, HEADINGS, TITLE_TEXT, outlined

# --- what is asked


def all_prompts() -> Iterator[tuple[Piece, Any]]:
    manuscript = outlined()
    for piece in (OUTLINE, TITLE, *plan_pieces(manuscript)):
        yield piece, piece.prompt(manuscript, ["- Say it better."], temperature=0.7, seed=5)


def test_every_prompt_carries_language_seed_and_the_editors_wishes() -> None:
    for piece, prompt in all_prompts():
        assert "Write in English." in prompt.system
        assert prompt.user.endswith("An editor sent an earlier version back:\n- Say it better.")
        assert (prompt.temperature, prompt.seed) == (0.7, 5)
        assert prompt.max_tokens > 0
        assert all(f'"{phrase}"' in prompt.user for phrase in piece.phrases)
        assert (prompt.schema is None) is piece.is_paragraph
        assert prompt.stop == (("\n\n",) if piece.is_paragraph else ())


def test_what_prompts_share_stands_first_so_that_prompt_caches_work() -> None:
    prompts = [prompt for piece, prompt in all_prompts() if piece not in (OUTLINE, TITLE)]
    plan = outlined().plan()
    assert len({prompt.system for prompt in prompts}) == 1
    assert all(prompt.user.startswith(plan) for prompt in prompts)
    assert all(heading in plan for heading in HEADINGS)


def test_schemas_stay_in_what_strict_mode_and_llama_cpp_both_take() -> None:
    def objects(schema: Any) -> Iterator[Mapping[str, Any]]:
        if isinstance(schema, Mapping):
            if schema.get("type") == "object":
                yield schema
            for value in schema.values():
                yield from objects(value)

    known = {"type", "properties", "required", "additionalProperties", "items"}
    for _, prompt in all_prompts():
        for schema in objects(prompt.schema):
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
            for inner in schema["properties"].values():
                assert set(inner) <= known | {"minItems", "maxItems"}


# --- what can be said of a piece by itself


def checks(piece: Piece, content: Mapping[str, Any] | str) -> list[str]:
    return [finding.check for finding in piece.check(content, outlined()) if finding.blocks]


def test_a_paragraph_is_checked_for_its_phrase_its_length_and_its_heading() -> None:
    piece = Piece("sections.0.0", "task", 5, ("burr grinder",), "Why grind size matters")
    assert checks(piece, "A burr grinder is even. It keeps well. It is quiet too.") == []
    assert checks(piece, "A grinder is even. It keeps well. It is quiet too.") == [
        "keyword_missing"
    ]
    assert checks(piece, "A burr grinder is even. It keeps well.") == ["too_short"]
    assert checks(piece, "Why grind size matters: burr grinders! It is so. It is.") == [
        "heading_echo"
    ]
    often = "Burr grinders are even. A burr grinder is loud. No burr grinder is cheap."
    assert checks(piece, often) == ["keyword_overuse"]
    assert checks(piece, "See example.com for a burr grinder. It is good. It is.") == ["link"]


def test_an_outline_is_checked_for_headings_that_say_nothing_or_the_same() -> None:
    def outline(*headings: str) -> Mapping[str, Any]:
        return {"sections": [{"heading": heading, "points": ["One."]} for heading in headings]}

    assert checks(OUTLINE, outline("Why it matters", "How it works")) == []
    assert checks(OUTLINE, outline("Why it matters", "Why it MATTERS!")) == ["heading"]
    assert checks(OUTLINE, outline("Introduction", "How it works")) == ["heading"]
    assert checks(OUTLINE, outline("# Why it matters", "How it works")) == ["markup"]
    assert checks(OUTLINE, outline("", "How it works")) == ["empty", "heading"]


def test_a_title_is_checked_for_keyword_length_and_titles_that_exist() -> None:
    assert checks(TITLE, {"title": TITLE_TEXT}) == []
    assert checks(TITLE, {"title": "How to make good coffee at home"}) == ["keyword_place"]
    assert checks(TITLE, {"title": "Cold brew"}) == ["title_length"]
    assert "heading" in checks(TITLE, {"title": "Why grind size matters!"})
    manuscript = outlined(replace(BRIEF, earlier_titles=("Cold Brew at Home: without the Fuss",)))
    (finding,) = TITLE.check({"title": TITLE_TEXT}, manuscript)
    assert finding.check == "title_taken"


def test_questions_are_checked_one_by_one() -> None:
    def faqs(question: str, answer: str) -> Mapping[str, Any]:
        return {"faqs": [{"question": question, "answer": answer}]}

    piece = Piece("faqs")
    assert checks(piece, faqs("Can I heat it?", "Yes, on a very low flame.")) == []
    assert checks(piece, faqs("温めてもいいですか？", "はい、弱火でどうぞ。")) == []
    assert checks(piece, faqs("Tell me about heat.", "Yes, on a very low flame.")) == ["faq_shape"]
    assert checks(piece, faqs("Can I heat it?", "Yes, you surely can.")) == ["faq_shape"]
    assert checks(piece, faqs("Can I heat it?", "Yes, on a very low")) == ["cut_off", "faq_shape"]


def test_a_box_and_a_description_are_checked() -> None:
    box = Piece("callout")
    assert checks(box, {"label": "Tip", "text": "Weigh it all once."}) == []
    assert checks(box, {"label": "t" * 41, "text": "Weigh it all once."}) == ["callout_shape"]
    assert checks(box, {"label": "", "text": "Weigh it all once"}) == ["empty", "cut_off"]
    about = "Cold brew needs a jar, coarse grounds and one night of rest, and little else."
    assert checks(Piece("description"), {"description": about}) == []
    assert checks(Piece("description"), {"description": "Cold brew is good."}) == [
        "description_length"
    ]
    assert checks(Piece("description"), {"description": about.replace("Cold brew", "This")}) == [
        "keyword_place"
    ]


def test_a_description_that_is_too_long_loses_its_last_sentences() -> None:
    first = "Cold brew asks for patience, a coarse grind and a filter, and gives a smooth cup."
    long = f"{first} {'It also needs a jar that closes well and a cool place. ' * 3}".strip()
    piece = Piece("description")
    assert piece.edit({"description": long}, BRIEF) == {
        "description": f"{first} It also needs a jar that closes well and a cool place."
    }
    assert piece.edit({"description": first}, BRIEF) == {"description": first}
    endless = "so " * 100 + "on."
    assert piece.edit({"description": endless}, BRIEF) == {"description": endless}


@pytest.mark.parametrize(
    ("language", "keyword", "said", "mended"),
    [
        ("en", "cold brew", "All about it.", "Cold brew: All about it."),
        ("en", "cold brew", "All about cold brews.", "All about cold brews."),
        ("fr", "café froid", "Tout savoir.", "Café froid\N{NO-BREAK SPACE}: Tout savoir."),
        ("en", "cold brew", "", ""),
        # There is no room for it.
        ("en", "cold brew", f"So {'long ' * 29}indeed.", f"So {'long ' * 29}indeed."),
        ("en", "cold brew", f"All. So {'long ' * 29}indeed.", "Cold brew: All."),
    ],
)
def test_a_description_without_the_keyword_begins_with_it(
    language: str, keyword: str, said: str, mended: str
) -> None:
    brief = replace(BRIEF, language=language, keywords=(keyword,))
    assert Piece("description").edit({"description": said}, brief) == {"description": mended}


SAID_TWICE = "Turn the crank until all of it is ground."


@pytest.mark.parametrize(
    ("piece", "content"),
    [
        (Piece("introduction", "…", 2), f"{SAID_TWICE} {SAID_TWICE}"),
        (
            Piece("faqs"),
            {
                "faqs": [
                    {"question": f"Is it number {n}?", "answer": f"Number {n} it is. {SAID_TWICE}"}
                    for n in (1, 2)
                ]
            },
        ),
        (
            Piece("outline"),
            {"sections": [{"heading": f"On number {n}", "points": [SAID_TWICE]} for n in (1, 2)]},
        ),
    ],
)
def test_a_piece_that_repeats_itself_is_not_good(piece: Piece, content: Any) -> None:
    assert checks(piece, content) == ["repeated_sentence"]


def test_a_question_that_is_asked_twice_is_not_good() -> None:
    entries = [
        {"question": "Is it good?", "answer": f"It is good, and for {n} reasons."} for n in (2, 3)
    ]
    assert checks(Piece("faqs"), {"faqs": entries}) == ["faq_shape"]
