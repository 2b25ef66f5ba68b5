"""What an owner reads where something else answers instead of the site, and ``check --write``."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from copydesk_connectors.cli import cli, config
from copydesk_connectors.target.base import Finding, Level

from .fake_ghost import FakeGhost
from .fake_site import Broken
from .fake_wordpress import FakeWordPress

Write = Callable[..., Path]
PAGE = "<!doctype html><h1>Blocked</h1>"
STATIC = (
    '[[target]]\ntype = "html"\npath = "public"\n[[target]]\ntype = "markdown"\npath = "content"\n'
)


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


def run(file: Path, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["check", *options, "--config", str(file)])
    return done.exit_code, done.output


def test_a_check_that_writes_does_so_on_every_target_and_leaves_nothing(
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    write_config: Write,
    tmp_path: Path,
) -> None:
    """check --write makes and deletes a real draft with a link and markup in it"""
    file = write_config(wordpress_target() + STATIC)
    code, output = run(file, "--write")
    assert code == 0, output
    assert output.count("a draft with a link and markup was written and removed") == 3
    assert fake_wordpress.posts == {}
    assert fake_wordpress.terms["tags"] == {}
    assert not (tmp_path / "public").exists()
    assert not (tmp_path / "content").exists()
    fake_wordpress.seen.clear()
    assert "a draft" not in run(file)[1]
    assert {method for method, _ in fake_wordpress.seen} <= {"GET", "OPTIONS"}


def test_a_check_that_writes_finds_what_a_plain_one_cannot(
    fake_wordpress: FakeWordPress, wordpress_target: Callable[..., str], write_config: Write
) -> None:
    """reports what the site says"""
    file = write_config(wordpress_target())
    fake_wordpress.firewall(403)
    assert run(file)[0] == 0
    code, output = run(file, "--write")
    assert code == 1
    assert "no draft: the site takes no posts: a web page instead of an answer (403)" in output
    assert 'set protocol = "xmlrpc"' in output


def test_a_draft_that_cannot_be_removed_is_named(
    fake_wordpress: FakeWordPress, wordpress_target: Callable[..., str], write_config: Write
) -> None:
    """Leaves nothing behind, also when it fails half-way (says what is left)"""
    fake_wordpress.fault = lambda method, _: (
        Broken(False, 403, PAGE) if method == "DELETE" else None
    )
    code, output = run(write_config(wordpress_target()), "--write")
    assert code == 1
    (left,) = fake_wordpress.posts.values()
    assert f'delete "{left["title"]}" there' in output


def test_a_draft_whose_answer_was_lost_is_removed(
    fake_wordpress: FakeWordPress, wordpress_target: Callable[..., str], write_config: Write
) -> None:
    """Leaves nothing behind, also when it fails half-way"""
    fake_wordpress.fault = lambda method, path: (
        Broken(True) if (method, path) == ("POST", "posts") else None
    )
    code, output = run(write_config(wordpress_target()), "--write")
    assert code == 1
    assert "no draft: blog.example sent no complete response" in output
    assert fake_wordpress.posts == {}
