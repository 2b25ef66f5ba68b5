"""A service on loopback for the tests: it answers like the real one, or as it is told to."""

import json
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

TOKEN = "tok_Zm9vYmFyYmF6cXV4MTIz"
API_KEY = "cd_live_5e3cr3tk3y5e3cr3tk3y"

POST = {
    "title": "Cold brew at home",
    "slugSuggestion": "cold-brew-at-home",
    "meta": {"description": "How to make cold brew.", "primaryKeyword": "cold brew"},
    "outline": {"h1": "Cold brew at home", "h2": ["What you need"]},
    "sections": [
        {"type": "introduction", "contentMarkdown": "Cold brew needs time."},
        {"type": "body", "heading": "What you need", "contentMarkdown": "Beans – and a jar."},
        {"type": "callout", "contentMarkdown": "", "callout": {"label": "Tip", "text": "Wait."}},
        {"type": "faq", "heading": "FAQ", "contentMarkdown": ""},
        {"type": "conclusion", "contentMarkdown": "Enjoy it."},
    ],
    "faqs": [{"question": "How long?", "answer": "A night."}],
    "conclusion": "Enjoy it.",
    "coverageNotes": {
        "keywordCoverage": [
            {"keyword": "cold brew", "covered": True, "evidence": "Cold brew needs time."}
        ]
    },
}
RENDERED = {"markdown": "Cold brew needs time.\n", "html": "<p>Cold brew needs time.</p>\n"}
GENERATION = {
    "requestId": "req_1",
    "post": POST,
    "rendered": RENDERED,
    "debug": {"generationModel": "small"},
    "quality": {"status": "pass", "score": 91, "revisionCount": 1, "qualityVersion": "1.0.0"},
}
CHECK_REPORT = {
    "passes": True,
    "score": 68,
    "words": 1,
    "language": "en",
    "qualityVersion": "1.0.0",
    "findingCount": 1,
    "findings": [
        {"line": 1, "column": 1, "severity": "warning", "check": "leftover", "reason": "Say so."}
    ],
    "skipped": ["link"],
}
USAGE = {
    "plan": {"id": "starter", "name": "Starter", "priorityProcessing": False, "teamSeats": 1},
    "periodStart": "2026-03-01T00:00:00.000Z",
    "periodEnd": "2026-04-01T00:00:00.000Z",
    "metering": {"unit": "word", "granularity": "request"},
    "limits": {"monthlyWords": 20000, "maxWordsPerRequest": 1500, "requestsPerMinute": 10},
    "consumed": {"words": 930, "posts": 1, "requests": 1},
    "remaining": {"words": 19070},
    "daily": {"limit": 50, "used": 1, "remaining": 49, "resetAt": "2026-03-02T00:00:00.000Z"},
}
ITEM = {
    "id": "itm_1",
    "post": POST,
    "rendered": RENDERED,
    "generatedAt": "2026-03-01T12:30:00.250Z",
    "deliveryCount": 1,
}

JOB = {
    "jobId": "job_1",
    "status": "queued",
    "createdAt": "2026-03-01T12:00:00.000Z",
    "updatedAt": "2026-03-01T12:00:00.000Z",
    "requestId": "req_1",
    "inputSummary": {"keywords": ["cold brew"], "language": "en", "maxWords": 900},
}
SUCCEEDED = {
    **JOB,
    "status": "succeeded",
    "updatedAt": "2026-03-01T12:01:30.500Z",
    "result": POST,
    "rendered": RENDERED,
    "quality": GENERATION["quality"],
}
FAILED = {
    **JOB,
    "status": "failed",
    "error": {
        "code": "CONTENT_QUALITY_FAILED",
        "message": "The post is too short.",
        "details": {"findings": ["too_short"]},
    },
}
SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MTI="
ROOT = "whroot_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


@dataclass
class Seen:
    """A request as it arrived; ``body`` is the decoded JSON, None where there was none."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any


@dataclass
class Service:
    """``replies`` are used up first: a (status, body, headers) triple, or one of
    cut (no answer), half (half an answer), silent (no answer until the test ends)."""

    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    replies: deque[Any] = field(default_factory=deque)
    released: threading.Event = field(default_factory=threading.Event)
    waiting: list[dict[str, Any]] = field(default_factory=lambda: [dict(ITEM)])
    # What the job is, look by look; the last one stays.
    job: list[dict[str, Any]] = field(
        default_factory=lambda: [JOB, {**JOB, "status": "processing"}, SUCCEEDED]
    )

    def reply(self, status: int, body: Any = None, **headers: str) -> None:
        """Queue an answer; in a header's name an underscore stands for a hyphen."""
        self.replies.append((status, body, {k.replace("_", "-"): v for k, v in headers.items()}))

    def refuse(self, status: int, code: str, message: str = "No.", **headers: str) -> None:
        """Queue an error in the service's own form."""
        self.reply(status, {"error": {"code": code, "message": message}}, **headers)

    @property
    def pull_url(self) -> str:
        return f"{self.url}/v1/content-tokens/{TOKEN}"

    def answer(self, seen: Seen) -> tuple[int, Any, dict[str, str]]:
        """What the real service would say, near enough."""
        path = seen.path.removeprefix("/v1").replace(TOKEN, "TOKEN")
        last = path.rpartition("/")[2]
        match seen.method, path:
            case "HEAD", "/content-tokens/TOKEN/latest":
                return 200, {}, {}
            case "POST", "/generate":
                return 200, GENERATION, {}
            case "GET", "/usage":
                return 200, USAGE, {}
            case "POST", "/check":
                return 200, CHECK_REPORT, {}
            case "POST", "/jobs":
                webhook = {"webhookSigningSecret": SECRET} if "webhook" in seen.body else {}
                return 202, {**JOB, **webhook}, {}
            case "GET", "/jobs/job_1":
                return 200, self.job.pop(0) if len(self.job) > 1 else self.job[0], {}
            case "GET", "/content-tokens/TOKEN/latest":
                item = self.waiting[0] if self.waiting else None
                return 200, {"available": bool(item), **({"item": item} if item else {})}, {}
            case "GET", "/content-tokens/TOKEN/items":
                items = [{"ruleId": "rul_1", "ruleName": "Coffee", **item} for item in self.waiting]
                return 200, {"count": len(items), "limit": 100, "items": items}, {}
            case "POST", _ if last in {"confirm", "reject"}:
                self.waiting.clear()
                item_id = path.split("/")[-2]
                status = {"confirm": "used", "reject": "rejected"}[last]
                return 200, {"ok": True, "item": {"id": item_id, "status": status}}, {}
        return 404, {"error": {"code": "NOT_FOUND", "message": "Unknown content token."}}, {}


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            url = urlsplit(self.path)
            body = json.loads(raw) if raw else None
            seen = Seen(self.command, url.path, url.query, dict(self.headers), body)
            service.seen.append(seen)
            reply = service.replies.popleft() if service.replies else service.answer(seen)
            if reply == "silent":
                service.released.wait(30)
            if reply in ("silent", "cut"):
                self.close_connection = True
                return
            status, content, headers = (200, GENERATION, {}) if reply == "half" else reply
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "HEAD":
                return
            if reply == "half":
                data, self.close_connection = data[: len(data) // 2], True
            self.wfile.write(data)

        do_HEAD = do_POST = do_GET  # noqa: N815 - http.server looks for this name

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(service))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_port}"
    yield service
    service.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def api_key() -> str:
    return API_KEY


@pytest.fixture
def token() -> str:
    return TOKEN


@pytest.fixture
def samples() -> dict[str, Any]:
    """Answers of the service, by the name of what they hold."""
    return {
        "generation": GENERATION,
        "usage": USAGE,
        "item": ITEM,
        "post": POST,
        "queued": JOB,
        "succeeded": SUCCEEDED,
        "failed": FAILED,
    }


@pytest.fixture
def secret() -> str:
    return SECRET


@pytest.fixture
def root() -> str:
    """A root secret of webhooks."""
    return ROOT


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "COPYDESK_API_KEY",
        "COPYDESK_BASE_URL",
        "COPYDESK_FEED_URL",
        "COPYDESK_WEBHOOK_SECRET",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("copydesk._calls.FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("copydesk._calls.LONGEST_WAIT_S", 0.05)
    monkeypatch.setattr("copydesk.jobs.FIRST_PAUSE_S", 0.01)
