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


def next_angles(subject: str, used: Sequence[str], count: int) -> tuple[Angle, ...]:
    """Return the angles of the next ``count`` posts of a rule, a job or a call.

    The angle that was used longest ago comes first, so each is used once before one is used twice.
    Unused ones come before all others, in an order that the subject decides: rules of one feed do
    not all begin alike.

    Args:
        subject: the id of the rule, the job or the call's reservation.
        used: keys of the angles of its posts, the newest first; as many as there are angles are
            enough. Unknown ones are ignored.
    """
    age = {key: position for position, key in reversed(list(enumerate(used)))}
    rotation = sorted(
        ANGLES, key=lambda angle: (-age.get(angle.key, len(used)), _rank(subject, angle))
    )
    return tuple(rotation[number % len(rotation)] for number in range(count))


def _rank(subject: str, angle: Angle) -> bytes:
    return blake2b(f"{subject} {angle.key}".encode(), digest_size=8).digest()
