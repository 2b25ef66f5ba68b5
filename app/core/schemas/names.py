"""Names that operators give to accounts, feeds and rules."""

import unicodedata

from pydantic import TypeAdapter, ValidationError

from app.core.errors import ValidationFailed
from app.core.schemas.api_model import Name, one_line
from app.core.schemas.problems import problem_of

_NAME = TypeAdapter(Name)


def read_name(text: str) -> str:
    """Return a name as it is stored: NFC, one line, without white space around it.

    Raises:
        ValidationFailed: The name is empty, longer than 100 characters or has invisible characters.
    """
    try:
        return _NAME.validate_python(unicodedata.normalize("NFC", text))
    except ValidationError as invalid:
        problem = problem_of(invalid.errors()[0])
        raise ValidationFailed(f"name {problem}.", {"field": "name", "problem": problem}) from None


def name_key(name: str) -> str:
    """Return the key that all spellings of a name share, whatever their case and spacing."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", one_line(name)).casefold())
