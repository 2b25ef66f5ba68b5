"""Names that operators give to accounts, feeds and rules."""

import unicodedata

from pydantic import TypeAdapter, ValidationError

from app.core.errors import ValidationFailed
from app.core.schemas.api_model import Name, one_line

_NAME = TypeAdapter(Name)


def read_name(text: str) -> str:
    """Return a name as it is stored: NFC, one line, without white space around it.

    Raises:
        ValidationFailed: The name is empty, longer than 100 characters or has invisible characters.
    """
    try:
        return _NAME.validate_python(unicodedata.normalize("NFC", text))
    except ValidationError as invalid:
        problem = str(invalid.errors()[0]["msg"]).removeprefix("Value error, ")
        raise ValidationFailed(f"name {problem}.", {"field": "name", "problem": problem}) from None


def name_key(name: str) -> str:
    """Return the key that all spellings of a name share, whatever their case and spacing."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", one_line(name)).casefold())
