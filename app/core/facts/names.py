"""Names that sound alike and are spelled in two ways: Hydrosan and Hidrosan."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from app.core.text import Span, sign_before

_NAME = re.compile(r"[^\W\d_a-zß-ÿ][^\W\d_]*(?:-[^\W\d_]+)*")
_LEAST_CHARS = 6
_SENTENCE_END = frozenset(".!?:\n“\"'(—–-•*|")
_SOUNDS = str.maketrans("cqywz", "kkivs")
_DOUBLE = re.compile(r"(.)\1+")


def two_spellings(
    texts: Iterable[tuple[int, str]], ordinary: set[str], *, capitalised: bool
) -> Iterator[tuple[int, Span, str, str]]:
    """Yield the names that sound like an earlier one, with the number of their text, their place
    and the spelling of that one.

    Args:
        ordinary: the words that the text writes in lower case.
        capitalised: whether the language writes all nouns with a capital; then only those with a
            capital inside are names.
    """
    known: dict[str, str] = {}
    for number, text in texts:
        for match in _NAME.finditer(text):
            name, begin = match[0], match.start()
            if len(name) < _LEAST_CHARS or name.isupper():
                continue
            inner = any(ch.isupper() for ch in name[1:])
            before = sign_before(text, begin)
            if not inner and (capitalised or not before or before in _SENTENCE_END):
                continue
            if name.lower() in ordinary:
                continue
            earlier = known.setdefault(_sound(name), name)
            if earlier.lower() != name.lower() and not _is_form(earlier, name):
                yield number, match.span(), name, earlier


@lru_cache(maxsize=4096)
def _sound(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower().replace("-", ""))
    plain = "".join(ch for ch in plain if not unicodedata.combining(ch))
    plain = plain.replace("ph", "f").replace("th", "t").replace("ck", "k").translate(_SOUNDS)
    return _DOUBLE.sub(r"\1", plain)


def _is_form(one: str, other: str) -> bool:
    """Whether two spellings differ by accents or a hyphen alone, as names in two languages do."""
    return _bare(one) == _bare(other)


def _bare(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower().replace("-", ""))
    return "".join(ch for ch in plain if not unicodedata.combining(ch))
