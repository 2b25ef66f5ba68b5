"""Angles: the sides from which a rule writes about its subject, so that each post is a new one."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b


@dataclass(frozen=True)
class Angle:
    """``key`` is stored with each item and never changes; ``name`` is for people; ``instruction``
    tells the model what the post is about, whatever its subject and language."""

    key: str
    name: str
    instruction: str


ANGLES = (
    Angle(
        "first-steps",
        "first steps for beginners",
        "It is for readers who begin: what they need, what to do first, what can wait.",
    ),
    Angle(
        "common-mistakes",
        "common mistakes",
        "It is about mistakes that many people make: how each shows, why it happens and what to"
        " do instead.",
    ),
    Angle(
        "checklist",
        "a checklist",
        "It is about what to check before, during and after, point by point, and why each point"
        " counts.",
    ),
    Angle(
        "comparing-options",
        "comparing the options",
        "It compares the options that the reader can choose between: what speaks for each, what"
        " against it, and whom it suits.",
    ),
    Angle(
        "costs",
        "costs and what they buy",
        "It is about cost in money, time and effort: where more of it pays off, where less is"
        " enough, and which costs are easily overlooked.",
    ),
    Angle(
        "myths",
        "myths and facts",
        "It is about beliefs that many people hold and that are wrong or half true: where each"
        " comes from and what is true instead.",
    ),
    Angle(
        "daily-routine",
        "a day-to-day routine",
        "It is about making this part of an ordinary week: when to do what, how to keep it up and"
        " how to get back to it after a break.",
    ),
    Angle(
        "questions-to-ask",
        "questions to ask before deciding",
        "It is about the questions to ask before a decision: why each matters and what a good"
        " answer sounds like.",
    ),
    Angle(
        "little-time",
        "doing it with little time",
        "It is for readers with very little time: what matters most, what to leave out and what"
        " to prepare ahead.",
    ),
    Angle(
        "signs-of-quality",
        "signs of quality",
        "It is about telling good from poor: which signs to look for, which ones warn, and how"
        " to test it oneself.",
    ),
    Angle(
        "expert-habits",
        "what experts do differently",
        "It is for readers who know the basics: what experienced people do differently, and the"
        " reason behind each habit.",
    ),
    Angle(
        "through-the-year",
        "through the seasons",
        "It is about what changes in the course of a year: what each season makes harder or"
        " easier, and how to adapt.",
    ),
    Angle(
        "solving-problems",
        "solving problems",
        "It begins with trouble that the reader has: what the reader notices, what the cause is"
        " and how to put it right.",
    ),
    Angle(
        "how-it-works",
        "how and why it works",
        "It explains what happens behind the scenes: which causes lead to which effects, and what"
        " follows for the reader.",
    ),
    Angle(
        "by-situation",
        "which way suits whom",
        "It is about differences between readers: alone or with others, on a small budget or a"
        " large one, at home or on the road; what each of them should do.",
    ),
    Angle(
        "long-run",
        "keeping it up in the long run",
        "It is about the time after the beginning: what to look after, what to renew, and how to"
        " notice that a change is due.",
    ),
)
BY_KEY = {angle.key: angle for angle in ANGLES}


def next_angles(rule_id: str, used: Sequence[str], count: int) -> tuple[Angle, ...]:
    """The angles of a rule's next ``count`` posts.

    The angle that the rule took longest ago comes first; so each is taken once before one is taken
    twice. Those that it never took come before all others, in an order of the rule's own: rules of
    one feed do not all begin alike.

    Args:
        used: keys of the angles of the rule's posts, the newest first; as many as there are angles
            are enough. Unknown ones count for nothing.
    """
    age = {key: position for position, key in reversed(list(enumerate(used)))}
    rotation = sorted(
        ANGLES, key=lambda angle: (-age.get(angle.key, len(used)), _rank(rule_id, angle))
    )
    return tuple(rotation[number % len(rotation)] for number in range(count))


def _rank(rule_id: str, angle: Angle) -> bytes:
    return blake2b(f"{rule_id} {angle.key}".encode(), digest_size=8).digest()
