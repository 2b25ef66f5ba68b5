"""Requests that no honest client sends: generated from a seed, by routes and valid examples.

Most are nearly right, so that they get past the first check; the rest is broken at some level, from
a field of the body down to the bytes of the request line.
"""

import gzip
import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlencode, urlsplit

from flask import Flask

ANSWER_SECONDS = 60.0
Headers = list[tuple[bytes, bytes]]
# What a request may name of the things that are there: credentials, ids, the example of a body.
Known = Mapping[str, str]

# Also the words of a fuzzer of parsers: what numbers, Unicode, markup and languages do wrong.
TEXTS = (
    "", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "\t", "\x7f", "\x85", "\r",
    "a\u0301" * 200, "👩\u200d👩\u200d👧" * 50, "é" * 300, "a" * 65, "x" * 5_000, "§" * 64,
    "²", "٣", "½", "𝟘", "ß", "İ", "ﬀ", "ǅ", "€",
    "0", "-1", "1.0", "1,,2", "1/0", "-0 %", "1e999", "NaN", "Infinity", "null", "true", "9" * 40,
    "../../../etc/passwd", "\\", "%", "%00", "%ff", "%zz", "\r\nX-Injected: 1", "' OR 1=1 --",
    "{{7*7}}", "${7*7}", "%s%n", "<script>alert(1)</script>", "javascript:alert(1)",
    "//", "http://[", "http://[::1", "http://a:99999999/", "https://user:pass@[::]:0/",
    "http://\u2100/",
    "2026-13-45T99:99:99Z", "0001-01-01", "0000-00-00", "31 February 2021",
    "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-23:59", "en-US-x-" + "a" * 100, "xx",
)  # fmt: skip
IDS = ("job_", "job_" + "0" * 26, "itm_" + "Z" * 26, "msg_", "sk_live_", "tkn_" + "a" * 43)
NUMBERS = (0, -1, 1, 1.5, 2**31, 2**63, -(2**63) - 1, 10**39, 1e308, 5e-324, float("nan"), 1e400)
BODIES: tuple[dict[str, Any], ...] = (
    {
        "keywords": ["cold brew"], "topic": "Cold brew at home", "language": "en", "region": "US",
        "tone": "neutral", "targetAudience": "beginners", "brandVoice": "plain",
        "industry": "food", "targetUrl": "https://example.com/", "factualityMode": "standard",
        "idempotencyKey": "one", "currentEvent": False, "format": {"responseTypes": ["markdown"]},
        "constraints": {"minWords": 50, "maxWords": 100, "maxSections": 2, "includeFAQs": False,
                        "keywordUsageStrategy": "balanced"},
    },
    {
        "generateRequest": {"keywords": ["cold brew"], "constraints": {"maxWords": 100}},
        "format": {"responseTypes": ["markdown"]}, "idempotencyKey": "two",
        "webhook": {"url": "https://example.com/hook", "events": ["job.succeeded"]},
    },
    {"text": "# Cold brew\n\nIt takes time.", "language": "en", "keywords": ["cold brew"]},
)  # fmt: skip
# What no JSON body may be, or none of that size.
BOMBS: tuple[bytes, ...] = (
    b"", b"null", b"{", b"\xef\xbb\xbf{}", b"\xff\xfe" * 99, b" " * 65_000, b"x" * 70_000,
    b"[" * 60_000, b'{"a":' * 12_000, b"[" * 30_000 + b"]" * 30_000,
    b"[" + b"{}," * 20_000 + b"{}]", b"{" + b'"a":1,' * 8_000 + b'"a":1}',
    b'"' + b"\\ud800" * 10_000 + b'"', b"9" * 60_000, b"1e" + b"9" * 400,
    gzip.compress(b"[" * 60_000),
)  # fmt: skip
METHODS = (
    *b"GET POST HEAD PUT PATCH DELETE OPTIONS TRACE CONNECT get PRI M-SEARCH".split(), b"A" * 300,
)  # fmt: skip
HEADER_NAMES = (
    "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Content-Encoding",
    "Content-Type", "Cookie", "Forwarded", "Host", "Idempotency-Key", "If-Modified-Since",
    "If-None-Match", "Origin", "Origin", "Origin", "Range", "Referer", "TE", "X-Forwarded-For",
    "X-Forwarded-Host", "X-Forwarded-Proto", "X-HTTP-Method-Override", "X-Request-ID",
    "traceparent", "content_length",
)  # fmt: skip
CONTENT_TYPES = (
    "application/json", "application/json; charset=utf-16", 'application/json; charset="',
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
    "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "b" * 300,
    "application/" + "j" * 3_000 + "+json", ";", "", "application/json;charset=ÿ",
    "application/json; charset*=utf-8''%ff", "application/problem+json",
)  # fmt: skip
QUERY_FIELDS = ("before", "next", "rule", "status", "account", "feed", "follow", "job", "q")
FORM_FIELDS = (
    "name", "password", "account", "job", "keywords", "every", "plan", "spendCap", "back", "next",
    "code", "minWords", "maxWords", "language", "webhook", "url", "status", "role",
)  # fmt: skip


@dataclass(frozen=True)
class HostileRequest:
    """One request. ``mangled`` is what goes over the wire if no WSGI server could parse it."""

    method: bytes
    target: bytes
    headers: Headers
    body: bytes
    mangled: bytes | None = field(default=None, repr=False)

    @property
    def raw(self) -> bytes:
        """The bytes of the request."""
        if self.mangled is not None:
            return self.mangled
        lines = [b"%b %b HTTP/1.1" % (self.method, self.target)]
        lines += [b"%b: %b" % header for header in self.headers]
        return b"\r\n".join([*lines, b"", b""]) + self.body


def routes(app: Flask) -> list[tuple[str, list[str]]]:
    """The paths of an application with their methods; parameters are in ``<>``."""
    return [(rule.rule, sorted(rule.methods or ())) for rule in app.url_map.iter_rules()]


def hostile_requests(
    seed: int, count: int, paths: Sequence[tuple[str, list[str]]], known: Known
) -> Iterator[HostileRequest]:
    """Generate that many requests, always the same ones for a seed.

    Args:
        known: by name: ``keys`` (API keys, separated by spaces), ``token`` of a feed, ``cookie``
            and ``csrf`` of an operator, and ids of anything.
    """
    make = _Generator(Random(seed), paths, known)
    for _ in range(count):
        yield make.request()


class _Generator:
    def __init__(
        self, random: Random, paths: Sequence[tuple[str, list[str]]], known: Known
    ) -> None:
        self._random = random
        self._paths = paths
        self._known = known
        self._keys = known["keys"].split()
        ids = [value for name, value in known.items() if name not in {"keys", "cookie"}]
        self._ids = [*ids, *IDS]

    def request(self) -> HostileRequest:
        random = self._random
        path, methods = random.choice(self._paths)
        method = random.choice(methods).encode()
        if random.random() < 0.1:
            method = random.choice(METHODS)
        body, kind = self._body(path) if method not in {b"GET", b"HEAD"} else (b"", "")
        target = self._target(path)
        headers = self._headers(kind, body, signed_in=not path.startswith("/sign-"))
        request = HostileRequest(method, target, headers, body)
        return replace(request, mangled=self._mangled(request)) if self._chance(0.15) else request

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _text(self) -> str:
        random = self._random
        if self._chance(0.02):
            return random.choice(TEXTS) * random.choice((2, 100))
        return random.choice(self._ids) if self._chance(0.2) else random.choice(TEXTS)

    def _target(self, path: str) -> bytes:
        parts = []
        for part in path.split("/"):
            name = part.strip("<>").rpartition(":")[2]
            right = self._known.get(name)
            if not part.startswith("<"):
                parts.append(part)
            elif right and self._chance(0.7):
                parts.append(right)
            else:
                parts.append(_quoted(self._text()[:2_000]))
        target = "/".join(parts)
        if self._chance(0.05):
            target = self._random.choice(("/", "//", "/.", "*", "/" + "a/" * 500)) + target[1:]
        if self._chance(0.4):
            pairs = [
                (self._random.choice((*QUERY_FIELDS, self._text()[:50])), self._text()[:3_000])
                for _ in range(self._random.randint(1, 3))
            ]
            target += "?" + urlencode(pairs, errors="surrogatepass")
        if self._chance(0.03):
            target += self._random.choice(
                ("?", "?&&==", "#a", "?%", "?a=%f0%9f", "?" + "a=&" * 900)
            )
        return target.encode("latin-1", "replace").replace(b" ", b"%20")

    def _body(self, path: str) -> tuple[bytes, str]:
        """The body and its type."""
        random = self._random
        if not path.startswith("/v1/"):
            return self._form(), "application/x-www-form-urlencoded"
        kind = "application/json"
        if self._chance(0.1):
            return random.choice(BOMBS), kind
        right = {"/v1/generate": 0, "/v1/jobs": 1, "/v1/check": 2}.get(path, 0)
        body = deepcopy(BODIES[right])
        # An idempotency key that all share would keep most from being read to the end.
        body.pop("idempotencyKey", None) if self._chance(0.8) else None
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            self._spoil(body)
        ascii_only = self._chance(0.5)
        said = json.dumps(body, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        if self._chance(0.1):
            said = self._with_noise(said)
        return said, kind

    def _spoil(self, body: dict[str, Any]) -> None:
        """Put something else in one place of a body."""
        random = self._random
        places: list[tuple[Any, Any]] = []
        left: list[Any] = [body]
        while left:
            here = left.pop()
            keys = list(here) if isinstance(here, dict) else list(range(len(here)))
            places += [(here, key) for key in keys]
            left += [here[key] for key in keys if isinstance(here[key], dict | list)]
        if not places:
            return
        here, key = random.choice(places)
        act = random.randrange(6)
        if act == 0 and isinstance(here, dict):
            here[self._text()[:100]] = here.pop(key)
        elif act == 1:
            del here[key]
        elif act == 2 and isinstance(here[key], list):
            here[key] = [self._value() for _ in range(random.choice((0, 2, 30, 300)))]
        elif act == 3 and isinstance(here, dict):
            here[self._text()[:100]] = self._value()
        else:
            here[key] = self._value()

    def _value(self) -> Any:
        random = self._random
        kinds: Sequence[Callable[[], Any]] = (
            self._text,
            self._text,
            lambda: random.choice(NUMBERS),
            lambda: random.choice((None, True, False)),
            list,
            dict,
            lambda: [self._text()],
            lambda: {self._text(): self._text()},
            self._nested,
        )
        return random.choice(kinds)()

    def _nested(self) -> Any:
        value: Any = "x"
        for _ in range(self._random.choice((3, 49, 200))):
            value = [value] if self._chance(0.5) else {"a": value}
        return value

    def _form(self) -> bytes:
        random = self._random
        pairs = [(random.choice((*FORM_FIELDS, self._text()[:60])), self._text()) for _ in range(5)]
        if self._chance(0.8):
            pairs.append(("csrf", self._known["csrf"]))
        said = urlencode(pairs, errors="surrogatepass").encode()
        return self._with_noise(said) if self._chance(0.1) else said

    def _headers(self, kind: str, body: bytes, *, signed_in: bool) -> Headers:
        random = self._random
        found: list[tuple[str, str]] = [("Host", "localhost"), ("Connection", "close")]
        if body or kind:
            found.append(("Content-Length", str(len(body))))
            found.append(
                ("Content-Type", kind if self._chance(0.9) else random.choice(CONTENT_TYPES))
            )
        if self._chance(0.85):
            found.append(("Authorization", f"Bearer {random.choice(self._keys)}"))
        # What signs in or out ends the session that comes with it.
        if signed_in and self._chance(0.8):
            found.append(("Cookie", self._known["cookie"]))
        for _ in range(random.choice((0, 0, 1, 3))):
            name = random.choice(HEADER_NAMES)
            # Lengths and upgrades that do not fit are left to the mangled ones, which need not be
            # answered.
            values = (*self._keys, "Bearer", "Basic !!!", "bytes=0-", "a=b; c", "identity, gzip")
            found.append((name, random.choice((self._text(), *values))))
        return [(name.encode(), _header_value(value)) for name, value in found]

    def _with_noise(self, said: bytes) -> bytes:
        random = self._random
        changed = bytearray(said)
        for _ in range(random.randint(1, 8)):
            at = random.randrange(len(changed) + 1)
            act = random.randrange(3)
            if act == 0:
                changed[at:at] = random.randbytes(random.choice((1, 2, 40)))
            elif act == 1:
                del changed[at : at + random.choice((1, 5, 500))]
            elif at < len(changed):
                changed[at] = random.randrange(256)
        return bytes(changed)

    def _mangled(self, request: HostileRequest) -> bytes:
        """The request's bytes, broken as no server should hand them on."""
        random, raw = self._random, request.raw
        head, _, body = raw.partition(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        header = random.choice((
            *(b"Content-Length: " + length for length in
              b"-1 +5 0x10 99999999999999999999 5,6 1e3 70000".split()),
            b"Content-Length:", b"Transfer-Encoding: gzip", b"Transfer-Encoding: x",
            b"Transfer-Encoding: chunked, identity", b" folded: yes", b"no colon here", b": empty",
            b"a b: c", b"Host: a\r\nHost: b", b"Expect: 100-continue",
            b"Upgrade: websocket\r\nConnection: Upgrade", b"A: " + b"b" * 9_000,
            b"A: " + b"b" * 500_000, b"\r\n".join([b"A: b"] * 200), b"\r\n".join([b"A: b"] * 2_000),
        ))  # fmt: skip
        chunks = random.choice((
            b"5\r\nhello\r\n0\r\n\r\n", b"zz\r\n", b"ffffffffffffffff\r\nx", b"-5\r\n", body,
            b"0\r\nA: b\r\n\r\n",
        ))  # fmt: skip
        version = random.choice((b"HTTP/0.9", b"HTTP/1.0", b"HTTP/9.9", b"HTTQ/1.1", b""))
        end = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        headed = [b"\r\n".join([line, header, rest, b"", body])] * 8
        return random.choice((
            *headed,
            self._with_noise(raw),
            self._with_noise(head) + b"\r\n\r\n" + body,
            raw[: random.randrange(len(raw) + 1)],
            raw.replace(b"\r\n", b"\n"),
            raw.replace(b"\r\n", b"\r"),
            raw.replace(b"HTTP/1.1", version, 1),
            raw + raw,
            head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
            request.method + b" /" + b"a" * random.choice((9_000, 70_000)) + end,
            b"GET http://localhost" + request.target + end,
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + random.randbytes(64),
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.randbytes(200),
            random.randbytes(random.choice((1, 50, 5_000))),
        ))  # fmt: skip


def address_of(url: str) -> tuple[str, int]:
    """Return host and port of a service."""
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 80)


@dataclass(frozen=True)
class Answer:
    """What came back: the status (0 if nothing did), and the beginning of the body."""

    status: int
    body: bytes = b""


def send(address: tuple[str, int], request: HostileRequest, source: str = "") -> Answer:
    """Send the bytes over a connection of their own, and read what comes back.

    A server may close the connection on a mangled request without an answer.

    Args:
        source: an address of this machine to send from.

    Raises:
        TimeoutError: a request that is whole got no answer.
    """
    heard = b""
    with socket.create_connection(
        address, ANSWER_SECONDS, source_address=(source, 0) if source else None
    ) as line:
        try:
            line.sendall(request.raw)
            if request.mangled is not None:
                line.shutdown(socket.SHUT_WR)  # what it lacks does not come
            while more := line.recv(65_536):
                heard += more
                if _is_whole(heard):
                    break
        except TimeoutError:
            raise
        except OSError:
            pass  # closed while it was still being sent
    first = heard.split(b" ", 2)
    if len(first) < 3 or not first[0].startswith(b"HTTP/") or not first[1].isdigit():
        return Answer(0, heard)
    return Answer(int(first[1]), heard.partition(b"\r\n\r\n")[2][:1_000])


def _is_whole(heard: bytes) -> bool:
    head, found, body = heard.partition(b"\r\n\r\n")
    if not found or b"connection: close" in head.lower():
        return False  # the server closes it
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return len(body) >= int(value)
    return False


def _quoted(text: str) -> str:
    if text in {"%", "%zz", "%00", "%ff"}:
        return text  # is an escape, or a broken one
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        return quote_from_bytes(text.encode("utf-8", "surrogatepass"), safe="")


def _header_value(text: str) -> bytes:
    said = text.encode("utf-8", "surrogatepass")[:6_000]
    # Line breaks and NULs would end the header, which is for mangled requests.
    return bytes(byte for byte in said if byte == 9 or (byte >= 32 and byte != 127)).strip()
