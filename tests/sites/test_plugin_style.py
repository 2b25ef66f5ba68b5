"""PHP_CodeSniffer finds nothing in the WordPress plugin by the rules of phpcs.xml.dist."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.sites.debian_packages import unpacked
from tests.support.sites.programs import NotInstalled, program
from tools.wordpress_plugin import PLUGIN, files

pytestmark = pytest.mark.sites

RULES = PLUGIN.parent / "phpcs.xml.dist"
SECONDS = 120.0


@pytest.fixture(scope="module")
def command() -> list[str]:
    """PHP_CodeSniffer of Debian 12. Skips if it cannot be fetched; in CI, fails."""
    try:
        root = unpacked("php-codesniffer", "bookworm", ["php-codesniffer"], shutil.move)
        php = program("php")
    except NotInstalled as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    share, phpcs = root / "usr/share/php", root / "usr/bin/phpcs"
    return [php, "-d", f"include_path={share}", str(phpcs), f"--standard={RULES}", "--report=json"]


def found(command: list[str], *paths: Path) -> tuple[int, list[str]]:
    """The number of files that were looked at, and what is wrong in them."""
    done = subprocess.run(
        [*command, *map(str, paths)], capture_output=True, text=True, timeout=SECONDS
    )
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    said: dict[str, dict[str, list[dict[str, str]]]] = json.loads(done.stdout)["files"]
    return len(said), [
        f"{name}:{message['line']}: {message['source']}: {message['message']}"
        for name, report in said.items()
        for message in report["messages"]
    ]


def test_no_rule_is_broken(command: list[str]) -> None:
    """PHP_CodeSniffer by the rules file, each exclusion with its reason"""
    count, broken = found(command, PLUGIN)
    assert count == len([path for path in files() if path.suffix == ".php"])
    assert broken == []
