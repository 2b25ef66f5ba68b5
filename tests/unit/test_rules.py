"""Each rule finds planted faults and accepts right texts that look like them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from app.core.schemas.check import CheckRequest
from app.core.schemas.post import (
    Callout,
    Section,
    SectionType,
    SEOPost,
)
from app.core.schemas.request import KeywordUsageStrategy
from app.rules.finding import Finding, Severity, score
from app.rules.keywords import keyword_coverage
from app.rules.markdown_file import Report, check_markdown
from app.rules.passages import Kind, blocks, passages, post_words, text_of
from app.rules.table import RULES, check_post
from app.sources.source import Source
from app.writing.brief import Brief
from tests.support import posts

TITLE = "How to descale a kettle with vinegar or citric acid"
DESCRIPTION = (
    "Descale a kettle in half an hour: how much vinegar or citric acid to use, how long to wait,"
    " and what to do if the scale stays."
)
INTRODUCTION = (
    "Fill the kettle with equal parts of water and white vinegar, boil it, and wait half an hour."
    " Citric acid does the same without the smell."
)
BODY = """Pour the liquid in up to the mark. Never fill it higher, because it foams.

1. Boil it once and switch the kettle off at the wall.
2. Wait half an hour, then pour the liquid away.
3. Boil clean water **twice** and pour that away too.

| Acid | Amount |
|---|---|
| Vinegar | half the kettle |
| Citric acid | two spoons |

> **Tip:** Open a window first."""
CONCLUSION = "Put a note on the kettle while it soaks, so that nobody makes tea with it."
ANSWER = "Every two months where water is hard, and twice a year elsewhere."
BRIEF = Brief(
    keywords=("descale kettle",),
    language="en",
    min_words=50,
    max_words=400,
    today=date(2026, 11, 28),
    faqs=True,
    topic="kettles",
)


def make_post(
    body: str | Sequence[str] = BODY,
    *,
    title: str = TITLE,
    description: str = DESCRIPTION,
    introduction: str = INTRODUCTION,
    conclusion: str = CONCLUSION,
    faqs: Sequence[tuple[str, str]] = (("How often should I descale it?", ANSWER),),
    headings: Sequence[str] = ("Which acid to take", "What else helps", "More"),
) -> SEOPost:
    bodies = [body] if isinstance(body, str) else body
    return posts.make_post(
        title,
        introduction,
        zip(headings, bodies, strict=False),
        conclusion,
        description=description,
        keyword="descale kettle",
        faqs=faqs,
    )


def make_source(text: str, site: str = "example.org") -> Source:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    return Source(f"https://{site}/a", site, "A page", text, "en", now, now)


def check(
    post: SEOPost, sources: Sequence[Source] = (), **changes: Any
) -> list[tuple[str, str, str]]:
    found = check_post(post, replace(BRIEF, **changes), sources)
    return [(each.rule, each.severity.value, each.section) for each in found]


def rules_of(post: SEOPost, sources: Sequence[Source] = (), **changes: Any) -> set[str]:
    return {rule for rule, _, _ in check(post, sources, **changes)}


def with_body(text: str) -> SEOPost:
    return make_post(f"{BODY}\n\n{text}")


def test_a_right_post_has_no_findings() -> None:
    assert check_post(make_post(), BRIEF) == []
    assert check_post(make_post(), replace(BRIEF, verified=True), [make_source("A page.")]) == []


# The parts


@pytest.mark.parametrize(
    ("post", "section"),
    [
        (make_post(title=" "), "title"),
        (make_post(description=""), "meta.description"),
        (make_post(introduction=""), "post"),
        (make_post([]), "post"),
        (make_post(conclusion=""), "conclusion"),
        (make_post(faqs=()), "post"),
        (make_post([BODY, " "]), "sections[2]"),
        (make_post([BODY, "Rinse it well."], headings=["One thing", ""]), "sections[2].heading"),
    ],
)
def test_a_missing_part_blocks(post: SEOPost, section: str) -> None:
    assert ("parts_missing", "blocker", section) in check(post)


def test_a_length_outside_the_limits_says_by_how_much() -> None:
    words = post_words(make_post())
    over = f"{words} words; the limit is {words - 3}. Cut at least 3 words"
    under = f"needs at least {words + 1}. Add at least 1 word "
    for limits, rule, told in (
        ({"max_words": words - 3}, "too_long", over),
        ({"min_words": words + 1, "max_words": 900}, "too_short", under),
    ):
        (found,) = check_post(make_post(), replace(BRIEF, **limits))
        assert (found.rule, found.severity) == (rule, Severity.BLOCKER)
        assert told in found.reason
    assert check(make_post(), min_words=words, max_words=words) == []


def test_titles_and_descriptions_have_lengths() -> None:
    for title, severity in (("Kettles", "blocker"), ("k" * 91, "blocker"), ("k" * 66, "warning")):
        assert ("title_length", severity, "title") in check(make_post(title=title))
    for told, severity in (("d" * 49, "blocker"), ("d" * 201, "blocker"), ("d" * 161, "warning")):
        expected = ("description_length", severity, "meta.description")
        assert expected in check(make_post(description=told))
    # A full-width character takes two columns.
    assert "title_length" not in rules_of(make_post(title="電気ケトルのクエン酸による湯垢の取り方"))


def test_sections_are_limited() -> None:
    post = make_post([BODY, "Rinse it with clean water."])
    assert ("too_many_sections", "blocker", "post") in check(post, max_sections=1)
    assert "too_many_sections" not in rules_of(post, max_sections=2)


@pytest.mark.parametrize(
    ("faqs", "rule", "section"),
    [
        ([(f"Question {n}?", f"So {n}, and why.") for n in range(9)], "faq_count", "0].question"),
        ([("", "An answer.")], "parts_missing", "0].question"),
        ([("Why is that?", "Because."), ("How often?", " ")], "parts_missing", "1].answer"),
    ],
)
def test_faqs_are_few_and_answered(
    faqs: Sequence[tuple[str, str]], rule: str, section: str
) -> None:
    assert (rule, "blocker", f"faqs[{section}") in check(make_post(faqs=faqs))


def test_faqs_that_nobody_asked_for_block() -> None:
    assert "faq_count" in rules_of(make_post(), faqs=False)
    assert rules_of(make_post(faqs=()), faqs=False) == set()


# Keywords


def test_a_keyword_that_the_post_does_not_use_blocks() -> None:
    (found,) = check_post(
        make_post(), replace(BRIEF, keywords=("descale kettle", "coffee grinder"))
    )
    assert (found.rule, found.blocks) == ("keyword_missing", True)
    assert "“coffee”, “grinder”" in found.reason


def test_a_keyword_may_be_inflected_joined_and_far_apart() -> None:
    for keyword in ("descaling kettles", "citric acid for the kettle", "how to de-scale a kettle"):
        assert rules_of(make_post(), keywords=(keyword,)) == set(), keyword


def test_an_exact_keyword_is_spelled_as_requested() -> None:
    exact = KeywordUsageStrategy.EXACT
    assert "keyword_missing" in rules_of(make_post(), strategy=exact)
    assert rules_of(make_post(), strategy=exact, keywords=("DESCALE a kettle",)) == set()


def test_a_balanced_keyword_is_not_overused() -> None:
    stuffed = with_body(
        " ".join(["Descale the kettle."] * 2 + ["So descale a kettle now."] * 2) * 3
    )
    balanced = KeywordUsageStrategy.BALANCED
    assert ("keyword_overused", "warning", "post") in check(stuffed, strategy=balanced)
    assert "keyword_overused" not in rules_of(stuffed)
    assert rules_of(make_post(), strategy=balanced) == set()


def test_coverage_quotes_the_sentence_with_most_of_the_keyword() -> None:
    brief = replace(BRIEF, keywords=("descale kettle", "citric acid smell", "toaster"))
    one, two, three = keyword_coverage(make_post(), brief)
    assert one.covered
    assert one.evidence == TITLE
    assert two.evidence == "Citric acid does the same without the smell."
    assert (three.covered, three.evidence) == (False, "")


# Texts of a section

FAULTS = {
    "link": [
        "See https://example.com/a for more.",
        "See www.example.com for more.",
        "Write to info@example.com today.",
        "Read [the manual](https://example.com).",
        "Read [the manual](/manual).",
        "![A kettle](kettle.png)",
        "Read on.\n\n[1]: https://example.com/a",
        "Run `curl https://get.docker.com` first.",
        "```\ncurl https://get.docker.com\n```",
        "Ask mailto:someone now.",
    ],
    "html": [
        "A <b>bold</b> word.",
        "Break<br/>here.",
        "It costs 5&nbsp;euros.",
        "<!-- note -->",
        "5 &#8364;",
    ],
    "leftover": [
        "Sure, here is the section about acids.",
        "Of course! Here are the steps.",
        "As an AI language model, I cannot taste tea.",
        "I'm an AI assistant and have no kettle.",
        "I hope this helps!",
        "Let me know if you'd like me to change the tone.",
        "Feel free to adjust this blog post.",
        "I'm sorry, but I can't assist with that.",
        "Use vinegar [insert amount] in the kettle.",
        "Use vinegar [citation needed] in the kettle.",
        "TODO: say how much.",
        "Lorem ipsum dolor sit amet.",
        "Dear {{ name }}, descale it.",
        "Use ${amount} of vinegar.",
        "Vinegar works【4†source】.",
        "Vinegar works :contentReference[oaicite:0]{index=0}.",
        "Vinegar works turn0search1 well.",
        "<|im_end|> Vinegar works.",
        "[INST] Write about kettles.",
        "<think>The user wants tea.</think>",
        "<<<<<<< FIND\nVinegar works.\n=======\nAcid works.\n>>>>>>> END",
        "<draft_a> Vinegar works.",
        "Some more. ## FAQ",
        "Title (30 to 65 characters, says the subject)",
        "As many sections as the subject needs.",
        "Note to editor: check the amounts.",
        "A broken \ufffd character.",
        "A hidden \ue200 character.",
    ],
    "cut_off": [
        "Vinegar is cheap and safe, and it works as well as any acid that you can buy for money,",
        "Vinegar is cheap and",
        "Vinegar is cheap (and",
        "Vinegar is cheap (",
        "Vinegar is cheap –and it works-",
        "Use **vinegar and nothing else.",
    ],
}


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule, texts in FAULTS.items() for text in texts]
)
def test_a_planted_fault_blocks(rule: str, text: str) -> None:
    assert (rule, "blocker", "sections[2]") in check(make_post([BODY, text]))


GERMAN = (
    "Den Wasserkocher füllen Sie zur Hälfte mit Essig und zur anderen Hälfte mit Wasser, kochen"
    " beides einmal auf und lassen es eine halbe Stunde stehen. Danach gießen Sie die Flüssigkeit"
    " weg und kochen zweimal klares Wasser, damit der Tee nicht nach Essig schmeckt."
)

LOOKS_LIKE_A_FAULT = [
    "The file is `index.html`, the tag `<b>`, and the entity `&nbsp;`.",
    "```html\n<b>bold</b> &amp; more\n```",
    "Open http and https ports, and node.js or ASP.NET on example.com.",
    "Run `curl http://localhost:8000/` or `ssh root@server.example.com`.",
    "Use a List<String>, if a < b and b > c; R&D; x [1] and (2).",
    "An @mention, 5 @ 3 euros, and [brackets] (parentheses).",
    "Write `[text](address)` for a link.",
    "Surely it helps. Here is the order in which to work.",
    "Of course, vinegar smells. Here are two ways around that.",
    "An AI language model, I think, cannot taste tea.",
    "We hope this helps you to decide.",
    "Let me know if you have a better way.",
    "Dear [name], the kettle that I bought on [date] leaks.",
    "In Spanish, todo: means everything. Put it on your to-do list.",
    "Write `TODO:` and `{{ name }}` in the template.",
    "```\n<<<<<<< HEAD\n{{ name }}\n=======\n```",
    "The lorem ipsum of a designer is not text.",
    "A title has 30 to 65 characters. The essay has 412 words.",
    "Take the left turn. I think so. A think tank agrees.",
    "He said: “As an artist, I drink tea.”",
    "Emoji 😀 and names such as Zoë, Łukasz and 東京 are fine.",
    "Here is the post that holds the fence: the middle one.",
    "Draft A goes to the lawyer and draft B to the court.",
    f"> {GERMAN}",
    f"The German manual says: “{GERMAN}”",
    f"```\n{GERMAN}\n```",
    GERMAN[:148],
    "Bosch TWK7203, Braun WK 3110, Krups BW2448, Russell Hobbs 23600, Severin WK 3418, Tefal"
    " KO3718, WMF Lono, Philips HD9350, Siemens TW86103, Graef WK 402, Ritter Fontana 5, AEG"
    " EWA 7550, DeLonghi KBOV 2001, Smeg KLF03, Xiaomi Mi Smart, Gastroback 42435, Caso WK 210",
    "Rinse it well:\n\n- with water,\n- with more water,",
    "Rinse it well (twice).",
    "“Rinse it well.”",
    "Is that all? Yes!",
    "Rinse it well 😀",
    "Rinse it well…",
    "```\nrinse(\n```",
    "| a, | b |\n|---|---|\n| 1, | 2 |",
    "The best of them all is plan A",
    "Enjoy your tea",
    "Two stars ** mark what is optional.",
    "Use **vinegar** and *citric* acid, 2 * 3 spoons and `**kwargs`.",
    "**Step (*n*) of all of it?** Yes.",
]


@pytest.mark.parametrize("text", LOOKS_LIKE_A_FAULT)
def test_what_only_looks_like_a_fault_passes(text: str) -> None:
    assert not rules_of(make_post([BODY, text])) & {*FAULTS, "language"}


def test_links_in_plain_texts_block() -> None:
    post = make_post(conclusion="Go to https://example.com now.", title=f"{TITLE} www.a.com")
    assert {("link", "blocker", "title"), ("link", "blocker", "conclusion")} <= set(check(post))


def test_labels_of_the_form_block() -> None:
    assert "leftover" in rules_of(make_post(title=f"Title: {TITLE}"))
    assert "leftover" in rules_of(make_post(description=f"Meta description: {DESCRIPTION}"))


# Language


def test_a_long_paragraph_in_another_language_blocks() -> None:
    long = "\n\n".join([BODY, BODY.replace("kettle", "pot"), BODY.replace("kettle", "pan"), GERMAN])
    found = check_post(make_post(long), replace(BRIEF, max_words=900))
    assert ("language", "blocker", "sections[1]") in [
        (each.rule, each.severity.value, each.section) for each in found
    ]


def test_a_post_in_another_language_blocks() -> None:
    post = make_post(GERMAN, introduction=GERMAN, conclusion=GERMAN, description=GERMAN[:150])
    assert ("language", "blocker", "post") in check(post)


# Text that breaks off


def test_answers_and_conclusions_that_break_off_block() -> None:
    post = make_post(conclusion="Put a note on it, so that", faqs=[("Why?", "Because of the")])
    assert ("cut_off", "blocker", "faqs[0].answer") in check(post)
    post = make_post(conclusion="Put a note on the kettle while it soaks,")
    assert ("cut_off", "blocker", "conclusion") in check(post)


def test_a_long_text_without_a_full_stop_is_a_warning() -> None:
    post = make_post(conclusion=CONCLUSION.rstrip("."))
    assert check(post) == [("cut_off", "warning", "conclusion")]


# Repetition


def test_repetition_blocks() -> None:
    sentence = "Always switch the kettle off at the wall first."
    longer = f"{sentence} Water and mains electricity do not go together at all."
    for post in (
        with_body(f"{longer}\n\nBe careful.\n\n{longer.upper()}"),
        make_post([BODY, longer, longer]),
        with_body(f"{sentence} One.\n\nTwo. {sentence}\n\n{sentence} Three."),
        make_post([BODY, "Rinse it."], headings=["Which acid?", "Which ACID"]),
        make_post(faqs=[("How often?", ANSWER), ("How often?", "Twice.")]),
    ):
        assert ("repeated", "blocker") in [each[:2] for each in check(post, max_words=900)]


def test_short_texts_may_stand_twice() -> None:
    text = (
        "Rinse it twice.\n\n### Cost\n\nTwo euros.\n\n### Cost\n\nRinse it twice.\n\n- Tea\n- Tea"
    )
    said = "Always switch the kettle off at the wall first."
    assert "repeated" not in rules_of(with_body(f"{text}\n\n{said} One.\n\nTwo. {said}"))


# Sources

SOURCE = (
    "Limescale is a chalky deposit that hard water leaves on the heating element of every kettle"
    " and which makes it slower, louder and more expensive to run with each month that passes by"
    " until somebody finally takes it away with a mild acid from the kitchen."
)


def test_a_long_run_of_words_from_a_source_blocks() -> None:
    run = " ".join(SOURCE.split()[:30])
    found = check_post(
        with_body(f"Note that {run.upper()[:1]}{run[1:]}."), BRIEF, [make_source(SOURCE)]
    )
    assert [(each.rule, each.blocks) for each in found] == [("copied_from_source", True)]
    assert "30 words in a row stand in a page of example.org" in found[0].reason


def test_quotations_names_lists_code_and_short_runs_are_no_copies() -> None:
    names = "the " + " ".join(f"Kettle{n} Company" for n in range(15))
    items = (
        "spoons, cups, a bowl, vinegar, acid, water, a cloth, tea, milk, sugar, mugs, a tray, ice"
    )
    source = make_source(f"{SOURCE}\n{names}\n{items}\nBuy {items} today.")
    for text in (
        f"“{SOURCE}”",
        f"> {SOURCE}",
        f"`{SOURCE}` and\n\n```\n{SOURCE}\n```",
        " ".join(SOURCE.split()[:24]) + " stops.",
        f"Ask {names}.",
        f"Buy {items} today.",
    ):
        assert "copied_from_source" not in rules_of(with_body(text), [source]), text


FACTS = """A kettle of 1.7 l uses 0.18 kWh, costs 1,499 rubles or 35,50 €, and was sold 1.5 million
times in 1987. Heat it to 176 °F. Each of 240 buyers saved 38 euros a month."""


@pytest.mark.parametrize(
    "figure", ["2,348 buyers", "27.5 litres", "in 1913", "4,711 euros", "8,317 €"]
)
def test_a_figure_without_a_source_blocks_in_verified_posts(figure: str) -> None:
    post = with_body(f"That was {figure}.")
    assert ("figure", "blocker", "sections[1]") in check(post, [make_source(FACTS)], verified=True)
    assert "figure" not in rules_of(post, [make_source(FACTS)])


@pytest.mark.parametrize(
    "text",
    [
        "It takes 1,7 litres and 180 Wh, costs 1499 or 1 499 rubles, or 35.50 euros.",
        "It was sold 1,500,000 times in 1987, or 1.500.000.",
        "Take 2 spoons, in 3 steps, at 7:30 or 12:00.",
        "In 2026 and 2027 it will cost the same.",
        "That is 456 euros a year, and 9,120 euros for all 240 buyers.",
        "Of 250 people 175 agree: that is 70 %, and 75 do not.".replace("250", "240")
        .replace("175", "180")
        .replace("70 %", "75 %")
        .replace("75 do", "60 do"),
        "At 176 °F (80 °C) it is done.",
        "Use vitamin B12, WD-40 and an iPhone15.",
        "```\nsleep 4711\n```",
        "Take about 1,500 rubles with you.",
    ],
)
def test_a_figure_that_a_source_has_or_that_follows_does_not_block(text: str) -> None:
    found = check(with_body(text), [make_source(FACTS)], verified=True)
    assert ("figure", "blocker", "sections[1]") not in found


def test_small_whole_numbers_are_doubtful_only() -> None:
    found = check(with_body("It took 67 minutes."), [make_source("An hour.")], verified=True)
    assert found == [("figure", "warning", "sections[1]")]


def test_a_quotation_that_no_source_has_is_a_warning_in_verified_posts() -> None:
    post = with_body("She said: “The kettle is the heart of any house.”")
    source = make_source("He said: ‘The KETTLE is the heart – of any house’, and more.")
    other = make_source("Nobody said anything about it.")
    assert ("quotation", "warning", "sections[1]") in check(post, [other], verified=True)
    assert check(post, [source], verified=True) == []
    assert check(post, [other]) == []
    short = with_body("Press “on” and wait for “ready to brew”.")
    assert check(short, [other], verified=True) == []


# The table


def test_findings_are_in_reading_order_and_of_known_rules() -> None:
    post = make_post(
        f"{BODY}\n\nSee www.a.com.", title="Kettle", conclusion="Go to www.b.com,", faqs=()
    )
    found = check_post(post, replace(BRIEF, max_words=60))
    assert [each.section for each in found] == [
        "post", "post", "post", "title", "sections[1]", "conclusion", "conclusion",
    ]  # fmt: skip
    assert {each.rule for each in found} <= {rule.name for rule in RULES}
    assert all(each.reason.endswith((".", "”")) for each in found)
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_the_score_is_the_mark_of_the_reader() -> None:
    blocker, warning = (Finding("link", severity, "post", "") for severity in Severity)
    assert score([blocker, warning], 8.25) == 82
    assert score([], None) == 70
    assert score([blocker, warning], None) == 58
    assert score([blocker] * 9, None) == 0


# Passages


def test_markdown_is_read_into_what_readers_see() -> None:
    text = """Some **bold**, *it* and `**code**`
on two lines &amp; \\*more\\*.

## A `heading` ##
1. one
   goes on
   - two

| a | b |
|---|:-:|
| 1 | **2** |

> quoted
> text

> **Tip:** box

```py
x = 1
```
2026. Was a year."""
    found = blocks(text)
    assert [(kind, text) for kind, text, _ in found] == [
        (Kind.PROSE, "Some bold, it and **code** on two lines & *more*."),
        (Kind.HEADING, "A heading"),
        (Kind.ITEM, "one goes on"),
        (Kind.ITEM, "two"),
        *((Kind.CELL, cell) for cell in "ab12"),
        (Kind.QUOTATION, "quoted text"),
        (Kind.PROSE, "Tip: box"),
        (Kind.CODE, "x = 1"),
        (Kind.PROSE, "2026. Was a year."),
    ]
    assert found[0][2] == "Some bold, it and\non two lines &amp; \\*more\\*."


def test_a_post_is_read_in_order_and_its_words_are_counted_below_the_description() -> None:
    post = make_post("Some **text** here.")
    callout = Section(type=SectionType.CALLOUT, callout=Callout(label="Tip", text="Open it."))
    post = post.model_copy(update={"sections": (*post.sections[:2], callout, *post.sections[2:])})
    assert [each.section for each in passages(post)] == [
        "title", "meta.description", "sections[0]", "sections[1].heading", "sections[1]",
        "sections[2]", "sections[2]", "sections[3].heading", "faqs[0].question", "faqs[0].answer",
        "conclusion",
    ]  # fmt: skip
    counted = [INTRODUCTION, "Which acid to take", "Some text here.", "Tip Open it."]
    counted += ["Frequently asked questions", "How often should I descale it?", ANSWER, CONCLUSION]
    assert post_words(post) == len(" ".join(counted).split())
    assert DESCRIPTION not in text_of(post)


# Files

PEOPLE = {
    "en": """---
title: Notes on bread
---

# Bread, again

I bake [every week](https://example.com/bread), with <em>one</em> rule: wait. See www.example.com or
write to me@example.com. I hope this helps someone...

* Flour** and water
* `**kwargs`, `{{ name }}` and `<script>` are for programmers

<!-- TODO: a picture -->

> Sure, here is what my aunt said.

```python
print("TODO: bake")
```

Dear John,

thank you for the loaf.

| day | loaves |
|-----|--------|
| one | 2      |

[1]: https://example.com/notes
""",
    "de": """Brot backen
===========

Am Anfang steht das Mehl, und mit dem Mehl die Frage, welches man nimmt. Ich nehme Roggen, weil er
im Laden um die Ecke zu haben ist, und lasse den Teig über Nacht stehen, bis er doppelt so hoch ist.

Im Buch heißt es: "Flour, water and salt are all you need, and the patience to wait for a day or
two until the dough has risen to twice its height, and then some more patience while it bakes."

1987\\. Das war das Jahr der besten Ernte
""",
    "fr": """Le pain, c'est d'abord de la farine… et du temps !

- 500 g de farine,
- 300 g d'eau,

Et voilà — « bon appétit » !
""",
}  # fmt: skip


def checked_file(text: str, language: str, keywords: tuple[str, ...] = ()) -> Report:
    return check_markdown(CheckRequest(text=text, language=language, keywords=keywords))


@pytest.mark.parametrize("language", PEOPLE)
def test_what_people_write_in_files_does_not_block(language: str) -> None:
    report = checked_file(PEOPLE[language], language)
    assert report.passes, report.findings


def test_findings_of_a_file_have_line_column_and_quotation() -> None:
    text = (
        "# Kettles\n\nFirst *paragraph* here.\nIt goes on: 【4†source】 ends.\n\n"
        "<p onclick='x()'>Tea</p>\n\nUse vinegar [insert **amount** here] now.\n"
    )
    report = checked_file(text, "en", ("kettle", "toaster"))
    assert [
        (each.line, each.column, each.finding.rule, each.finding.severity.value, each.quotation)
        for each in report.findings
    ] == [
        (1, 1, "keyword_missing", "blocker", ""),
        (4, 13, "leftover", "blocker", "【4†source】"),
        (8, 13, "leftover", "warning", "[insert amount here]"),
    ]
    wire = report.to_wire(2)
    assert [each["line"] for each in wire["findings"]] == [1, 4]
    assert wire["findingCount"] == 3
    assert (wire["passes"], wire["score"], wire["words"]) == (False, 48, report.words)
    assert wire["qualityVersion"] == "4.0.0"
    assert "title_length" in wire["skipped"]
