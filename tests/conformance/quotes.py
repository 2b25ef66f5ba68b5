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
    # Parameters with marks of their own may stand beside the test.
    beside = {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for function in module.body:
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
            for quote in _quotes(function.decorator_list, beside):
                yield Proof(quote, f"{name}::{function.name}")


def _quotes(parts: list[ast.expr], beside: dict[str, ast.expr]) -> Iterator[Quote]:
    for node in (node for part in parts for node in ast.walk(part)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "clause":
            where = {str(word.arg): _text(word.value, beside) for word in node.keywords}
            for text in node.args:
                yield interface().quote(_text(text, beside), **where)
        elif isinstance(node, ast.Name) and node.id in beside:
            yield from _quotes([beside[node.id]], {})


def _text(node: ast.expr, beside: dict[str, ast.expr]) -> str:
    return str(ast.literal_eval(beside[node.id] if isinstance(node, ast.Name) else node))
