"""What the desk knows of each language; a language that is not here has its checks skipped."""

from functools import cache

from app.core.quality.languages import dutch, english, french, german, italian, portuguese, spanish
from app.core.quality.languages.rules import Rules
from app.core.text import primary_subtag

_RULES = {
    "de": german.RULES,
    "en": english.RULES,
    "es": spanish.RULES,
    "fr": french.RULES,
    "it": italian.RULES,
    "nl": dutch.RULES,
    "pt": portuguese.RULES,
}


@cache
def rules_for(language: str) -> Rules | None:
    """The rules of a language tag such as `pt-BR`; None where there are none."""
    return _RULES.get(primary_subtag(language))
