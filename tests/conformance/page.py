"""docs/proofs/conformance.md: the test that proves each clause, and its outcome."""

from collections.abc import Mapping
from pathlib import Path

from tests.conformance.interface import Remainder, interface
from tests.conformance.quotes import Proof, proofs
from tests.conformance.unquoted import REASONS
from tests.support.service import DEPLOYMENTS

PAGE = Path(__file__).parents[2] / "docs" / "proofs" / "conformance.md"
ALONE = "–"
_HEAD = """# Conformance

Written by `make conformance`, which runs the acceptance tests over real HTTP against the service in
two deployments and keeps here how each test went.

- one-process: web, workers and scheduler as threads of one process, on SQLite.
- many-processes: one web process, two workers and a scheduler, on PostgreSQL and Redis.

Each row quotes [the specification](../specification.md) word for word. Where several tests prove a
sentence, its parts stand below it. Tests of what does not depend on several processes, and tests
that start a service of their own, run in one process; the other column then has a dash.

`make conformance-mutants` breaks the service in the ways of
[mutants.toml](../../tests/conformance/mutants.toml), one at a time, and fails unless the test of
the broken claim does.
"""
_REST = """
## What no test quotes

| sentence | why |
|---|---|
"""

# By test and deployment: passed, failed or skipped.
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
    lines, section, sentence = [_HEAD], "", ""
    for proof in found:
        if proof.quote.section != section:
            section = proof.quote.section
            lines += [f"\n## {section}\n\n| clause | test | {' | '.join(DEPLOYMENTS)} |"]
            lines += [f"|---|---|{'---|' * len(DEPLOYMENTS)}"]
        if (its := _whole(proof)) and its != sentence:
            sentence = its
            lines.append(f"| {_cell(sentence)} | | {' | '.join([''] * len(DEPLOYMENTS))} |")
        results = [outcomes.get((proof.test, deployment), ALONE) for deployment in DEPLOYMENTS]
        lines.append(f"{_row(proof)} {' | '.join(results)} |")
    lines += [
        f"{_REST}"
        + "\n".join(f"| {_cell(left.text)} | {REASONS[left.text]} |" for left in remainders())
    ]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _row(proof: Proof) -> str:
    part = "– " if _whole(proof) else ""
    return f"| {part}{_cell(proof.quote.text)} | {proof.test} |"


def _whole(proof: Proof) -> str | None:
    """The sentence that a clause is a part of, unless the clause is all of it."""
    sentence = interface().sentence_of(proof.quote)
    return sentence if len(_cell(sentence)) > len(_cell(proof.quote.text)) else None


def _cell(text: str) -> str:
    text = text.strip(" |")
    for char in "\\|*<[":
        text = text.replace(char, f"\\{char}")
    return text
