"""The operations that take an API key, and the health checks."""

from typing import Any

from app.api.openapi import examples
from app.api.openapi.errors import ALWAYS
from app.api.openapi.parameters import body, use
from app.api.openapi.responses import RATE_HEADERS, answer, error_answers
from app.api.openapi.schemas import reference
from app.core.generation import Generation
from app.core.health import Health, Readiness
from app.core.job import JobRequest
from app.core.job_answer import Job
from app.core.request import GenerateRequest
from app.core.usage_report import UsageReport

_KEYED = ("UNAUTHORIZED", "FORBIDDEN", *ALWAYS)
_BODY = ("PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE")
_LIMITED = ("RATE_LIMITED", "QUOTA_EXCEEDED")
_WRITING = (
    "IDEMPOTENCY_IN_PROGRESS",
    "CONTENT_QUALITY_FAILED",
    "PROHIBITED_INPUT",
    "GENERATION_TIMEOUT",
)
_REPLAYED = (*RATE_HEADERS, "Idempotent-Replayed")


def paths() -> dict[str, Any]:
    return {
        "/v1/generate": {"post": _generate()},
        "/v1/jobs": {"post": _create_job()},
        "/v1/jobs/{jobId}": {"get": _get_job()},
        "/v1/usage": {"get": _usage()},
    }


def health_paths() -> dict[str, Any]:
    return {"/healthz": {"get": _health()}, "/readyz": {"get": _ready()}}


def _generate() -> dict[str, Any]:
    return {
        "operationId": "generate",
        "tags": ["Posts"],
        "summary": "Write a post and wait for it",
        "description": "Answers once the post has passed the copy desk; that takes seconds to"
        " minutes. With an idempotency key a repeated call gets the first one's answer, and"
        " waits for it where it is still being written.",
        "parameters": use("Idempotency-Key", "X-Request-ID"),
        "requestBody": body(
            reference(GenerateRequest),
            keywords=examples.SHORT_REQUEST,
            everything=examples.FULL_REQUEST,
        ),
        "responses": {
            "200": answer(
                "The post.", reference(Generation), {"post": examples.GENERATION}, *_REPLAYED
            ),
            **error_answers(*_KEYED, *_BODY, *_LIMITED, *_WRITING, headers=_REPLAYED),
        },
    }


def _create_job() -> dict[str, Any]:
    created = answer(
        "The job is accepted. It never is lost, and it ends succeeded or failed.",
        reference(Job),
        {"job": examples.QUEUED_JOB, "withWebhook": examples.JOB_WITH_WEBHOOK},
        *_REPLAYED,
    )
    created["links"] = {
        "job": {
            "operationId": "getJob",
            "parameters": {"jobId": "$response.body#/jobId"},
            "description": "Ask how the job is.",
        }
    }
    return {
        "operationId": "createJob",
        "tags": ["Jobs"],
        "summary": "Have a post written in the background",
        "description": "Answers at once. Read the result with GET /v1/jobs/{jobId}, or name a"
        " webhook. A request beyond the limits of the plan is accepted, and its job fails with"
        " `VALIDATION_ERROR`.",
        "parameters": use("Idempotency-Key", "X-Request-ID"),
        "requestBody": body(
            reference(JobRequest),
            keywords=examples.SHORT_JOB_REQUEST,
            withWebhook=examples.FULL_JOB_REQUEST,
        ),
        "responses": {
            "202": created,
            **error_answers(*_KEYED, *_BODY, *_LIMITED, headers=RATE_HEADERS),
        },
    }


def _get_job() -> dict[str, Any]:
    return {
        "operationId": "getJob",
        "tags": ["Jobs"],
        "summary": "Ask how a job is",
        "description": "A job is kept for 30 days.",
        "parameters": use("jobId", "X-Request-ID"),
        "responses": {
            "200": answer(
                "The job.",
                reference(Job),
                {
                    "queued": examples.QUEUED_JOB,
                    "succeeded": examples.SUCCEEDED_JOB,
                    "failed": examples.FAILED_JOB,
                },
                *RATE_HEADERS,
            ),
            **error_answers(*_KEYED, "NOT_FOUND", headers=RATE_HEADERS),
        },
    }


def _usage() -> dict[str, Any]:
    return {
        "operationId": "getUsage",
        "tags": ["Usage"],
        "summary": "See usage and quota of the current billing period",
        "parameters": use("X-Request-ID"),
        "responses": {
            "200": answer(
                "The report.", reference(UsageReport), {"usage": examples.USAGE}, *RATE_HEADERS
            ),
            **error_answers(*_KEYED, headers=RATE_HEADERS),
        },
    }


def _health() -> dict[str, Any]:
    return {
        "operationId": "getHealth",
        "tags": ["Health"],
        "summary": "See whether the process lives",
        "security": [],
        "responses": {
            "200": answer("It does.", reference(Health), {"ok": examples.HEALTHY}),
            **error_answers("VALIDATION_ERROR", "INTERNAL_ERROR"),
        },
    }


def _ready() -> dict[str, Any]:
    ready = reference(Readiness)
    return {
        "operationId": "getReadiness",
        "tags": ["Health"],
        "summary": "See whether all that the service needs can be reached",
        "security": [],
        "responses": {
            "200": answer("It can.", ready, {"ready": examples.READY}),
            **error_answers("VALIDATION_ERROR", "INTERNAL_ERROR"),
            "503": answer("Something cannot.", ready, {"notReady": examples.NOT_READY}),
        },
    }
