"""POST /v1/jobs and GET /v1/jobs/{jobId}."""

from flask import Blueprint, Response, g, jsonify

from app.api.requests import answer, caller, idempotency_key, json_body
from app.core.job import parse_job_request
from app.services import jobs
from app.wiring import ports

blueprint = Blueprint("jobs", __name__)


@blueprint.post("/v1/jobs")
def post_job() -> Response:
    who = caller()
    wired = ports()
    body = json_body()
    request = parse_job_request(body, allow_private=wired.settings.webhook_allow_private)
    key = idempotency_key(
        "jobs",
        body,
        **{
            "idempotencyKey": request.idempotency_key,
            "generateRequest.idempotencyKey": request.generate_request.idempotency_key,
        },
    )
    created, replayed = jobs.create(
        who, request, g.request_id, key, wired.clock, wired.limiter, wired.queue
    )
    return answer(created, replayed=replayed, status=202)


@blueprint.get("/v1/jobs/<job_id>")
def get_job(job_id: str) -> Response:
    return jsonify(jobs.find(caller(), job_id))
