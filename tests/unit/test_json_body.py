"""Reading a JSON body: which member is named where an object has it twice."""

import pytest

from app.core.errors import ValidationFailed
from app.core.schemas.json_body import decode


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"a": 1, "a": 1}', "a"),
        ('{"a": {"b": [1, {"c": 1, "c": 2}]}}', "a.b[1].c"),
        ('[[{"a": 1, "\\u0061": 2}]]', "[0][0].a"),
        ('{"\\n": 1, "\\n": 1}', '"\\n"'),
        ('{"a": {"b": 1}, "b": 1}', None),
    ],
)
def test_a_member_that_is_given_twice_is_named_by_its_path(text: str, field: str | None) -> None:
    if field is None:
        assert decode(text.encode()) == {"a": {"b": 1}, "b": 1}
        return
    with pytest.raises(ValidationFailed) as refused:
        decode(text.encode())
    assert refused.value.details == {"field": field, "problem": "is given more than once"}


def test_a_long_name_is_cut_and_copied_for_no_entry() -> None:
    name, entries = "n" * 30_000, ",".join("1" * 15_000)
    with pytest.raises(ValidationFailed) as refused:
        decode(f'{{"x": 1, "{name}": [{entries}], "x": 2}}'.encode())
    assert refused.value.details is not None
    assert refused.value.details["field"] == "x"
    with pytest.raises(ValidationFailed) as refused:
        decode(f'{{"{name}": 1, "{name}": 2}}'.encode())
    assert refused.value.details is not None
    assert refused.value.details["field"] == "…" + "n" * 60


def test_what_is_no_json_is_told_before_what_is_twice() -> None:
    with pytest.raises(ValidationFailed, match="not valid JSON"):
        decode(b'{"a": 1, "a": 2, ')
    with pytest.raises(ValidationFailed, match="nested deeper than 50"):
        decode(b'{"a": 1, "a": ' + b"[" * 60 + b"]" * 60 + b"}")
    with pytest.raises(ValidationFailed, match="byte order mark"):
        decode(b"\xef\xbb\xbf{}")
    with pytest.raises(ValidationFailed, match="has 41 digits; at most 40 are read"):
        decode(b"9" * 41)
