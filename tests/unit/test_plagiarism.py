"""What counts as taken over from a source, and what does not."""

import sys
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.checks import Finding, Kind, Passage
from app.core.sources.source import Source
from app.core.text.near_duplicates import WORDS, runs, shingles
from app.core.verification.plagiarism import (
    CHECK,
    CONTAINMENT,
    LEAST_SHINGLES,
    Originals,
    check_plagiarism,
)
from tests.unit.copied_samples import CLAUSES, LISTS, NAMED, PROSE, Samples
from tests.unit.verification_samples.samples import texts

DAY = datetime(2026, 11, 21, tzinfo=UTC)
# Words of the seven languages, each of which counts as one.
VOCABULARY = (
    "tea", "stove", "harbour", "isn't", "l'été", "d'abord", "Straße", "über", "müde", "fenêtre",
    "mañana", "così", "perché", "você", "também", "coração", "zeeën", "reünie", "oggi", "kopje",
    "Boot", "dunkel", "rapide", "lento", "snel", "9", "ﬁne", "naïve", "bridge", "C++",
)  # fmt: skip


def source(text: str, url: str = "https://news.example/a") -> Source:
    return Source(url, "news.example", "", text, "en", DAY, DAY)


def prose(text: str, section: str = "sections[0]") -> Passage:
    return Passage(section, Kind.PROSE, text)


def found(text: str, *sources: str, keywords: Sequence[str] = ()) -> list[Finding]:
    return check_plagiarism([prose(text)], Originals([source(one) for one in sources]), keywords)


def plain(count: int, name: str = "w", since: int = 0) -> list[str]:
    """Return ``count`` words that occur in no other text."""
    return [f"{name}{'abcdefghij'[n // 100 % 10]}{'abcdefghij'[n // 10 % 10]}{'abcdefghij'[n % 10]}"
            for n in range(since, since + count)]  # fmt: skip


def said(*parts: Sequence[str]) -> str:
    return " ".join(word for part in parts for word in part)


@pytest.mark.parametrize("count", [1, 5, 12, 13, 14, 60])
def test_thirteen_words_in_a_row_are_a_copy_and_twelve_are_not(count: int) -> None:
    """“a 13-word run outside quotes fails”"""
    copied = plain(count, "copied")
    findings = found(
        said(plain(9, "mine"), copied, plain(9, "own")),
        said(plain(30, "theirs"), copied, plain(30, "other")),
    )
    assert len(findings) == (count >= 13)


def as_it_is(words: Sequence[str], random: Random) -> str:
    return " ".join(words)


def in_capitals(words: Sequence[str], random: Random) -> str:
    return " ".join(words).upper()


def in_title_case(words: Sequence[str], random: Random) -> str:
    return " ".join(f"{word[:1].upper()}{word[1:]}" for word in words)


def otherwise_punctuated(words: Sequence[str], random: Random) -> str:
    return "".join(
        f"{word}{random.choice([', ', '; ', ' – ', '. ', '-', ' (', '…  ', ' / ', ': '])}"
        for word in words
    )


def curly(words: Sequence[str], random: Random) -> str:
    return "\u00a0".join(words).replace("'", "’")


def decomposed(words: Sequence[str], random: Random) -> str:
    return unicodedata.normalize("NFD", " ".join(words))


def with_soft_hyphens(words: Sequence[str], random: Random) -> str:
    def broken(word: str) -> str:
        at = random.randrange(1, 3)
        return f"{word[:at]}\u00ad{word[at:]}" if word.isalpha() and len(word) > 3 else word

    return " ".join(map(broken, words))


Spelling = Callable[[Sequence[str], Random], str]
SPELLINGS: tuple[Spelling, ...] = (
    as_it_is, in_capitals, in_title_case, otherwise_punctuated, curly, decomposed,
    with_soft_hyphens,
)  # fmt: skip


@pytest.mark.parametrize("in_the_post", SPELLINGS)
@pytest.mark.parametrize("in_the_source", SPELLINGS)
def test_a_run_is_found_however_it_is_spelled(
    in_the_source: Spelling, in_the_post: Spelling
) -> None:
    random = Random(1)
    for words in (VOCABULARY[:13], VOCABULARY[-13:]):
        theirs = f"So {in_the_source(words, random)}"
        assert found(f"Mine {in_the_post(words, random)}", theirs)
        assert not found(f"Mine {in_the_post(words[:12], random)}", theirs)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 30),
    st.tuples(*[st.integers(0, 30)] * 4),
    st.integers(0, 2), st.integers(0, 2),
    st.sampled_from(SPELLINGS), st.sampled_from(SPELLINGS), st.integers(0, 2**32),
)  # fmt: skip
def test_a_run_is_found_wherever_it_stands_and_however_it_is_spelled(
    count: int, around: tuple[int, ...], which: int, where: int, in_the_source: Spelling,
    in_the_post: Spelling, seed: int,
) -> None:  # fmt: skip
    random = Random(seed)
    # Numbers alone would be exempt.
    copied = [*random.choices(VOCABULARY, k=count - 1), "dunkler"]
    lead, rest, ahead, then = (
        said(plain(n, name))
        for n, name in zip(around, ("lead", "rest", "ahead", "then"), strict=True)
    )
    theirs = [said(plain(40, name)) for name in ("one", "two", "three")]
    theirs[which] = f"{lead}\n{in_the_source(copied, random)}\n{rest}"
    mine = [said(plain(20, name)) for name in ("p", "q", "r")]
    mine[where] = f"{ahead} {in_the_post(copied, random)} {then}"
    originals = Originals([source(one, f"https://s{n}.example/") for n, one in enumerate(theirs)])
    passages = [prose(text, f"sections[{n}]") for n, text in enumerate(mine)]
    findings = check_plagiarism(passages, originals, [])
    # Those without a span are about the share of the whole.
    assert sum(finding.span is not None for finding in findings) == (count >= 13), findings
    for finding in findings:
        assert (finding.check, finding.section) == (CHECK, f"sections[{where}]")
        assert finding.blocks
        assert f"https://s{which}.example/" in finding.reason
        if finding.span:
            part = mine[where][slice(*finding.span)]
            assert shingles(plainly(part)) == shingles(" ".join(copied))


def plainly(text: str) -> str:
    return text.replace("’", "'").replace("\u00ad", "")


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """The slow and plain way to the longest run of words that both have."""
    return max(
        (n for n in range(1, min(len(one), len(other)) + 1)
         for at in range(len(one) - n + 1)
         if any(one[at : at + n] == other[to : to + n] for to in range(len(other) - n + 1))),
        default=0,
    )  # fmt: skip


LETTERS = st.lists(st.sampled_from("xyz"), max_size=40)


@settings(max_examples=200, deadline=None)
@given(LETTERS, LETTERS, st.lists(st.sampled_from("xyz"), min_size=8, max_size=16))
def test_a_run_is_found_where_a_plain_comparison_finds_one(
    one: list[str], other: list[str], both: list[str]
) -> None:
    mine, theirs = [*one[:20], *both, *one[20:]], [*other[:20], *both, *other[20:]]
    assert bool(found(" ".join(mine), " ".join(theirs))) == (longest_common(mine, theirs) >= 13)


def test_runs_that_overlap_are_reported_once_and_others_each_for_itself() -> None:
    copied, more = plain(30, "copied"), plain(15, "more")
    theirs = [said(copied[:20]), said(copied[7:]), said(more)]
    text = said(copied, plain(1), more, plain(3, "end"))
    findings = found(text, *theirs)
    assert [text[slice(*finding.span)] for finding in findings if finding.span] == [
        said(copied), said(more),
    ]  # fmt: skip
    assert "30 words" in findings[0].reason
    assert "15 words" in findings[1].reason
    # Also where nothing that is between the two stands in one source as a whole.
    (finding,) = found(said(copied), said(copied[:13]), said(copied[6:19]))
    assert "19 words" in finding.reason


def test_a_question_is_asked_as_the_sources_ask_it() -> None:
    copied = said(plain(20, "copied"))
    asked = Passage("faqs[0].question", Kind.QUESTION, f"{copied}?")
    assert not check_plagiarism([asked], Originals([source(f"{copied}?")]), [])


def test_a_passage_ends_a_run() -> None:
    copied = plain(20, "copied")
    halves = [prose(said(copied[:10])), prose(said(copied[10:]), "sections[1]")]
    assert not check_plagiarism(halves, Originals([source(said(copied))]), [])


QUOTED = [
    ("“", "”"), ("„", "“"), ("„", "”"), ("»", "«"), ("« ", " »"), ("«", "»"), ('"', '"'),
    ("‘", "’"), ("‚", "‘"), ("‹", "›"), ("'", "'"), ("”", "”"),
]  # fmt: skip


@pytest.mark.parametrize(("opening", "closing"), QUOTED)
def test_what_stands_in_quotation_marks_is_no_copy(opening: str, closing: str) -> None:
    """“a 13-word run outside quotes”, by the marks of the seven languages"""
    copied = said(plain(40, "copied"))
    text = f"The mayor said: {opening}{copied}{closing} He left."
    assert not found(text, f"Yesterday {copied} and more.")
    assert found(text.replace(closing, "").replace(opening, ""), f"Yesterday {copied} and more.")


def test_what_stands_beside_a_quotation_counts() -> None:
    copied = plain(50, "copied")

    def around(before: int, after: int) -> str:
        words = copied[:before], copied[before:-after], copied[-after:]
        return f"{said(words[0])} “{said(words[1])}” {said(words[2])}"

    assert not found(around(12, 12), said(copied))
    assert [f"{n} words" in found(around(*at), said(copied))[0].reason
            for n, at in ((13, (13, 12)), (14, (12, 14)))] == [True, True]  # fmt: skip


def test_one_or_two_words_in_marks_interrupt_nothing() -> None:
    copied = plain(14, "copied")
    text = f"{said(copied[:6])} “{said(copied[6:8])}” {said(copied[8:])}"
    assert found(text, said(copied))


def test_marks_that_are_never_closed_hide_nothing() -> None:
    copied = said(plain(20, "copied"))
    assert found(f"He said “{copied}", copied)
    assert found(f"It is 6' long {copied}", copied)


def half(words: int, of: int) -> tuple[str, str]:
    """A text of so many runs of five words, and one that has as many as wanted of them; no run that
    both have is longer than twelve words."""
    post: list[str] = []
    theirs: list[str] = []
    for number in range(0, words, 8):
        part = plain(min(words - number, 8) + WORDS - 1, f"both{number}x")
        post += [*part, f"gap{number}"]
        theirs += [*part, f"theirs{number}"]
    post += plain(of + WORDS - 1 - len(post), "rest")
    return said(post), said(theirs)


@pytest.mark.parametrize(
    ("shared", "of", "refused"),
    [
        (15, 100, True), (14, 100, False), (30, 200, True), (29, 200, False), (150, 1000, True),
        (18, 120, True), (17, 120, False),
        # Too few to tell anything by their share.
        (20, 99, False), (36, 60, False),
    ],
)  # fmt: skip
def test_a_post_of_which_15_percent_stand_in_one_source_is_a_copy(
    shared: int, of: int, refused: bool
) -> None:
    """“containment ≥ 0.15 … fails”, although no run has 13 words"""
    post, theirs = half(shared, of)
    assert len(shingles(post)) == of
    assert len(shingles(post) & shingles(theirs)) == shared
    findings = found(post, theirs)
    assert bool(findings) is refused
    if refused:
        assert f"{shared / of:.0%}" in findings[0].reason
        assert findings[0].span is None


def test_the_share_is_that_of_one_source() -> None:
    """“containment of its 5-word shingles in one source”: two of which each has 10 % are none."""
    post, theirs = half(20, 100)
    words = theirs.split()
    halves = [said(words[: len(words) // 2]), said(words[len(words) // 2 :])]
    assert found(post, theirs)
    assert not found(post, *halves)


def parts_of_a_post(*shared: int) -> tuple[list[Passage], list[str]]:
    """Return passages of 60 runs of five words, and for each a text that shares some of them."""
    pairs = [half(count, 60) for count in shared]
    mine, theirs = zip(*pairs, strict=True)
    told = [text.replace("both", f"both{'abcd'[n]}") for n, text in enumerate(theirs)]
    texts = [
        text.replace("both", f"both{'abcd'[n]}").replace("rest", f"rest{'abcd'[n]}")
        for n, text in enumerate(mine)
    ]
    return [prose(text, f"sections[{n}]") for n, text in enumerate(texts)], told


def test_the_share_is_that_of_all_passages_and_shown_where_it_stands() -> None:
    mine, theirs = parts_of_a_post(0, 8, 40, 16)
    originals = Originals([source("Nothing of it."), source(theirs[2], "https://b.example/x")])
    (finding,) = check_plagiarism(mine, originals, [])
    assert (finding.check, finding.section) == (CHECK, "sections[2]")
    assert "https://b.example/x" in finding.reason
    assert not check_plagiarism(mine[:2], originals, [])


def test_every_passage_that_must_change_is_named_at_once() -> None:
    """One revision is enough: without the named passages, less than 15 % is copied."""
    mine, theirs = parts_of_a_post(0, 8, 40, 20)
    originals = Originals([source(" ".join(theirs))])
    findings = check_plagiarism(mine, originals, [])
    assert [finding.section for finding in findings] == ["sections[2]", "sections[3]"]
    mended = [prose(said(plain(64, f"new{n}")), f"sections[{n}]") for n in (2, 3)]
    assert not check_plagiarism([*mine[:2], *mended], originals, [])


def test_each_source_that_was_copied_is_named() -> None:
    mine, theirs = parts_of_a_post(40, 40)
    urls = ["https://a.example/x", "https://b.example/y"]
    originals = Originals([source(*pair) for pair in zip(theirs, urls, strict=True)])
    findings = check_plagiarism(mine, originals, [])
    assert [finding.section for finding in findings] == ["sections[0]", "sections[1]"]
    assert [url in finding.reason for url, finding in zip(urls, findings, strict=True)] == [
        True
    ] * 2


def test_what_is_quoted_makes_no_share() -> None:
    copied = said(plain(30, "copied"))
    own = said(plain(90, "own"))
    assert not found(f"{own} “{copied}”", copied)
    post, theirs = half(16, 100)
    assert found(post, theirs)


LAW = (
    "Regulation (EU) 2016/679 of the European Parliament and of the Council of 27 April 2016"
    " and Directive 95/46/EC"
)
ARTICLE = (
    f"A firm that keeps names must heed {LAW}. Whoever forgets that regulation pays. A directive is"
    " older. Most firms began late, and some in the Council knew it."
)


def test_names_and_numbers_are_nobodys_words() -> None:
    """Titles of laws and names of institutions can be said in one way only."""
    assert not found(f"Since then {LAW} has been known to all.", ARTICLE.replace("regulation", "it")
                     .replace(" directive", " rule"))  # fmt: skip
    assert not found(
        "Die Verordnung (EU) 2016/679 des Europäischen Parlaments und des Rates vom 27. April 2016"
        " gilt.",
        "Es gilt die Verordnung (EU) 2016/679 des Europäischen Parlaments und des Rates vom"
        " 27. April 2016 seit langem.",
    )
    assert not found(
        "Selon le règlement, l'Office de l'Union Européenne pour la Propriété Intellectuelle et"
        " l'Agence de l'Union pour l'Asie décident.",
        "Hier l'Office de l'Union Européenne pour la Propriété Intellectuelle et l'Agence de"
        " l'Union pour l'Asie ont parlé devant de nombreux invités.",
    )


def test_words_around_a_name_count_with_it() -> None:
    assert found(f"A firm that keeps names must heed {LAW}.", ARTICLE)


def test_capitals_of_the_post_alone_make_no_names() -> None:
    words = said(plain(15, "copied"))
    assert found(words.title(), words)
    assert found(words.upper(), words)
    # Nor do those of the source where words stand there small as well, or in a heading alone.
    assert found(words.title(), f"It is {said(plain(20))}. {words.title()}. {words}")
    assert found(words.title(), f"It is {said(plain(20))}.\n{words.title()}")


def test_the_keywords_of_the_request_are_nobodys_words() -> None:
    keyword = "how to make the best cold brew coffee at home with a french press today"
    theirs = f"Here you learn {keyword}, dear reader."
    assert found(f"I know {keyword}.", theirs)
    assert not found(f"I know {keyword}.", theirs, keywords=["tea", keyword.upper()])
    assert not found(f"Here you learn {keyword}.", theirs, keywords=[keyword])
    around = "Here all of our dear readers learn"
    assert found(f"{around} {keyword}.", f"{around} {keyword}.", keywords=[keyword])


def test_the_share_leaves_names_and_keywords_out() -> None:
    keyword = "slow cold brew with cream"
    post = said(plain(90, "own"), keyword.split(), plain(20, "then"))
    assert len(shingles(post)) >= LEAST_SHINGLES
    theirs = said(plain(10, "theirs"), keyword.split())
    originals = Originals([source(theirs)])
    # One run of more than a hundred; a share of its own shows only in the limit.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.core.verification.plagiarism.CONTAINMENT", 0.001)
        assert check_plagiarism([prose(post)], originals, [])
        assert not check_plagiarism([prose(post)], originals, [keyword])


def test_where_no_spaces_are_written_two_characters_count_as_a_word() -> None:
    theirs = "水出しコーヒーは前の晩に粗く挽いた豆を冷たい水に入れて朝まで待つだけでできます"
    assert len(theirs) > 30
    assert not found(f"私は{theirs[:25]}", theirs)
    assert found(f"私は{theirs[:26]}", theirs)
    # Five characters are a word or two: their share says nothing.
    pieces = "".join(f"{theirs[at : at + 12]}{chr(0x4E00 + at)}" for at in range(20))
    assert not found(pieces, theirs)


def test_the_reason_tells_no_secret_and_little_of_the_source() -> None:
    """“which source URL without its query”, and no more than a few of its words"""
    copied = plain(40, "copied")
    page = source(said(copied), "https://user:pass@news.example/a/b?token=secret#part")
    post, theirs = half(40, 100)
    other = source(theirs, "https://news.example/c?key=secret")
    longer = f"{post} {said(plain(100, 'own'))}"
    findings = check_plagiarism([prose(said(copied)), prose(longer)], Originals([page, other]), [])
    assert len(findings) == 3
    assert "https://news.example/a/b," in findings[0].reason
    assert "https://news.example/c as well" in findings[2].reason
    for finding in findings:
        assert "secret" not in finding.reason
        assert "pass@" not in finding.reason
        assert "own words" in finding.reason or "other words" in finding.reason
        assert sum(word in finding.reason for word in [*copied, *theirs.split()]) <= 4


def found_in_a_page(text: str, language: str, page: str) -> list[Finding]:
    page = f"Mmb kkp.\n{page}\nTtr ssw."
    written = Source("https://a.example/", "a.example", "", page, language, DAY, DAY)
    return check_plagiarism([prose(text)], Originals([written]), [], language)


# Items of three words may be clauses, and what stands around a list is said in other ways.
STILL_COPIES = (
    "Choose 20 mm pipe", "Pack a passport", "It may be caused", "Les symptômes", "Für den Teig",
)  # fmt: skip


@pytest.mark.parametrize("half", ["tuned", "aside"])
def test_lists_hours_laws_and_measures_are_nobodys_words(half: str) -> None:
    for language, text in LISTS[half]:
        is_refused = bool(found_in_a_page(f"Zzq yyv. {text} Vvy.", language, text))
        assert is_refused == text.startswith(STILL_COPIES), text


@pytest.mark.parametrize("half", ["tuned", "aside"])
def test_prose_with_commas_figures_and_names_is_a_copy(half: str) -> None:
    for language, text in PROSE[half]:
        assert found_in_a_page(f"Zzq yyv. {text} Vvy.", language, text), text


@pytest.mark.parametrize("half", ["tuned", "aside"])
@pytest.mark.parametrize(("samples", "is_copy"), [(NAMED, False), (CLAUSES, True)])
def test_short_items_on_lines_of_a_source_are_nobodys_words_and_sentences_are(
    half: str, samples: Samples, *, is_copy: bool
) -> None:
    for language, lines in samples[half]:
        page = "\n".join(["Zzq yyv:", *(f"- {line}" for line in lines.split("|")), "Vvy xxw."])
        text = f"Zzq yyv: {lines.replace('|', ', ')}."
        assert bool(found_in_a_page(text, language, page)) is is_copy, text


def test_commas_of_the_post_make_no_list() -> None:
    words = plain(15, "copied")
    listed = ", ".join(words)
    assert found(listed, said(words))
    assert not found(listed, f"Bring: {listed}, and more.")
    # A list of the source excuses no sentences around it.
    around = said(plain(7, "around"))
    assert found(f"{around} {listed}", f"{around}: {listed}, and more.")


@pytest.mark.parametrize("text", ["", "…", "One.", "“”", "a b c d"])
def test_texts_of_hardly_any_words_are_no_copies(text: str) -> None:
    assert not found(text, text)
    assert not found(text)
    assert not check_plagiarism([], Originals([source(text)]), [text])
    assert not found("Some ordinary text without any source to compare it with.")


def test_texts_about_the_same_in_words_of_their_own_are_no_copies() -> None:
    """Texts written from a source faithfully, against that source and against all others."""
    faithful = [text for text in texts() if not text.kind]
    everything = {text.source.url: text.source for text in faithful}
    others = [prose(text.text, f"sections[{n}]") for n, text in enumerate(faithful)]
    assert len(everything) >= 40
    for url in everything:
        originals = Originals([everything[url]])
        unrelated = [text for text, one in zip(others, faithful, strict=True)
                     if one.source.url != url]  # fmt: skip
        assert not check_plagiarism(unrelated, originals, []), url


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those of C included."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        "tea pot leaf cup ", "one same ", "“ a b c ", '" a b c" ', "' s ' t ", "« x » y ",
        "„a b c d“ e f ", "水出し", "2016/679 of the ", "l'a d'b ",
    ],
)  # fmt: skip
def test_the_work_grows_in_step_with_the_words(unit: str) -> None:
    """“cost linear”, in calls and not in seconds, for texts that are made to be hard as well"""

    def work(times: int) -> int:
        text = unit * times
        # A text of its own for each size: what was cut before is not remembered.
        return calls(lambda: found(f"{text} {times}", f"{times} {text}", keywords=["tea pot"]))

    small, large = work(200), work(800)
    assert large <= 4.4 * small


def test_what_a_source_holds_costs_a_check_nothing() -> None:
    text = said(plain(300, "mine"))
    few, many = (Originals([source(said(plain(count, "theirs")))]) for count in (100, 1000))
    check_plagiarism([prose(text)], few, [])

    def work(originals: Originals) -> int:
        return calls(lambda: check_plagiarism([prose(text)], originals, []))

    assert work(many) == work(few)


def test_the_constants_are_those_of_the_design() -> None:
    assert CONTAINMENT == 0.15
    assert WORDS == 5
    # Two runs of twelve words, the longest allowed, make a share of 15 %; one does not.
    assert len(runs(plain(12))) < CONTAINMENT * LEAST_SHINGLES <= 2 * len(runs(plain(12)))
