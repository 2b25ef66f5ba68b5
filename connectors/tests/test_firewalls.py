"""What an owner reads where something else answers instead of the site."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.target.base import Finding, Level

from .fake_ghost import FakeGhost
from .fake_site import Broken
from .fake_wordpress import FakeWordPress
from .items import Write

PAGE = "<!doctype html><h1>Blocked</h1>"


def says(status: int, code: str) -> Broken:
    body = {"code": code, "message": "No.", "data": {"status": status}}
    return Broken(False, status, json.dumps(body))


def check(file: Path) -> Finding:
    (found,) = config.load(file).targets[0].check()
    return found


@pytest.mark.parametrize(
    ("answer", "said", "fix"),
    [
        (Broken(False, 403, PAGE), "web page", 'protocol = "xmlrpc"'),
        (Broken(False, 404, PAGE), "web page", 'protocol = "xmlrpc"'),
        (Broken(False, 406, PAGE), "web page", 'protocol = "xmlrpc"'),
        (says(403, "rest_cannot_access"), "rest_cannot_access", "a security plugin blocks"),
        (says(401, "rest_cannot_access"), "rest_cannot_access", "a security plugin blocks"),
        (says(401, "incorrect_password"), "incorrect_password", "make an application password"),
        (
            Broken(False, 403, PAGE, {"cf-mitigated": "challenge", "Server": "cloudflare"}),
            "Cloudflare answered 403 instead of",
            "let this machine through",
        ),
        (
            Broken(False, 503, PAGE, {"Server": "cloudflare"}),
            "Cloudflare answered 503 instead of",
            "let this machine through",
        ),
    ],
)
@pytest.mark.parametrize("path", ["users/me", "posts"])
def test_what_blocks_a_wordpress_is_named_with_its_remedy(
    waits: list[float],
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    write_config: Write,
    answer: Broken,
    said: str,
    fix: str,
    path: str,
) -> None:
    """A site's 401/403 from a security plugin or CDN gets its own hint, XML-RPC named"""
    fake_wordpress.fault = lambda method, asked: answer if asked.startswith(path) else None
    found = check(write_config(wordpress_target()))
    assert found.level is Level.PROBLEM
    assert said in found.message
    assert fix in f"{found.message} {found.fix}"


@pytest.mark.parametrize("status", [401, 403, 406])
def test_what_blocks_a_ghost_is_not_taken_for_its_word(
    fake_ghost: FakeGhost, ghost_target: Callable[..., str], write_config: Write, status: int
) -> None:
    """only if the site's own software said it"""
    fake_ghost.fault = lambda *_: Broken(False, status, PAGE)
    found = check(write_config(ghost_target()))
    assert "a web page instead of an answer" in found.message
    assert "/ghost/api/admin/" in found.fix
