"""Plans of posts about any keyword."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any

from tests.support.scripted_model import bank
from tests.support.scripted_model.bank import Theme
from tests.support.scripted_model.phrases import capital, pattern, says, width
from tests.support.scripted_model.post_prompts import PlanRequest

# The forms that the words of a request ask for, and the theme that has them.
_WANTED = (
    ("table", re.compile(r"\b(?:vs|versus|or|compar\w+|differences?|alternatives?)\b")),
    ("steps", re.compile(r"\b(?:how to|steps?|guide|tutorial|make|build|install|set ?up)\b")),
    ("list", re.compile(r"\b(?:ideas|tips|ways|reasons|examples|mistakes|checklist|things)\b")),
)
_HOME = {"table": "choice", "steps": "work", "list": "tools"}
# In a post about nothing in particular, a form comes from this number of sections on.
_MIXED_FROM = {"list": 3, "steps": 5, "table": 7}
_HEADING_CHARS = 90
# Points of a section; a post with a single section has one.
_POINTS = 3
# A post that may have fewer claims has room for one.
_SHORT_POST_CLAIMS = 5


class Planner:
    """Plans one post.

    Args:
        random: makes the plan; ``titles`` makes the title alone.
    """

    def __init__(self, request: PlanRequest, random: Random, titles: Random) -> None:
        self._request = request
        self._random = random
        self._titles = titles
        self._keyword = request.keywords[0]
        self._avoid = [pattern(keyword) for keyword in request.keywords]

    def plan(self, schema: Mapping[str, Any], *, long_title: bool = False) -> dict[str, Any]:
        """Return a plan that fits the schema."""
        members = schema["properties"]
        low, high = members["sections"]["minItems"], members["sections"]["maxItems"]
        count = max(low, min(high, round((low * high) ** 0.5)))
        forms = self._forms(count)
        themes = self._themes(count, forms)
        claims = self._claims(themes) if "claims" in members else {}
        entry = members["sections"]["items"]["properties"]
        sections = []
        for number, theme in enumerate(themes):
            section: dict[str, Any] = {
                "heading": self._heading(theme, with_keyword=number % 3 == 0),
                "purpose": f"{theme.purpose} It is about {self._keyword}.",
                "form": forms.get(theme.name, "prose"),
            }
            if "claims" in entry:
                section["claims"] = [
                    at for at, name in enumerate(claims.values(), 1) if name == theme.name
                ]
            if "words" in entry:
                section["words"] = 120 + 30 * (number % 2)
            if "points" in entry:
                points = [paragraph.point for paragraph in theme.paragraphs]
                start = self._random.randrange(len(points))
                several = 1 if high == 1 else _POINTS
                section["points"] = (points + points)[start : start + several]
            sections.append(section)
        plan: dict[str, Any] = {"purpose": self._purpose()}
        if "claims" in members:
            plan["claims"] = list(claims)
            plan["optional"] = []
        plan["sections"] = sections
        if "questions" in members:
            plan["questions"] = self._questions(members["questions"]["minItems"])
        return plan | {"title": self._title(long=long_title)}

    def _forms(self, count: int) -> dict[str, str]:
        """Return the form of each theme that is not prose."""
        about = self._request.about
        wanted = [form for form, words in _WANTED if words.search(about)]
        forms = wanted or [form for form, least in _MIXED_FROM.items() if count >= least]
        return {_HOME[form]: form for form in forms[:count]}

    def _themes(self, count: int, forms: Mapping[str, str]) -> list[Theme]:
        everything = bank.themes()
        needed = [theme for theme in everything if theme.name in forms]
        others = [theme for theme in everything if theme.name not in forms]
        chosen = needed + self._random.sample(others, max(0, count - len(needed)))
        return [theme for theme in everything if theme in chosen][:count]

    def _heading(self, theme: Theme, *, with_keyword: bool) -> str:
        about = [heading for heading in theme.headings if "{k}" in heading]
        plain = [heading for heading in theme.headings if "{k}" not in heading]
        filled = self._random.choice(about).replace("{k}", self._keyword)
        if with_keyword and (len(filled) <= _HEADING_CHARS or len(self._keyword) > 50):
            return filled
        return self._random.choice(plain)

    def _purpose(self) -> str:
        quoted = [f"“{keyword}”" for keyword in self._request.keywords]
        listed = ", ".join(quoted[:-1]) + f" and {quoted[-1]}" if len(quoted) > 1 else quoted[0]
        purpose: str = self._random.choice(bank.parts()["purpose"])
        # What is written depends on the purpose: posts with the same headings differ.
        minutes = self._random.randrange(2, 1_000)
        return f"{purpose.replace('{quoted}', listed)} A reader has {minutes} minutes for it."

    def _claims(self, themes: Sequence[Theme]) -> dict[str, str]:
        """Return claims, each with the name of the theme that states it."""
        most = self._request.most_claims
        claims = {
            claim: theme.name
            for theme in themes
            for claim in bank.parts()["claims"][theme.name]
            if not says(claim, self._avoid)
        }
        if most < _SHORT_POST_CLAIMS:
            most = min(1, most)
        return {claim: claims[claim] for claim in list(claims)[:most]}

    def _questions(self, count: int) -> list[str]:
        entries: Sequence[Mapping[str, str]] = bank.parts()["faq"]
        fitting = [
            entry["question"]
            for entry in entries
            if not says(entry["question"] + entry["answer"], self._avoid)
        ]
        others = [entry["question"] for entry in entries if entry["question"] not in fitting]
        self._random.shuffle(fitting)
        return (fitting + others)[:count]

    def _title(self, *, long: bool) -> str:
        low, high = self._request.title_characters
        taken = {each.lower() for each in self._request.taken_titles}
        title = title_about(self._keyword, low, high, self._titles, taken)
        while long and len(title) < high + 30:
            title += " with everything that a careful reader needs"
        return title


def title_about(
    keyword: str, low: int, high: int, random: Random, taken: Collection[str] = ()
) -> str:
    """Return a title of ``low`` to ``high`` columns that is not taken."""
    texts = bank.parts()
    made = [
        f"{{k}}: {verb} {thing}{tail}"
        for verb, thing, tail in product(
            texts["title_verbs"], texts["title_things"], texts["title_tails"]
        )
    ]
    random.shuffle(made)
    short = list(texts["title"])
    for template in [*made, *short]:
        title = capital(template.replace("{k}", keyword))
        if low <= width(title) <= high and title.lower() not in taken:
            return title
    # A keyword that leaves no room for another word, or that is too long itself.
    title = capital(keyword)
    while (width(title) > high or title.lower() in taken) and " " in title:
        title = title.rpartition(" ")[0]
    return title[:high]
