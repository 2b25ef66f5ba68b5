"""Properties of verification: every spelling of a number is that number, no text makes it raise,
and none makes it slow.
"""

import re
import time
from datetime import UTC, date, datetime
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.checks import Kind, Passage
from app.core.facts import numbers
from app.core.facts.fact import made_from, same_value
from app.core.languages import get_language
from app.core.sources.source import Source
from app.core.verification import RequestContext, SourceIndex
from app.core.verification.annotate import annotate
from app.core.verification.value_index import ValueIndex

TODAY = date(2026, 11, 21)
WRITTEN = datetime(2026, 5, 20, tzinfo=UTC)
LANGUAGES = st.sampled_from(["en", "de", "fr", "es", "it", "pt", "nl", "pt-BR", "sv", "ja", "xx"])
PIECES = st.sampled_from(
    ["14", "May", "2024", ".", ",", " ", " ", " ", "\n", "%", "$", "€", "3.5", "million", "-", "to",
     "half", "a", "third", "of", "last", "yesterday", "“", "”", '"', "'", "«", "…", "Ilse", "Mr",
     "said", "two", "hundred", "and", "9" * 30, "0", "00", "99", "31", "/", ":", "pm", "ago",
     "years", "Mai", "vor", "drei", "Jahren", "1,2,3", "1.2.3", "²", "٣", "ß", "İ", "\x00", "日本",
     "one", "in", "four", "between", "Friday", "week", "next", "century", "d'", "de", "euros"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=25).map("".join))


def judge(text: str, told: str, language: str = "en", today: date = TODAY) -> list[str]:
    source = Source("https://a.example/", "a.example", "", told, language, WRITTEN, WRITTEN)
    passage = Passage("sections[0]", Kind.PROSE, text)
    index = SourceIndex([source], RequestContext(language, ("cold brew",)), today)
    verdict = index.check([passage])
    for claim in verdict.coverage:
        assert 0 <= claim.span[0] < claim.span[1] <= len(text)
    return [finding.reason for finding in verdict.findings]


_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen",
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def read_words(words: list[str], language: str) -> tuple[int, int]:
    spoken = get_language(language)
    assert spoken
    assert spoken.verification
    return numbers.read_words(words, spoken.verification.numbers)


def in_words(number: int) -> str:
    """English, after the book: 1,234 is one thousand two hundred and thirty-four."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens = _TENS[number // 10 - 2]
        return f"{tens}-{_ONES[number % 10]}" if number % 10 else tens
    for size, name in ((10**9, "billion"), (10**6, "million"), (10**3, "thousand")):
        if number >= size:
            rest = f" {in_words(number % size)}" if number % size else ""
            return f"{in_words(number // size)} {name}{rest}"
    rest = f" and {in_words(number % 100)}" if number % 100 else ""
    return f"{in_words(number // 100)} hundred{rest}"


def spellings(number: int) -> list[str]:
    grouped = f"{number:,}"
    found = [str(number), grouped, grouped.replace(",", "\u202f"), grouped.replace(",", "’")]
    found.append(in_words(number))
    for size, name in ((10**3, "thousand"), (10**6, "million"), (10**9, "billion")):
        if number >= size:
            value = Fraction(number, size)
            digits = f"{float(value):.9f}".rstrip("0").rstrip(".")
            found.append(f"{digits} {name}")
    return found


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 10**10), st.data())
@example(1200, None)
def test_any_number_in_any_spelling_matches_itself(number: int, data: st.DataObject | None) -> None:
    """Property: any number in any of its spellings matches itself, and not its neighbour."""
    forms = spellings(number)
    pairs = [(form, told) for form in forms for told in forms]
    if data is not None:
        pairs = [data.draw(st.sampled_from(pairs)), data.draw(st.sampled_from(pairs))]
    for form, told in pairs:
        claim, source = f"The plant has {form} lamps.", f"The plant has {told} lamps."
        assert not judge(claim, source), (form, told)
        assert judge(claim, f"The plant has {number + 1} lamps."), form


@given(st.integers(1, 10**10 - 1))
def test_words_are_read_to_their_number(number: int) -> None:
    words = in_words(number).replace("-", " ").split()
    assert read_words(words, "en") == (number, len(words))


@pytest.mark.parametrize(
    ("language", "words", "number"),
    [
        ("de", "dreihundertfünfundzwanzigtausend", 325_000),
        ("de", "zwei millionen dreitausend", 2_003_000),
        ("fr", "quatre vingt dix sept", 97),
        ("fr", "soixante et onze", 71),
        ("fr", "deux cent mille", 200_000),
        ("es", "doscientos treinta y cinco mil", 235_000),
        ("es", "mil millones", 10**9),
        ("it", "trecentoventicinquemila", 325_000),
        ("it", "centotto", 108),
        ("pt", "duzentos e trinta e cinco mil", 235_000),
        ("nl", "driehonderdvijfentwintig duizend", 325_000),
        ("nl", "tweeëntwintig", 22),
        ("en", "twelve hundred", 1200),
    ],
)
def test_number_words_of_each_language(language: str, words: str, number: int) -> None:
    assert read_words(words.split(), language) == (number, len(words.split()))


@pytest.mark.parametrize(
    "words", ["one two", "forty hundred", "hundertmal", "and two", "", "two two"]
)
def test_what_is_no_single_number_is_not_read_as_one(words: str) -> None:
    value, used = read_words(words.split(), "de" if words == "hundertmal" else "en")
    assert used < max(len(words.split()), 1)
    assert value in {0, 1, 2, 40}


@settings(max_examples=400, deadline=None)
@given(TEXTS, TEXTS, LANGUAGES, st.dates())
@example("Winter last winter. Friday. 5 centuries ago.", "x", "en", date(1, 1, 1))
@example("next winter, next week, tomorrow, next year", "x", "en", date(9999, 12, 31))
@example("Die Stunde ist einhalb um.", "x", "de", TODAY)
def test_no_text_makes_it_raise(text: str, told: str, language: str, today: date) -> None:
    judge(text, told, language, today)


@settings(max_examples=200, deadline=None)
@given(TEXTS, LANGUAGES)
def test_facts_stand_where_they_say(text: str, language: str) -> None:
    for line in annotate(text, language, TODAY).sentences:
        for fact in line.facts:
            low, high = fact.span
            assert text[low:high].strip() == fact.text.strip() != ""
            assert fact.low <= fact.high


HOSTILE = [
    "“", "'a ", "«x", "1,", "1.", "1 000 ", "and ", "five and ", "A ", "A of ", "McA-", "14 May ",
    "between 1 and ", "$", "-", "last ", "a half ", "1/2/", "hundred ", "zwanzigund", "\u202f1",
    "Ilse Tarnow. ", "40 % of them. ", "“We wait.” ", "…", "In May 2024, ", "A. ",
]  # fmt: skip


@pytest.mark.parametrize("bit", HOSTILE, ids=ascii)
def test_a_text_of_any_kind_takes_time_in_step_with_its_length(bit: str) -> None:
    """Linear in the text's length: no text can blow it up."""

    def seconds(size: int) -> float:
        text = (bit * size)[:size]
        began = time.thread_time()
        annotate(text, "de" if "zwanzig" in bit else "en", TODAY)
        return time.thread_time() - began

    small, large = (min(seconds(size + step) for step in (0, 1)) for size in (1_500, 6_000))
    # Four times the length may take a little more than four times as long, never sixteen times.
    assert large < 10 * small + 0.05, (small, large)


VALUES = st.sampled_from(
    ["14", "3.5", "40 percent", "from 41 to 46 percent", "about 30 euros", "30 euros", "36 euros",
     "20 to 30 minutes", "half", "a third", "one in four", "twice as much", "rose by 20 percent",
     "fell by 6 euros", "5 percentage points", "20 May 2026", "May 2026", "in May", "on Friday",
     "yesterday", "last week", "2026", "19 kilograms", "1,000 feet", "0", "at 9 pm", "-4 °C",
     "2 to 90 euros", "4 to 95 percent", "on 20 May", "20 May 1999", "on Monday", "on Wednesday"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4), st.lists(st.lists(VALUES, max_size=4), max_size=4))
@example(["rose by 20 percent"], [["30 euros", "36 euros"]])
@example(["about 30 euros", "about a third"], [["2 to 90 euros"], ["4 to 95 percent"]])
@example(["on 20 May", "on Wednesday"], [["20 May 1999"], ["20 May 2026"]])
def test_the_index_of_values_names_every_sentence_that_a_claim_may_come_from(
    claims: list[str], told: list[list[str]]
) -> None:
    def sentence(values: list[str]) -> str:
        return f"The price of tea was {', then '.join(values)}."

    told_facts = [
        tuple(fact for each in annotate(sentence(values), "en", TODAY).sentences
              for fact in each.facts if fact.is_value)
        for values in told
    ]  # fmt: skip
    index = ValueIndex({at: facts for at, facts in enumerate(told_facts) if facts})
    for fact in (
        f for each in annotate(sentence(claims), "en", TODAY).sentences for f in each.facts
    ):
        for by in (False, True):
            if not fact.is_value:
                continue
            found = index.sentences(fact, by=by)
            for at, facts in enumerate(told_facts):
                if any(same_value(fact, one) for one in facts) or made_from(fact, facts, by=by):
                    assert at in found, (fact, facts)
