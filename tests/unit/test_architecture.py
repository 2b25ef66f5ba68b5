"""The import arrows: who may know of whom. A module that points the wrong way fails here."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
_SERVED = _INNER | {"app.store", "app.services", "app.settings", "app.container", "app.heartbeat"}
MAY_IMPORT = {
    "app.core": {"app.core"},
    "app.deadline": {"app.core"},
    "app.logs": set(),
    "app.ports": {"app.core", "app.deadline"},
    "app.store": _INNER | {"app.store"},
    "app.adapters": _INNER | {"app.adapters"},
    "app.services": _INNER | {"app.store", "app.services"},
    "app.settings": {"app.core"},
    "app.heartbeat": set(),
    "app.container": _INNER | {"app.store", "app.services", "app.settings", "app.adapters"},
    "app.api": _SERVED | {"app.api"},
    "app.console": _SERVED | {"app.console"},
    "app.worker": _SERVED | {"app.adapters", "app.runtime"},
    "app.runtime": _SERVED | {"app.adapters"},
    "app.wsgi": _SERVED | {"app", "app.api", "app.runtime", "scheduler"},
    # Commands start the local model's process and fetch its weights: they know those adapters.
    "app.commands": _SERVED
    | {
        "app",
        "app.adapters",
        "app.commands",
        "app.runtime",
        "app.worker",
        "scheduler",
    },
    "app.cli": {"app", "app.commands"},
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

# The only modules the core may import from elsewhere: pure functions and data, no I/O.
# importlib and tomllib read the data files of app.core.languages, which are part of the package.
CORE_MAY_IMPORT = {
    "__future__", "abc", "array", "ast", "base64", "bisect", "collections", "copy", "dataclasses",
    "datetime", "difflib", "enum", "fractions", "functools", "hashlib", "heapq", "hmac", "html",
    "importlib", "ipaddress", "itertools", "json", "math", "operator", "re", "statistics", "string",
    "textwrap", "threading", "tomllib", "typing", "unicodedata", "zlib",
    "babel", "jsonschema", "markdown_it", "nh3", "numpy", "py3langid", "pydantic",
    "pyphen", "sentencex", "slugify", "snowballstemmer",
}  # fmt: skip
# Who may import Flask: what speaks HTTP, and who puts it together.
MAY_IMPORT_FLASK = {"app", "app.api", "app.console", "app.wsgi"}
_CLOCKS = {"now", "utcnow", "today"}
_OUTSIDE = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}

MAX_PARAMETERS = 5
MAX_ROOMS = 16
# Rooms of the core that others import by their package alone, and the exceptions.
CLOSED_ROOMS = ("app.core.checks", "app.core.languages", "app.core.verification")
OPEN_MODULES = {
    "app.core.languages.identify": "only its callers need its model of 16 MB",
}
# Who may touch the environment, and why; everyone else gets a Settings.
ENVIRONMENT = {
    "app.settings": "reads it, for all others",
    "app.commands.serving": "hands the local model's address to the web server's own processes",
    "app.commands.demo": "gives the service that it starts an environment without its caller's",
    "app.store.backup": "gives PostgreSQL's programs an environment with the password",
    "app.adapters.prometheus_metrics": "prometheus_client reads its folder from a variable",
    "app.adapters.local_model_server": "llama.cpp reads a variable when it is imported",
}


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
    for line, name in imported(module):
        top = name.split(".")[0]
        if top in PACKAGES:
            if part_of(name) not in MAY_IMPORT[part]:
                yield f":{line}", f"{part} must not import {name}"
        elif part == "app.core" and top not in CORE_MAY_IMPORT:
            yield f":{line}", f"the core must not import {name}"
        elif top.startswith("flask") and part not in MAY_IMPORT_FLASK:
            yield f":{line}", f"{part} must not import {name}"
    for node in ast.walk(module.tree):
        if part == "app.core":
            if isinstance(node, ast.Attribute) and node.attr in _CLOCKS:
                yield f":{node.lineno}", f"the core must not ask a clock (.{node.attr})"
            if isinstance(node, ast.Name) and node.id in _OUTSIDE:
                yield f":{node.lineno}", f"the core must not call {node.id}"
        if part == "app.services" and _builds_a_row(node):
            yield f":{node.lineno}", "services insert rows through app.store"
        if (
            _touches_environment(node)
            and module.name.startswith(("app", "scheduler"))
            and module.name not in ENVIRONMENT
        ):
            yield f":{getattr(node, 'lineno', 0)}", "only app.settings reads the environment"


def _builds_a_row(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "models"
    )


def _touches_environment(node: ast.AST) -> bool:
    names = {"environ", "environb", "getenv", "putenv", "unsetenv"}
    if isinstance(node, ast.ImportFrom):
        return node.module == "os" and any(alias.name in names for alias in node.names)
    return (
        isinstance(node, ast.Attribute)
        and node.attr in names
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    )


def crowded(root: Path) -> list[str]:
    """Return the functions of the services with more parameters than ``MAX_PARAMETERS``."""
    found = []
    for module in modules(root):
        if part_of(module.name) != "app.services":
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = node.args
                every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                names = [each.arg for each in every if each.arg not in {"self", "cls"}]
                if len(names) > MAX_PARAMETERS:
                    found.append(f"{module.name}.{node.name} has {len(names)} parameters")
    return found


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


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the groups of nodes that can each be reached from one another."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        left = [start]
        while left:
            for node in graph.get(left.pop(), set()) - seen:
                seen.add(node)
                left.append(node)
        return seen

    reach = {node: reached(node) for node in graph}
    groups = [
        frozenset(other for other in reach[node] if node in reach.get(other, set()))
        for node in graph
        if node in reach[node]
    ]
    return [set(group) for group in dict.fromkeys(groups)]


def rooms(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return which entries of the core import which."""

    def room(name: str) -> str:
        return ".".join(name.split(".")[:3]) if name.startswith("app.core.") else ""

    found: dict[str, set[str]] = {}
    for name, targets in graph.items():
        if room(name):
            others = {room(target) for target in targets} - {room(name), ""}
            found.setdefault(room(name), set()).update(others)
    return found


def intrusions(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the imports from a module inside a closed room into another room."""
    return [
        f"{name} imports {target}"
        for name, targets in graph.items()
        for target in sorted(targets - OPEN_MODULES.keys())
        for room in CLOSED_ROOMS
        if target.startswith(f"{room}.") and not f"{name}.".startswith(f"{room}.")
    ]


def test_every_module_keeps_the_arrows() -> None:
    assert violations(ROOT) == []


def test_no_service_takes_more_parameters_than_five() -> None:
    assert crowded(ROOT) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(import_graph(ROOT)) == []


def test_the_core_has_few_rooms_and_no_circle_among_them() -> None:
    core = rooms(import_graph(ROOT))
    assert len(core) <= MAX_ROOMS, sorted(core)
    assert circles(core) == []


def test_closed_rooms_are_imported_by_their_package_alone() -> None:
    graph = import_graph(ROOT)
    assert intrusions(graph) == []
    assert all(any(name in targets for targets in graph.values()) for name in OPEN_MODULES)
    planted = {"app.api.a": {"app.core.checks", "app.core.checks.desk"}}
    assert intrusions(planted) == ["app.api.a imports app.core.checks.desk"]


def test_a_planted_circle_and_a_crowded_service_are_found(tmp_path: Path) -> None:
    for path, source in {
        "app/services/a.py": "from app.services import b\ndef f(a, b, c, d, *, e, g): ...",
        "app/services/b.py": "def f():\n    from app.services.a import f",
        "app/services/c.py": "from app.services import a\ndef f(self, a, b, c, d, *, e): ...",
    }.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    assert circles(import_graph(tmp_path)) == [{"app.services.a", "app.services.b"}]
    assert crowded(tmp_path) == ["app.services.a.f has 6 parameters"]


def test_the_search_sees_the_whole_product() -> None:
    found = {module.name for module in modules(ROOT)}
    assert {"app", "app.core.checks.desk", "app.commands.serving", "scheduler"} <= found
    assert {"copydesk.client", "copydesk_connectors.cli"} <= found
    assert all(part_of(name) for name in found)


def test_no_exception_outlives_its_reason() -> None:
    used = {
        module.name
        for module in modules(ROOT)
        if any(_touches_environment(node) for node in ast.walk(module.tree))
    }
    assert set(ENVIRONMENT) <= used


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("app/core/a.py", "import flask", "the core must not import flask"),
        ("app/services/a.py", "from flask import current_app", "must not import flask"),
        ("app/store/a.py", "import flask_sqlalchemy", "must not import flask_sqlalchemy"),
        ("app/core/a.py", "from sqlalchemy.orm import Session", "must not import sqlalchemy"),
        ("app/core/q/a.py", "def f():\n    import requests", "a.py:2: the core must not import"),
        ("app/core/a.py", "import os", "the core must not import os"),
        ("app/core/a.py", "import time", "the core must not import time"),
        ("app/core/a.py", "import random, secrets", "the core must not import secrets"),
        ("app/core/a.py", "from urllib import request", "the core must not import urllib"),
        ("app/core/a.py", "import datetime as d\nd.datetime.now()", "must not ask a clock (.now)"),
        ("app/core/a.py", "open('x')", "the core must not call open"),
        ("app/core/a.py", "from app import ports", "app.core must not import app.ports"),
        ("app/core/a.py", "from app.services.feed import x", "must not import app.services"),
        ("app/core/a.py", "from ..store import feed", "must not import app.store.feed"),
        ("app/core/__init__.py", "from ..store import feed", "must not import app.store.feed"),
        ("app/ports.py", "from app.settings import Settings", "must not import app.settings"),
        ("app/store/a.py", "from app.services import feed", "must not import app.services.feed"),
        ("app/store/a.py", "from app.adapters import weights", "app.store must not import"),
        ("app/adapters/a.py", "import app.store.feed", "app.adapters must not import app.store"),
        ("app/adapters/a.py", "from app.settings import Settings", "app.adapters must not import"),
        ("app/services/a.py", "from app.adapters import weights", "app.services must not import"),
        ("app/services/a.py", "from app.container import ports", "app.services must not import"),
        ("app/services/a.py", "from app.api import feed", "app.services must not import app.api"),
        ("app/api/a.py", "from app.adapters.x import y", "app.api must not import app.adapters"),
        ("app/api/a.py", "import app.commands", "app.api must not import app.commands"),
        ("scheduler/a.py", "from app.adapters.x import y", "scheduler must not import"),
        ("app/api/a.py", "import copydesk", "app.api must not import copydesk"),
        ("app/commands/a.py", "import copydesk_connectors.cli", "must not import copydesk_conn"),
        ("sdk/copydesk/a.py", "from app.core import text", "copydesk must not import app.core"),
        ("sdk/copydesk/a.py", "import copydesk_connectors", "copydesk must not import copydesk_c"),
        ("connectors/copydesk_connectors/a.py", "import app", "connectors must not import app"),
        ("app/services/a.py", "models.Job(id='1')", "a.py:1: services insert rows through"),
        ("app/services/a.py", "import os\nos.environ['X']", "a.py:2: only app.settings reads"),
        ("app/api/a.py", "from os import getenv", "only app.settings reads the environment"),
        ("scheduler/a.py", "import os\nos.getenv('X')", "only app.settings reads the environment"),
    ],
)
def test_a_planted_violation_is_found(
    tmp_path: Path, path: str, source: str, expected: str
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    assert any(expected in violation for violation in violations(tmp_path)), violations(tmp_path)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("app/core/a.py", "import re\nfrom app.core.text import fold\nfrom pydantic import Field"),
        ("app/core/a.py", "from datetime import datetime\ndef f(now: datetime): return now"),
        (
            "app/store/a.py",
            "from app.core import text\nfrom app.ports import Clock\nimport sqlalchemy",
        ),
        ("app/services/a.py", "from app.store import feed\nimport secrets"),
        ("app/container.py", "from app.adapters.x import y"),
        (
            "app/commands/a.py",
            "def f():\n    from app.adapters import weights\n    import scheduler",
        ),
        ("app/settings.py", "import os\nos.environ['X']"),
        ("connectors/copydesk_connectors/a.py", "import copydesk\nimport os\nos.environ['X']"),
        ("app/services/a.py", "x = 1\n" * 300),
    ],
)
def test_what_is_allowed_is_not_reported(tmp_path: Path, path: str, source: str) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    assert violations(tmp_path) == []
