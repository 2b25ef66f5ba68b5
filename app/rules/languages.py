"""What Copydesk knows of each language: its headings and its small words."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

_ENGLISH = "en"
# Marks of the form in which posts are written, in every language.
_FAQ_MARK, _CONCLUSION_MARK = "FAQ", "Conclusion"


def primary_subtag(tag: str) -> str:
    """Return the language of a tag: `pt` for `pt-BR`."""
    return tag.partition("-")[0].lower()


def faq_heading(language: str) -> str:
    """Return the heading above the questions of a post."""
    return _headings(language)["faq"]


def offers_heading(language: str) -> str:
    """Return the heading above the offers of a post."""
    return _headings(language)["offers"]


def is_faq_heading(text: str) -> bool:
    """Return whether a heading, in any language, says that questions follow."""
    return _plain(text) in _meaning("faq_headings", "faq", _FAQ_MARK)


def is_conclusion_heading(text: str) -> bool:
    """Return whether a heading, in any language, says that the conclusion follows."""
    return _plain(text) in _meaning("conclusion_headings", "", _CONCLUSION_MARK)


@cache
def small_words(language: str) -> frozenset[str]:
    """Return articles, prepositions and the like; an empty set if the language is not known."""
    return frozenset(_languages().get(primary_subtag(language), {}).get("small", ()))


@cache
def never_last(language: str) -> frozenset[str]:
    """Return the words that no sentence ends with; an empty set if the language is not known."""
    return frozenset(_languages().get(primary_subtag(language), {}).get("never_last", ()))


@cache
def _languages() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(files(__package__).joinpath("languages.toml").read_text("utf-8"))


def _headings(language: str) -> Mapping[str, str]:
    known = _languages()
    found = known.get(primary_subtag(language), known[_ENGLISH])
    return {name: value for name, value in found.items() if isinstance(value, str)}


@cache
def _meaning(listed: str, single: str, mark: str) -> frozenset[str]:
    known = _languages().values()
    own = {text for each in known for text in each[listed]}
    return frozenset(map(_plain, own | {mark} | {str(each[single]) for each in known if single}))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
