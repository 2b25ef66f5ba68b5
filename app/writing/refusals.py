"""Recognize answers in which a model declines the task instead of doing it.

A refusal opens the answer and mentions the writer ("I", "we") and the task. A post about refusals
mentions others, or gets to the subject later, so only the opening of a text is checked.
`refusals.toml` has the wordings; a model may decline in another language than it was asked in.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files

# A text that opens with what somebody says, and goes on.
_QUOTED = re.compile(r"""\s{0,20}(?:["“„][^"“”\n]{1,300}["”“]|«[^»\n]{1,300}»)\s{0,5}\w""")
# A refusal is short; only the beginning of a text is searched.
_OPENING_CHARS = 1_000


@cache
def _refusal() -> re.Pattern[str]:
    source = files(__package__).joinpath("refusals.toml").read_text("utf-8")
    patterns = (
        "".join(f"(?:{each})?" for each in spoken["lead_in"])
        + f"(?:{'|'.join(spoken['declines'])})"
        for spoken in tomllib.loads(source).values()
    )
    return re.compile("|".join(f"(?:{each})" for each in patterns), re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Return whether a model's text explicitly declines the task instead of doing it."""
    opening = text[:_OPENING_CHARS]
    if _QUOTED.match(opening):
        return False
    return bool(_refusal().match(opening.lstrip(" \t\r\n\"'“„«*_>¡¿")))
