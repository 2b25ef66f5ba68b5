"""The fixed words and the dates of plain HTML pages, in the reader's language.

The table has the languages that posts are written in. A library of locales would be larger than
the connector, and its releases change how dates are written: pages would differ without a reason.
"""

import tomllib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Words(NamedTuple):
    """The words of one language. ``date`` is empty for a language without a table."""

    newest: str
    older: str
    none: str
    topics: str
    about: str
    date: str
    months: tuple[str, ...]
    first: str

    def day(self, iso: str) -> str:
        """Return the day of an ISO 8601 time for readers. A text that is not a time stays."""
        try:
            moment = datetime.fromisoformat(iso)
        except ValueError:
            return iso
        if not self.date:
            return f"{moment:%Y-%m-%d}"
        day = self.first if moment.day == 1 else moment.day
        return self.date.format(day=day, month=self.months[moment.month - 1], year=moment.year)


@cache
def words(language: str) -> Words:
    """Return the words of a language tag such as "pt-BR".

    For an unknown language they are English, with dates as 2026-05-01, which everyone can read.
    """
    table = _table()
    code = language.replace("_", "-").partition("-")[0].lower()
    found = table.get(code, {**table["en"], "date": ""})
    first = found.get("first", "1")
    return Words(**{**found, "months": tuple(found["months"]), "first": first})


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("page_words.toml").read_text("utf-8"))
