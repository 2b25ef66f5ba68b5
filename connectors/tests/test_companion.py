"""The client of the companion plugin, and the command that writes the plugin out."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import responses
from click.testing import CliRunner

from copydesk_connectors.cli import cli
from copydesk_connectors.target.base import Copy, CopyState, Level
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.wordpress.companion import PLUGIN, plugin_version

from .fake_wordpress import URL, FakeWordPress
from .items import make_item

API = f"{URL}/wp-json/copydesk/v1/"
SHOWN = {
    "id": 7,
    "status": "publish",
    "link": f"{URL}/descale/",
    "title": {"raw": "x"},
    "content": {"raw": "y"},
}
Make = Callable[..., Any]


@pytest.fixture
def post() -> Post:
    return Post.from_item(make_item())


@pytest.fixture
def target(tmp_path: Path) -> Make:
    secret = tmp_path / "password"
    secret.write_text("abcd efgh ijkl")
    secret.chmod(0o600)

    def make(**more: Any) -> Any:
        settings = {"url": URL, "username": "jo", "password_file": str(secret)} | more
        return TARGETS["wordpress"]("blog", Table(settings, "t", tmp_path / "copydesk.toml"))

    return make


@pytest.fixture
def site() -> Iterator[responses.RequestsMock]:
    """A site with the plugin, as far as a test says what it answers."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.get(f"{URL}/wp-json/wp/v2/users/me", json={"id": 2, "name": "Jo"})
        mock.get(API, json={"version": plugin_version(), "namespace": "copydesk/v1"})
        mock.add(responses.Response("OPTIONS", f"{URL}/wp-json/wp/v2/posts", json={"schema": {}}))
        yield mock


def sent(site: responses.RequestsMock) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(site.calls[-1].request.body)
    return body


def test_put_sends_the_whole_post_in_one_request(
    site: responses.RequestsMock, target: Make, post: Post
) -> None:
    """makes publishing one request"""
    site.post(f"{API}posts/itm_1", json=SHOWN, status=201)
    blog = target(category="News", tags=["a", "b & c"])
    assert blog.keyed
    assert blog.put(post) == Copy("7", CopyState.PUBLIC, f"{URL}/descale/")
    body = sent(site)
    assert (body["status"], body["slug"]) == ("publish", post.slug)
    assert (body["tags"], body["categories"]) == (["a", "b & c"], ["News"])
    assert "<!-- copydesk:itm_1 -->" in body["content"]
    asked = len(site.calls)
    blog.put(post)
    assert len(site.calls) == asked + 1, "what the site is was asked for once"


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({"status": "draft"}, "draft"),
        ({"status": "pending"}, "pending"),
        ({"status": "scheduled", "publish_after": "9000d"}, "future"),
        ({"status": "scheduled", "publish_after": "1m"}, "publish"),
    ],
)
def test_put_asks_for_the_status_that_is_configured(
    site: responses.RequestsMock, target: Make, post: Post, settings: dict[str, str], status: str
) -> None:
    site.post(f"{API}posts/itm_1", json=SHOWN | {"status": status})
    copy = target(**settings).put(post)
    assert sent(site)["status"] == status
    assert ("date_gmt" in sent(site)) == (status == "future")
    states = {"draft": CopyState.DRAFT, "pending": CopyState.PENDING, "future": CopyState.SCHEDULED}
    assert copy.state is states.get(status, CopyState.PUBLIC)


def test_what_is_in_the_trash_is_told(
    site: responses.RequestsMock, target: Make, post: Post
) -> None:
    # As much as a user is told of what another has.
    site.post(f"{API}posts/itm_1", json={"id": 7, "status": "trash", "link": ""})
    assert target().put(post) == Copy("7", CopyState.WITHDRAWN)


def test_tags_that_may_not_be_made_are_noted(
    site: responses.RequestsMock, target: Make, post: Post
) -> None:
    site.post(f"{API}posts/itm_1", json=SHOWN | {"copydesk": {"left_out": ["a", "b"]}})
    assert target().put(post).notes == ("the user may not make tags, left out: a, b",)


def test_a_put_without_an_answer_is_sent_again(
    site: responses.RequestsMock, target: Make, post: Post, waits: list[float]
) -> None:
    """May be called again after a crash at any point"""
    site.post(f"{API}posts/itm_1", status=502)
    site.post(f"{API}posts/itm_1", json=SHOWN)
    assert target().put(post).remote_id == "7"
    assert waits == [1.0]
    site.replace("POST", f"{API}posts/itm_1", status=503)
    with pytest.raises(Unavailable, match="answered 503"):
        target().put(post)


def test_a_role_that_is_too_little_is_its_owners_to_mend(
    site: responses.RequestsMock, target: Make, post: Post
) -> None:
    refusal = {"code": "rest_cannot_publish", "message": "Sorry.", "data": {"status": 403}}
    site.post(f"{API}posts/itm_1", json=refusal, status=403)
    with pytest.raises(Misconfigured, match="may not put posts up with status publish"):
        target().put(post)


def test_without_it_there_is_no_put(
    fake_wordpress: FakeWordPress, target: Make, post: Post
) -> None:
    """None where the site cannot"""
    assert target().put(post) is None
    assert fake_wordpress.posts == {}


def test_an_id_that_a_path_does_not_hold_takes_the_other_way(
    site: responses.RequestsMock, target: Make, post: Post
) -> None:
    assert target().put(replace(post, id="a/b c")) is None


def test_check_recommends_it(fake_wordpress: FakeWordPress, target: Make) -> None:
    """`check` recommends it where it is missing, with the command that writes it out"""
    (found,) = target().check()
    assert found.level is Level.OK
    assert "copydesk-connect companion --output" in found.fix
    fake_wordpress.password = "another"
    (found,) = target().check()
    assert "copydesk-connect companion" not in found.fix


@pytest.mark.parametrize(("version", "fix"), [(plugin_version(), False), ("0.9.0", True)])
def test_check_knows_an_old_one(
    site: responses.RequestsMock, target: Make, version: str, fix: bool
) -> None:
    may = {"edit_posts": True, "publish_posts": True}
    site.replace("GET", f"{URL}/wp-json/wp/v2/users/me", json={"id": 2, "capabilities": may})
    site.replace("GET", API, json={"version": version})
    site.get(f"{URL}/wp-json/", json={"namespaces": []})
    site.get(f"{URL}/wp-json/wp/v2/posts", json=[])
    (found,) = target().check()
    assert version in found.message
    assert bool(found.fix) is fix


def test_the_command_writes_the_plugin_out(tmp_path: Path) -> None:
    """the command that writes it out: copydesk-connect companion [--output FILE]"""
    shown = CliRunner().invoke(cli, ["companion"])
    assert shown.output == PLUGIN.read_text()
    file = tmp_path / "copydesk-companion.php"
    done = CliRunner().invoke(cli, ["companion", "--output", str(file)])
    assert (done.exit_code, file.read_text()) == (0, PLUGIN.read_text())
    again = CliRunner().invoke(cli, ["companion", "--output", str(file)])
    assert again.exit_code == 1
    assert "exists already" in again.output


def test_the_plugin_names_its_licence_and_its_version_twice_alike() -> None:
    text = PLUGIN.read_text()
    assert "SPDX-License-Identifier: GPL-2.0-or-later" in text
    assert f"const VERSION = '{plugin_version()}';" in text
