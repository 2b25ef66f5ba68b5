"""Objects as the service returns them, with sensible defaults for every member."""

import html
import json
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from copydesk._wire import Received, camel
from copydesk.models import CheckReport, FeedItem, Generation, Job, Post, Usage

M = TypeVar("M", bound=Received)

_INTRODUCTION = "A cast iron pan lasts for decades if it stays oiled and dry."
_BODY = (
    "Rinse the pan while it is still warm. A stiff brush removes most residue, and coarse salt"
    " loosens whatever sticks.\n\nDry the iron with a towel, warm it for a minute, and spread a few"
    " drops of oil."
)
_CONCLUSION = "Cook often, dry the pan at once, and oil it lightly before you put it away."
_QUALITY = {"status": "pass", "score": 80, "revisionCount": 1, "qualityVersion": "4.0.0"}


def make_post(**members: Any) -> Post:
    """Return a post about cast iron pans. ``members`` replace its members, by their names in
    Python; ``keywords`` sets the keywords that the post covers."""
    keywords = list(members.pop("keywords", ["cast iron pan"]))
    faqs = members.get("faqs", [])
    sections = [
        {"type": "introduction", "contentMarkdown": _INTRODUCTION},
        {"type": "body", "heading": "Clean it after cooking", "contentMarkdown": _BODY},
        *([{"type": "faq", "heading": "Questions", "contentMarkdown": ""}] if faqs else []),
        {"type": "conclusion", "contentMarkdown": _CONCLUSION},
    ]
    title = members.get("title", "How to care for a cast iron pan")
    return _made(
        Post,
        {
            "title": title,
            "slugSuggestion": "care-for-a-cast-iron-pan",
            "meta": {
                "description": "Clean a cast iron pan without rust.",
                "primaryKeyword": keywords[0],
            },
            "outline": {"h1": title, "h2": [part["heading"] for part in sections[1:-1]]},
            "sections": sections,
            "faqs": faqs,
            "conclusion": _CONCLUSION,
            "coverageNotes": {
                "keywordCoverage": [
                    {"keyword": each, "covered": True, "evidence": _INTRODUCTION}
                    for each in keywords
                ]
            },
        },
        members,
    )


def make_generation(post: Post | None = None, **members: Any) -> Generation:
    """Return the result of ``generate`` with that post."""
    post = post or make_post()
    defaults = {"requestId": "req_test", "post": post.raw, "rendered": rendered(post)}
    return _made(Generation, {**defaults, "quality": dict(_QUALITY)}, members)


def make_job(status: str = "queued", post: Post | None = None, **members: Any) -> Job:
    """Return a job in that state; one that succeeded has that post."""
    now = wire_time(datetime.now(UTC))
    body: dict[str, Any] = {
        "jobId": "job_test",
        "status": status,
        "createdAt": now,
        "updatedAt": now,
        "requestId": "req_test",
        "inputSummary": {"keywords": ["cast iron pan"], "language": "en", "maxWords": 1200},
    }
    if status == "succeeded":
        result = make_generation(post).raw
        body |= {"result": result["post"]}
        body |= {name: result[name] for name in ("rendered", "quality")}
    if status == "failed":
        body["error"] = {"code": "PROHIBITED_INPUT", "message": "The model declined this."}
    return _made(Job, body, members)


def make_item(post: Post | None = None, **members: Any) -> FeedItem:
    """Return a feed item with that post, as a first pull returns it."""
    post = post or make_post()
    defaults = {
        "id": "itm_test",
        "post": post.raw,
        "rendered": rendered(post),
        "generatedAt": wire_time(datetime.now(UTC)),
        "deliveryCount": 1,
    }
    return _made(FeedItem, defaults, members)


def make_check_report(**members: Any) -> CheckReport:
    """Return the result of ``check`` for a text in which nothing was found."""
    return _made(
        CheckReport,
        {
            "passes": True,
            "score": 70,
            "scoreParts": {"rules": 100, "editor": "not examined"},
            "words": 100,
            "language": "en",
            "qualityVersion": _QUALITY["qualityVersion"],
            "findingCount": 0,
            "findings": [],
            "skipped": [],
        },
        members,
    )


def make_usage(**members: Any) -> Usage:
    """Return a usage report of an account that has used nothing."""
    now = datetime.now(UTC)
    start = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return _made(
        Usage,
        {
            "plan": {"id": "test", "name": "Test", "priorityProcessing": False, "teamSeats": 1},
            "periodStart": wire_time(start),
            "periodEnd": wire_time((start + timedelta(days=32)).replace(day=1)),
            "metering": {"unit": "word", "granularity": "request"},
            "limits": {
                "monthlyWords": 1_000_000,
                "maxWordsPerRequest": 5_000,
                "requestsPerMinute": 600,
            },
            "consumed": {"words": 0, "posts": 0, "requests": 0},
            "remaining": {"words": 1_000_000},
            "daily": {
                "limit": 10_000,
                "used": 0,
                "remaining": 10_000,
                "resetAt": wire_time(midnight),
            },
        },
        members,
    )


def rendered(post: Post, wanted: list[str] | None = None) -> dict[str, str]:
    """Return the representations of a post that were asked for; Markdown and HTML by default.

    Only paragraphs are rendered, not the other forms of CommonMark.
    """
    kinds = set(wanted or ("markdown", "html"))
    parts: list[tuple[str, str]] = []
    for section in post.sections:
        if section.heading:
            parts.append(("h2", section.heading))
        if section.callout:
            parts.append(("blockquote", f"{section.callout.label}: {section.callout.text}"))
        for faq in post.faqs if section.type == "faq" else ():
            parts += [("h3", faq.question), ("p", faq.answer)]
        parts += [("p", text) for text in section.content_markdown.split("\n\n") if text]
    marks = {"h2": "## ", "h3": "### ", "blockquote": "> ", "p": ""}
    shown = {}
    if "markdown" in kinds:
        shown["markdown"] = "\n\n".join(marks[tag] + text for tag, text in parts) + "\n"
    if "html" in kinds:
        lines = (f"<{tag}>{html.escape(text, quote=False)}</{tag}>" for tag, text in parts)
        shown["html"] = "\n".join(lines) + "\n"
    if kinds == {"json"}:
        shown["rawJson"] = json.dumps(post.raw, ensure_ascii=False)
    return shown


def wire_time(moment: datetime) -> str:
    """Return a time as the service writes it: 2026-01-31T09:30:00.000Z."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _made(model: type[M], defaults: dict[str, Any], members: dict[str, Any]) -> M:
    known = model.__dataclass_fields__
    for name in members:
        if name not in known:
            raise TypeError(f"a {model.__name__} has no member {name!r}")
    given = {camel(name): _wire(value) for name, value in members.items()}
    return model.from_wire({**defaults, **given})


def _wire(value: Any) -> Any:
    if isinstance(value, Received):
        return value.raw
    if isinstance(value, datetime):
        return wire_time(value.astimezone(UTC))
    if isinstance(value, (list, tuple)):
        return [_wire(each) for each in value]
    return value
