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
    Advice,
    Alike,
    Articles,
    Consistency,
    Counts,
    CutOff,
    Flesch,
    Grammar,
    GrammarRule,
    Headings,
    Language,
    Numbers,
    Passive,
    Phrases,
    Promise,
    Promises,
    Questions,
    Reference,
    References,
    Section,
    SectionOrder,
    SelfReference,
    Sentences,
    Spelling,
    StepOrder,
    Transitions,
    Verification,
    Words,
    WornPhrases,
)
from app.core.text import primary_subtag

__all__ = [
    "Advice", "Alike", "Articles", "Consistency", "Counts", "CutOff", "Flesch", "Grammar",
    "GrammarRule", "Headings", "Language", "LanguageFileError", "LanguageFiles", "Numbers",
    "Passive", "Phrases", "Promise", "Promises", "Questions", "Reference", "References",
    "Section", "SectionOrder", "SelfReference", "Sentences", "Spelling", "StepOrder",
    "Transitions", "Verification", "Words", "WornPhrases", "all_languages", "get_language",
    "get_section", "known_tags", "with_english",
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

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self._files)

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
    sections = vars(get_language(tag) or Section()).values()
    return next((section for section in sections if isinstance(section, kind)), None)


def with_english(tag: str) -> tuple[Language, ...]:
    """Return the language of a tag, if it has a file, and English, which models fall back into."""
    found = (get_language(each) for each in dict.fromkeys((primary_subtag(tag), "en")))
    return tuple(each for each in found if each)


def all_languages() -> tuple[Language, ...]:
    """Return every language that has a file, sorted by tag."""
    found = (get_language(tag) for tag in known_tags())
    return tuple(each for each in found if each)
