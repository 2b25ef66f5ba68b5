"""Every source provider passes one suite, against real HTTP servers on loopback that answer in the
shapes that the services document."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from app.adapters.pages import HttpPageReader
from app.adapters.rss_sources import RssSources
from app.adapters.web_search import BraveSources, SearxngSources, TavilySources
from app.ports import Hit, SourceProvider, SourcesUnavailable
from tests.support.source_site import Reply, SourceSite

KEY = "k3y-that-nobody-may-see"
AT = datetime(2026, 1, 31, 8, tzinfo=UTC)
PAGES = [
    Hit(f"https://news.example.com/{number}?a=1&b=2", f"Bridge: Straße & <{number}>", AT)
    for number in range(15)
]
UNDATED = Hit("https://b.example.com/", "Bridge without a date")


@dataclass
class Service:
    """A provider and the server that it asks."""

    site: SourceSite
    provider: SourceProvider
    path: str
    answer: Callable[[Sequence[Hit]], Reply]

    def has(self, hits: Sequence[Hit]) -> None:
        self.site.pages[self.path] = self.answer(hits)


def reply(body: object) -> Reply:
    return Reply(json.dumps(body).encode(), "application/json")


def iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S")


def answers(
    around: Callable[[list[object]], object],
    date: str,
    form: Callable[[datetime], str],
    **more: Any,
) -> Callable[[Sequence[Hit]], Reply]:
    """What a service answers: its results have their time in the member ``date``, if they have one,
    and ``more`` members."""

    def answer(hits: Sequence[Hit]) -> Reply:
        results: list[object] = [
            {"url": hit.url, "title": hit.title, **more}
            | ({date: form(hit.published_at)} if hit.published_at else {})
            for hit in hits
        ]
        return reply(around(results))

    return answer


searxng = answers(
    lambda results: {
        "query": "bridge", "number_of_results": 0, "results": results, "answers": [],
        "unresponsive_engines": [["google", "Suspended: too many requests"]],
    },
    "publishedDate", iso, publishedDate=None, content="…", engines=["bing"], score=1.0,
)  # fmt: skip
brave = answers(
    lambda results: {"type": "search", "query": {"original": "bridge"}}
    | ({"web": {"type": "search", "results": results}} if results else {}),
    "page_age", iso, type="search_result", description="…", age="2 days ago",
)  # fmt: skip
tavily = answers(
    lambda results: {"query": "bridge", "answer": None, "images": [], "results": results},
    "published_date", lambda moment: format_datetime(moment, usegmt=True), content="…", score=0.9,
)  # fmt: skip


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rss(hits: Sequence[Hit]) -> Reply:
    items = "".join(
        f"<item><title>{escaped(hit.title)}</title><link>{escaped(hit.url)}</link>"
        + (f"<pubDate>{format_datetime(hit.published_at)}</pubDate>" if hit.published_at else "")
        + "</item>"
        for hit in hits
    )
    feed = f'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{items}'
    return Reply(f"{feed}</channel></rss>".encode(), "application/rss+xml")


def atom(hits: Sequence[Hit]) -> Reply:
    entries = "".join(
        f'<entry><title>{escaped(hit.title)}</title><link href="{escaped(hit.url)}"/>'
        f"<id>{escaped(hit.url)}</id>"
        + (f"<published>{hit.published_at.isoformat()}</published>" if hit.published_at else "")
        + "</entry>"
        for hit in hits
    )
    feed = '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>'
    return Reply(f"{feed}{entries}</feed>".encode(), "application/atom+xml")


@pytest.fixture(params=["rss", "atom", "searxng", "brave", "tavily"])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    with SourceSite() as site:
        api = site.url("/api")
        feeds = RssSources([site.url("/feed?key=" + KEY)], HttpPageReader(allow_private=True))
        yield {
            "rss": lambda: Service(site, feeds, "/feed", rss),
            "atom": lambda: Service(site, feeds, "/feed", atom),
            "searxng": lambda: Service(site, SearxngSources(site.url("/")), "/search", searxng),
            "brave": lambda: Service(
                site, BraveSources(KEY, api=api, allow_private=True), "/api", brave
            ),
            "tavily": lambda: Service(
                site, TavilySources(KEY, api=api, allow_private=True), "/api", tavily
            ),
        }[request.param]()


def problem(service: Service) -> str:
    with pytest.raises(SourcesUnavailable) as caught:
        service.provider.search("bridge", "en", 5)
    return str(caught.value)


def test_hits_have_url_title_and_time(service: Service) -> None:
    """ "search(query, language, limit) -> Sequence[Hit(url, title, published_at|None)]"."""
    service.has([PAGES[0], UNDATED])
    assert list(service.provider.search("bridge", "en", 10)) == [PAGES[0], UNDATED]


def test_at_most_as_many_as_asked_for(service: Service) -> None:
    service.has(PAGES)
    assert list(service.provider.search("bridge", "en", 7)) == PAGES[:7]


def test_no_hits_are_an_answer(service: Service) -> None:
    service.has([])
    assert list(service.provider.search("bridge", "en", 7)) == []


def test_what_is_no_web_page_is_left_out(service: Service) -> None:
    odd = [Hit(url, "Bridge", AT) for url in ("file:///etc/passwd", "javascript:x()", "")]
    service.has([*odd, PAGES[0]])
    assert list(service.provider.search("bridge", "en", 7)) == [PAGES[0]]


@pytest.mark.parametrize("query", ["bridge & quay?", "Straße 橋", "bridge " * 200])
def test_any_query_arrives(service: Service, query: str) -> None:
    service.has([])
    service.provider.search(query, "pt-BR", 3)
    path, _, body = service.site.requests[-1]
    asked = parse_qs(urlsplit(path).query)
    sent = json.loads(body)["query"] if body else asked.get("q", [query])[0]
    assert query.startswith(sent)
    assert len(sent) >= min(len(query), 400)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 432, 500, 503])
def test_another_status_is_one_sentence(service: Service, status: int) -> None:
    """ "raising SourcesUnavailable with a sentence"."""
    said = json.dumps({"detail": {"error": KEY}}).encode()
    service.site.pages[service.path] = Reply(said, "application/json", status)
    message = problem(service)
    assert str(status) in message
    assert message.endswith(".")
    assert KEY not in message


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"null", b"{}}", b'{"results": 5, "web": 7}', b"[" * 100_000]
)
def test_broken_answers_are_no_crash(service: Service, body: bytes) -> None:
    kind = "application/json" if service.path != "/feed" else "application/rss+xml"
    service.site.pages[service.path] = Reply(body, kind)
    if service.path == "/feed":
        service.provider.search("bridge", "en", 5)
    else:
        assert service.provider.name in problem(service)


def test_nobody_there_is_one_sentence_without_the_key(service: Service) -> None:
    service.site.__exit__(None, None, None)
    message = problem(service)
    assert "cannot be connected to" in message
    assert KEY not in message
    assert KEY not in repr(service.provider)


def test_too_much_is_refused(service: Service) -> None:
    huge = Reply(b" " * 3_000_000, "application/json")
    if service.path == "/feed":
        huge = Reply(b" " * 3_000_000, "application/rss+xml")
    service.site.pages[service.path] = huge
    assert "more than" in problem(service)


def test_keys_go_where_each_service_wants_them() -> None:
    with SourceSite() as site:
        site.pages["/brave"], site.pages["/tavily"] = brave([]), tavily([])
        BraveSources(KEY, api=site.url("/brave"), allow_private=True).search("b", "pt-BR", 50)
        TavilySources(KEY, api=site.url("/tavily"), allow_private=True).search("b", "en", 50)
        (path, headers, _), (_, others, body) = site.requests
    assert headers["x-subscription-token"] == KEY
    asked = parse_qs(urlsplit(path).query)
    assert (asked["count"], asked["search_lang"]) == (["20"], ["pt-br"])
    assert others["authorization"] == f"Bearer {KEY}"
    assert (json.loads(body)["max_results"], others["content-type"]) == (20, "application/json")


# Feeds alone


def feeds(*urls: str) -> RssSources:
    return RssSources(urls, HttpPageReader(allow_private=True))


def test_entries_with_more_of_the_query_come_first_and_then_the_newer_ones() -> None:
    hits = [
        Hit("https://a.example/1", "The bridge", datetime(2026, 1, 3, tzinfo=UTC)),
        Hit("https://a.example/2", "Harbour bridges", datetime(2026, 1, 1, tzinfo=UTC)),
        Hit("https://a.example/3", "A bridge", datetime(2026, 1, 4, tzinfo=UTC)),
        Hit("https://a.example/4", "Cats", datetime(2026, 1, 5, tzinfo=UTC)),
    ]
    with SourceSite() as site:
        site.pages["/feed"] = rss(hits)
        found = feeds(site.url("/feed")).search("harbour bridge", "en", 9)
    assert [hit.url[-1] for hit in found] == ["2", "3", "1"]


def test_one_broken_feed_does_not_take_the_others_along_and_a_page_is_itself_a_hit() -> None:
    with SourceSite() as site:
        site.pages["/feed"] = rss(PAGES[:1])
        page = site.add("/page", "<html><body><p>x</p></body></html>")
        found = feeds(site.url("/gone"), site.url("/feed"), page).search("bridge", "en", 9)
    assert {hit.url for hit in found} == {PAGES[0].url, page}


def test_a_feed_is_not_fetched_for_every_search() -> None:
    with SourceSite() as site:
        site.pages["/feed"] = rss(PAGES[:1])
        provider = feeds(site.url("/feed"))
        for _ in range(3):
            assert provider.search("bridge", "en", 9)
        assert site.paths() == ["/robots.txt", "/feed"]


@pytest.mark.parametrize(
    "body",
    [
        b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
        b'<rss version="2.0"><channel><item><title>bridge &f;</title>'
        b"<link>https://a.example/</link></item></channel></rss>",
        b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "bridge bridge">'
        + b"".join(b'<!ENTITY a%d "%b">' % (n, b"&a%d;" % (n - 1) * 20) for n in range(1, 12))
        + b']><rss version="2.0"><channel><item><title>&a11;</title></item></channel></rss>',
    ],
    ids=["an outer entity", "a billion laughs"],
)
def test_a_feed_includes_no_file_and_does_not_explode(body: bytes) -> None:
    with SourceSite() as site:
        site.pages["/feed"] = Reply(body, "application/rss+xml")
        began = time.monotonic()
        found = feeds(site.url("/feed")).search("bridge", "en", 9)
    assert "root:" not in repr(found)
    assert time.monotonic() - began < 10


def test_a_feed_that_is_the_name_of_a_file_opens_none(tmp_path: Path) -> None:
    """feedparser opens what looks like a path or a URL, unless it is handed a stream."""
    file = tmp_path / "feed.xml"
    file.write_bytes(rss(PAGES[:1]).body)
    with SourceSite() as site:
        for name in (str(file), file.as_uri()):
            site.pages["/feed"] = Reply(name.encode(), "application/rss+xml")
            assert feeds(site.url("/feed")).search("bridge", "en", 9) == []
