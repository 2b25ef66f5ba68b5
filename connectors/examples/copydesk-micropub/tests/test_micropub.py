"""Micropub, beside the contract suite: servers that lack something, and a lost connection."""

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import responses
from urllib3.exceptions import LocationParseError

from copydesk_connectors.suite import open_target, put
from copydesk_connectors.target import (
    ConfigError,
    Copy,
    CopyState,
    Level,
    Misconfigured,
    Post,
    Refused,
    Unavailable,
)
from copydesk_micropub import Micropub

from .micropub_server import MicropubServer, micropub_server

URL = "https://blog.example/"
ENDPOINT = "https://blog.example/micropub"


@pytest.fixture
def server() -> Iterator[MicropubServer]:
    """A server without posts."""
    with micropub_server() as running:
        yield running
        assert running.violations == []


Open = Callable[..., Micropub]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens the target with these settings, as a new process does."""
    token = tmp_path / "token"
    token.write_text("t0ken-1")
    token.chmod(0o600)

    def make(url: str = URL, **settings: Any) -> Micropub:
        return open_target(Micropub, tmp_path, "blog", url=url, token_file=str(token), **settings)

    return make


POST = Post.from_item(
    {
        "id": "itm_1",
        "post": {
            "title": "How to descale an espresso machine",
            "slugSuggestion": "descale-espresso-machine",
            "meta": {"description": "Descale it in an hour.", "primaryKeyword": "descale"},
        },
        "rendered": {"html": "<p>Use citric acid.</p>", "markdown": "Use citric acid."},
        "generatedAt": "2026-05-01T10:00:00Z",
    }
)


def test_owners_write_its_name_under_type() -> None:
    """third-party targets by entry point"""
    (offered,) = entry_points(group="copydesk_connectors.targets", name="micropub")
    assert offered.load() is Micropub


def test_the_whole_mapping(server: MicropubServer, opened: Open) -> None:
    """JSON create h=entry with name, content.html, summary, category, mp-slug, post-status"""
    target = opened(f"{server.url}/", tags=["Coffee"], category="News")
    copy = put(target, POST)
    assert copy == Copy(f"{server.url}/{POST.slug}", CopyState.PUBLIC, f"{server.url}/{POST.slug}")
    assert server.posts[copy.url] == {
        "name": [POST.title],
        "content": [{"html": POST.html}],
        "summary": [POST.description],
        "category": ["News", "Coffee"],
        "published": ["2026-05-01T10:00:00+00:00"],
        "uid": ["urn:copydesk:itm_1"],
        "post-status": ["published"],
    }
    assert server.requests == ["create", "update"]


def test_a_draft_is_left_to_its_owner(server: MicropubServer, opened: Open) -> None:
    """status = "draft" """
    target = opened(f"{server.url}/", status="draft")
    assert put(target, POST).state is CopyState.DRAFT
    assert server.requests == ["create"]


@pytest.mark.parametrize("lacks", [("drafts",), ("sources",), ("uids",), ("drafts", "sources")])
def test_servers_that_lack_something(
    server: MicropubServer, opened: Open, lacks: tuple[str, ...]
) -> None:
    """draft first where the server takes post-status; servers without query support"""
    for what in lacks:
        setattr(server, what, False)
    target = opened(f"{server.url}/", address=f"{server.url}/{{slug}}")
    copy = put(target, POST)
    assert copy.state is CopyState.PUBLIC
    assert target.publish(POST, copy.remote_id) == copy
    assert list(server.public()) == [copy.url]
    assert len(server.posts) == 1
    if "sources" not in lacks:
        assert put(opened(f"{server.url}/", address=f"{server.url}/{{slug}}"), POST) == copy
        assert len(server.posts) == 1


def test_of_two_drafts_made_at_once_one_goes(
    server: MicropubServer,
    opened: Open,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """two instances with two ledgers still do not double a post"""
    settings = {"address": f"{server.url}/{{slug}}"}
    other, ours = (opened(f"{server.url}/", **settings) for _ in range(2))
    make = ours._make

    def other_is_quicker(post: Post, slug: str) -> Copy:
        other.draft(post)
        return make(post, slug)

    monkeypatch.setattr(ours, "_make", other_is_quicker)
    assert put(ours, POST).url == f"{server.url}/{POST.slug}"
    assert list(server.posts) == [f"{server.url}/{POST.slug}"]
    assert server.requests == ["create", "create", "delete", "update"]


@pytest.mark.parametrize(
    ("headers", "page"),
    [
        ({"Link": '</micropub>; rel="micropub"'}, "<link rel=micropub href=/wrong>"),
        ({"Link": '</a>; rel="self", <https://blog.example/micropub>; rel="x micropub"'}, ""),
        ({}, '<a href="/no">x</a><link href="/micropub" rel="micropub">'),
        ({}, '<a rel="me micropub" href="micropub">x</a>'),
    ],
)
@responses.activate
def test_the_endpoint_is_discovered(opened: Open, headers: dict[str, str], page: str) -> None:
    """endpoint discovery from the site's URL (W3C 5.3: the Link header first)"""
    responses.get(URL, headers=headers, body=page)
    responses.get(ENDPOINT, json={})
    opened().ready()
    assert "Authorization" not in responses.calls[0].request.headers
    assert responses.calls[1].request.headers["Authorization"] == "Bearer t0ken-1"


@responses.activate
def test_no_token_goes_to_an_endpoint_that_others_can_listen_to(
    opened: Open,
) -> None:
    """“Secrets never reach a log, an error, a URL that is printed”: nor an open line."""
    plain = "http://blog.example/micropub"
    responses.get(URL, body=f'<link rel="micropub" href="{plain}">')
    responses.get(plain, json={})
    with pytest.raises(Misconfigured, match=r"endpoint without https: blog\.example"):
        opened().ready()
    assert [call.request.url for call in responses.calls] == [URL]
    opened(allow_http=True).ready()


@pytest.mark.parametrize("found_by", ["link", "redirect"])
def test_a_site_that_leads_to_a_host_that_cannot_exist(opened: Open, found_by: str) -> None:
    """check never raises: what a page or a redirect names may be anything"""
    nowhere = f"https://{'a' * 64}.example/"
    link = {"Link": f'<{nowhere}>; rel="micropub"'}
    with responses.RequestsMock() as site:
        if found_by == "link":
            site.get(URL, headers=link)
        else:
            site.get(URL, body=LocationParseError(f"'{nowhere}', label too long"))
        (finding,) = opened().check()
    assert finding.level is Level.PROBLEM
    assert finding.fix
    assert nowhere not in finding.message


@responses.activate
def test_what_check_says(opened: Open) -> None:
    """each finding with how to fix it"""
    responses.get(URL, body="<p>no endpoint</p>")
    (finding,) = opened().check()
    assert (finding.level, finding.fix) == (Level.PROBLEM, "set endpoint to its address")
    responses.get(ENDPOINT, json={})
    (finding,) = opened(endpoint=ENDPOINT).check()
    assert (finding.level, "set address" in finding.fix) == (Level.WARNING, True)
    (finding,) = opened(endpoint=ENDPOINT, address=URL + "{slug}").check()
    assert finding.level is Level.OK


@pytest.mark.parametrize(
    ("status", "headers", "error"),
    [
        (400, {}, Refused),
        (403, {}, Misconfigured),
        (302, {"Location": "https://evil.example/"}, Misconfigured),
        (429, {"Retry-After": "9"}, Unavailable),
        (500, {}, Unavailable),
        (200, {}, Unavailable),
    ],
)
@responses.activate
def test_answers_are_sorted(
    opened: Open,
    status: int,
    headers: dict[str, str],
    error: type[Exception],
) -> None:
    """Unavailable, Misconfigured and Refused, and the token goes nowhere else"""
    responses.post(ENDPOINT, status=status, headers=headers, json={"error": "invalid_request"})
    with pytest.raises(error) as caught:
        opened(endpoint=ENDPOINT).draft(POST)
    assert "t0ken-1" not in str(caught.value)
    assert len(responses.calls) == 1
    if status == 429:
        assert isinstance(caught.value, Unavailable)
        assert caught.value.retry_after == 9


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "http://blog.example/"}, "url: must begin with https://"),
        ({"endpoint": "http://blog.example/"}, "endpoint: must begin with https://"),
        ({"endpoint": "https://a..example/"}, "endpoint: names a host that cannot exist"),
        ({"address": "https://blog.example/"}, "address: must contain {slug}"),
        ({"status": "pending"}, "status: must be 'publish' or 'draft'"),
    ],
)
def test_wrong_values(opened: Open, settings: dict[str, str], said: str) -> None:
    """Misspelt or wrong values get the one clear error that Table gives."""
    with pytest.raises(ConfigError) as caught:
        opened(**settings)
    assert said in str(caught.value)
