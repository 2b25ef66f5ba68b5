"""Reading a JSON body: which member is named where an object has it twice."""

import pytest

from app.core.errors import ValidationFailed
from app.core.schemas.json_body import decode


def test_a_name_with_a_line_break_is_quoted() -> None:
    with pytest.raises(ValidationFailed) as refused:
        decode(b'{"\\n": 1, "\\n": 1}')
    assert refused.value.details == {"field": '"\\n"', "problem": "is given more than once"}


def test_a_long_name_is_cut() -> None:
    with pytest.raises(ValidationFailed) as refused:
        decode(f'{{"{"n" * 30_000}": 1, "{"n" * 30_000}": 2}}'.encode())
    assert refused.value.details is not None
    assert refused.value.details["field"] == "n" * 60 + "…"


def test_what_is_no_json_is_told_before_what_is_twice() -> None:
    with pytest.raises(ValidationFailed, match="not valid JSON"):
        decode(b'{"a": 1, "a": 2, ')
    with pytest.raises(ValidationFailed, match="nested deeper than 50"):
        decode(b'{"a": 1, "a": ' + b"[" * 60 + b"]" * 60 + b"}")
