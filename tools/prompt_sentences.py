"""Write the sentences of the prompts for the check instruction_leak.

    python -m tools.prompt_sentences

A test compares app/core/checks/prompt_sentences.txt with what this writes.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "app/core/checks/prompt_sentences.txt"
SOURCES = ("prompts", "plan", "editor", "paraphrase")
LEAST_WORDS = 6


def prompt_sentences() -> str:
    """Return the string constants of the prompts' modules, one a line: those of at least six words
    that are no docstrings. A client's own words fill the gaps between them."""
    lines = dict.fromkeys(
        " ".join(text.split())
        for name in SOURCES
        for text in _strings(ast.parse((ROOT / f"app/core/writing/{name}.py").read_text("utf-8")))
    )
    return "".join(f"{line}\n" for line in lines if len(line.split()) >= LEAST_WORDS)


def _strings(tree: ast.Module) -> Iterator[str]:
    # A string that is a statement is a docstring.
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and id(node) not in docstrings:
            yield value


if __name__ == "__main__":
    TARGET.write_text(prompt_sentences(), "utf-8")
