"""What the distribution promises: its names, its weight, its types."""

import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import copydesk

SDK = Path(__file__).parents[1]


def test_all_is_what_is_exported() -> None:
    exported = {
        name
        for name, value in vars(copydesk).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert set(copydesk.__all__) == exported | {"__version__", "webhooks"}
    assert len(copydesk.__all__) == len(set(copydesk.__all__))


def test_everything_exported_is_explained() -> None:
    for name in set(copydesk.__all__) - {"__version__"}:
        assert getattr(copydesk, name).__doc__, name


def test_it_needs_requests_and_nothing_else() -> None:
    project = tomllib.loads((SDK / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["requests>=2.32,<3", "urllib3>=2,<3"]


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import requests; allowed = set(sys.modules);"
        "import copydesk; print(*{m.partition('.')[0] for m in set(sys.modules) - allowed})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded - set(sys.stdlib_module_names) == {"copydesk"}
    assert "asyncio" not in loaded


def test_types_are_there_for_those_who_install_it() -> None:
    assert (Path(copydesk.__file__).parent / "py.typed").exists()
