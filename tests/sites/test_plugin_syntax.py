"""Every PHP file of the WordPress plugin compiles on every PHP that its readme names."""

import os

import pytest

from tests.support.sites.php_wasm import VERSIONS, compile_errors
from tests.support.sites.programs import NotInstalled
from tools.wordpress_plugin import PLUGIN, files

pytestmark = pytest.mark.sites


def compiled(version: str, sources: dict[str, str]) -> list[str]:
    """What PHP says of the sources. Skips the test if npm cannot fetch PHP; in CI, fails."""
    try:
        return compile_errors(version, sources)
    except NotInstalled as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("version", VERSIONS)
def test_all_files_compile(version: str) -> None:
    """php -l of every PHP file on every PHP from 7.4"""
    sources = {
        str(path.relative_to(PLUGIN)): path.read_text() for path in files() if path.suffix == ".php"
    }
    assert len(sources) > 20
    assert compiled(version, sources) == []


@pytest.mark.parametrize(
    ("version", "source", "complaint"),
    [
        ("7.4", "<?php function f( int|string $a ) {}", "syntax error"),
        ("8.4", "<?php function f( int $a = null ) {}", "is deprecated"),
    ],
)
def test_newer_or_older_php_is_noticed(version: str, source: str, complaint: str) -> None:
    """syntax that this PHP does not know, or deprecates, is an error"""
    (said,) = compiled(version, {"broken.php": source})
    assert said.startswith("broken.php:1: ")
    assert complaint in said
