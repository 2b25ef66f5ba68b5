"""Words whose forms do not go together, by their parts of speech: each covers, it keep, he don't.

A passage becomes a string with one character for each word and sign. Words of the same parts of
speech have the same character, except those that a rule names. A rule is a regular expression over
such characters, so that a hundred rules take a few milliseconds for 1,000 words.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from app.core.checks.check import WARNING, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.mechanics import (
    check_confused_words,
    check_disagreement,
    check_doubled_word,
    check_wrong_article,
)
from app.core.checks.passage import Passage
from app.core.checks.usage import check_usage, places_found
from app.core.text import Span, cached, primary_subtag, word_spans, words

_COMMA, _STOP, _ASKED, _HYPHEN, _OTHER = ",", "!", "¿", "-", "/"
_SIGNS = frozenset({_COMMA, _STOP, _ASKED, _HYPHEN, _OTHER})
# A full stop or a question mark, where rules ask for either.
_END = "."
_NAME, _NUMBER, _YEAR, _UNKNOWN, _OWN = "Name", "Number", "Year", "Unknown", "Own"
_KINDS = frozenset({_NAME, _NUMBER, _YEAR, _UNKNOWN, _OWN})
_ANY = "_"
# Beside the part of speech of a noun that means a person, an animal or an artefact.
_COUNTABLE = "C"
_MOST_REPEATED = 3
_FIRST_CODE = 0x100
# ½ is 1⁄2 in `words`. People write "½ inch", "½ inches", "1½ inch" and "1½ inches".
_FRACTION = "\u2044"
_IS_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


@lru_cache(maxsize=64)
def has_grammar(language: str) -> bool:
    return files(__package__).joinpath(f"grammar_{primary_subtag(language)}.toml").is_file()


@check(
    "grammar", ScorePart.MECHANICS, Scope.PASSAGE, WARNING, "Correct it.",
    languages=has_grammar, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_grammar(passage: Passage, language: str) -> Iterator[Finding]:
    """Words whose forms do not go together: each covers, it keep, those lid, neither … or."""
    if not passage.is_prose:
        return
    found = _found(passage.text_without_code, primary_subtag(language))
    elsewhere = places_found(_SURER_CHECKS, passage, language) if found else frozenset()
    for begin, end, instead in found:
        if not elsewhere.isdisjoint(range(begin, end)):
            continue
        wrong = " ".join(passage.text[begin:end].split())
        problem = f"“{wrong}” is wrong: use {instead}."
        yield check_grammar.found(passage.section, problem, (begin, end))


# What they find is not reported twice.
_SURER_CHECKS = (
    check_doubled_word, check_wrong_article, check_confused_words, check_disagreement, check_usage,
)  # fmt: skip


@cached
def _found(text: str, language: str) -> tuple[tuple[int, int, str], ...]:
    """Return where each match begins and ends, and what to write instead."""
    rules = _rules(language)
    codes, places = rules.encoded(text)
    hits = sorted(
        (*match.span(1), rules.instead[number])
        for number in rules.likely(codes)
        for match in _pattern(rules.sources[number]).finditer(codes)
    )
    spans, found, free = word_spans(text), [], 0
    for first, last, instead in hits:
        inside = [spans[index] for index in places[first:last] if index is not None]
        if inside and inside[0][0] >= free:
            free = inside[-1][1]
            found.append((inside[0][0], free, instead))
    return tuple(found)


@dataclass(frozen=True)
class _Rules:
    """The rules as regular expressions, each with what to write instead, and the codes of words.

    ``elements`` is the most that a rule needs. ``needed`` has a number for each code, whose bits
    are the elements that the code fits: a bit for each rule's first element, then one for each
    rule's second, and so on. For "", they are the elements that a rule does not have.
    """

    sources: tuple[str, ...]
    instead: tuple[str, ...]
    elements: int
    needed: Mapping[str, int]
    codes: Mapping[str, str]
    proper: frozenset[str]
    nouns: frozenset[str]

    def likely(self, codes: str) -> Iterator[int]:
        """Yield the numbers of the rules all of whose elements are among some codes."""
        fitting = self.needed[""]
        for code in set(codes):
            fitting |= self.needed.get(code, 0)
        count = len(self.sources)
        left = (1 << count) - 1
        for _ in range(self.elements):
            left &= fitting
            fitting >>= count
        while left:
            number = left.bit_length() - 1
            yield number
            left ^= 1 << number

    def encoded(self, text: str) -> tuple[str, list[int | None]]:
        """Return the codes of the words and signs of a text, and the index of each code's word."""
        codes, places = [self.codes[_STOP]], list[int | None]([None])
        known, end, starts = self.codes.get, 0, True
        for index, (word, span) in enumerate(zip(words(text), word_spans(text), strict=True)):
            begin = span[0]
            # Most words are in lower case and have a space between them.
            is_near = begin - end == 1 and text[end] == " "
            if index and not is_near and (sign := _sign(text[end:begin])):
                codes.append(self.codes[sign])
                places.append(None)
                starts = sign in {_STOP, _ASKED}
            if text[begin].islower():
                codes.append(known(word) or self._code(word, is_name=False))
            else:
                codes.append(self._code(word, is_name=_is_name(text, span, starts=starts)))
            places.append(index)
            end, starts = span[1], False
        codes.append(self.codes[_sign(text[end:]) or _OTHER])
        places.append(None)
        return "".join(codes), places

    def _code(self, word: str, *, is_name: bool) -> str:
        if is_name and word not in self.proper:
            return self.codes[_NAME]
        if code := self.codes.get(word):
            return code
        if _FRACTION in word:
            return self.codes[_UNKNOWN]
        if word[0].isdigit():
            return self.codes[_YEAR if _IS_YEAR.fullmatch(word) else _NUMBER]
        is_own = word.endswith("'s") and word[:-2] in self.nouns
        return self.codes[_OWN if is_own else _UNKNOWN]


def _is_name(text: str, span: Span, *, starts: bool) -> bool:
    """Whether a word has a capital that is not that of a sentence: Iran, US."""
    begin, end = span
    return text[begin].isupper() and (not starts or (end - begin > 1 and text[begin:end].isupper()))


def _sign(gap: str) -> str:
    """Return the sign for what stands between two words; "" for a space."""
    if gap.isspace():
        return ""
    if gap == ", ":
        return _COMMA
    if gap[:1] in {".", "!", "?"} and (gap[-1].isspace() or len(gap.strip()) == len(gap)):
        return _ASKED if gap[0] == "?" else _STOP
    return _HYPHEN if gap == "-" else _OTHER


@cache
def _rules(language: str) -> _Rules:
    read = tomllib.loads(files(__package__).joinpath(f"grammar_{language}.toml").read_text("utf-8"))
    classes = {f"@{name}": frozenset(listed.split()) for name, listed in read["classes"].items()}
    parts = {word: frozenset[str]() for word in read["function_words"].split()}
    for word, found in _parts_of_speech(language):
        parts.setdefault(word, found)
    rules = [(rule["pattern"], rule["instead"]) for rule in read["rules"]]
    mentioned = {name for pattern, _ in rules for name in re.split(r"[\s{}|&?*-]+", pattern)}
    named = _SIGNS | _KINDS | (mentioned & parts.keys()) | frozenset().union(*classes.values())
    named |= {name for name in mentioned if name.islower() and name[0].isalpha()}
    codes: dict[str, str] = {}
    by_traits: dict[tuple[frozenset[str], frozenset[str]], str] = {}
    # Words of one part of speech have codes in a row, which makes short ranges of them.
    order = sorted(named | parts.keys(), key=lambda word: (sorted(parts.get(word, ())), word))
    for word in order:
        names = {word, *(name for name, listed in classes.items() if word in listed)}
        traits = (parts.get(word, frozenset()), frozenset(names if word in named else ()))
        codes[word] = by_traits.setdefault(traits, chr(_FIRST_CODE + len(by_traits)))
    fitting = _fitting(by_traits)
    translated = [_translated(pattern, fitting) for pattern, _ in rules]
    most = max(len(elements) for _, elements in translated)
    needed: dict[str, int] = defaultdict(int)
    for number, (_, elements) in enumerate(translated):
        for place in range(most):
            for code in elements[place] if place < len(elements) else ("",):
                needed[code] |= 1 << place * len(rules) + number
    nouns = frozenset(word for word, found in parts.items() if "N" in found)
    instead = tuple(instead for _, instead in rules)
    proper = frozenset(read["proper"].split()) | {"i"}
    sources = tuple(source for source, _ in translated)
    return _Rules(sources, instead, most, needed, codes, proper, nouns)


def _fitting(
    by_traits: Mapping[tuple[frozenset[str], frozenset[str]], str],
) -> Mapping[str, frozenset[str]]:
    """Return the codes of the words that fit each name, part of speech and sign."""
    fitting: dict[str, set[str]] = defaultdict(set)
    for (parts, names), code in by_traits.items():
        for one in names | parts:
            fitting[one].add(code)
        if len(alone := parts - {_COUNTABLE}) == 1:
            fitting[f"={min(alone)}"].add(code)
        if names.isdisjoint(_SIGNS):
            fitting[_ANY].add(code)
    fitting[_END] = fitting[_STOP] | fitting[_ASKED]
    return {one: frozenset(found) for one, found in fitting.items()}


def _translated(
    pattern: str, fitting: Mapping[str, frozenset[str]]
) -> tuple[str, list[frozenset[str]]]:
    """Return the regular expression of a rule over codes, and the codes of each element that it
    needs."""
    parts, needed = [], list[frozenset[str]]()
    for element in re.findall(r"[{}]|[^\s{}]+", pattern):
        if element in "{}":
            parts.append("(" if element == "{" else ")")
            continue
        wanted = element.rstrip("?*")
        first, *others = wanted.split("&")
        chosen = _any_of(first, fitting)
        for other in others:
            found = _any_of(other.removeprefix("-"), fitting)
            chosen = chosen - found if other.startswith("-") else chosen & found
        if not chosen:
            raise ValueError(f"no word fits “{wanted}” of the rule “{pattern}”")
        count = element[len(wanted) :].replace("*", f"{{0,{_MOST_REPEATED}}}")
        if not count:
            needed.append(chosen)
        parts.append(f"[{_ranges(chosen)}]{count}")
    return "".join(parts), needed


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compile a rule when a text first has the words for it: all of them take half a second."""
    return re.compile(source)


def _ranges(codes: frozenset[str]) -> str:
    """Return the inside of a character set, with a range for each row of codes."""
    rows: list[list[int]] = []
    for code in sorted(map(ord, codes)):
        if rows and code == rows[-1][1] + 1:
            rows[-1][1] = code
        else:
            rows.append([code, code])
    return "".join(
        chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in rows
    )


def _any_of(names: str, fitting: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*(fitting[name] for name in names.split("|")))


def _parts_of_speech(language: str) -> Iterator[tuple[str, frozenset[str]]]:
    listed = files("app.core.text") / "words" / f"classes.{language}.txt"
    for line in listed.read_text("utf-8").splitlines():
        parts, _, found = line.partition(": ")
        classes = frozenset(parts.split())
        yield from ((word, classes) for word in found.split())
