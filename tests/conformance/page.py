"""docs/conformance.md: which clause is proved by which test, and how that went in each world."""

from collections.abc import Mapping
from pathlib import Path

from tests.conformance.interface import Remainder, interface
from tests.conformance.quotes import Proof, proofs
from tests.conformance.unquoted import REASONS
from tests.running.worlds import WORLDS

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
ALONE = "–"
_HEAD = """# Conformance

Written by `make conformance`, which runs the acceptance tests over real HTTP against the service in
two worlds and keeps here how each test went.

- one-process: web, workers and scheduler as threads of one process, on SQLite.
- many-processes: one web process, two workers and a scheduler, on PostgreSQL and Redis.

A clause is quoted word for word from [the interface](interface.md). A test that starts a service
of its own starts it as one process; the other column then has a dash.
"""
_REST = """
## What no test quotes

| sentence | why |
|---|---|
"""

# By test and world: passed, failed or skipped.
Outcomes = Mapping[tuple[str, str], str]


def write(outcomes: Outcomes) -> None:
    """Write the page; the same outcomes make the same page."""
    PAGE.write_text(_page(proofs(), outcomes), encoding="utf-8")


def rows() -> list[str]:
    """The beginnings of the rows that the page must have, without their outcomes."""
    return [_row(proof) for proof in proofs()]


def remainders() -> list[Remainder]:
    """What no test quotes."""
    return interface().unquoted(proof.quote for proof in proofs())


def _page(found: list[Proof], outcomes: Outcomes) -> str:
    lines, section = [_HEAD], ""
    for proof in found:
        if proof.quote.section != section:
            section = proof.quote.section
            lines += [f"\n## {section}\n\n| clause | test | {' | '.join(WORLDS)} |"]
            lines += [f"|---|---|{'---|' * len(WORLDS)}"]
        results = [outcomes.get((proof.test, world), ALONE) for world in WORLDS]
        lines.append(f"{_row(proof)} {' | '.join(results)} |")
    lines += [
        f"{_REST}"
        + "\n".join(f"| {_cell(left.text)} | {REASONS[left.text]} |" for left in remainders())
    ]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _row(proof: Proof) -> str:
    return f"| {_cell(proof.quote.text)} | {proof.test} |"


def _cell(text: str) -> str:
    text = text.strip(" |")
    for char in "\\|*<[":
        text = text.replace(char, f"\\{char}")
    return text
