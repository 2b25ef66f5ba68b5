"""Which test quotes which clause, read off the source: nothing is started for it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.interface import Quote, interface

ACCEPTANCE = Path(__file__).parents[1] / "acceptance"


@dataclass(frozen=True)
class Proof:
    """A clause, and a test that is marked with it."""

    quote: Quote
    test: str


def proofs() -> list[Proof]:
    """All of them, in the order of the interface and then of the tests' names.

    Raises:
        NotQuotable: a test quotes what the interface does not say.
    """
    found = [
        proof
        for path in sorted(ACCEPTANCE.glob("test_*.py"))
        for proof in _in_module(path.name, ast.parse(path.read_text(encoding="utf-8")))
    ]
    return sorted(found, key=lambda proof: (proof.quote.start, proof.quote.end, proof.test))


def _in_module(name: str, module: ast.Module) -> Iterator[Proof]:
    for function in module.body:
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
            for mark in function.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "clause":
                    where = {str(word.arg): ast.literal_eval(word.value) for word in mark.keywords}
                    for text in mark.args:
                        quote = interface().quote(ast.literal_eval(text), **where)
                        yield Proof(quote, f"{name}::{function.name}")
