"""Whether prose is complete, in the right language, and says everything once."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from app.core.checks.broken_blocks import broken
from app.core.checks.check import BLOCKER, WARNING, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.passage import Kind, Passage, paragraphs
from app.core.languages import CutOff, get_language, get_section, known_tags
from app.core.languages.identify import foreign_language, is_known
from app.core.text import Sentence, cached, fold, primary_subtag, sentences, word_count, words

_ENDINGS = frozenset(".!?…。！？｡．।॥؟۔։።។။")
# German quotations end with “ or ‘.
_CLOSERS = frozenset("\"'”’“‘»›)]）」』】")
# Languages that do not mark the end of a sentence.
_WITHOUT_FULL_STOP = frozenset({"lo", "th"})
_PROSE_FROM_WORDS = 4
# People leave out the full stop after captions, notes and addresses, which are shorter.
_WHOLE_FROM_WORDS = 12
# "Cold brew: …" and "Cold brew - …" set a heading off; "cold brew-style" does not.
_SET_OFF = re.compile(r"\s*(?:[:–—]|-\s)")
_QUOTATION_SIGNS = ("“", "„", "«", '"')
# A sentence is foreign if so many of its words are function words of one other language alone.
_LEAST_FOREIGN, _LEAST_WORDS_FOREIGN, _FOREIGN_SHARE, _SURE_SHARE = 2, 6, 0.25, 0.4
# Names and technical terms mislead the language model of shorter paragraphs.
LANGUAGE_FROM_WORDS = 12
_OWN_SHARE = 0.33
# Each paragraph is read once as a draft and again as part of its post.
_foreign = cached(foreign_language)
_REPEAT_FROM_WORDS = 5
# Set phrases and names have up to seven words; ten in a row are a copy.
RUN_WORDS = 10


@check(
    "empty",
    ScorePart.MECHANICS,
    Scope.PASSAGE,
    BLOCKER,
    "Write at least one whole sentence.",
    in_files=FilePart.FILE,
)
def check_empty(passage: Passage, language: str) -> Iterator[Finding]:
    """Parts without text, and paragraphs of fewer than four words."""
    if not passage.text.strip():
        yield check_empty.found(passage.section, "This part has no text.")
    elif _is_empty(passage):
        problem = f"“{passage.text.strip()}” is too short to say anything."
        yield check_empty.found(passage.section, problem)


def _is_empty(passage: Passage) -> bool:
    may_be_short = passage.leads or passage.kind is Kind.ITEM
    return passage.is_prose and not may_be_short and word_count(passage.text) < _PROSE_FROM_WORDS


@check(
    "cut_off", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Finish the sentence, and end it with a full stop.",
    sometimes=WARNING, in_files=FilePart.PARAGRAPHS, removable=True,
)  # fmt: skip
def check_cut_off(passage: Passage, language: str) -> Iterator[Finding]:
    """Paragraphs whose last sentence breaks off or has no full stop.

    In a file a missing full stop is only a warning, unless the text clearly breaks off. A short
    item of a list needs none, and a paragraph may end with a colon before a list, table or code.
    """
    if not passage.is_prose or passage.leads or _is_empty(passage):
        return
    if passage.text[:1] == "|" and broken(passage.text):
        return
    may_be_phrase = passage.in_file or passage.kind is Kind.ITEM
    if may_be_phrase and word_count(passage.text) < _WHOLE_FROM_WORDS:
        return
    cut_off = get_section(language, CutOff)
    for start, paragraph in paragraphs(passage.text):
        last = sentences(paragraph, language)[-1]
        span = (start + last.span[0], start + last.span[1])
        end = _without_closers(paragraph)
        if passage.kind is Kind.ITEM and last.span[0] == 0 and not _trails(passage, cut_off):
            continue  # a long phrase
        if primary_subtag(language) not in _WITHOUT_FULL_STOP and end[-1:] not in _ENDINGS:
            problem = f"The last sentence has no full stop: “…{last.text[-50:]}”."
        elif cut_off and cut_off.ends(end):
            problem = f"The last sentence breaks off: “…{last.text[-50:]}”."
        else:
            continue
        # “But…” is a pause that people write on purpose.
        pauses = end.endswith(("…", "..."))
        softened = passage.in_file and (pauses or not _trails(passage, cut_off))
        severity = WARNING if softened else BLOCKER
        yield check_cut_off.found(passage.section, problem, span, severity=severity)


def _trails(passage: Passage, cut_off: CutOff | None) -> bool:
    """Whether the last words of a passage need others after them."""
    end = passage.text.rstrip()
    return end.endswith(",") or bool(cut_off and cut_off.ends(f"{end}…"))


def _without_closers(text: str) -> str:
    """The text without quotes, brackets and emoji at its end."""
    end = len(text)
    while end and (
        text[end - 1] in _CLOSERS
        or text[end - 1].isspace()
        or unicodedata.category(text[end - 1]) in {"So", "Sk", "Cf", "Mn"}
    ):
        end -= 1
    return text[:end]


@check(
    "heading_echo",
    ScorePart.STRUCTURE,
    Scope.PASSAGE,
    BLOCKER,
    "Leave it out.",
    in_files=FilePart.PARAGRAPHS,
    removable=True,
)
def check_heading_echo(passage: Passage, language: str) -> Iterator[Finding]:
    """Sentences that repeat the heading above them."""
    heading = fold(passage.heading)
    if not heading or passage.kind not in {Kind.PROSE, Kind.ANSWER}:
        return
    for sentence in sentences(passage.text, language):
        if fold(sentence.text) == heading or (
            sentence.text.casefold().startswith(passage.heading.casefold())
            and _SET_OFF.match(sentence.text, len(passage.heading))
        ):
            problem = f"A sentence only repeats the heading “{passage.heading}”."
            yield check_heading_echo.found(passage.section, problem, sentence.span)
            return


@check(
    "language", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Write it in the language of the text.", languages=is_known,
    in_files=FilePart.PARAGRAPHS, removable=True,
)  # fmt: skip
def check_language(passage: Passage, language: str) -> Iterator[Finding]:
    """Paragraphs that are certainly in another language."""
    if not passage.is_prose:
        return
    spoken = get_language(language)
    own_words = spoken.function_words if spoken else frozenset[str]()
    for start, paragraph in paragraphs(passage.text):
        if (
            word_count(paragraph) >= LANGUAGE_FROM_WORDS
            and not _is_code(passage, start, paragraph)
            and not _is_certain(paragraph, own_words)
            and (found := _foreign(paragraph, language))
        ):
            expected = primary_subtag(language)
            begin = " ".join(paragraph.split()[:6])
            problem = f"The paragraph “{begin} …” is in another language ({found}, not {expected})."
            span = (start, start + len(paragraph))
            yield check_language.found(passage.section, problem, span)


@check(
    "foreign_sentence", ScorePart.MECHANICS, Scope.PASSAGE, WARNING,
    "Translate it, or put it in quotation marks.", languages=is_known,
    in_files=FilePart.PROSE, removable=True, fixable=True,
)  # fmt: skip
def check_foreign_sentence(passage: Passage, language: str) -> Iterator[Finding]:
    """A sentence in another language inside a paragraph, as nobody translated it."""
    if not passage.is_prose or any(sign in passage.text for sign in _QUOTATION_SIGNS):
        return
    own_words, others = _function_words_of(primary_subtag(language))
    said = words(passage.text)
    # Most paragraphs have no two such words, and none but those of one sentence is all foreign.
    if not own_words or sum(map(others.__contains__, said)) < _LEAST_FOREIGN:
        return
    found: Sentence | None = None
    has_own = False
    for sentence in sentences(passage.text, language):
        if found is None and _is_foreign(sentence, own_words, others, language):
            found = sentence
        else:
            has_own = has_own or not own_words.isdisjoint(words(sentence.text))
    # One that is all foreign is an example, or nobody translated anything.
    if found is not None and has_own:
        begin = " ".join(found.text.split()[:6])
        problem = f"The sentence “{begin} …” is in another language than its paragraph."
        yield check_foreign_sentence.found(passage.section, problem, found.span)


def _is_foreign(
    sentence: Sentence,
    own_words: frozenset[str],
    others: Mapping[str, Sequence[str]],
    language: str,
) -> bool:
    """Whether the function words of a sentence are those of one other language."""
    said = words(sentence.text)
    spoken = Counter(tag for word in said for tag in others.get(word, ()))
    if len(said) < _LEAST_WORDS_FOREIGN or not spoken:
        return False
    tag, count = spoken.most_common(1)[0]
    if count < max(_LEAST_FOREIGN, _FOREIGN_SHARE * len(said)):
        return False
    known = get_language(tag)
    shared = known.function_words if known else frozenset[str]()
    if any(word in own_words and word not in shared for word in said):
        return False
    return bool(_foreign(sentence.text, language)) or count > _SURE_SHARE * len(said)


@cache
def _function_words_of(language: str) -> tuple[frozenset[str], Mapping[str, Sequence[str]]]:
    """The function words of a language, and those that only others have, with their languages."""
    own = get_language(language)
    if own is None:
        return frozenset(), {}
    others: dict[str, list[str]] = {}
    for tag in known_tags():
        other = get_language(tag)
        for word in (other.function_words if other else frozenset()) - own.function_words:
            others.setdefault(word, []).append(tag)
    return own.function_words, others


def _is_code(passage: Passage, start: int, paragraph: str) -> bool:
    """Whether most of a paragraph is code, such as an error message."""
    end = start + len(paragraph)
    coded = sum(max(0, min(end, to) - max(start, at)) for at, to in passage.code)
    return 2 * coded > len(paragraph)


def _is_certain(paragraph: str, own_words: frozenset[str]) -> bool:
    """Whether a paragraph has as many function words as no text in another language has.

    Most have. Languages such as Spanish and Portuguese share less than a third of theirs.
    """
    said = words(paragraph)
    return sum(map(own_words.__contains__, said)) > _OWN_SHARE * len(said)


@check(
    "repeated_sentence", ScorePart.SUBSTANCE, Scope.DOCUMENT, BLOCKER,
    "Delete it, or say something new.",
    sometimes=WARNING, in_files=FilePart.PARAGRAPHS, removable=True,
)  # fmt: skip
def check_repeated_sentence(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Sentences of five or more words that the text has already."""
    for passage, sentence, again, _ in _sentences(tuple(everything), language):
        if again:
            problem = f"The sentence “{sentence.text[:80]}” stands in the text twice."
            yield check_repeated_sentence.found(passage.section, problem, sentence.span)


@check(
    "repeated_phrase", ScorePart.SUBSTANCE, Scope.DOCUMENT, WARNING,
    "Say it once, or in other words.", in_files=FilePart.PARAGRAPHS,
    removable=True, fixable=True,
)  # fmt: skip
def check_repeated_phrase(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Ten words in a row that the text has already."""
    for passage, sentence, again, phrase in _sentences(tuple(everything), language):
        if phrase and not again:
            problem = f"The words “{phrase}” stand in the text twice."
            yield check_repeated_phrase.found(passage.section, problem, sentence.span)


# The two checks above read a text one after the other.
@lru_cache(maxsize=1)
def _sentences(
    everything: tuple[Passage, ...], language: str
) -> list[tuple[Passage, Sentence, bool, str]]:
    """Return the sentences that repeat one before them, or a run of words, with the first run."""
    found: list[tuple[Passage, Sentence, bool, str]] = []
    seen: set[str] = set()
    runs: set[tuple[str, ...]] = set()
    for passage in everything:
        if not passage.is_prose or passage.kind is Kind.DESCRIPTION:
            continue
        for sentence in sentences(passage.text, language):
            folded = fold(sentence.text)
            said = folded.split(" ")
            own = [tuple(said[i : i + RUN_WORDS]) for i in range(len(said) - RUN_WORDS + 1)]
            repeated = () if runs.isdisjoint(own) else next(run for run in own if run in runs)
            again = len(said) >= _REPEAT_FROM_WORDS and folded in seen
            if again or repeated:
                found.append((passage, sentence, again, " ".join(repeated)))
            seen.add(folded)
            runs.update(own)
    return found
