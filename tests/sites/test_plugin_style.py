"""PHP_CodeSniffer finds nothing in the WordPress plugin by the rules of phpcs.xml.dist."""

import shutil
import subprocess
from contextlib import nullcontext

import pytest

from tests.support.sites.debian_packages import unpacked
from tests.support.sites.programs import program, start_or_skip
from tools.wordpress_plugin import PLUGIN, files

pytestmark = pytest.mark.sites

RULES = PLUGIN.parent / "phpcs.xml.dist"
SECONDS = 120.0


def test_no_rule_is_broken() -> None:
    """PHP_CodeSniffer of Debian 12 by the rules file, each exclusion with its reason"""
    name = "php-codesniffer"
    with start_or_skip(
        lambda: nullcontext((unpacked(name, "bookworm", [name], shutil.move), program("php")))
    ) as (root, php):
        command = [php, "-d", f"include_path={root}/usr/share/php", f"{root}/usr/bin/phpcs"]
        done = subprocess.run(
            [*command, f"--standard={RULES}", "-v", str(PLUGIN)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    for file in files():
        assert file.suffix != ".php" or f"Processing {file.name} " in done.stdout
