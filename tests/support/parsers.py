"""Everything that reads text of strangers, as functions of bytes that raise only if they have a
fault: what each may raise for bad input is caught. Used by bench/hostile_parsers.py and the tests.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.hostile_requests import TEXTS

Parser = Callable[[bytes], object]
_KEPT = 20_000
NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)

SEEDS: Mapping[str, tuple[str, ...]] = {
    "json": (
        '{"keywords": ["tea"], "constraints": {"minWords": 50, "maxWords": 1e3}, "language": "en"}',
        '{"generateRequest": {"keywords": ["tea"]}, "format": {"responseTypes": ["html"]},'
        ' "webhook": {"url": "https://a.example/", "events": ["job.failed"]}}',
        '{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",'
        ' "content": "{}"}}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}',
        '{"results": [{"url": "https://a.example/", "title": "A", "publishedDate": "2026-01-01"}]}',
        '{"error": {"code": "unsupported_parameter", "message": "max_tokens is at most 4,096"}}',
        '{"id": "itm_1", "post": {"title": "A", "sections": [{"type": "body", "heading": "B",'
        ' "contentMarkdown": "C."}]}, "rendered": {"html": "<p>C.</p>"},'
        ' "generatedAt": "2026-01-01T00:00:00.000Z"}',
    ),
    "text": (
        "# A post\n\nIt **is** `so`. [a](https://a.example/) ![b](c)\n\n| a | b |\n| - | - |\n\n"
        "1. One\n2. Two\n\n> Quoted “words” of 3 May 2021\n\n```\ncode\n```\n",
        "<think>no</think>\n# A\n\n> B\n\nC of 4.2 million €.\n\n## D\n\n> **Tip:** E.\n\n## FAQ\n"
        "### F?\nG.\n\n## Conclusion\nH.",
    ),
    "edits": (
        "BASE: B\n\nWHY: a\n<<<<<<< FIND\nThe jar rests.\n=======\nIt rests.\n>>>>>>> END\n\n"
        "BLOCKING: none",
    ),
    "reading": ("1 | 1 | the jar rests\n2 | NONE | what it is\n\n- Say how long.\n\nMARK: 6.5",),
    "page": (
        "<html lang='en'><head><meta charset='utf-8'><title>A</title><script type="
        '\'application/ld+json\'>{"datePublished": "2026-01-01"}</script><style>.a{display:none}'
        "</style></head><body><article><p>The harbour bridge was closed on 3 May.</p></article>",
        "<?xml version='1.0'?><rss version='2.0'><channel><item><link>https://a.example/</link>"
        "<title>A</title><pubDate>Fri, 01 May 2026 00:00:00 GMT</pubDate></item></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='https://a.example/'/>"
        "<updated>2026-01-01T00:00:00Z</updated></entry></feed>",
    ),
    "robots": ("User-agent: *\nDisallow: /a*b$\nCrawl-delay: 1e9\nSitemap: https://a.example/\n",),
    "url": ("https://user:pass@xn--a.example:443/a%20b?c#d", "http://[::ffff:1.2.3.4]:80/"),
    "line": (
        "gpt-5-mini=0.25/2, gpt-5=1.25/10",
        "pt-BR",
        "2026-01-01T00:00:00Z",
        "120",
        "12.5",
        "Bearer cd_live_a",
        "t=1769860800,v1=aa",
    ),
    "settings": (
        "COPYDESK_WORKERS=2\nCOPYDESK_PUBLIC_URL=https://a.example\n"
        "COPYDESK_MODEL_PRICES=a=1/2\nCOPYDESK_SOURCES=searxng\n",
    ),
    "front matter": (
        "---\ntitle: A\ndate: 2026-01-01\ncopydesk_id: itm_1\ntags: [a, b]\n---\nB\n",
        "+++\ntitle = 'A'\ncopydesk_id = 'itm_1'\n+++\n",
    ),
    "config": (
        '[feed]\nurl_env = "A"\npoll_minutes = 1\n\n[[target]]\nkind = "folder"\n'
        'name = "a"\npath = "b"\n',
    ),
}

PIECES = tuple(
    text.encode("utf-8", "surrogatepass")
    for text in (
        *(text for text in TEXTS if text),
        "\\ud800", "\u0301", "\n\n", "9" * 5_000, '"', "'", "[", "]", "{", "}", "[" * 2_000,
        '{"a":' * 2_000, "<", ">", "<!--", "]]>", "&#x110000;", "&#0;", "<![CDATA[",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<svg>", "<style>", "://", "@", ":", "`", "```", "*",
        "**", "_", "|", "| - |", "# ", "> ", "- ", "1. ", "![", "](", "&a: *a",
        "!!python/object:a", "? [a]: b", "---\n", "+++\n", "=", "/", ",", "<think>", "</think>",
        "<<<<<<< FIND", "=======", ">>>>>>> END", "## FAQ", "MARK: ",
    )
)  # fmt: skip


def parsers() -> Mapping[str, tuple[str, Parser]]:
    """By name: the kind of seeds that a parser starts from, and the parser."""
    import httpx2
    import openai
    from pydantic import ValidationError

    from app.adapters import openai_moderation, web_search
    from app.adapters.bounded_http import Answer
    from app.adapters.feed_entries import feed_entries
    from app.adapters.openai_answer import read_answer
    from app.adapters.openai_errors import NoCompletion, SettingNames, cause_of, pause_of
    from app.adapters.page_text import read_html
    from app.adapters.robots import read_robots
    from app.adapters.stated_times import moment, retry_after
    from app.core import credentials
    from app.core.addresses import client_network, origin_host, web_target
    from app.core.billing.costs import parse_dollars, parse_prices
    from app.core.errors import ServiceError
    from app.core.schemas.bodies import parse
    from app.core.schemas.check import CheckRequest
    from app.core.schemas.idempotency import fingerprint, key_of
    from app.core.schemas.job import parse_job_request
    from app.core.schemas.json_body import decode
    from app.core.schemas.names import name_key, read_name
    from app.core.schemas.request import GenerateRequest
    from app.ports import PageRefused, SourcesUnavailable
    from app.rendering.offers import Offer
    from app.settings import Settings, SettingsError
    from app.sources.source import Source
    from app.writing.edits import UnreadableAnswer, apply, parse_edits
    from app.writing.reader import parse_reading
    from bench.hostile_text import functions
    from copydesk import webhooks
    from copydesk.errors import CopydeskError
    from copydesk_connectors.cli import config
    from copydesk_connectors.target.errors import BadItem, ConfigError
    from copydesk_connectors.target.post import Post
    from copydesk_connectors.targets import markdown

    def bad(*expected: type[Exception]) -> Callable[[Parser], Parser]:
        def wrapped(read: Parser) -> Parser:
            def call(said: bytes) -> object:
                with suppress(*expected):
                    return read(said)
                return None

            return call

        return wrapped

    def text(said: bytes) -> str:
        # JSON and surrogate escapes bring half characters; everything else brings none.
        return said.decode("utf-8", "replace")

    def request(body: Any) -> object:
        return fingerprint(body), parse(GenerateRequest, body)

    document = "# A jar\n\n> Cold brew.\n\nThe jar rests. It is cold.\n"
    source = Source("https://a.example/", "a.example", "A", "The jar rests.", "en", None, NOW)

    def completion(said: bytes) -> object:
        return read_answer(said, [])

    def refused_call(said: bytes) -> object:
        body = json.loads(said)
        answer = httpx2.Response(400, request=httpx2.Request("POST", "https://a.example/"))
        error = openai.BadRequestError("No.", response=answer, body=body)
        return pause_of(error), cause_of(error, "m", SettingNames())

    def edited(said: bytes) -> object:
        return apply(document, parse_edits(text(said), chooses=True).edits)

    def judged(said: bytes) -> object:
        return parse_reading(text(said), [(1, "The jar rests."), (2, "It is cold.")], [source])

    def settings(said: bytes) -> object:
        lines = (line.partition("=") for line in text(said).splitlines())
        # A file that is named is another reader.
        return Settings.from_env({name: value for name, _, value in lines if name[-5:] != "_FILE"})

    def signed(said: bytes) -> object:
        header, _, body = said.partition(b"\n")
        headers = {webhooks.SIGNATURE_HEADER: header.decode("latin-1")}
        return webhooks.parse(body, headers, "whsec_" + "a" * 43 + "=", now=1769860800.0)

    def event(said: bytes) -> object:
        found = webhooks._object(said)
        return webhooks._EVENTS.get(str(found.get("event")), webhooks.WebhookEvent).from_wire(found)

    def configured(said: bytes) -> object:
        with TemporaryDirectory() as folder:
            file = Path(folder, "config.toml")
            file.write_bytes(said)
            return config.load(file)

    def hits(said: bytes) -> object:
        answer = json.loads(said)
        found = answer.get("results") if isinstance(answer, dict) else answer
        return web_search.SearxngSources("https://a.example")._hits(found, 10)

    refused = bad(ServiceError)
    invalid = bad(ValueError, RecursionError)
    found: dict[str, tuple[str, Parser]] = {
        "json body": ("json", refused(decode)),
        "generate request": ("json", refused(lambda s: request(decode(s)))),
        "job request": (
            "json",
            refused(lambda s: parse_job_request(decode(s), allow_private=False)),
        ),
        "check request": ("json", refused(lambda s: parse(CheckRequest, decode(s)))),
        "offer": ("json", refused(lambda s: parse(Offer, decode(s)))),
        "idempotency key": ("line", refused(lambda s: key_of(text(s)))),
        "name": ("line", refused(lambda s: name_key(read_name(text(s))))),
        "api key": ("line", lambda s: credentials.is_api_key(text(s))),
        "client address": ("url", lambda s: client_network(text(s))),
        "origin": ("url", lambda s: origin_host(text(s))),
        "web address": ("url", bad(ValueError)(lambda s: web_target(text(s), False))),
        "prices": ("line", bad(ValueError)(lambda s: parse_prices(text(s)))),
        "dollars": ("line", bad(ValueError)(lambda s: parse_dollars(text(s)))),
        "settings": ("settings", bad(SettingsError)(settings)),
        "time": ("line", lambda s: moment(text(s))),
        "retry after": ("line", lambda s: retry_after(text(s))),
        "edits": ("edits", bad(UnreadableAnswer)(edited)),
        "reading": ("reading", bad(UnreadableAnswer)(judged)),
        "completion": ("json", bad(ValueError, RecursionError, NoCompletion)(completion)),
        "refused call": ("json", invalid(refused_call)),
        "moderation": (
            "json",
            bad(ValidationError)(lambda s: openai_moderation._Answer.model_validate_json(s)),
        ),
        "search results": ("json", bad(ValueError, RecursionError, SourcesUnavailable)(hits)),
        "feed": (
            "page",
            lambda s: feed_entries(s, "application/rss+xml", "", "https://a.example/"),
        ),
        "page": ("page", bad(PageRefused)(lambda s: read_html(s, "", "https://a.example/"))),
        "robots.txt": ("robots", lambda s: read_robots(Answer(200, {}, s))),
        "signature": ("line", bad(CopydeskError)(signed)),
        "webhook body": ("json", bad(CopydeskError, ValueError)(event)),
        "feed item": ("json", bad(BadItem)(lambda s: Post.from_item(_json(s)))),
        "front matter": ("front matter", lambda s: markdown._fields(text(s))),
        "connector file": ("config", bad(ConfigError)(configured)),
    }
    for name, function in functions().items():
        found[name] = ("text", lambda s, function=function: function(text(s)[:_KEPT]))  # type: ignore[misc]
    return found


def inputs(kind: str, seed: int, count: int) -> Iterator[bytes]:
    """Generate that many inputs of a kind: seeds, then seeds with something put in, left out,
    exchanged or repeated."""
    random = Random(seed)
    seeds = [one.encode() for one in SEEDS[kind]]
    yield from seeds[:count]
    for _ in range(count - len(seeds)):
        said = bytearray(random.choice(seeds))
        for _ in range(random.choice((1, 1, 2, 5))):
            begin = random.randrange(len(said) + 1)
            end = begin + random.choice((0, 0, 1, 3, 30))
            piece = said[begin:end] or b"a"
            said[begin:end] = random.choice(
                (b"", random.choice(PIECES), random.randbytes(4), piece * random.choice((2, 2_000)))
            )
        yield bytes(said[:_KEPT])


def _json(said: bytes) -> Any:
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None
