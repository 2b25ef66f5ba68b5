"""The webhooks: what a job's receiver is sent."""

from typing import Any

from app.api.openapi import examples
from app.api.openapi.schemas import reference
from app.core.job_answer import JobFailed, JobSucceeded


def webhooks() -> dict[str, Any]:
    succeeded = _event(
        "jobSucceeded",
        "A job has succeeded",
        reference(JobSucceeded),
        examples.JOB_SUCCEEDED,
    )
    failed = _event("jobFailed", "A job has failed", reference(JobFailed), examples.JOB_FAILED)
    return {"job.succeeded": {"post": succeeded}, "job.failed": {"post": failed}}


def _event(
    operation_id: str, summary: str, schema: dict[str, Any], example: dict[str, Any]
) -> dict[str, Any]:
    return {
        "operationId": operation_id,
        "tags": ["Jobs"],
        "summary": summary,
        "description": "Sent to the job's webhook where it asked for this event, until it is"
        " acknowledged; so it can arrive more than once.",
        "security": [],
        "parameters": [
            _header(
                "x-svc-signature",
                "Proves who sent the body, and when: t is the time in seconds since 1970, v1 the"
                " HMAC-SHA256 of t, a period and the raw body, in hex, with the whole"
                " webhookSigningSecret as the key.",
                "t=1769851841,v1=" + "0f" * 32,
                pattern="^t=[0-9]+,v1=[0-9a-f]{64}$",
            ),
            _header(
                "webhook-id",
                "The same on every attempt: what a receiver knows repetitions by.",
                "msg_01JD3ZR8T0V2X4Z6B8D0F2H4J6",
            ),
            _header(
                "webhook-timestamp",
                "The t of x-svc-signature.",
                "1769851841",
                pattern="^[0-9]+$",
            ),
            _header(
                "webhook-signature",
                "The signature as Standard Webhooks has it, for receivers that use its libraries.",
                "v1," + "A" * 43 + "=",
                pattern="^v1,[A-Za-z0-9+/]{43}=$",
            ),
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": schema,
                    "examples": {example["event"]: {"value": example}},
                }
            },
        },
        "responses": {
            "2XX": {"description": "Received. Answer within 15 seconds, and work afterwards."},
            "410": {"description": "Gone: this event is not sent again."},
            "default": {
                "description": "Not received, a redirect included: it is sent again after 5 s,"
                " 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, or when Retry-After says."
            },
        },
    }


def _header(name: str, description: str, example: str, **schema: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": True,
        "description": description,
        "schema": {"type": "string", **schema},
        "example": example,
    }
