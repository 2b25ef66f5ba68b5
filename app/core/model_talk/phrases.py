"""Orders to a language model in words: in which order the words of `english.py` and its like make
one.

A text is looked at word by word. Only where a word may belong to an order are the 40 words from
there on compared, so that no text takes more than a small time for each of its words.
"""

import re
from collections.abc import Sequence, Set
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from app.core.model_talk import dutch, english, french, german, italian, portuguese, spanish
from app.core.model_talk.rules import Words

LANGUAGES: dict[str, Words] = {
    "de": german.WORDS,
    "en": english.WORDS,
    "es": spanish.WORDS,
    "fr": french.WORDS,
    "it": italian.WORDS,
    "nl": dutch.WORDS,
    "pt": portuguese.WORDS,
}
# Between two classes ~3 lets up to three other words stand; ^ is the start of a sentence; a class
# after ! must not follow. An order is looked for at the words of its first class, or where these
# are frequent at those of the class with an @.
ORDERS = (
    "forget ~3 before ~2 rules",
    "forget ~2 rules ~3 before",
    "before ~1 rules ~4 @forget",
    "rules ~1 before ~4 @forget",
    "forget ~1 all_before",
    "all_before ~3 @forget",
    "new_rules",
    "^ start_rules ~4 stop",
    "these ~1 rules ~2 @supersede",
    "you_now ~4 role",
    "^ act ~4 role",
    "reveal ~4 @prompt",
    "piece must ~6 praise",
    "piece must ~3 contain ~4 object",
    "add ~9 @in_piece",
    "when_writing ~8 do",
    "^ reply ~3 only_with",
    "^ note ~2 model !no_model ~4 order",
    "sure_model ~3 @reading",
    "if_you ~3 @sure_model ~9 order",
    "when_asked ~9 say",
    "as_the ~3 @boss ~3 of_model ~9 authorise",
    "i_authorise",
    "threat",
    "for_rules ~6 replies ~2 have_to ~3 begin",
    "for_rules ~2 have_to ~3 replies ~5 begin",
    "your_replies have_to ~4 begin_with",
    "your_replies ~4 begin_with ~4 have_to",
    "dont_tell ~2 user ~3 secret",
    "dont_show ~2 @hidden_rules",
    "jailbreak",
    "call ~3 @tool",
    "exfiltrate",
)
# What an address to a model leads to: an order, or a colon, which stands here as the end.
_AFTER_ADDRESS = ("do", "say", "you_must", "forget", "reply", "add", "reading", "act", "stop")
STOP = "|"
_WINDOW_WORDS = 40
_SPACE = rf" (?:\{STOP} )?"
_KEY_LETTERS = 4
_ENDS = frozenset(".!?:;\n…。")
_TOKENS = re.compile(r"[^\W_]+|[.!?:;\n…。]+")


class Order(NamedTuple):
    """An order in a language. It may begin ``back`` words before the word that it is looked for
    at; ``at_start`` where it must begin a sentence."""

    order: str
    language: str
    back: int
    at_start: bool


def tokens(folded: str) -> list[str]:
    """The words of a folded text, and between them the signs that may end a sentence."""
    return _TOKENS.findall(folded)


def order_in(found: Sequence[str]) -> str | None:
    """The words of the first order among these, or None."""
    keys = [word[:_KEY_LETTERS] for word in found]
    words = [key for key in keys if key[0] not in _ENDS]
    present = {*words, *map(" ".join, pairwise(words))}
    possible = {
        name: orders
        for name in _BY_KEY.keys() & present
        if (orders := [order for order in _BY_KEY[name] if _is_possible(order, present)])
    }
    if not possible:
        return None
    firsts = {name.partition(" ")[0] for name in possible}
    keys += ["", ""]
    for at, key in enumerate(keys):
        if key not in firsts:
            continue
        after = keys[at + 1]
        if after[:1] in _ENDS:
            after = keys[at + 2]
        for name in (key, f"{key} {after}"):
            if name in possible and (order := _order_at(found, keys, at, possible[name])):
                return order
    return None


def _is_possible(order: Order, present: Set[str]) -> bool:
    """Whether a text has a word of each of its classes at all; most have not."""
    return all(not names.isdisjoint(present) for names in _names(order.order, order.language))


@cache
def _names(order: str, language: str) -> tuple[frozenset[str], ...]:
    parts = (part.lstrip("@") for part in order.split() if part[0] not in "^~!")
    return tuple(
        frozenset(map(_key, _alternatives(part, LANGUAGES[language])))
        for part in parts
        if part not in {"stop", "order"}
    )


def _order_at(
    found: Sequence[str], keys: Sequence[str], at: int, orders: Sequence[Order]
) -> str | None:
    starts = at == 0 or found[at - 1][0] in _ENDS
    windows: dict[int, str] = {}
    for order in orders:
        if order.at_start and not starts:
            continue
        begin = max(0, at - order.back)
        if order.back and _begins(order.order, order.language).isdisjoint(keys[begin:at]):
            continue
        if order.back not in windows:
            windows[order.back] = _window(found, begin, at + _WINDOW_WORDS)
        regex = _compiled(order.order, order.language)
        search = regex.search if order.back else regex.match
        if match := search(windows[order.back]):
            return match.group()
    return None


@cache
def _begins(order: str, language: str) -> frozenset[str]:
    return frozenset(name.partition(" ")[0] for name in _names(order, language)[0])


def _window(found: Sequence[str], first: int, end: int) -> str:
    return " ".join([STOP if word[0] in _ENDS else word for word in found[first:end]])


def _alternatives(name: str, words: Words) -> list[str]:
    if name == "stop":
        return [STOP]
    if name == "order":
        return [each for part in _AFTER_ADDRESS for each in _alternatives(part, words)]
    return words[name].split()


@cache
def _compiled(order: str, language: str) -> re.Pattern[str]:
    """Only when it is needed: all of them together take most of a second."""
    # A window may begin with other words than the order.
    source, space = r"(?<![^\W_])", ""
    for part in order.removeprefix("^ ").split():
        if part.startswith("~"):
            # As few as will do, and never more than so many: no text makes it go back far.
            source += rf"{_SPACE}(?:[^ |]+{_SPACE}){{0,{part[1:]}}}?"
            space = ""
        elif part.startswith("!"):
            source += f"(?!{_SPACE}{_class(part[1:], language)})"
        else:
            source += space + _class(part.lstrip("@"), language)
            space = _SPACE
    return re.compile(source)


@cache
def _class(name: str, language: str) -> str:
    # The longest first, so that "all" does not stand for "all your".
    spelled = sorted(_alternatives(name, LANGUAGES[language]), key=len, reverse=True)
    inside = "|".join(
        re.escape(each).replace(r"\*", r"[^\W_]{0,12}").replace("_", _SPACE) for each in spelled
    )
    return rf"(?:{inside})(?![^\W_])"


def _by_key() -> dict[str, tuple[Order, ...]]:
    """The orders by the word that they are looked for at: its first four letters, and where it has
    a next one, a space and the first four of that. The words that orders begin with are frequent,
    what follows them is not."""
    found: dict[str, dict[Order, None]] = {}
    for language, words in LANGUAGES.items():
        for order in ORDERS:
            at_start = order.startswith("^")
            parts = order.removeprefix("^ ").split()
            anchor = next((part for part in parts if part.startswith("@")), parts[0])
            before = parts[: parts.index(anchor)]
            back = sum(
                2 * int(part[1:]) + 1 if part.startswith("~") else _longest(part, words)
                for part in before
            )
            entry = Order(order, language, back, at_start)
            for each in _alternatives(anchor.lstrip("@"), words):
                found.setdefault(_key(each), {})[entry] = None
    return {key: tuple(orders) for key, orders in found.items()}


def _longest(name: str, words: Words) -> int:
    """The most words, with a sign between two of them, that a class has."""
    return max(2 * len(each.split("_")) for each in _alternatives(name, words))


def _key(spelled: str) -> str:
    first, _, rest = spelled.partition("_")
    second = rest.partition("_")[0]
    if first.endswith("*") and len(first) <= _KEY_LETTERS:
        raise ValueError(f"{first} is too short for a stem")
    if not second or (second.endswith("*") and len(second) <= _KEY_LETTERS):
        return first.rstrip("*")[:_KEY_LETTERS]
    return f"{first.rstrip('*')[:_KEY_LETTERS]} {second.rstrip('*')[:_KEY_LETTERS]}"


_BY_KEY = _by_key()
# Every word that an order has, without its ending.
VOCABULARY = frozenset(
    word.rstrip("*")
    for words in LANGUAGES.values()
    for alternatives in words.values()
    for word in alternatives.replace("_", " ").split()
)
