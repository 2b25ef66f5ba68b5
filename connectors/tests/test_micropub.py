"""Micropub, beside the contract suite: servers that lack something, and a lost connection."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import responses
from urllib3.exceptions import LocationParseError

from copydesk_connectors.courier import Outcome
from copydesk_connectors.errors import ConfigError, DraftGone, Misconfigured, Refused, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Level
from copydesk_connectors.targets.micropub import Micropub
from copydesk_connectors.toml_table import Table

from .contract.micropub_server import MicropubServer, micropub_server
from .feed_server import FakeFeed
from .items import make_item

URL = "https://blog.example/"
ENDPOINT = "https://blog.example/micropub"


@pytest.fixture
def server() -> Iterator[MicropubServer]:
    """A server without posts."""
    with micropub_server() as running:
        yield running
        assert running.violations == []


@pytest.fixture
def open_target(tmp_path: Path) -> Callable[..., Micropub]:
    """Opens the target with these settings, as a new process does."""
    token = tmp_path / "token"
    token.write_text("t0ken")
    token.chmod(0o600)

    def opened(url: str = URL, **settings: Any) -> Micropub:
        data = {"url": url, "token_file": str(token), **settings}
        table = Table(data, "[[target]] 1", tmp_path / "copydesk.toml")
        target = Micropub.from_table("blog", table)
        table.close()
        return target

    return opened


def put(target: Micropub, post: Post) -> Copy:
    """Every step, as the courier takes them."""
    copy = target.find(post) or target.draft(post)
    return target.publish(post, copy.remote_id)


POST = Post.from_item(make_item())


def test_the_whole_mapping(server: MicropubServer, open_target: Callable[..., Micropub]) -> None:
    """JSON create h=entry with name, content.html, summary, category, mp-slug, post-status"""
    target = open_target(f"{server.url}/", tags=["Coffee"], category="News")
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


def test_a_draft_is_left_to_its_owner(
    server: MicropubServer, open_target: Callable[..., Micropub]
) -> None:
    """status = "draft" """
    target = open_target(f"{server.url}/", status="draft")
    assert put(target, POST).state is CopyState.DRAFT
    assert server.requests == ["create"]


@pytest.mark.parametrize("lacks", [("drafts",), ("sources",), ("uids",), ("drafts", "sources")])
def test_servers_that_lack_something(
    server: MicropubServer, open_target: Callable[..., Micropub], lacks: tuple[str, ...]
) -> None:
    """draft first where the server takes post-status; servers without query support"""
    for what in lacks:
        setattr(server, what, False)
    target = open_target(f"{server.url}/", address=f"{server.url}/{{slug}}")
    copy = put(target, POST)
    assert copy.state is CopyState.PUBLIC
    assert target.publish(POST, copy.remote_id) == copy
    assert list(server.public()) == [copy.url]
    assert len(server.posts) == 1
    if "sources" not in lacks:
        assert put(open_target(f"{server.url}/", address=f"{server.url}/{{slug}}"), POST) == copy
        assert len(server.posts) == 1


def test_a_lost_answer_makes_no_second_post(
    server: MicropubServer,
    open_target: Callable[..., Micropub],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """exactly once as far as the protocol allows: find by the post's expected address"""
    send = requests.request

    def cut(method: str, url: str, **options: Any) -> requests.Response:
        answer = send(method, url, **options)
        if method == "POST":
            raise requests.ConnectionError("cut off after it was sent")
        return answer

    settings = {"address": f"{server.url}/{{slug}}"}
    with monkeypatch.context() as patch:
        patch.setattr(requests, "request", cut)
        with pytest.raises(Unavailable):
            put(open_target(f"{server.url}/", **settings), POST)
        with pytest.raises(Unavailable):
            put(open_target(f"{server.url}/", **settings), POST)
    assert put(open_target(f"{server.url}/", **settings), POST).state is CopyState.PUBLIC
    assert len(server.posts) == 1


def test_of_two_drafts_made_at_once_one_goes(
    server: MicropubServer,
    open_target: Callable[..., Micropub],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """two instances with two ledgers still do not double a post"""
    settings = {"address": f"{server.url}/{{slug}}"}
    other, ours = (open_target(f"{server.url}/", **settings) for _ in range(2))
    make = ours._make

    def other_is_quicker(post: Post, slug: str) -> Copy:
        other.draft(post)
        return make(post, slug)

    monkeypatch.setattr(ours, "_make", other_is_quicker)
    assert put(ours, POST).url == f"{server.url}/{POST.slug}"
    assert list(server.posts) == [f"{server.url}/{POST.slug}"]
    assert server.requests == ["create", "create", "delete", "update"]


def test_a_draft_that_is_gone_is_made_again(
    server: MicropubServer, open_target: Callable[..., Micropub]
) -> None:
    """DraftGone: there is no such draft any more, and no other copy either."""
    target = open_target(f"{server.url}/")
    copy = target.draft(POST)
    server.posts.clear()
    with pytest.raises(DraftGone):
        target.publish(POST, copy.remote_id)


def test_from_the_feed_to_the_site(
    server: MicropubServer,
    feed: FakeFeed,
    tmp_path: Path,
    write_config: Callable[..., Path],
    one_pass: Callable[[Path], Outcome],
) -> None:
    """the Location kept in the ledger (remote_id) before publishing by update"""
    (tmp_path / "token").write_text("t0ken")
    (tmp_path / "token").chmod(0o600)
    feed.add(make_item())
    file = write_config(
        f'[[target]]\ntype = "micropub"\nurl = "{server.url}/"\ntoken_file = "token"\n'
    )
    assert one_pass(file).problems == []
    assert feed.states() == {"itm_1": "used"}
    assert len(server.public()) == 1


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
def test_the_endpoint_is_discovered(
    open_target: Callable[..., Micropub], headers: dict[str, str], page: str
) -> None:
    """endpoint discovery from the site's URL (W3C 5.3: the Link header first)"""
    responses.get(URL, headers=headers, body=page)
    responses.get(ENDPOINT, json={})
    open_target().ready()
    assert "Authorization" not in responses.calls[0].request.headers
    assert responses.calls[1].request.headers["Authorization"] == "Bearer t0ken"


@responses.activate
def test_no_token_goes_to_an_endpoint_that_others_can_listen_to(
    open_target: Callable[..., Micropub],
) -> None:
    """“Secrets never reach a log, an error, a URL that is printed”: nor an open line."""
    plain = "http://blog.example/micropub"
    responses.get(URL, body=f'<link rel="micropub" href="{plain}">')
    responses.get(plain, json={})
    with pytest.raises(Misconfigured, match=r"endpoint without https: blog\.example"):
        open_target().ready()
    assert [call.request.url for call in responses.calls] == [URL]
    open_target(allow_http=True).ready()


@pytest.mark.parametrize("found_by", ["link", "redirect"])
def test_a_site_that_leads_to_a_host_that_cannot_exist(
    open_target: Callable[..., Micropub], found_by: str
) -> None:
    """check never raises: what a page or a redirect names may be anything"""
    nowhere = f"https://{'a' * 64}.example/"
    link = {"Link": f'<{nowhere}>; rel="micropub"'}
    with responses.RequestsMock() as site:
        if found_by == "link":
            site.get(URL, headers=link)
        else:
            site.get(URL, body=LocationParseError(f"'{nowhere}', label too long"))
        (finding,) = open_target().check()
    assert finding.level is Level.PROBLEM
    assert finding.fix
    assert nowhere not in finding.message


@responses.activate
def test_what_check_says(open_target: Callable[..., Micropub]) -> None:
    """each finding with how to fix it"""
    responses.get(URL, body="<p>no endpoint</p>")
    (finding,) = open_target().check()
    assert (finding.level, finding.fix) == (Level.PROBLEM, "set endpoint to its address")
    responses.get(ENDPOINT, json={})
    (finding,) = open_target(endpoint=ENDPOINT).check()
    assert (finding.level, "set address" in finding.fix) == (Level.WARNING, True)
    (finding,) = open_target(endpoint=ENDPOINT, address=URL + "{slug}").check()
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
    open_target: Callable[..., Micropub],
    status: int,
    headers: dict[str, str],
    error: type[Exception],
) -> None:
    """Unavailable, Misconfigured and Refused, and the token goes nowhere else"""
    responses.post(ENDPOINT, status=status, headers=headers, json={"error": "invalid_request"})
    with pytest.raises(error) as caught:
        open_target(endpoint=ENDPOINT).draft(POST)
    assert "t0ken" not in str(caught.value)
    assert len(responses.calls) == 1
    if status == 429:
        assert isinstance(caught.value, Unavailable)
        assert caught.value.retry_after == 9


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "http://blog.example/"}, "url: must begin with https://"),
        ({"endpoint": "http://blog.example/"}, "endpoint: must begin with https://"),
        ({"address": "https://blog.example/"}, "address: must hold {slug}"),
        ({"status": "pending"}, "status: must be publish or draft"),
    ],
)
def test_wrong_values(
    open_target: Callable[..., Micropub], settings: dict[str, str], said: str
) -> None:
    """Misspelt or wrong values get the one clear error that Table gives."""
    with pytest.raises(ConfigError) as caught:
        open_target(**settings)
    assert said in str(caught.value)
