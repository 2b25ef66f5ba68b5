"""Does a page's text give orders to a language model?

What a stranger writes is data. A page that speaks to whoever reads it by machine is lost as a
source as a whole: better without it than led by it. Known are the ways that are in use, in the
seven languages of the desk, also in disguise. Most new wordings get past this, so that what a
writer is given is kept plain as well (`material.py`). Pages that quote such orders are refused.
"""

from app.core.model_talk import combinations, markup, phrases
from app.core.model_talk.disguises import payloads, plain, readings

MAX_SHOWN_CHARS = 120
# A payload may be wrapped twice.
_DEPTH = 2


def orders(text: str) -> str | None:
    """A passage that speaks to a language model and not to a reader; None where there is none.

    At most 120 characters without control characters, in small letters and out of its disguise.
    Takes time in proportion to the text, whatever it is.
    """
    found = _found(text, _DEPTH)
    return None if found is None else _shown(found)


def _found(text: str, depth: int) -> str | None:
    seen = plain(text)
    if found := markup.order_in(seen):
        return found
    for reading in readings(text, seen):
        if found := phrases.order_in(reading) or combinations.order_in(reading):
            return found
    if depth:
        for payload in payloads(seen):
            if found := _found(payload, depth - 1):
                return found
    return None


def _shown(passage: str) -> str:
    kept = "".join(ch if ch.isprintable() else " " for ch in passage)
    return " ".join(kept.split())[:MAX_SHOWN_CHARS].rstrip()
