"""Numbers in digits, with the signs that each language writes between them."""

from functools import cache

from babel import Locale

from app.core.evidence.words import LANGUAGES

# No number that a text means has more digits; a longer one is a code.
_MAX_DIGITS = 21


@cache
def _decimal(language: str) -> str:
    if language not in LANGUAGES:
        return "."
    return str(Locale(language).number_symbols["latn"]["decimal"])


def parse_digits(text: str, language: str) -> float | None:
    """The value of "1,200.5" as its language writes it; None for what is a code or a version."""
    text = "".join(ch for ch in text if not ch.isspace()).replace("’", "'").replace("'", "")
    if len(text) > _MAX_DIGITS:
        return None
    signs = [ch for ch in text if ch in ".,"]
    if not signs:
        return float(int(text))
    last = signs[-1]
    groups = text.replace(",", ".").split(".")
    grouped = all(len(group) == 3 for group in groups[1:]) and 1 <= len(groups[0]) <= 3
    if len(set(signs)) == 2:
        head, _, tail = text.rpartition(last)
        if signs.count(last) > 1:
            return None
        whole = head.replace(",", "").replace(".", "")
        return float(f"{int(whole)}.{_ascii(tail)}")
    if len(signs) > 1:
        return float(int("".join(groups))) if grouped else None
    if grouped and last != _decimal(language) and groups[0] != "0":
        return float(int("".join(groups)))
    return float(f"{int(groups[0])}.{_ascii(groups[1])}")


def _ascii(digits: str) -> str:
    return "".join(str(int(digit)) for digit in digits)
