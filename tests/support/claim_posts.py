"""Posts about a small world of facts, for the ledger of claims: each fact is said in several ways,
and always with the same value, unless a contradiction is planted.

Half of the ways of planting, ASIDE, were put aside before the ledger was tuned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

_QUALITIES = (
    "copper", "iron", "cedar", "bamboo", "woollen", "marble", "granite", "linen", "harbour",
    "mountain", "valley", "river", "forest", "village", "market", "lantern", "orchard", "meadow",
    "crystal", "walnut",
)  # fmt: skip
_THINGS = {
    "object": ("kettle", "bench", "basket", "lamp", "ladder", "barrel", "blanket", "grinder"),
    "place": ("museum", "library", "mill", "bakery", "theatre", "school", "garden", "chapel"),
    "way": ("trail", "ferry", "tour", "climb", "crossing", "walk", "ride", "loop"),
    "group": ("choir", "club", "society", "orchestra", "league", "cooperative", "guild", "team"),
}
# What may be said of each: a kind of value, and sentences that mean the same.
_SAID: dict[str, dict[str, tuple[str, ...]]] = {
    "object": {
        "price": ("The {s} costs {v} euros.", "At {v} euros, the {s} is within reach of many.",
                  "You pay {v} euros for the {s}.", "The price of the {s} is {v} euros."),
        "mass": ("The {s} weighs {v} kg.", "With a weight of {v} kg, the {s} stays in its place.",
                 "The weight of the {s} is {v} kg."),
        "height": ("The {s} is {v} cm high.", "The {s} has a height of {v} cm.",
                   "The height of the {s} is {v} cm."),
        "hold": ("The {s} lasts {v} years.", "Owners say the {s} lasts {v} years.",
                 "Expect the {s} to last {v} years with care."),
    },
    "place": {
        "year": ("The {s} was founded in {v}.", "Founded in {v}, the {s} is still in use.",
                 "The {s} has stood here since it was founded in {v}."),
        "count": ("The {s} has {v} rooms.", "All {v} rooms of the {s} are heated.",
                  "The {v} rooms of the {s} are bright."),
        "fee": ("A ticket for the {s} costs {v} euros.", "The ticket for the {s} is {v} euros.",
                "At {v} euros, a ticket for the {s} is fair."),
    },
    "way": {
        "length": ("The {s} is {v} km long.", "The {s} has a length of {v} km.",
                   "At {v} km, the {s} suits most families."),
        "time": ("The {s} takes {v} minutes.", "The {s} lasts {v} minutes.",
                 "Plan {v} minutes for the {s}."),
    },
    "group": {
        "members": ("The {s} has {v} members.", "All {v} members of the {s} were present.",
                    "The {s} counts {v} members."),
        "rate": ("About {v} percent of the {s} are retired.",
                 "Of the {s}, {v} percent are retired."),
    },
}  # fmt: skip
# Ways to say the contradicting value: the number of the sentence, and words in front of it.
TUNED = ((0, ""), (1, ""), (2, "By the way: "))
ASIDE = ((0, "Note that "), (1, "As most readers know, "), (2, ""))
_FILLER = (
    "Neighbours like to talk about it over coffee.", "Nobody in the street remembers it otherwise.",
    "A short visit is worth the effort in any season.", "The details are on a sign by the door.",
    "Bring a coat, because the wind can be sharp.", "Children find it as interesting as adults.",
)  # fmt: skip
# What differs without a contradiction.
_HARMLESS = (
    "If it rains, the {s} takes {v} minutes more.", "In {y} the {s} was {v} euros cheaper.",
    "Another {s} in the next town has {v} rooms.", "After {v} minutes the {s} is out of sight.",
    "Some say the {s} needs {v} hours of care a year.", "A smaller {s} weighs {v} kg.",
)  # fmt: skip


@dataclass(frozen=True)
class Written:
    """A post; ``pattern`` is that of the contradiction planted in it, None for no contradiction."""

    number: int
    title: str
    sentences: tuple[str, ...]
    pattern: tuple[int, str] | None = None


def posts(count: int, planted: int, patterns: Sequence[tuple[int, str]]) -> Iterator[Written]:
    """Yield posts, the last ones with one contradiction each of an earlier post."""
    random = Random(11)
    said: list[tuple[str, str, str, int]] = []
    values: dict[tuple[str, str], int] = {}
    for number in range(count):
        sentences = []
        for _ in range(4):
            kind = random.choice(sorted(_THINGS))
            subject = f"{random.choice(_QUALITIES)} {random.choice(_THINGS[kind])}"
            attribute = random.choice(sorted(_SAID[kind]))
            value = values.setdefault((subject, attribute), _value(attribute, random))
            said.append((kind, subject, attribute, value))
            way = random.choice(_SAID[kind][attribute])
            sentences += [way.format(s=subject, v=value), random.choice(_FILLER)]
        harmless = random.choice(_HARMLESS)
        year, value = random.randint(1990, 2020), random.randint(3, 90)
        sentences.append(harmless.format(s=subject, v=value, y=year))
        pattern = None
        if number >= count - planted:
            pattern = patterns[number % len(patterns)]
            kind, subject, attribute, value = random.choice(said[: -4 * planted])
            ways = _SAID[kind][attribute]
            way = ways[pattern[0] % len(ways)].format(s=subject, v=_other(attribute, value))
            front = f"{pattern[1]}{way[0].lower()}{way[1:]}" if pattern[1] else way
            sentences.insert(random.randrange(len(sentences)), front)
        yield Written(number, f"Notes from the {subject}, part {number}", tuple(sentences), pattern)


def _value(attribute: str, random: Random) -> int:
    if attribute == "year":
        return random.randint(1820, 1990)
    return random.randint(11, 90)


def _other(attribute: str, value: int) -> int:
    return value + (7 if attribute == "year" else value // 2 + 3)
