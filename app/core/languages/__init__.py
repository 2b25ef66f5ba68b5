"""The languages that Copydesk has rules for: one TOML file each, read on first use.

To add a language, add `<tag>.toml` beside this module. `en.toml` explains the keys. A missing
section disables what needs it; a missing or unknown key is an error.
"""

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TypeVar

from pydantic import ValidationError

from app.core.languages.language import (
    BEGINNING_LETTERS,
    Address,
    Advice,
    Alike,
    Articles,
    Calculations,
    Composing,
    Consistency,
    Contrasts,
    Counts,
    CutOff,
    Enumerations,
    Evasion,
    Exclusive,
    Flesch,
    Grammar,
    GrammarRule,
    Headings,
    Language,
    Manner,
    Numbers,
    Opposition,
    Passive,
    Persons,
    Phrases,
    Placement,
    Praise,
    Promise,
    Promises,
    Questions,
    Redundancy,
    Reference,
    References,
    Results,
    Safety,
    Section,
    SectionOrder,
    SelfReference,
    Senseless,
    Sentences,
    Sides,
    Spelling,
    StepOrder,
    Transitions,
    Variants,
    Verification,
    WordOrder,
    Words,
    WornPhrases,
)
from app.core.languages.wordings import Wording
from app.core.text import primary_subtag

__all__ = [
    "BEGINNING_LETTERS",
    "Address",
    "Advice",
    "Alike",
    "Articles",
    "Calculations",
    "Composing",
    "Consistency",
    "Contrasts",
    "Counts",
    "CutOff",
    "Enumerations",
    "Evasion",
    "Exclusive",
    "Flesch",
    "Grammar",
    "GrammarRule",
    "Headings",
    "Language",
    "LanguageFileError",
    "LanguageFiles",
    "Manner",
    "Numbers",
    "Opposition",
    "Passive",
    "Persons",
    "Phrases",
    "Placement",
    "Praise",
    "Promise",
    "Promises",
    "Questions",
    "Redundancy",
    "Reference",
    "References",
    "Results",
    "Safety",
    "Section",
    "SectionOrder",
    "SelfReference",
    "Senseless",
    "Sentences",
    "Sides",
    "Spelling",
    "StepOrder",
    "Transitions",
    "Variants",
    "Verification",
    "WordOrder",
    "Wording",
    "Words",
    "WornPhrases",
    "all_languages",
    "get_language",
    "get_section",
    "known_tags",
    "with_english",
]  # fmt: skip
AnySection = TypeVar("AnySection", bound=Section)


class LanguageFileError(ValueError):
    """An invalid language file; the message names the file and the key."""


class LanguageFiles:
    """The language files of one directory, each read once."""

    def __init__(self, directory: Traversable) -> None:
        files = {file.name: file for file in directory.iterdir() if file.name.endswith(".toml")}
        self._files = {name.removesuffix(".toml"): files[name] for name in sorted(files)}
        self._languages: dict[str, Language] = {}
        self._sections: dict[str, dict[type[Section], Section]] = {}
        self._with_english: dict[str, tuple[Language, ...]] = {}

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self._files)

    def sections(self, tag: str) -> dict[type[Section], Section]:
        """Return the sections of a language by their class; none for one without a file."""
        if tag not in self._sections:
            language = self.get(tag)
            if language is None:
                return {}
            values = vars(language).values()
            self._sections[tag] = {type(each): each for each in values if isinstance(each, Section)}
        return self._sections[tag]

    def with_english(self, tag: str) -> tuple[Language, ...]:
        """Return a language, if it has a file, and English."""
        if tag not in self._with_english:
            found = (self.get(each) for each in dict.fromkeys((tag, "en")))
            self._with_english[tag] = tuple(each for each in found if each)
        return self._with_english[tag]

    def get(self, tag: str) -> Language | None:
        if tag in self._files and tag not in self._languages:
            self._languages[tag] = _read(self._files[tag])
        return self._languages.get(tag)


def _read(file: Traversable) -> Language:
    try:
        return Language.model_validate(tomllib.loads(file.read_text("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise LanguageFileError(f"{file.name}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise LanguageFileError(f"{file.name}: {key}: {first['msg']}") from error


_served = LanguageFiles(files(__name__))


def known_tags() -> tuple[str, ...]:
    """Return the tags of all languages that have a file, sorted."""
    return _served.tags


def get_language(tag: str) -> Language | None:
    """Return the language of a tag such as `pt-BR`, or None if it has no file.

    Raises:
        LanguageFileError: the file is invalid.
    """
    return _served.get(primary_subtag(tag))


def get_section(tag: str, kind: type[AnySection]) -> AnySection | None:
    """Return the section of a language file that has this class, or None without one."""
    found = _served.sections(primary_subtag(tag)).get(kind)
    return found if isinstance(found, kind) else None


def with_english(tag: str) -> tuple[Language, ...]:
    """Return the language of a tag, if it has a file, and English, which models fall back into."""
    return _served.with_english(primary_subtag(tag))


def all_languages() -> tuple[Language, ...]:
    """Return every language that has a file, sorted by tag."""
    found = (get_language(tag) for tag in known_tags())
    return tuple(each for each in found if each)
