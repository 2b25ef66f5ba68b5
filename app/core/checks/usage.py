"""Words that do not go together: depends of, should to wait, much people, two woman."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from app.core.checks.check import WARNING, DeskCheck, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.mechanics import (
    check_confused_words,
    check_disagreement,
    check_doubled_word,
    check_wrong_article,
)
from app.core.checks.passage import Passage
from app.core.text import indexes, primary_subtag, word_spans, words

_CLASS = re.compile(r"\{([a-z]+)\}")
_SENTENCE_END = frozenset(".!?:")
_START = "^"
# The second words of a match, if they are known; its pattern; and what to write instead.
_Rule = tuple[frozenset[str], str, str]


@lru_cache(maxsize=64)
def has_usage(language: str) -> bool:
    return files(__package__).joinpath(_file(language)).is_file()


def _file(language: str) -> str:
    return f"usage_{primary_subtag(language)}.toml"


@check(
    "usage", ScorePart.MECHANICS, Scope.PASSAGE, WARNING, "Correct it.",
    languages=has_usage, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_usage(passage: Passage, language: str) -> Iterator[Finding]:
    """Words that do not go together: depends of, should to wait, much people, two woman."""
    if not passage.is_prose:
        return
    rules = _rules(primary_subtag(language))
    text = passage.text_without_code
    said, spans, end = words(text), word_spans(text), 0
    elsewhere: frozenset[int] | None = None
    begins, starts = indexes(text, rules.keys()), rules.get(_START, ())
    # The rules for the start of a sentence all name their second words, which are rare.
    for listed, _, _ in starts:
        if rare := indexes(text, listed):
            begins += [(index - 1, said[index - 1]) for index, _ in rare if index]
            begins = sorted(set(begins))
    for index, word in begins:
        start = spans[index][0]
        if start < end:
            continue
        tried = rules.get(word, ())
        if starts and (not start or text[start - 2 : start - 1] in _SENTENCE_END):
            tried = (*tried, *starts)
        following = said[index + 1] if index + 1 < len(said) else ""
        for second, source, instead in tried:
            if second and following not in second:
                continue
            if match := _pattern(source).match(text, start):
                end = match.end()
                if elsewhere is None:
                    elsewhere = places_found(_SURER_CHECKS, passage, language)
                if not elsewhere.isdisjoint(range(start, end)):
                    break
                wrong = " ".join(match.group().split())
                problem = f"“{wrong}” is wrong: use {_shown(match, instead)}."
                yield check_usage.found(passage.section, problem, (start, end))
                break


# What they find is not reported twice.
_SURER_CHECKS = (
    check_doubled_word, check_wrong_article, check_confused_words, check_disagreement,
)  # fmt: skip


def places_found(
    checks: Iterable[DeskCheck[[Passage, str]]], passage: Passage, language: str
) -> frozenset[int]:
    """Return the places of the characters that checks find fault with."""
    spans = (each.span or (0, 0) for surer in checks for each in surer(passage, language))
    return frozenset(at for span in spans for at in range(*span))


def _shown(match: re.Match[str], instead: str) -> str:
    return " ".join(match.expand(instead).split())


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


@cache
def _rules(language: str) -> Mapping[str, Sequence[_Rule]]:
    """Return the rules by each word that a match can begin with."""
    read = tomllib.loads(files(__package__).joinpath(f"usage_{language}.toml").read_text("utf-8"))
    classes = {name: listed.split() for name, listed in read["classes"].items()}
    found: dict[str, list[_Rule]] = {}
    for first, second, pattern, instead in read["rules"]:
        source = _CLASS.sub(lambda match: f"(?:{'|'.join(classes[match[1]])})", pattern)
        rule = (frozenset(_members(second, classes)), source, instead)
        for word in _members(first, classes):
            found.setdefault(word, []).append(rule)
    return found


def _members(listed: str, classes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the words of a list, and those of the classes that it names."""
    for name in listed.split():
        in_class = _CLASS.fullmatch(name)
        yield from classes[in_class[1]] if in_class else (name,)
