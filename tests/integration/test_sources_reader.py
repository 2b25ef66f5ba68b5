"""Reading pages from real servers on loopback: what is read, how each kind of harm ends, and the
processes that read them."""

import gzip
import logging
import socket
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from protego import Protego

from app.adapters import page_process
from app.adapters.bounded_http import ROBOT
from app.adapters.pages import MAX_BYTES, HttpPageReader
from app.adapters.robots import pause_seconds
from app.ports import PageRefused, PageUnavailable
from tests.support.source_site import BRIDGE, Reply, SourceSite, article
from tests.support.startup import wait_until

LONG = 60.0
WHEN = datetime(2026, 1, 31, 8, 30, tzinfo=UTC)


@pytest.fixture
def reader() -> HttpPageReader:
    return HttpPageReader(allow_private=True)


def hasty() -> HttpPageReader:
    """Its times are short: tests run into them."""
    return HttpPageReader(allow_private=True, page_seconds=2.0)


def refusal(reader: HttpPageReader, url: str) -> str:
    with pytest.raises(PageRefused) as refused:
        reader.read(url, LONG)
    return str(refused.value)


def test_a_page_is_read(site: SourceSite, reader: HttpPageReader) -> None:
    """ "trafilatura for text, title, date, language where needed"."""
    page = reader.read(site.add("/a?id=7", article("Bridge vote", published=WHEN)), LONG)
    assert (page.title, page.language, page.published_at) == ("Bridge vote", "en", WHEN)
    assert page.site == "127.0.0.1"
    assert all(sentence in page.text for sentence in BRIDGE)
    assert "Imprint" not in page.text
    assert page.main_share > 0.8


def test_who_asks_says_so_and_sends_nothing_else(site: SourceSite, reader: HttpPageReader) -> None:
    """ "no cookies"."""
    url = site.add("/a", article("Bridge"), headers={"Set-Cookie": "a=b; Path=/"})
    reader.read(url, LONG)
    reader.read(url, LONG)
    assert site.paths() == ["/robots.txt", "/a", "/a"]
    for _, headers, _ in site.requests:
        assert headers["user-agent"].startswith(f"{ROBOT}/")
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}


# Redirects


def test_redirects_are_followed_and_checked_anew(site: SourceSite, reader: HttpPageReader) -> None:
    site.add("/5", article("Bridge"))
    for number in range(5):
        site.redirect(f"/{number}", f"/{number + 1}#part")
    assert reader.read(site.url("/0"), LONG).url == site.url("/5")
    site.redirect("/before", "/0")
    assert "redirects more than 5 times" in refusal(reader, site.url("/before"))


@pytest.mark.parametrize(
    "to", ["http://127.0.0.1:{port}/in?key=s3cret", "http://inside.example.net:{port}/in"]
)
def test_a_redirect_to_a_private_address_is_refused(
    monkeypatch: pytest.MonkeyPatch, public_neighbour: str, to: str
) -> None:
    """The target of each redirect is checked: 127.0.0.1, and a name that resolves to it. One
    neighbor on loopback is declared public; no packet may reach the other."""
    real = socket.getaddrinfo

    def resolve(host: str, *rest: Any, **more: Any) -> Any:
        known = {"news.example.com": public_neighbour, "inside.example.net": "127.0.0.1"}
        return real(known.get(host, host), *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with SourceSite(public_neighbour) as public, SourceSite() as inside:
        inside.add("/in", article("Inside"))
        public.redirect("/a", to.format(port=inside.port))
        url = public.url("/a", host="news.example.com")
        strict = HttpPageReader(allow_private=False)
        message = refusal(strict, url)
        assert "not public" in message
        assert "s3cret" not in message
        assert inside.requests == []
        public.add("/b", article("Outside"))
        assert strict.read(public.url("/b", host="news.example.com"), LONG).site == "example.com"


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://2130706433/", "file:///a"],
)
def test_private_urls_are_refused_before_anything_is_sent(url: str) -> None:
    assert refusal(HttpPageReader(allow_private=False), url).startswith("The page's URL must ")


# Size and time


def endless(head: bytes, more: bytes) -> Any:
    def write(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
        handler.wfile.write(head)
        while not stop.is_set():
            handler.wfile.write(more)

    return write


def dripping(head: bytes, drop: bytes) -> Any:
    def write(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
        handler.wfile.write(head)
        while not stop.wait(0.05):
            handler.wfile.write(drop)

    return write


HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNK = b"10000\r\n" + b"x" * 65536 + b"\r\n"


@pytest.mark.parametrize(
    "script",
    [
        endless(HTML + b"Content-Length: 50000000\r\n\r\n", b"x" * 65536),
        endless(HTML + b"\r\n", b"<p>word " * 9000),
        endless(HTML + b"Transfer-Encoding: chunked\r\n\r\n", CHUNK),
        endless(HTML + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 9000),
    ],
    ids=["50 MB", "endless", "endless chunks", "endless small chunks"],
)
def test_a_page_that_is_too_large_is_cut_off(site: SourceSite, script: Any) -> None:
    """ "at most 2 MB read (a page of 50 MB or an endless one is cut off and refused)"."""
    reader = HttpPageReader(allow_private=True, page_seconds=LONG)
    assert refusal(reader, site.script("/big", script)).endswith(f"more than {MAX_BYTES:,} bytes.")


@pytest.mark.parametrize("megabytes", [3, 300])
def test_a_bomb_is_not_unpacked(site: SourceSite, reader: HttpPageReader, megabytes: int) -> None:
    """ "decompression bounded too (a bomb)"."""
    bomb = gzip.compress(b"<p>0 " * (megabytes * 200_000))
    assert len(bomb) < MAX_BYTES
    url = site.add("/bomb", bomb, headers={"Content-Encoding": "gzip"})
    assert refusal(reader, url).endswith(f"more than {MAX_BYTES:,} bytes.")
    packed = gzip.compress(article("Bridge").encode())
    url = site.add("/small", packed, headers={"Content-Encoding": "gzip"})
    assert reader.read(url, LONG).title == "Bridge"
    url = site.add("/brotli", b"xxx", headers={"Content-Encoding": "br"})
    assert "encoding that was not asked for" in refusal(reader, url)


def test_a_slow_page_ends_in_time_and_is_not_judged_by_a_call_without_time(
    site: SourceSite,
) -> None:
    """ "15 s for all of it" (here 2): "slow drip"; test_webhook_sender.py drips everywhere else."""
    url = site.script("/slow", dripping(HTML + b"Content-Length: 99999\r\n\r\n", b"<p>word"))
    began = time.monotonic()
    assert refusal(hasty(), url) == "http://127.0.0.1 gave no whole answer in time."
    assert time.monotonic() - began < LONG / 2
    with pytest.raises(PageUnavailable):
        HttpPageReader(allow_private=True, page_seconds=9).read(url, 0.3)


# What comes back


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "text/html", "not text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "text/html", "not text"),
        (b"%PDF-1.7", "application/pdf", "something other than"),
        (b"<p>x", "", "something other than"),
        (b"{}", "application/json", "something other than"),
        (b"A text.", "text/plain", "something other than"),
        (b"", "text/html", "is empty"),
        (b"<html><body></body></html>", "text/html", "no main text"),
    ],
)
def test_only_text_is_read(
    site: SourceSite, reader: HttpPageReader, body: bytes, kind: str, said: str
) -> None:
    assert said in refusal(reader, site.add("/x", body, type=kind))


def test_a_login_page_is_no_source(site: SourceSite, reader: HttpPageReader) -> None:
    form = "<form><p>Please sign in to go on reading.</p><input type=password></form>"
    site.add("/login", f"<html><body>{form}</body></html>")
    assert refusal(reader, site.redirect("/a", "/login")) == "The page asks for a password."
    # A field in the head of a whole article is a reader's, not a wall.
    url = site.add("/b", article("Bridge", BRIDGE, extra="<form><input type=password></form>"))
    assert reader.read(url, LONG).title == "Bridge"


@pytest.mark.parametrize(
    ("encoding", "header", "meta"),
    [
        ("utf-8", "iso-8859-1", ""),
        ("latin-1", "utf-8", ""),
        ("cp1252", "", "windows-1252"),
        ("koi8-r", "koi8-r", "utf-8"),
        ("utf-16", "", ""),
        ("shift_jis", "", "shift_jis"),
        ("utf-8", "nonsense", "nonsense"),
    ],
)
def test_character_sets_are_right_even_where_they_are_wrong(
    site: SourceSite, reader: HttpPageReader, encoding: str, header: str, meta: str
) -> None:
    words = {"koi8-r": "Мост построят заново", "shift_jis": "橋を再建する"}
    sentence = words.get(encoding, "Die Brücke über den Fluß wird für alle größer")
    html = article("T", tuple(f"{sentence} {number}." for number in range(30)))
    html = html.replace("utf-8", meta) if meta else html.replace('<meta charset="utf-8">', "")
    kind = f"text/html; charset={header}" if header else "text/html"
    page = reader.read(site.add("/c", html.encode(encoding, "xmlcharrefreplace"), type=kind), LONG)
    assert sentence in page.text


@pytest.mark.parametrize("charset", ["punycode", "unicode_escape", "utf-7", "idna", "zlib"])
def test_only_encodings_that_browsers_know_are_believed(
    site: SourceSite, reader: HttpPageReader, charset: str
) -> None:
    """Python's punycode takes minutes for two megabytes, and others make characters that no
    database takes."""
    start = f"<meta charset={charset}>".encode() + rb"<p>b9z8 \ud800 +2AA- </p>-"
    body = start + b"ab" * 500_000
    for kind in ("text/html", f"text/html; charset={charset}"):
        page = reader.read(site.add("/e", body, type=kind), LONG)
        assert "b9z8 \\ud800 +2AA-" in page.text


# robots.txt and turns


@pytest.mark.parametrize(
    ("robots", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: CopydeskBot\nDisallow: /a", "/a", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: copydeskbot\nAllow: /", "/a", True),
        ("User-agent: *\nDisallow: /*?key=", "/a?key=1", False),
        ("User-agent: OtherBot\nDisallow: /", "/a", True),
    ],
)
def test_robots_txt_is_honoured(
    site: SourceSite, reader: HttpPageReader, robots: str, path: str, allowed: bool
) -> None:
    """ "robots.txt honoured (our own User-Agent token "CopydeskBot")"."""
    site.add("/robots.txt", robots, type="text/plain")
    url = site.add(path, article("Bridge"))
    if allowed:
        assert reader.read(url, LONG).title == "Bridge"
    else:
        message = refusal(reader, url)
        assert message == "The robots.txt of http://127.0.0.1 does not allow this page."
        assert site.paths() == ["/robots.txt"]


def test_a_site_whose_robots_txt_cannot_be_had_is_left_alone(site: SourceSite) -> None:
    """A 5xx may hide a Disallow; a 404 hides nothing."""
    site.add("/robots.txt", "x", status=503)
    message = refusal(hasty(), site.add("/a", article("Bridge")))
    assert message == (
        "The robots.txt of http://127.0.0.1 cannot be read. It answered with status 503."
    )
    assert "/a" not in site.paths()


def test_who_had_no_time_for_robots_txt_keeps_nobody_else_from_the_site(
    site: SourceSite, reader: HttpPageReader
) -> None:
    url = site.add("/a", article("Bridge"))
    site.script("/robots.txt", dripping(b"", b""))
    with pytest.raises(PageUnavailable):
        reader.read(url, 0.3)
    site.add("/robots.txt", "", type="text/plain")
    assert reader.read(url, LONG).title == "Bridge"


def test_a_redirect_does_not_lead_around_robots_txt(
    site: SourceSite, reader: HttpPageReader
) -> None:
    with SourceSite("127.0.0.2") as closed:
        closed.add("/robots.txt", "User-agent: *\nDisallow: /", type="text/plain")
        assert "does not allow" in refusal(reader, site.redirect("/a", closed.url("/b")))
        assert closed.paths() == ["/robots.txt"]


def test_one_request_at_a_time_to_a_host_and_its_pause_is_kept(
    site: SourceSite, reader: HttpPageReader
) -> None:
    """ "one request at a time per host with Crawl-delay up to a bound"."""
    robots = "User-agent: *\nCrawl-delay: 0.4"
    site.add("/robots.txt", robots, type="text/plain")
    times: list[tuple[float, float]] = []

    def timed(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
        began = time.monotonic()
        stop.wait(0.1)
        body = article("Bridge").encode()
        handler.wfile.write(HTML + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        times.append((began, time.monotonic()))

    urls = [site.script(f"/{number}", timed) for number in range(3)]
    readers = [threading.Thread(target=reader.read, args=(url, LONG)) for url in urls]
    for thread in readers:
        thread.start()
    for thread in readers:
        thread.join(LONG)
    times.sort()
    assert len(times) == 3
    for (_, ended), (began, _) in pairwise(times):
        assert began - ended > 0.35
    assert site.paths().count("/robots.txt") == 1


@pytest.mark.parametrize(
    ("asked", "seconds"), [("9999", 10.0), ("0.5", 0.5), ("nan", 0.0), ("-3", 0.0)]
)
def test_the_pause_has_a_bound(asked: str, seconds: float) -> None:
    parsed = Protego.parse(f"User-agent: *\nCrawl-delay: {asked}")
    assert pause_seconds(parsed) == seconds


# Dates


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<meta property="article:published_time" content="2026-01-30T23:00:00-05:00">', "31T04"),
        (
            '<script type="application/ld+json">{"@graph": [{"@type": "NewsArticle",'
            ' "datePublished": "2026-01-30T10:00:00Z", "dateModified": "2026-01-31"}]}</script>',
            "30T10",
        ),
        ('<meta itemprop="datePublished" content="2026-01-29">', "29T00"),
        (
            '<meta itemprop="datePublished" content="2026-01-29">'
            '<meta property="article:published_time" content="2026-01-31T07:00:00Z">',
            "29T00",
        ),
        ('<script type="application/ld+json">{broken</script>', None),
        ("", None),
    ],
)
def test_the_date_is_the_first_publication(
    site: SourceSite, reader: HttpPageReader, head: str, expected: str | None
) -> None:
    page = reader.read(site.add("/d", article("Bridge").replace("<title>", head + "<title>")), LONG)
    found = page.published_at and page.published_at.strftime("%dT%H")
    assert found == expected


# Secrets


def test_no_query_is_in_an_error_or_a_log(
    site: SourceSite, caplog: pytest.LogCaptureFixture
) -> None:
    """ "Errors never repeat a URL's query"."""
    caplog.set_level(logging.DEBUG)
    site.pages |= {
        "/404": Reply(status=404),
        "/pdf": Reply(b"%PDF-", "application/pdf"),
        "/loop": Reply(status=302, headers={"Location": "/loop?key=s3cret"}),
        "/away": Reply(status=302, headers={"Location": "http://[s3cret/"}),
        "/drip": dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        "/bad": dripping(b"nonsense\r\n\r\n", b""),
    }
    messages = [refusal(hasty(), site.url(f"{path}?key=s3cret")) for path in list(site.pages)]
    messages.append(refusal(hasty(), "http://user:s3cret@127.0.0.1/"))
    messages.append(refusal(hasty(), "http://127.0.0.1:1/?key=s3cret"))
    assert "s3cret" not in " ".join(messages) + caplog.text


# --- pages are read in other processes: what those may take, and when they end


HONEST = article("The harbour bridge").encode()
# trafilatura looks at each form again for each other one.
FORMS = "<form>a</form>" * 12_000
SLOW = HONEST.replace(b"</article>", f"{FORMS}</article>".encode())


def read_here(body: bytes = HONEST, seconds: float = LONG) -> str:
    found = page_process.read_page("html", body, seconds, charset="", url="https://a.example/")
    return str(found["title"])


def running() -> list[str]:
    """The ids of the processes that read pages for this one."""
    lists = Path("/proc/self/task").glob("*/children")
    return [pid for each in lists for pid in each.read_text().split() if _reads_pages(pid)]


def _reads_pages(pid: str) -> bool:
    try:
        return page_process.__name__ in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def test_a_page_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_process, "CPU_SECONDS", 1)
    with pytest.raises(PageRefused, match=r"^The page takes too long to read\.$"):
        read_here(SLOW)
    assert read_here() == "The harbour bridge"


def test_a_page_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # No more than its libraries have.
    monkeypatch.setattr(page_process, "MEMORY_BYTES", 1)
    with pytest.raises(PageRefused, match=r"^The page needs too much memory to read\.$"):
        read_here(b"<html><body><article><p>" + b"word and word. " * 130_000)


def test_a_page_for_which_there_is_no_time_is_given_up() -> None:
    with pytest.raises(PageUnavailable):
        read_here(SLOW, seconds=2)
    assert running() == []


def test_at_most_two_pages_are_read_at_once() -> None:
    threads = [Thread(target=read_here) for _ in range(4)]
    most = 0
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most = max(most, len(running()))
        threads[-1].join(0.01)
    assert most == 2


def test_they_know_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")

    def slow() -> None:
        with pytest.raises(PageUnavailable):
            read_here(SLOW, seconds=5)

    reading = Thread(target=slow)
    reading.start()
    wait_until(lambda: len(running()) == 1, LONG, "the process runs")
    (pid,) = running()
    assert b"sk-secret" not in Path(f"/proc/{pid}/environ").read_bytes()
    reading.join()


def test_an_answer_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_process, "_MAX_ANSWER_BYTES", 100)
    with pytest.raises(PageRefused, match="its reader ended with an error"):
        read_here()


def test_an_error_of_ours_is_told_as_one() -> None:
    with pytest.raises(RuntimeError, match="TypeError"):
        page_process.read_page("html", HONEST, LONG, nothing="")
