"""The notebook of examples/notebook, cell by cell before the real service."""

import ast
import asyncio
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.customers import Customer

NOTEBOOK = Path(__file__).parents[2] / "examples/notebook/posts.ipynb"


def cells() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


async def run_cells(names: dict[str, Any]) -> None:
    """Run the cells as Jupyter does: in one loop, with await outside of functions."""
    for cell in cells():
        source, flag = "".join(cell["source"]), ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        done = eval(compile(source, cell["id"], "exec", flag, dont_inherit=True), names)
        if inspect.isawaitable(done):
            await done


def test_the_notebook_runs_and_is_billed_once(
    customer: Customer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """examples/ (notebook), each run by the tests"""
    monkeypatch.setenv("COPYDESK_API_KEY", customer.api_key)
    monkeypatch.setenv("COPYDESK_BASE_URL", customer.service.url)
    for _ in range(2):
        asyncio.run(run_cells({"__name__": "__main__"}))
    assert customer.usage()["consumed"]["posts"] == 4
    shown = capsys.readouterr().out
    for tone in ("professional", "friendly", "bold"):
        assert f"{tone}: " in shown
    assert "score" in shown


def test_the_notebook_is_stored_without_output() -> None:
    assert [cell["outputs"] for cell in cells()] == [[]] * len(cells())
    assert {cell["execution_count"] for cell in cells()} == {None}
