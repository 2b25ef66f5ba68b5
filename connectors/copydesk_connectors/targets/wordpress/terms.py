"""Categories and tags by name."""

import html
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from copydesk_connectors.targets.wordpress.rest import Refusal, Rest


@dataclass
class Terms:
    """The terms of a taxonomy ("categories" or "tags"), looked up by name once until ``forget``."""

    rest: Rest
    taxonomy: str
    _ids: dict[str, int] = field(default_factory=dict)

    def forget(self) -> None:
        """Look up anew, for owners change such things."""
        self._ids.clear()

    def find(self, name: str) -> int | None:
        """The id of the term with that name, whatever its capitals; None where there is none."""
        key = name.casefold()
        if key not in self._ids:
            found: list[dict[str, Any]] = self.rest.get(
                self.taxonomy, search=name, per_page=100, _fields="id,name"
            )
            for term in found:
                self._ids.setdefault(html.unescape(str(term["name"])).casefold(), int(term["id"]))
        return self._ids.get(key)

    def find_or_make(self, name: str) -> int:
        """The id of the term with that name, made where there is none.

        Raises:
            Refusal: the user's role may not make terms.
        """
        key = name.casefold()
        # A tag that exists is named in the refusal; so each takes one request. Categories are few,
        # and authors may not make them.
        if key not in self._ids and (self.taxonomy == "tags" or self.find(name) is None):
            try:
                self._ids[key] = int(self.rest.post(self.taxonomy, {"name": name})["id"])
            except Refusal as refusal:
                if refusal.code == "term_exists":
                    self._ids[key] = int(refusal.data["term_id"])
                elif self.find(name) is None:  # the site's search may have missed it above
                    raise
        return self._ids[key]

    def find_or_make_all(self, names: Iterable[str]) -> tuple[list[int], list[str]]:
        """The ids of all that exist or can be made, and the names of those that cannot."""
        ids: list[int] = []
        missing: list[str] = []
        for name in names:
            try:
                ids.append(self.find_or_make(name))
            except Refusal:
                missing.append(name)
        return ids, missing
