"""Values that must not be seen."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Secret:
    """A password, a token, or a URL that carries one. Its repr and str show nothing of it."""

    _value: str = field(repr=False)

    def reveal(self) -> str:
        """The value itself; only for the call that needs it."""
        return self._value

    def __str__(self) -> str:
        return "***"
