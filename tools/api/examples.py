"""Example bodies, from examples.toml; a test checks each of them against its schema."""

import tomllib
from pathlib import Path
from typing import Any

_DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("examples.toml").read_text("utf-8"))

REQUEST_ID: str = _DATA["request_id"]
JOB_ID: str = _DATA["job_id"]
ITEM_ID: str = _DATA["item_id"]
RULE_ID: str = _DATA["rule_id"]
TOKEN_ID: str = _DATA["token_id"]

SHORT_REQUEST: dict[str, Any] = {"keywords": ["cold brew ratio"]}
FULL_REQUEST: dict[str, Any] = _DATA["full_request"]
POST: dict[str, Any] = _DATA["post"]
RENDERED = {"markdown": _DATA["markdown"]}
QUALITY: dict[str, Any] = _DATA["quality"]
ERROR: dict[str, Any] = _DATA["error"]
_WRITTEN = {"post": POST, "rendered": RENDERED, "quality": QUALITY}
GENERATION = {"requestId": REQUEST_ID, **_WRITTEN}

_IDS = {"jobId": JOB_ID, "requestId": REQUEST_ID}
SHORT_JOB_REQUEST: dict[str, Any] = {
    "generateRequest": SHORT_REQUEST,
    "format": {"responseTypes": ["markdown"]},
}
FULL_JOB_REQUEST: dict[str, Any] = {
    "generateRequest": FULL_REQUEST,
    "format": {"responseTypes": ["markdown", "html"]},
    "webhook": _DATA["webhook"],
}
QUEUED_JOB: dict[str, Any] = {**_IDS, **_DATA["queued_job"]}
# Not a real secret: nothing was ever signed with it.
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
JOB_SUCCEEDED = {"event": "job.succeeded", **_IDS, **_WRITTEN}
JOB_FAILED = {"event": "job.failed", **_IDS, "error": ERROR}

SHORT_CHECK: dict[str, Any] = {"text": _DATA["check"]["text"]}
FULL_CHECK: dict[str, Any] = _DATA["check"]
CHECK_REPORT: dict[str, Any] = _DATA["check_report"]

USAGE: dict[str, Any] = _DATA["usage"]

ITEM: dict[str, Any] = {
    "id": ITEM_ID,
    "post": POST,
    "rendered": {**RENDERED, "html": _DATA["html"]},
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
CONFIRM = {"url": "https://blog.example.com/cold-brew-at-home"}
CONFIRMED = {"ok": True, "item": {"id": ITEM_ID, "status": "used"}}
REJECTED = {"ok": True, "item": {"id": ITEM_ID, "status": "rejected"}}

HEALTHY = {"status": "ok"}
READY = {"status": "ok", "database": "ok", "queue": "ok", "model": "ok"}
NOT_READY = {**READY, "status": "unavailable", "model": "unreachable"}
