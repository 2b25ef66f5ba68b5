"""What calls to models cost: prices, tokens and caps.

Money is a whole number of micro-dollars (a millionth of a US dollar).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from math import ceil
from typing import NewType, Self

from app.core.schemas.times import counted

Micros = NewType("Micros", int)
"""Micro-dollars, as the type of a setting."""
MICROS = 1_000_000
"""Micro-dollars in a dollar, and tokens in the unit of a price."""
HIGHEST_MICROS = 1_000_000_000 * MICROS
_MONEY = re.compile(r"\$?(\d{1,9})(?:\.(\d{1,6}))?")
_MODEL = re.compile(r"[^\s=,]{1,100}")
# With five tokenizers, a token was 2.8 to 4.3 bytes of a page in a European language in Latin
# letters, 2.4 to 5 in Chinese or Japanese, and 1.6 to 6.6 in other scripts. So English counts a
# third too many, and only Greek, Arabic and Hindi in older tokenizers too few.
BYTES_OF_A_TOKEN = 3


class CostScope(StrEnum):
    """Whose calls are added up."""

    INSTALLATION = "installation"
    ACCOUNT = "account"
    RULE = "rule"


@dataclass(frozen=True)
class Price:
    """Micro-dollars for a million tokens of the prompt, and of the answer."""

    prompt: int
    answer: int

    def of(self, prompt_tokens: int, answer_tokens: int) -> int:
        """Return the micro-dollars of a call, rounded up."""
        return -(-(prompt_tokens * self.prompt + answer_tokens * self.answer) // MICROS)


FREE = Price(0, 0)


@dataclass(frozen=True)
class Figures:
    """Calls with their tokens and micro-dollars.

    ``estimated`` is how many of the calls have an estimate instead of the endpoint's count, and
    ``unpriced`` how many are of a model without a price: they are not in ``micros``.
    """

    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    micros: int = 0
    estimated: int = 0
    unpriced: int = 0

    def __add__(self, other: Self) -> "Figures":
        sums = (getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        return Figures(*sums)

    def __neg__(self) -> "Figures":
        return Figures(*(-getattr(self, each.name) for each in fields(self)))

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers."""
        return self.prompt_tokens + self.answer_tokens

    @property
    def is_known(self) -> bool:
        """Whether ``micros`` has every call."""
        return not self.unpriced


@dataclass(frozen=True)
class Budget:
    """The prices of models by name, and the cap of the installation in micro-dollars for a calendar
    month (UTC); None if there is none."""

    prices: Mapping[str, Price] = field(default_factory=dict)
    cap: int | None = None

    def figures(
        self, model: str, prompt_tokens: int, answer_tokens: int, *, is_estimate: bool
    ) -> Figures:
        """Return the figures of one call."""
        price = self.prices.get(model)
        micros = price.of(prompt_tokens, answer_tokens) if price else 0
        return Figures(
            1, prompt_tokens, answer_tokens, micros, int(is_estimate), int(price is None)
        )


def estimated_tokens(*texts: str) -> int:
    """Return about how many tokens texts have, rather too many than too few."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return ceil(size / BYTES_OF_A_TOKEN)


def parse_prices(text: str) -> dict[str, Price]:
    """Return the prices in a text such as ``gpt-5-mini=0.25/2, gpt-5=1.25/10``: dollars for a
    million tokens of the prompt and of the answer.

    Raises:
        ValueError: a sentence that ends what begins with the name of the setting.
    """
    prices: dict[str, Price] = {}
    for entry in text.replace(",", " ").split():
        model, _, price = entry.rpartition("=")
        prompt, slash, answer = price.partition("/")
        if not _MODEL.fullmatch(model) or not slash:
            raise ValueError(
                f"“{entry[:60]}” must be the name of a model with its prices in dollars for a"
                " million tokens of the prompt and of the answer, such as gpt-5-mini=0.25/2"
            )
        if model in prices:
            raise ValueError(f"has two prices for {model}")
        try:
            prices[model] = Price(parse_dollars(prompt), parse_dollars(answer))
        except ValueError as error:
            raise ValueError(f"the price of {model} {error}") from None
    return prices


def parse_dollars(text: str) -> int:
    """Return an amount such as ``50`` or ``0.25`` in micro-dollars.

    Raises:
        ValueError: a sentence that ends what begins with the name of the amount.
    """
    found = _MONEY.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"must be in US dollars, with at most 6 decimals, such as 50 or 0.25;"
            f" it is “{text[:40]}”"
        )
    whole, part = found.groups()
    return int(whole) * MICROS + int((part or "").ljust(6, "0"))


def dollars(micros: int) -> str:
    """Return an amount for people: ``$12.34``, or ``$0.0042`` below ten cents: posts cost cents."""
    sign, amount = ("-" if micros < 0 else ""), abs(micros)
    # To the nearest shown digit, without floating point.
    step, digits = (100, 4) if 0 < amount < MICROS // 10 else (10_000, 2)
    shown = (amount + step // 2) // step * step
    return f"{sign}${shown // MICROS:,}.{shown % MICROS:06}"[: -(6 - digits)]


def money(figures: Figures) -> str:
    """Return the money of calls for people. What is not known of it is said, never a silent 0."""
    if figures.is_known:
        return dollars(figures.micros)
    number = figures.unpriced
    if number == figures.calls:
        return "unknown: the model has no price"
    return f"{dollars(figures.micros)}, and {counted(number, 'call')} of a model without a price"


def plain_dollars(micros: int) -> str:
    """Return an amount as ``parse_dollars`` reads it, exactly: ``12.5``."""
    return f"{micros // MICROS}.{micros % MICROS:06}".rstrip("0").rstrip(".")
