"""Secret values."""

from dataclasses import dataclass, field

SHORTEST_SECRET = 6
"""Characters. Shorter secrets are refused: they cannot be removed from logs reliably."""


@dataclass(frozen=True)
class Secret:
    """A password, a token, or a URL that carries one. Its repr and str show nothing of it."""

    _value: str = field(repr=False)

    def reveal(self) -> str:
        """Return the value."""
        return self._value

    def __str__(self) -> str:
        return "***"
