"""Verdicts of two judges as a table of Markdown."""

from collections import Counter
from collections.abc import Iterator, Mapping


def table(name: str, counted: Mapping[str, Counter[tuple[bool, bool]]]) -> Iterator[str]:
    """How often both, one or neither found fault; the key is (ours, theirs)."""
    yield f"| {name} | both good | both find fault | the desk alone | yoastseo alone | same |"
    yield "|---|---|---|---|---|---|"
    for check, row in counted.items():
        same = row[True, True] + row[False, False]
        yield (
            f"| {check} | {row[False, False]} | {row[True, True]} | {row[True, False]}"
            f" | {row[False, True]} | {same / max(1, row.total()):.1%} |"
        )
    yield ""
