"""Times and numbers as people read them."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import nh3
from markupsafe import Markup, escape

from app.core.schemas.times import counted, in_words, wire_time
from app.rules.finding import Finding
from app.store.overview import MOST_COUNTED

_GOOD = frozenset({"active", "published", "succeeded", "delivered", "ok"})
_BAD = frozenset({"failed", "stopped", "saturated", "revoked", "reached"})
_PARTS = {"sections": "section", "faqs": "question"}
_MOMENT = re.compile(r"\b(\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d) UTC")
_PLACE = re.compile(r"\b(sections|faqs)\[(\d+)\](?:\.\w+(?:\[\d+\])?)*")


def moment(time: datetime | None) -> str:
    """Return a time as “22 Nov 2026, 14:05 UTC”, which the console's script turns into the zone of
    the browser; "" for None."""
    if time is None:
        return ""
    return Markup(f'<time datetime="{wire_time(time)}">{in_words(time)}</time>')  # noqa: S704


def short(number: int) -> str:
    """Return a number in at most four characters, up to a billion: “950”, “17k”, “1.2M”."""
    if number < 1_000:
        return str(number)
    if number < 999_500:
        return f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.1f}M"


def tone(state: str) -> str:
    """Return how a state is shown: good, bad, waiting for an operator, or none of these."""
    if state in _GOOD:
        return "good"
    if state == "held":
        return "warn"
    return "bad" if state in _BAD or state.startswith("failing") else "soft"


def capped(number: int, noun: str = "") -> str:
    """Return a number that was counted up to 1,000, as ``count`` does: “950”, “1,000+ posts”."""
    return counted(number, noun, MOST_COUNTED)


def web(url: str) -> str:
    """Return an address of the web; “#” for any other, which a browser might run."""
    return url if url.startswith(("https://", "http://")) else "#"


def commands(text: str) -> Markup:
    """Return a text for a page, with what is between backticks as code and times as times."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(_MOMENT.sub(_as_time, marked))  # noqa: S704


def _as_time(found: re.Match[str]) -> str:
    try:
        return moment(datetime.strptime(f"{found[1]} +0000", "%d %b %Y, %H:%M %z"))
    except ValueError:
        return found[0]


def place(path: str) -> str:
    """Return the path of a part of a post in words: “section 2” for ``sections[1].blocks[0]``."""
    return _PLACE.sub(lambda found: f"{_PARTS[found[1]]} {int(found[2]) + 1}", path)


def grouped(findings: Iterable[Any]) -> list[tuple[str, int, list[tuple[str, list[str]]]]]:
    """Return findings by check: its name, how many there are, and each reason with its places in
    the post. The most frequent come first."""
    # Sets in order: a draft of headings alone has tens of thousands of places.
    found: dict[str, dict[str, dict[str, None]]] = {}
    numbers: Counter[str] = Counter()
    for each in findings:
        told = each.to_wire() if isinstance(each, Finding) else each
        numbers[told["check"]] += 1
        places = found.setdefault(told["check"], {}).setdefault(told["reason"], {})
        if told["section"] != "post":
            places[place(told["section"])] = None
    return [
        (check, number, [(reason, list(places)) for reason, places in found[check].items()])
        for check, number in numbers.most_common()
    ]


def post_html(html: str) -> Markup:
    """Return the HTML of a post for a page. It was cleaned before it was stored; a page with a
    session cleans it again, and loads no pictures of other hosts."""
    return Markup(nh3.clean(html, tags=nh3.ALLOWED_TAGS - {"img"}))  # noqa: S704
