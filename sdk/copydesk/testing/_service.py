"""The fake service: its state, and its answer to each request."""

import hashlib
import json
import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, unquote

from copydesk.client import AsyncCopydesk, Copydesk
from copydesk.feed import AsyncFeed, Feed
from copydesk.models import CheckReport, Post, count_words
from copydesk.testing._errors import REFUSES_JOB, Refused, example, provoked
from copydesk.testing._factories import (
    make_check_report,
    make_generation,
    make_post,
    make_usage,
    rendered,
    wire_time,
)
from copydesk.testing._transport import FakeTransport
from copydesk.testing._validation import require_check, require_generate, require_job, require_plan
from copydesk.testing._webhooks import SECRET, SignedWebhook, sign_webhook
from copydesk.webhooks import SigningSecrets

API_KEY = "cd_test_fake"
MAX_SENDS = 3
_ITEMS_LIMIT = 100
_MAX_BODY_BYTES = 64 * 1024
_MISSES_PER_MINUTE = 60
_DEFAULT_MAX_WORDS = 1200


@dataclass(frozen=True)
class Request:
    """A request that the fake service received; ``body`` is the decoded JSON, None without one."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str] = field(repr=False)
    body: Any = None


@dataclass
class Reply:
    """A response of the fake service; ``lost`` means that the connection broke instead."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    lost: bool = False

    @property
    def content(self) -> bytes:
        return b"" if self.body is None else json.dumps(self.body).encode()


@dataclass
class _Item:
    id: str
    rule_id: str
    rule_name: str
    post: Post
    generated_at: datetime
    status: str = "pending"
    delivery_count: int = 0


@dataclass
class _Job:
    body: dict[str, Any]
    request: dict[str, Any]
    types: list[str]
    webhook: dict[str, Any]
    secret: str
    error: Refused | None
    held: int


@dataclass
class _Kept:
    """The first answer to an idempotency key."""

    fingerprint: str
    reply: Reply


class FakeService:
    """Copydesk in the memory of your tests: the same states, limits and error bodies, without a
    model. Thread-safe.

    Pass ``transport`` to a client, or use ``client()``, ``async_client()``, ``feed()`` and
    ``async_feed()``. ``serve`` makes it a real server on loopback.

    Args:
        monthly_words, max_words_per_request, requests_per_minute, requests_per_day: the plan.
        clock: returns the current time, with a time zone.

    ``api_key`` is the only API key that it knows, and ``webhook_secret`` the root secret that a
    receiver needs in COPYDESK_WEBHOOK_SECRET. ``requests`` are the requests so far, ``webhooks``
    the webhooks that the real service would have sent, ``posts`` the posts that the next calls and
    jobs return, and ``check_reports`` the results of the next ``check`` calls: it checks nothing.
    """

    def __init__(
        self,
        *,
        monthly_words: int = 1_000_000,
        max_words_per_request: int = 5_000,
        requests_per_minute: int = 600,
        requests_per_day: int = 10_000,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.base_url = "http://copydesk.test"
        self.api_key = API_KEY
        self.webhook_secret = SECRET
        self.feed_token = "ct_fake"  # noqa: S105 - of no real feed
        self.plan: dict[str, Any] = {
            "id": "test",
            "name": "Test",
            "priorityProcessing": False,
            "teamSeats": 1,
        }
        self.monthly_words = monthly_words
        self.max_words_per_request = max_words_per_request
        self.requests_per_minute = requests_per_minute
        self.requests_per_day = requests_per_day
        self.clock = clock
        self.requests: list[Request] = []
        self.webhooks: list[SignedWebhook] = []
        self.posts: deque[Post] = deque()
        self.check_reports: deque[CheckReport] = deque()
        self.transport: FakeTransport = FakeTransport(self.respond)
        self._lock = threading.RLock()
        self._failures: deque[Refused | bool] = deque()
        self._revoked: set[str] = set()
        self._items: dict[str, _Item] = {}
        self._rules: dict[str, str] = {}
        self._jobs: dict[str, _Job] = {}
        self._keys: dict[tuple[str, str], _Kept] = {}
        self._hits: dict[str, list[datetime]] = {}
        self._days: Counter[object] = Counter()
        self._months: dict[object, Counter[str]] = {}
        self._count = 0

    @property
    def feed_url(self) -> str:
        """The URL of the feed."""
        return f"{self.base_url}/v1/content-tokens/{self.feed_token}"

    def client(self, **options: Any) -> Copydesk:
        """Return a client of this service; ``options`` are those of ``Copydesk``."""
        return Copydesk(self.api_key, self.base_url, transport=self.transport, **options)

    def async_client(self, **options: Any) -> AsyncCopydesk:
        """Return an async client of this service; ``options`` are those of ``AsyncCopydesk``."""
        return AsyncCopydesk(self.api_key, self.base_url, transport=self.transport, **options)

    def feed(self, **options: Any) -> Feed:
        """Return the feed; ``options`` are those of ``Feed``."""
        return Feed(self.feed_url, transport=self.transport, **options)

    def async_feed(self, **options: Any) -> AsyncFeed:
        """Return the async feed; ``options`` are those of ``AsyncFeed``."""
        return AsyncFeed(self.feed_url, transport=self.transport, **options)

    def add_item(self, post: Post | None = None, *, rule: str = "Test") -> str:
        """Add a pending item to the feed, under the rule of that name; return the item's id."""
        with self._lock:
            rule_id = self._rules.setdefault(rule, self._id("rul"))
            post = post or make_post()
            item = _Item(self._id("itm"), rule_id, rule, post, self.clock())
            self._items[item.id] = item
            return item.id

    def item_status(self, item_id: str) -> str:
        """Return pending, reserved, used, rejected or abandoned."""
        return self._items[item_id].status

    def finish_jobs(self) -> list[SignedWebhook]:
        """End every open job; return the webhooks that this sends."""
        with self._lock:
            before = len(self.webhooks)
            for job in self._jobs.values():
                self._finish(job)
            return self.webhooks[before:]

    def fail_next(self, code: str, *, times: int = 1) -> None:
        """Answer the next requests with the error of that code, such as SERVICE_UNAVAILABLE."""
        with self._lock:
            self._failures.extend([example(code)] * times)

    def disconnect_next(self, *, after_work: bool = False) -> None:
        """Break the connection of the next request: before its work, or after it, so that only the
        answer is lost."""
        with self._lock:
            self._failures.append(after_work)

    def revoke_key(self) -> None:
        """Revoke the API key; calls with it get FORBIDDEN."""
        self._revoked.add(self.api_key)

    def respond(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes
    ) -> Reply:
        """Return the answer to a request; ``target`` is its path and query."""
        path, _, query = target.partition("?")
        given = {name.lower(): value for name, value in headers.items()}
        values = {name: found[-1] for name, found in parse_qs(query, True).items()}
        with self._lock:
            request_id = self._id("req")
            failure = self._failures.popleft() if self._failures else None
            try:
                request = Request(method, unquote(path), values, given)
                self.requests.append(request)
                if isinstance(failure, Refused):
                    raise failure
                if failure is False:
                    return Reply(0, None, lost=True)
                reply = self._route(request, content, request_id)
            except Refused as refused:
                reply = Reply(refused.status, {"error": refused.error}, refused.headers)
            reply.lost = failure is True
            reply.headers = {**reply.headers, "X-Request-ID": request_id}
            if self._authorized(given):
                reply.headers |= self._limits()
            return reply

    # --- routes

    def _route(self, request: Request, content: bytes, request_id: str) -> Reply:
        match request.path.strip("/").split("/"):
            case ["v1", "generate"]:
                self._require_method(request, "POST")
                self._authenticate(request)
                body = self._json(request, content)
                return self._generate(request, body, request_id)
            case ["v1", "check"]:
                self._require_method(request, "POST")
                self._authenticate(request)
                return self._check(self._json(request, content))
            case ["v1", "jobs"]:
                self._require_method(request, "POST")
                self._authenticate(request)
                body = self._json(request, content)
                return self._create_job(request, body, request_id)
            case ["v1", "jobs", job_id]:
                self._require_method(request, "GET")
                self._authenticate(request)
                return self._look_at_job(job_id)
            case ["v1", "usage"]:
                self._require_method(request, "GET")
                self._authenticate(request)
                return Reply(200, self._usage())
            case ["v1", "content-tokens", token, *rest]:
                reply = self._feed(request, token, rest)
                reply.headers["Cache-Control"] = "no-store"
                return reply
        raise Refused("NOT_FOUND", "There is nothing at this path.")

    def _require_method(self, request: Request, *allowed: str) -> None:
        if request.method not in allowed:
            shown = ", ".join(allowed)
            problem = f"{request.method} is not allowed here; use {shown}."
            raise Refused("METHOD_NOT_ALLOWED", problem)

    def _authorized(self, headers: Mapping[str, str]) -> bool:
        return headers.get("authorization", "") == f"Bearer {self.api_key}" and (
            self.api_key not in self._revoked
        )

    def _authenticate(self, request: Request) -> None:
        if "authorization" not in request.headers:
            raise Refused(
                "UNAUTHORIZED",
                "This endpoint needs an API key: send the header Authorization: Bearer <API_KEY>.",
            )
        if not self._authorized(request.headers):
            raise example("FORBIDDEN" if self.api_key in self._revoked else "UNAUTHORIZED")

    def _json(self, request: Request, content: bytes) -> Any:
        if len(content) > _MAX_BODY_BYTES:
            details = {"maxAllowed": _MAX_BODY_BYTES, "received": len(content)}
            problem = f"The body must be at most {_MAX_BODY_BYTES} bytes."
            raise Refused("PAYLOAD_TOO_LARGE", problem, details)
        sent = request.headers.get("content-type", "").partition(";")[0].strip()
        if sent != "application/json" and not sent.endswith("+json"):
            as_what = f"; it was sent as {sent}" if sent else ""
            raise Refused(
                "UNSUPPORTED_MEDIA_TYPE",
                f"The body must be JSON with the header Content-Type: application/json{as_what}.",
            )
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            raise Refused("VALIDATION_ERROR", "The body is not valid JSON.") from None
        object.__setattr__(self.requests[-1], "body", body)
        return body

    # --- posts

    def _generate(self, request: Request, body: Any, request_id: str) -> Reply:
        require_generate(body)
        key, mark = self._key("generate", request, body, body.get("idempotencyKey"))
        if kept := self._replay(key, mark):
            return kept
        require_plan(body, str(self.plan["name"]), self.max_words_per_request)
        self._count_request()
        self._require_words(body)
        refused = provoked(body["keywords"])
        if refused is None:
            types = (body.get("format") or {}).get("responseTypes")
            post = self._next_post(body)
            shown = {"request_id": request_id, "rendered": rendered(post, types)}
            self._bill(post)
            reply = Reply(200, make_generation(post, **shown).raw)
        else:
            reply = Reply(refused.status, {"error": refused.error}, refused.headers)
        if reply.status in (200, 422):
            self._keep(key, mark, reply)
        return reply

    def _check(self, body: Any) -> Reply:
        require_check(body)
        self._hit("minute", self.requests_per_minute)
        self._count_day()
        if self.check_reports:
            return Reply(200, self.check_reports.popleft().raw)
        words, language = count_words(body["text"]), body.get("language") or "en"
        return Reply(200, make_check_report(words=words, language=language).raw)

    def _create_job(self, request: Request, body: Any, request_id: str) -> Reply:
        require_job(body)
        wanted = body["generateRequest"]
        in_body = body.get("idempotencyKey") or wanted.get("idempotencyKey")
        key, mark = self._key("jobs", request, body, in_body)
        if kept := self._replay(key, mark):
            return kept
        self._hit("minute", self.requests_per_minute)
        error = provoked(wanted["keywords"])
        if error is not None and error.code in REFUSES_JOB:
            raise error
        self._count_day()
        try:
            require_plan(wanted, str(self.plan["name"]), self.max_words_per_request)
        except Refused as beyond:
            error, held = beyond, 0
        else:
            held = self._require_words(wanted)
        now = wire_time(self.clock())
        job_id = self._id("job")
        summary = {
            "keywords": wanted["keywords"],
            "language": wanted.get("language") or "en",
            "maxWords": self._max_words(wanted),
        }
        base = {
            "jobId": job_id,
            "status": "queued",
            "createdAt": now,
            "updatedAt": now,
            "requestId": request_id,
            "inputSummary": summary,
        }
        hook = body.get("webhook") or {}
        secret = SigningSecrets(self.webhook_secret).for_job(job_id)[0] if hook else ""
        types = body["format"]["responseTypes"]
        self._jobs[job_id] = _Job(dict(base), wanted, types, hook, secret, error, held)
        created = {**base, "webhookSigningSecret": secret} if hook else base
        reply = Reply(202, created)
        self._keep(key, mark, reply)
        return reply

    def _look_at_job(self, job_id: str) -> Reply:
        """Each look moves an open job one state further."""
        job = self._jobs.get(job_id)
        if job is None:
            raise Refused("NOT_FOUND", "There is no job of that id.")
        if job.body["status"] == "queued":
            job.body |= {"status": "processing", "updatedAt": wire_time(self.clock())}
        elif job.body["status"] == "processing":
            self._finish(job)
        return Reply(200, dict(job.body))

    def _finish(self, job: _Job) -> None:
        if job.body["status"] not in ("queued", "processing"):
            return
        now = self.clock()
        job.body["updatedAt"] = wire_time(now)
        job.held = 0
        if job.error is None:
            post = self._next_post(job.request)
            self._bill(post)
            made = make_generation(post, rendered=rendered(post, job.types)).raw
            shown = {name: made[name] for name in ("rendered", "quality")}
            job.body |= {"status": "succeeded", "result": post.raw, **shown}
            event, members = "job.succeeded", {"post": post.raw, **shown}
        else:
            job.body |= {"status": "failed", "error": job.error.error}
            event, members = "job.failed", {"error": job.error.error}
        if event in job.webhook.get("events", ()):
            ids = {"jobId": job.body["jobId"], "requestId": job.body["requestId"]}
            sent = {"event": event, **ids, **members}
            url = job.webhook["url"]
            self.webhooks.append(sign_webhook(sent, job.secret, url=url, now=now))

    def _next_post(self, request: Mapping[str, Any]) -> Post:
        if self.posts:
            return self.posts.popleft()
        asked = (request.get("constraints") or {}).get("includeFAQs")
        faqs = [{"question": "Can I use soap?", "answer": "Yes, if you dry the pan at once."}]
        return make_post(keywords=request["keywords"], faqs=faqs if asked else [])

    # --- idempotency

    def _key(
        self, endpoint: str, request: Request, body: Any, in_body: str | None
    ) -> tuple[tuple[str, str] | None, str]:
        header = request.headers.get("idempotency-key")
        if header and in_body and header != in_body:
            problem = "Idempotency-Key and idempotencyKey differ: give the key once, or the same"
            details = {"field": "idempotencyKey"}
            raise Refused("VALIDATION_ERROR", f"{problem} one in both.", details)
        name = header or in_body
        mark = hashlib.sha256(json.dumps(_canonical(body), sort_keys=True).encode()).hexdigest()
        return (endpoint, name) if name else None, mark

    def _replay(self, key: tuple[str, str] | None, mark: str) -> Reply | None:
        kept = self._keys.get(key) if key else None
        if kept is None:
            return None
        if kept.fingerprint != mark:
            raise Refused(
                "VALIDATION_ERROR",
                "This idempotency key was used with another body. Send the first body again, or use"
                " a new key.",
                {"field": "idempotencyKey", "problem": "was used with another body"},
            )
        again = kept.reply
        return Reply(again.status, again.body, {**again.headers, "Idempotent-Replayed": "true"})

    def _keep(self, key: tuple[str, str] | None, mark: str, reply: Reply) -> None:
        if key:
            self._keys[key] = _Kept(mark, Reply(reply.status, reply.body, dict(reply.headers)))

    # --- limits

    def _count_request(self) -> None:
        self._hit("minute", self.requests_per_minute)
        self._count_day()

    def _hit(self, name: str, limit: int) -> None:
        now = self.clock()
        hits = self._recent(name)
        if len(hits) >= limit:
            seconds = max(1, math.ceil(60 - (now - hits[0]).total_seconds()))
            what = (
                (f"The plan {self.plan['name']} allows {limit} requests a minute.")
                if name == "minute"
                else f"More than {limit} calls with unknown content tokens came from this address"
                " within a minute."
            )
            kind = "requestsPerMinute" if name == "minute" else "unknownTokensPerMinute"
            raise Refused(
                "RATE_LIMITED",
                f"{what} Try again in {seconds} s.",
                {
                    "limitType": kind,
                    "limit": limit,
                    "used": limit,
                    "resetAt": wire_time(now + timedelta(seconds=seconds)),
                },
                seconds,
            )
        hits.append(now)

    def _recent(self, name: str) -> list[datetime]:
        since = self.clock() - timedelta(seconds=60)
        hits = self._hits[name] = [hit for hit in self._hits.get(name, []) if hit > since]
        return hits

    def _count_day(self) -> None:
        today, limit = self.clock().date(), self.requests_per_day
        if self._days[today] >= limit:
            raise self._exceeded(
                f"This API key has made its {limit} requests of today.",
                self._midnight(),
                {"limitType": "requestsPerDay", "limit": limit, "used": limit},
            )
        self._days[today] += 1

    def _require_words(self, request: Mapping[str, Any]) -> int:
        words, month = self._max_words(request), self._month()
        held = sum(job.held for job in self._jobs.values())
        limit = {"limitType": "monthlyWords", "limit": self.monthly_words, "used": month["words"]}
        if month["words"] + words > self.monthly_words:
            raise self._exceeded(
                f"This request may take up to {words} words, more than are left of this month's"
                f" {self.monthly_words}. Ask for fewer with constraints.maxWords.",
                self._month_end(),
                limit,
            )
        if month["words"] + held + words > self.monthly_words:
            resets = wire_time(self.clock() + timedelta(seconds=10))
            raise Refused(
                "RATE_LIMITED",
                f"This request may take up to {words} words. Requests that still run hold {held} of"
                f" this month's {self.monthly_words}, and {month['words']} are consumed. Try again"
                " in 10 s.",
                {**limit, "held": held, "resetAt": resets},
                10,
            )
        return words

    def _exceeded(self, message: str, resets: datetime, limit: dict[str, Any]) -> Refused:
        seconds = max(1, math.ceil((resets - self.clock()).total_seconds()))
        details = {**limit, "resetAt": wire_time(resets)}
        return Refused("QUOTA_EXCEEDED", message, details, seconds)

    def _max_words(self, request: Mapping[str, Any]) -> int:
        limits = request.get("constraints") or {}
        least = int(limits.get("minWords") or 0)
        default = min(max(_DEFAULT_MAX_WORDS, least * 5 // 4), self.max_words_per_request)
        return int(limits.get("maxWords") or default)

    def _bill(self, post: Post) -> None:
        self._month().update({"words": post.word_count, "posts": 1, "requests": 1})

    def _month(self) -> Counter[str]:
        now = self.clock()
        return self._months.setdefault((now.year, now.month), Counter())

    def _midnight(self) -> datetime:
        now = self.clock()
        return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)

    def _month_end(self) -> datetime:
        begin = self.clock().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return (begin + timedelta(days=32)).replace(day=1)

    def _limits(self) -> dict[str, str]:
        used, day = len(self._recent("minute")), self.requests_per_day
        left = max(0, day - self._days[self.clock().date()])
        seconds = int((self._midnight() - self.clock()).total_seconds())
        minute = self.requests_per_minute
        return {
            "RateLimit-Policy": f'"minute";q={minute};w=60, "day";q={day};w=86400',
            "RateLimit": f'"minute";r={max(0, minute - used)};t={60 if used else 0},'
            f' "day";r={left};t={seconds}',
        }

    def _usage(self) -> dict[str, Any]:
        month, used = self._month(), self._days[self.clock().date()]
        start = self.clock().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return make_usage(
            plan=dict(self.plan),
            period_start=start,
            period_end=self._month_end(),
            limits={
                "monthlyWords": self.monthly_words,
                "maxWordsPerRequest": self.max_words_per_request,
                "requestsPerMinute": self.requests_per_minute,
            },
            consumed={name: month[name] for name in ("words", "posts", "requests")},
            remaining={"words": max(0, self.monthly_words - month["words"])},
            daily={
                "limit": self.requests_per_day,
                "used": used,
                "remaining": max(0, self.requests_per_day - used),
                "resetAt": wire_time(self._midnight()),
            },
        ).raw

    # --- feed

    def _feed(self, request: Request, token: str, rest: list[str]) -> Reply:
        if token != self.feed_token:
            self._hit("misses", _MISSES_PER_MINUTE)
            raise example("NOT_FOUND")
        match rest:
            case ["latest" | "items"] if request.method == "HEAD":
                return Reply(200, None, {"Content-Type": "application/json"})
            case ["latest"]:
                self._require_method(request, "GET")
                return self._latest(_flag(request.query.get("next", "false")))
            case ["items"]:
                self._require_method(request, "GET")
                return self._pull_items(request.query.get("rule"))
            case ["items", item_id, "confirm"]:
                self._require_method(request, "POST")
                return self._settle(item_id, "used", "confirmed")
            case ["items", item_id, "reject"]:
                self._require_method(request, "POST")
                return self._settle(item_id, "rejected", "rejected")
        raise Refused("NOT_FOUND", "There is nothing at this path.")

    def _latest(self, next_item: bool) -> Reply:
        reserved = [item for item in self._items.values() if item.status == "reserved"]
        if next_item and reserved:
            reserved.pop(0).status = "rejected"
        while reserved and reserved[0].delivery_count >= MAX_SENDS:
            reserved.pop(0).status = "abandoned"
        pending = (item for item in self._items.values() if item.status == "pending")
        item = reserved[0] if reserved else next(pending, None)
        if item is None:
            return Reply(200, {"available": False})
        return Reply(200, {"available": True, "item": self._deliver(item)})

    def _pull_items(self, rule: str | None) -> Reply:
        if rule is not None and not rule.strip():
            raise Refused(
                "VALIDATION_ERROR",
                "rule must not be empty. Name a rule, or omit it to get the items of all rules.",
                {"field": "rule", "problem": "must not be empty"},
            )
        wanted = None if rule is None else self._rule_id(rule.strip())
        asked = [item for item in self._items.values() if wanted in (None, item.rule_id)]
        delivered = []
        for item in (each for each in asked if each.status == "reserved"):
            if item.delivery_count >= MAX_SENDS:
                item.status = "abandoned"
            else:
                delivered.append(item)
        delivered += [item for item in asked if item.status == "pending"]
        items = [
            {"ruleId": item.rule_id, "ruleName": item.rule_name, **self._deliver(item)}
            for item in delivered[:_ITEMS_LIMIT]
        ]
        return Reply(200, {"count": len(items), "limit": _ITEMS_LIMIT, "items": items})

    def _rule_id(self, rule: str) -> str:
        names = {name.casefold(): rule_id for name, rule_id in self._rules.items()}
        found = rule if rule in self._rules.values() else names.get(rule.casefold())
        if found is None:
            problem = "This content token has no rule of that name or id."
            raise Refused("NOT_FOUND", problem, {"field": "rule"})
        return found

    def _deliver(self, item: _Item) -> dict[str, Any]:
        item.status = "reserved"
        item.delivery_count += 1
        return {
            "id": item.id,
            "post": item.post.raw,
            "rendered": rendered(item.post),
            "generatedAt": wire_time(item.generated_at),
            "deliveryCount": item.delivery_count,
        }

    def _settle(self, item_id: str, to: str, what: str) -> Reply:
        item = self._items.get(item_id)
        if item is None:
            raise Refused("NOT_FOUND", "This content token has no item of that id.")
        if item.status not in ("reserved", to):
            raise Refused(
                "CONFLICT",
                f"This item cannot be {what}: it is {item.status}, not reserved.",
                {"status": item.status},
            )
        item.status = to
        return Reply(200, {"ok": True, "item": {"id": item_id, "status": to}})

    def _id(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count:06}"


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _canonical(child)
            for key, child in value.items()
            if key != "idempotencyKey" and child is not None
        }
    if isinstance(value, list):
        return [_canonical(child) for child in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _flag(value: str) -> bool:
    lowered = value.strip().lower()
    if lowered in ("true", "1"):
        return True
    if lowered in ("false", "0", ""):
        return False
    problem = f"next must be true or false; it is “{lowered[:20]}”."
    raise Refused("VALIDATION_ERROR", problem, {"field": "next"})
