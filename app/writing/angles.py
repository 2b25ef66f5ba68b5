"""Angles: the sides from which a rule writes about its subject, so that each post is a new one."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files


@dataclass(frozen=True)
class Angle:
    """An entry of angles.toml, which explains the members."""

    key: str
    name: str
    instruction: str


def _angles() -> tuple[Angle, ...]:
    listed = tomllib.loads(files(__package__).joinpath("angles.toml").read_text("utf-8"))
    return tuple(Angle(**each) for each in listed["angles"])


ANGLES = _angles()
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
