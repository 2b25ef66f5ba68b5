"""Example bodies; a test holds each of them against its schema."""

from typing import Any

REQUEST_ID = "req_01JD3ZK8Q6WX0V5T2N4M7R9A1B"
JOB_ID = "job_01JD3ZM2F4Y8S6C1H7K0P3V5X9"
ITEM_ID = "itm_01JD3ZP5R7B9D2G4J6L8N0Q1S3"
RULE_ID = "rul_01JD3YVW1A3C5E7G9J1L3N5Q7S"
TOKEN_ID = "ct_00000000000000000000000000000000"  # noqa: S105 - a form, not a secret

SHORT_REQUEST: dict[str, Any] = {"keywords": ["cold brew ratio"]}
FULL_REQUEST: dict[str, Any] = {
    "keywords": ["cold brew ratio", "coffee grind size"],
    "topic": "Cold brew at home for people who have never made it",
    "language": "en",
    "region": "US",
    "tone": "friendly",
    "targetAudience": "beginners with a simple kitchen",
    "brandVoice": "warm and to the point",
    "industry": "coffee",
    "targetUrl": "https://example.com/guides/cold-brew",
    "constraints": {
        "minWords": 400,
        "maxWords": 600,
        "maxSections": 4,
        "includeFAQs": True,
        "keywordUsageStrategy": "natural",
    },
    "format": {"responseTypes": ["markdown", "html"]},
    "factualityMode": "standard",
    "clientProvidedRequestId": "spring-campaign-17",
}

_INTRODUCTION = (
    "A good cold brew ratio is easy to remember: one part coffee to eight parts water. Weigh both"
    " once, and every jar after that tastes the same."
)
_GRIND = (
    "A coarse coffee grind size gives up its flavour slowly, which suits a night in the fridge."
    " Fine powder clouds the jar."
)
_ANSWER = "About a week in a closed bottle."
_CONCLUSION = "Start tonight with one jar, and write down what you would change."

POST: dict[str, Any] = {
    "title": "Cold brew ratio: a simple start at home",
    "slugSuggestion": "cold-brew-ratio-at-home",
    "meta": {
        "description": "The cold brew ratio that works, the right grind, and how long to wait.",
        "primaryKeyword": "cold brew ratio",
    },
    "outline": {
        "h1": "Cold brew ratio: a simple start at home",
        "h2": ["Which grind to choose", "Frequently asked questions"],
    },
    "sections": [
        {"type": "introduction", "contentMarkdown": _INTRODUCTION},
        {"type": "body", "heading": "Which grind to choose", "contentMarkdown": _GRIND},
        {
            "type": "callout",
            "contentMarkdown": "",
            "callout": {"label": "Good to know", "text": "Scoops differ a lot: weigh instead."},
        },
        {"type": "faq", "heading": "Frequently asked questions", "contentMarkdown": ""},
        {"type": "conclusion", "contentMarkdown": _CONCLUSION},
    ],
    "faqs": [{"question": "How long does it keep?", "answer": _ANSWER}],
    "conclusion": _CONCLUSION,
    "coverageNotes": {
        "keywordCoverage": [
            {
                "keyword": "cold brew ratio",
                "covered": True,
                "evidence": "A good cold brew ratio is easy to remember: one part coffee to eight"
                " parts water.",
            }
        ]
    },
}
_MARKDOWN = (
    f"{_INTRODUCTION}\n\n## Which grind to choose\n\n{_GRIND}\n\n> **Good to know:** Scoops differ"
    " a lot: weigh instead.\n\n## Frequently asked questions\n\n### How long does it keep?\n\n"
    f"{_ANSWER}\n\n---\n\n{_CONCLUSION}\n"
)
RENDERED = {"markdown": _MARKDOWN}
QUALITY = {"status": "pass", "score": 97, "revisionCount": 1, "qualityVersion": "1.1.0"}
ERROR = {
    "code": "CONTENT_QUALITY_FAILED",
    "message": "The post does not pass: the keyword “coffee grind size” is not covered.",
}

GENERATION = {"requestId": REQUEST_ID, "post": POST, "rendered": RENDERED, "quality": QUALITY}

SHORT_JOB_REQUEST: dict[str, Any] = {
    "generateRequest": SHORT_REQUEST,
    "format": {"responseTypes": ["markdown"]},
}
FULL_JOB_REQUEST: dict[str, Any] = {
    "generateRequest": FULL_REQUEST,
    "format": {"responseTypes": ["markdown", "html"]},
    "webhook": {
        "url": "https://example.com/hooks/copydesk",
        "events": ["job.succeeded", "job.failed"],
    },
}
QUEUED_JOB: dict[str, Any] = {
    "jobId": JOB_ID,
    "status": "queued",
    "createdAt": "2026-01-31T09:30:00.000Z",
    "updatedAt": "2026-01-31T09:30:00.000Z",
    "requestId": REQUEST_ID,
    "inputSummary": {"keywords": ["cold brew ratio"], "language": "en", "maxWords": 1200},
}
# The secret is no secret: nothing was ever signed with it.
JOB_WITH_WEBHOOK = {
    **QUEUED_JOB,
    "webhookSigningSecret": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
}
_ENDED = {**QUEUED_JOB, "updatedAt": "2026-01-31T09:30:41.207Z"}
SUCCEEDED_JOB = {
    **_ENDED,
    "status": "succeeded",
    "result": POST,
    "rendered": RENDERED,
    "quality": QUALITY,
}
FAILED_JOB = {**_ENDED, "status": "failed", "error": ERROR}
JOB_SUCCEEDED = {
    "event": "job.succeeded",
    "jobId": JOB_ID,
    "requestId": REQUEST_ID,
    "post": POST,
    "rendered": RENDERED,
    "quality": QUALITY,
}
JOB_FAILED = {"event": "job.failed", "jobId": JOB_ID, "requestId": REQUEST_ID, "error": ERROR}

USAGE = {
    "plan": {"id": "growth", "name": "Growth", "priorityProcessing": False, "teamSeats": 5},
    "periodStart": "2026-01-01T00:00:00.000Z",
    "periodEnd": "2026-02-01T00:00:00.000Z",
    "metering": {"unit": "word", "granularity": "request"},
    "limits": {"monthlyWords": 100000, "maxWordsPerRequest": 3000, "requestsPerMinute": 60},
    "consumed": {"words": 18240, "posts": 21, "requests": 21},
    "remaining": {"words": 81760},
    "daily": {
        "limit": 500,
        "used": 88,
        "remaining": 412,
        "resetAt": "2026-02-01T00:00:00.000Z",
    },
}

ITEM: dict[str, Any] = {
    "id": ITEM_ID,
    "post": POST,
    "rendered": {
        "markdown": _MARKDOWN,
        "html": f"<p>{_INTRODUCTION}</p>\n<h2>Which grind to choose</h2>\n<p>{_GRIND}</p>\n",
    },
    "generatedAt": "2026-01-31T08:15:07.412Z",
    "deliveryCount": 1,
}
AVAILABLE = {"available": True, "item": ITEM}
NOTHING_NEW = {"available": False}
ITEMS = {
    "count": 1,
    "limit": 100,
    "items": [{**ITEM, "ruleId": RULE_ID, "ruleName": "Coffee basics"}],
}
CONFIRMED = {"ok": True, "item": {"id": ITEM_ID, "status": "used"}}
REJECTED = {"ok": True, "item": {"id": ITEM_ID, "status": "rejected"}}

HEALTHY = {"status": "ok"}
READY = {"status": "ok", "database": "ok", "queue": "ok", "model": "ok"}
NOT_READY = {**READY, "status": "unavailable", "model": "There is no model."}
