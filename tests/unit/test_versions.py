"""The version of a release, app.__version__, stands in other files too."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from app import __version__

ROOT = Path(__file__).parents[2]
_PYTHON = r'^__version__ = "(.+)"$'
_CHANGELOG = r"(?s)\A.*?^## (\S+)"
_PLUGIN = "connectors/wordpress-plugin/copydesk/"
# The file, a pattern of the version in it, and how often it stands there.
PLACES = (
    ("tools/api/openapi.toml", r'^version = "(.+)"$', 1),
    ("sdk/copydesk/_version.py", _PYTHON, 1),
    ("connectors/copydesk_connectors/__init__.py", _PYTHON, 1),
    ("connectors/README.md", r"connectors/action@v(\S+)$", 1),
    ("CHANGELOG.md", _CHANGELOG, 1),
    ("sdk/CHANGELOG.md", _CHANGELOG, 1),
    ("connectors/CHANGELOG.md", _CHANGELOG, 1),
    (f"{_PLUGIN}copydesk.php", r"^ \* Version: (\S+)$", 1),
    (f"{_PLUGIN}copydesk.php", r"define\( 'COPYDESK_VERSION', '(.+)' \);", 1),
    (f"{_PLUGIN}readme.txt", r"^Stable tag: (\S+)$", 1),
    (f"{_PLUGIN}readme.txt", r"^== Changelog ==\s*= (\S+) =$", 1),
    (f"{_PLUGIN}languages/copydesk.pot", r'^"Project-Id-Version: Copydesk (.+)\\n"$', 1),
    ("docker/Dockerfile", r"^ARG VERSION=(\S+)$", 2),
    ("docker/compose.yaml", r"image: copydesk-\w+:\$\{IMAGE_TAG:-(.+)\}$", 2),
    ("docker/compose.sqlite.yaml", r"image: copydesk-\w+:\$\{IMAGE_TAG:-(.+)\}$", 1),
)


@pytest.mark.parametrize(("file", "pattern", "times"), PLACES)
def test_every_place_has_the_version(file: str, pattern: str, times: int) -> None:
    """one version kept together and tested"""
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.findall(pattern, text, re.MULTILINE) == [__version__] * times


def test_packages_accept_each_other() -> None:
    text = (ROOT / "connectors" / "pyproject.toml").read_text(encoding="utf-8")
    (needed,) = re.findall(r'"(copydesk[><=][^"]+)"', text)
    assert __version__ in Requirement(needed).specifier
