"""The interface's objects as JSON Schemas, written by hand from its tables.

They are exact: a member more is as wrong as one less, so that what is new has to be decided here.
"""

from collections.abc import Mapping
from typing import Any

import requests
from jsonschema import Draft202012Validator

STRING: Mapping[str, Any] = {"type": "string", "minLength": 1}
NUMBER: Mapping[str, Any] = {"type": "number"}
BOOLEAN: Mapping[str, Any] = {"type": "boolean"}
INTEGER: Mapping[str, Any] = {"type": "integer"}
STRINGS: Mapping[str, Any] = {"type": "array", "items": STRING}
# ISO 8601 in UTC with milliseconds.
TIME: Mapping[str, Any] = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
}


def obj(*optional: str, **members: Mapping[str, Any]) -> Mapping[str, Any]:
    """An object with exactly these members, of which the ``optional`` may be absent."""
    return {
        "type": "object",
        "properties": members,
        "required": [name for name in members if name not in optional],
        "additionalProperties": False,
    }


def array(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "array", "items": entry}


SECTION = obj(
    "heading",
    "callout",
    type=STRING,
    heading=STRING,
    contentMarkdown={"type": "string"},
    callout=obj(label=STRING, text=STRING),
)
POST = obj(
    title=STRING,
    slugSuggestion=STRING,
    meta=obj(description=STRING, primaryKeyword=STRING),
    outline=obj(h1=STRING, h2=STRINGS),
    sections={**array(SECTION), "minItems": 3},
    faqs=array(obj(question=STRING, answer=STRING)),
    conclusion=STRING,
    coverageNotes=obj(keywordCoverage=array(obj(keyword=STRING, covered=BOOLEAN, evidence=STRING))),
)
QUALITY = obj(status=STRING, score=NUMBER, revisionCount=INTEGER, qualityVersion=STRING)
RENDERED = obj("markdown", "html", "rawJson", markdown=STRING, html=STRING,
               rawJson=STRING)  # fmt: skip
ERROR = obj("details", code=STRING, message=STRING, details={"type": "object"})
ERROR_BODY = obj(error=ERROR, requestId=STRING, documentation=STRING)

_BASE = {
    "jobId": STRING,
    "status": {"enum": ["queued", "processing", "succeeded", "failed"]},
    "createdAt": TIME,
    "updatedAt": TIME,
    "requestId": STRING,
    "inputSummary": obj(keywords=STRINGS, language=STRING, maxWords=NUMBER),
}
_PROGRESS = obj("number", "of", stage=STRING, number=INTEGER, of=INTEGER, tokens=INTEGER)
JOB = {
    "queued": obj(**_BASE),
    "processing": obj(**_BASE, progress=_PROGRESS),
    "succeeded": obj(**_BASE, result=POST, rendered=RENDERED, quality=QUALITY),
    "failed": obj(**_BASE, error=ERROR),
}
CREATED_JOB = obj(**_BASE)
CREATED_JOB_WITH_WEBHOOK = obj(**_BASE, webhookSigningSecret=STRING)

USAGE = obj(
    plan=obj(id=STRING, name=STRING, priorityProcessing=BOOLEAN, teamSeats=INTEGER),
    periodStart=TIME,
    periodEnd=TIME,
    metering=obj(unit={"enum": ["word", "post"]}, granularity={"enum": ["request", "generation"]}),
    limits=obj(monthlyWords=NUMBER, maxWordsPerRequest=NUMBER, requestsPerMinute=NUMBER),
    consumed=obj(words=NUMBER, posts=NUMBER, requests=NUMBER),
    remaining=obj(words=NUMBER),
    daily=obj(limit=NUMBER, used=NUMBER, remaining=NUMBER, resetAt=TIME),
)


def matches(value: Any, shape: Mapping[str, Any]) -> None:
    """Assert that a value has a shape; says what differs, and where."""
    problems = [
        f"{error.json_path}: {error.message[:300]}"
        for error in Draft202012Validator(shape).iter_errors(value)
    ]
    assert not problems, "\n".join(problems)


def error_of(answer: requests.Response, status: int, code: str) -> Any:
    """The error of an answer, which has the body, the code and the id that every error has."""
    assert answer.status_code == status, answer.text
    matches(answer.json(), ERROR_BODY)
    assert answer.headers["Content-Type"] == "application/json"
    is_first = "Idempotent-Replayed" not in answer.headers
    assert (answer.headers["X-Request-ID"] == answer.json()["requestId"]) is is_first
    assert answer.json()["documentation"].endswith(f"/v1/docs#{code}")
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert "Traceback" not in answer.text
    return error
