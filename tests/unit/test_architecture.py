"""The import arrows: who may know of whom. A module that points the wrong way fails here."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).parents[2]
# Where each of our packages lies below the root of the repository.
PACKAGES = {
    "app": "app",
    "scheduler": "scheduler",
    "copydesk": "sdk/copydesk",
    "copydesk_connectors": "connectors/copydesk_connectors",
}

# What each part may import of our own code; the longest name that fits a module is its rule.
_INNER = {"app.core", "app.deadline", "app.logs", "app.ports"}
# What a post is asked to be, and the texts of a call: data that others know without the pipeline.
_BRIEF = {"app.writing.angles", "app.writing.brief"}
_CALL = {"app.writing.completion"}
_SOURCE = {"app.sources.source"}
# How Markdown becomes HTML, without a post.
_MARKDOWN = {"app.rendering.escape", "app.rendering.markdown"}
_ROOMS = (
    _BRIEF
    | _CALL
    | _SOURCE
    | _MARKDOWN
    | {"app.rules", "app.sources", "app.rendering", "app.writing"}
)
_SERVED = (
    _INNER
    | _ROOMS
    | {"app.metrics", "app.store", "app.services", "app.settings"}
    | {"app.container", "app.heartbeat"}
)
MAY_IMPORT = {
    "app.core": {"app.core"},
    "app.deadline": {"app.core"},
    "app.logs": set(),
    "app.metrics": {"app.core"},
    "app.ports": _CALL | _SOURCE | {"app.core", "app.deadline"},
    "app.writing.angles": set(),
    "app.writing.brief": _BRIEF | {"app.core"},
    "app.writing.completion": set(),
    "app.sources.source": set(),
    "app.rules": _BRIEF | _SOURCE | _MARKDOWN | {"app.core", "app.rules"},
    "app.sources": _SOURCE | {"app.core", "app.rules", "app.sources"},
    "app.rendering": _MARKDOWN | {"app.core", "app.rules", "app.rendering"},
    "app.rendering.escape": set(),
    "app.rendering.markdown": _MARKDOWN,
    "app.writing": _INNER | _ROOMS,
    "app.extensions": set(),
    "app.store": _INNER | _CALL | _SOURCE | {"app.extensions", "app.writing.angles", "app.store"},
    "app.adapters": _INNER
    | _CALL
    | _SOURCE
    | {"app.metrics", "app.rules", "app.sources", "app.adapters"},
    "app.services": _INNER
    | _ROOMS
    | {"app.extensions", "app.metrics", "app.store", "app.services"},
    "app.settings": {"app.core", "app.settings"},
    "app.heartbeat": set(),
    "app.container": _INNER
    | _ROOMS
    | {"app.store", "app.services", "app.settings", "app.adapters"},
    # They see which adapter the container has picked.
    "app.probes": _SERVED | {"app.adapters"},
    "app.api": _SERVED | {"app.api"},
    "app.console": _SERVED | {"app.console", "app.probes"},
    "app.worker": _SERVED | {"app.adapters", "app.runtime"},
    "app.runtime": _SERVED | {"app.adapters"},
    "app.asgi": _SERVED | {"app", "app.api", "app.runtime", "app.worker", "scheduler"},
    # Commands start the local model's process and fetch its weights: they know those adapters.
    "app.commands": _SERVED
    | {
        "app",
        "app.adapters",
        "app.commands",
        "app.probes",
        "app.runtime",
        "app.worker",
        "scheduler",
    },
    "app.cli": {"app", "app.commands", "app.core"},
    "app": {
        "app",
        "app.api",
        "app.console",
        "app.ports",
        "app.settings",
        "app.store",
        "app.container",
    },
    "scheduler": _SERVED | {"scheduler"},
    "copydesk": {"copydesk"},
    "copydesk_connectors": {"copydesk", "copydesk_connectors"},
}

# The parts that are functions of their arguments: no store, no Flask, no services, no clock.
PURE = {"app.core", "app.rules", "app.sources", "app.rendering", "app.writing"}
# The only modules that these may import from elsewhere: pure functions and data, no I/O. importlib
# and tomllib read their own templates and lists.
PURE_MAY_IMPORT = {
    "__future__", "abc", "base64", "bisect", "collections", "copy", "dataclasses", "datetime",
    "difflib", "enum", "functools", "hashlib", "heapq", "hmac", "html", "importlib", "ipaddress",
    "itertools", "json", "math", "operator", "re", "statistics", "string", "textwrap", "threading",
    "tomllib", "typing", "unicodedata", "urllib.parse", "xml", "zlib",
    "babel", "bs4", "markdown", "nh3", "pycld2", "pydantic", "sentencex", "slugify",
    "snowballstemmer",
}  # fmt: skip
# The pipeline calls models beside each other, and logs how long they took.
WRITING_MAY_IMPORT = PURE_MAY_IMPORT | {"concurrent", "jinja2", "logging", "time"}
# Who may import Flask: what speaks HTTP, its extensions, and who puts it together.
MAY_IMPORT_FLASK = {
    "app",
    "app.api",
    "app.console",
    "app.container",
    "app.extensions",
    "app.store.database",
    "app.asgi",
}
_CLOCKS = {"now", "utcnow", "today"}
_OUTSIDE = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}


@dataclass(frozen=True)
class Module:
    name: str
    path: Path
    tree: ast.Module


def modules(root: Path) -> Iterator[Module]:
    for package, folder in PACKAGES.items():
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            dotted = ".".join([package, *parts]).removesuffix(".__init__")
            source = path.read_text("utf-8")
            yield Module(dotted, path, ast.parse(source))


def imported(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full name of all that a module imports, also inside its functions."""
    package = module.name.split(".")
    if module.path.name != "__init__.py":
        package.pop()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)


def part_of(name: str) -> str:
    """The longest rule that a module falls under: `app.store.feed` under `app.store`."""
    fitting = [part for part in MAY_IMPORT if name == part or name.startswith(f"{part}.")]
    return max(fitting, key=len, default="")


def violations(root: Path) -> list[str]:
    return [
        f"{module.path.relative_to(root)}{where}: {problem}"
        for module in modules(root)
        for where, problem in _problems(module)
    ]


def _problems(module: Module) -> Iterator[tuple[str, str]]:
    part = part_of(module.name)
    room = ".".join(part.split(".")[:2])
    for line, name in imported(module):
        top = name.split(".")[0]
        if top in PACKAGES:
            if part_of(name) not in MAY_IMPORT[part]:
                yield f":{line}", f"{part} must not import {name}"
        elif room in PURE and not {top, name.rpartition(".")[0]} & _allowed(room):
            yield f":{line}", f"{room} must not import {name}"
        elif top.startswith("flask") and not {part, module.name} & MAY_IMPORT_FLASK:
            yield f":{line}", f"{part} must not import {name}"
    for node in ast.walk(module.tree):
        if room in PURE and isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _CLOCKS:
                yield f":{node.lineno}", f"{room} must not ask a clock (.{node.func.attr})"
            if isinstance(node.func, ast.Name) and node.func.id in _OUTSIDE:
                yield f":{node.lineno}", f"{room} must not call {node.func.id}"
        if part == "app.services" and _builds_a_row(node):
            yield f":{node.lineno}", "services insert rows through app.store"


def _allowed(room: str) -> set[str]:
    return WRITING_MAY_IMPORT if room == "app.writing" else PURE_MAY_IMPORT


def _builds_a_row(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "models"
    )


def import_graph(root: Path) -> dict[str, set[str]]:
    """Return which of our own modules each module of the service imports."""
    ours = (module for module in modules(root) if module.name.startswith(("app", "scheduler")))
    known = {module.name: module for module in ours}
    graph: dict[str, set[str]] = {name: set() for name in known}
    for name, module in known.items():
        for _, imported_name in imported(module):
            target = imported_name
            while target and target not in known:
                target = target.rpartition(".")[0]
            if target and target != name:
                graph[name].add(target)
    return graph


def test_every_module_keeps_the_arrows() -> None:
    assert violations(ROOT) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """CycleError names them."""
    TopologicalSorter(import_graph(ROOT)).prepare()


def test_what_a_request_knows_is_listed_in_one_place() -> None:
    listed = (ROOT / "app/api/hooks.py").read_text("utf-8").split('"""')[1]
    used = set()
    for module in modules(ROOT):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used |= {node.attr} if node.value.id == "g" and module.name[:4] == "app." else set()
    assert {"caller", "form", "request_id"} <= used
    methods = {"_get_current_object", "get", "setdefault"}
    assert used - methods - set(re.findall(r"\w+", listed)) == set()


def test_the_search_sees_the_whole_product() -> None:
    found = {module.name for module in modules(ROOT)}
    assert {"app", "app.writing.pipeline", "app.rules.table", "app.asgi", "scheduler"} <= found
    assert {"copydesk.client", "copydesk_connectors.cli"} <= found
    assert all(part_of(name) for name in found)


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("app/core/a.py", "import flask", "app.core must not import flask"),
        ("app/writing/brief.py", "from app.rules import words", "must not import app.rules"),
        ("app/services/a.py", "from flask import current_app", "must not import flask"),
        ("app/core/q/a.py", "def f():\n    import requests", "a.py:2: app.core must not import"),
        ("app/core/a.py", "import datetime as d\nd.datetime.now()", "must not ask a clock (.now)"),
        ("app/core/a.py", "from urllib import request", "must not import urllib.request"),
        ("app/core/a.py", "open('x')", "app.core must not call open"),
        ("app/core/__init__.py", "from ..store import feed", "must not import app.store.feed"),
        ("sdk/copydesk/a.py", "from app.core import errors", "copydesk must not import app.core"),
        ("connectors/copydesk_connectors/a.py", "import app", "connectors must not import app"),
        ("app/services/a.py", "models.Job(id='1')", "a.py:1: services insert rows through"),
    ],
)
def test_a_planted_violation_is_found(
    tmp_path: Path, path: str, source: str, expected: str
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    assert any(expected in violation for violation in violations(tmp_path)), violations(tmp_path)
