"""Idempotency keys: which bodies count as the same."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.core.schemas.idempotency import fingerprint

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5).filter("idempotencyKey".__ne__), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values, st.randoms(use_true_random=False))
def test_the_order_of_members_does_not_matter(value: Any, random: Any) -> None:
    def shuffled(part: Any) -> Any:
        if isinstance(part, dict):
            members = list(part.items())
            random.shuffle(members)
            return {name: shuffled(child) for name, child in members}
        return [shuffled(child) for child in part] if isinstance(part, list) else part

    assert fingerprint({"a": shuffled(value)}) == fingerprint({"a": value})


@given(json_values, json_values)
def test_every_value_matters(one: Any, other: Any) -> None:
    same = repr(sort(one)) == repr(sort(other))  # repr tells True from 1
    assert (fingerprint({"a": one}) == fingerprint({"a": other})) is same


def sort(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: sort(part[name]) for name in sorted(part) if part[name] is not None}
    return [sort(child) for child in part] if isinstance(part, list) else part
