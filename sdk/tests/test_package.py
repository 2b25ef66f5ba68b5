"""What the distribution promises: its names, its weight, its types."""

import pydoc
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

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


def test_it_needs_httpx2_and_what_its_command_needs() -> None:
    project = tomllib.loads((SDK / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["anyio>=4.5,<5", "click>=8.1,<9", "httpx2>=2,<3"]


def test_importing_it_loads_nothing_but_what_it_needs() -> None:
    code = (
        "import sys; import httpx2; allowed = set(sys.modules);"
        "import copydesk; print(*{m.partition('.')[0] for m in set(sys.modules) - allowed})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded - set(sys.stdlib_module_names) == {"copydesk"}


def test_the_http_library_is_loaded_by_the_first_client() -> None:
    """import ≤ 1/3 of openai and ≤ 2/3 of stripe"""
    code = (
        "import sys, copydesk; assert 'httpx2' not in sys.modules;"
        "copydesk.Copydesk('cd_test_key'); assert 'httpx2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_types_are_there_for_those_who_install_it() -> None:
    assert (Path(copydesk.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("name", ["Copydesk", "Feed", "Post", "Job", "Generation"])
def test_help_shows_a_class_without_the_methods_of_a_dict(name: str) -> None:
    shown = pydoc.plain(pydoc.render_doc(getattr(copydesk, name)))
    assert "setdefault" not in shown
    assert len(shown.splitlines()) < 150
