"""The import arrows: who may know of whom. A module that points the wrong way fails here."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Where each of our packages lies below the root of the repository.
PACKAGES = {
    "app": "app",
    "scheduler": "scheduler",
    "copydesk": "sdk/copydesk",
    "copydesk_connectors": "connectors/copydesk_connectors",
}
MAX_LINES = 300

# What each part may import of our own code; the longest name that fits a module is its rule.
_INNER = {"app.core", "app.ports"}
_SERVED = _INNER | {"app.store", "app.services", "app.settings", "app.wiring"}
MAY_IMPORT = {
    "app.core": {"app.core"},
    "app.ports": {"app.core"},
    "app.store": _INNER | {"app.store"},
    "app.adapters": _INNER | {"app.adapters"},
    "app.services": _INNER | {"app.store", "app.services"},
    "app.settings": {"app.core"},
    "app.wiring": _INNER | {"app.store", "app.services", "app.settings", "app.adapters"},
    "app.api": _SERVED | {"app.api"},
    "app.console": _SERVED | {"app.console"},
    "app.worker": _SERVED | {"app", "app.adapters", "app.entry"},
    # Commands start the local model's process and fetch its weights: they know those adapters.
    "app.commands": _SERVED
    | {"app", "app.adapters", "app.commands", "app.entry", "app.worker", "scheduler"},
    "app.cli": {"app", "app.commands"},
    "app.entry": _SERVED | {"app", "app.adapters", "app.worker", "scheduler"},
    "app": {
        "app",
        "app.api",
        "app.console",
        "app.ports",
        "app.settings",
        "app.store",
        "app.wiring",
    },
    "scheduler": _SERVED | {"scheduler"},
    "copydesk": {"copydesk"},
    "copydesk_connectors": {"copydesk", "copydesk_connectors"},
}

# All that the core may import from elsewhere: pure functions and data, no way out of the process.
CORE_MAY_IMPORT = {
    "__future__", "abc", "ast", "base64", "bisect", "collections", "copy", "dataclasses",
    "datetime", "difflib", "enum", "functools", "hashlib", "heapq", "hmac", "html", "ipaddress",
    "itertools", "json", "math", "operator", "re", "statistics", "string", "textwrap", "typing",
    "unicodedata", "zlib",
    "babel", "jsonschema", "markdown", "markdown_it", "nh3", "numpy", "py3langid", "pydantic",
    "pyphen", "sentencex", "slugify", "snowballstemmer",
}  # fmt: skip
_CLOCKS = {"now", "utcnow", "today"}
_OUTSIDE = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}

# Who may touch the environment, and why; everyone else gets a Settings.
ENVIRONMENT = {
    "app.settings": "reads it, for all others",
    "app.commands.serving": "hands the local model's address to the web server's own processes",
    "app.commands.demo": "gives the service that it starts an environment without its caller's",
    "app.adapters.local_model_server": "llama.cpp reads a variable when it is imported",
}


@dataclass(frozen=True)
class Module:
    name: str
    path: Path
    tree: ast.Module
    lines: int


def modules(root: Path) -> Iterator[Module]:
    for package, folder in PACKAGES.items():
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            dotted = ".".join([package, *parts]).removesuffix(".__init__")
            source = path.read_text("utf-8")
            yield Module(dotted, path, ast.parse(source), len(source.splitlines()))


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
    if module.lines > MAX_LINES:
        yield "", f"has {module.lines} lines; past {MAX_LINES} it is two modules"
    for line, name in imported(module):
        top = name.split(".")[0]
        if top in PACKAGES:
            if part_of(name) not in MAY_IMPORT[part]:
                yield f":{line}", f"{part} must not import {name}"
        elif part == "app.core" and top not in CORE_MAY_IMPORT:
            yield f":{line}", f"the core must not import {name}"
    for node in ast.walk(module.tree):
        if part == "app.core":
            if isinstance(node, ast.Attribute) and node.attr in _CLOCKS:
                yield f":{node.lineno}", f"the core must not ask a clock (.{node.attr})"
            if isinstance(node, ast.Name) and node.id in _OUTSIDE:
                yield f":{node.lineno}", f"the core must not call {node.id}"
        if (
            _touches_environment(node)
            and module.name.startswith(("app", "scheduler"))
            and module.name not in ENVIRONMENT
        ):
            yield f":{getattr(node, 'lineno', 0)}", "only app.settings reads the environment"


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


def test_every_module_keeps_the_arrows() -> None:
    assert violations(ROOT) == []


def test_the_search_sees_the_whole_product() -> None:
    found = {module.name for module in modules(ROOT)}
    assert {"app", "app.core.quality.desk", "app.commands.serving", "scheduler"} <= found
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
        ("app/services/a.py", "from app.wiring import ports", "app.services must not import"),
        ("app/services/a.py", "from app.api import feed", "app.services must not import app.api"),
        ("app/api/a.py", "from app.adapters.x import y", "app.api must not import app.adapters"),
        ("app/api/a.py", "import app.commands", "app.api must not import app.commands"),
        ("scheduler/a.py", "from app.adapters.x import y", "scheduler must not import"),
        ("app/api/a.py", "import copydesk", "app.api must not import copydesk"),
        ("app/commands/a.py", "import copydesk_connectors.cli", "must not import copydesk_conn"),
        ("sdk/copydesk/a.py", "from app.core import text", "copydesk must not import app.core"),
        ("sdk/copydesk/a.py", "import copydesk_connectors", "copydesk must not import copydesk_c"),
        ("connectors/copydesk_connectors/a.py", "import app", "connectors must not import app"),
        ("app/services/a.py", "import os\nos.environ['X']", "a.py:2: only app.settings reads"),
        ("app/api/a.py", "from os import getenv", "only app.settings reads the environment"),
        ("scheduler/a.py", "import os\nos.getenv('X')", "only app.settings reads the environment"),
        ("app/services/a.py", "x = 1\n" * 301, "has 301 lines"),
        ("sdk/copydesk/a.py", "x = 1\n" * 301, "has 301 lines"),
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
        ("app/store/a.py", "from app.core import text\nfrom app.ports import Clock\nimport flask"),
        ("app/services/a.py", "from app.store import feed\nimport secrets"),
        ("app/wiring.py", "from app.adapters.x import y"),
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
