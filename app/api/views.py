"""The endpoints that need an API key, and the health checks."""

from hmac import compare_digest
from typing import Any

from flask import Blueprint, Response, g, jsonify, request

from app.api import admission
from app.api.requests import answer, idempotency_key, json_body, name_ignored
from app.container import services
from app.core.credentials import is_sandbox
from app.core.schemas.bodies import parse
from app.core.schemas.check import CheckRequest
from app.core.schemas.job import JobRequest, parse_job_request
from app.core.schemas.request import GenerateRequest
from app.logs import note
from app.services import jobs, usage
from app.services.accounts import authenticate
from app.services.generate import GenerateCommand, generate
from app.services.idempotency import KeyInUse, answered
from app.services.readiness import OK
from app.services.text_check import check_text
from app.settings.service_address import recorded

blueprint = Blueprint("views", __name__)
health = Blueprint("health", __name__)


@blueprint.before_request
def identify() -> None:
    """Find out who calls, before any view of the blueprint: it is in ``g.caller``. Nobody needs a
    key to ask which methods there are."""
    if request.method != "OPTIONS":
        g.caller = authenticate(services().context, request.headers.get("Authorization"))
        note(account=g.caller.account_id)


@blueprint.post("/generate")
def post_generate() -> Response:
    body = json_body()
    member = body.get("idempotencyKey") if isinstance(body, dict) else None
    key = idempotency_key("generate", body, idempotencyKey=member)
    service, call, waited_for = services(), admission.call(), ""
    while True:
        try:
            # First, because a body that was answered is a valid one.
            earlier = answered(service.context, key, waited_for)
            if earlier is not None:
                name_ignored(GenerateRequest, body)
                return answer(earlier, replayed=True)
            wanted = parse(GenerateRequest, body)
            name_ignored(GenerateRequest, body)
            command = GenerateCommand(
                g.caller, wanted, g.request_id, key, waited_for, service.settings.debug_block
            )
            if not is_sandbox(g.caller.account_id):  # its calls wait for no model
                call.wait_for_place()
            result, replayed = generate(service.context, command)
        except KeyInUse as in_use:
            call.wait_for_key(in_use)
            waited_for = in_use.owner
        else:
            return answer(result, replayed=replayed)


@blueprint.post("/jobs")
def post_job() -> Response:
    service = services()
    body = json_body()
    wanted = parse_job_request(body, allow_private=service.settings.webhook_allow_private)
    name_ignored(JobRequest, body)
    members = {
        "idempotencyKey": wanted.idempotency_key,
        "generateRequest.idempotencyKey": wanted.generate_request.idempotency_key,
    }
    key = idempotency_key("jobs", body, **members)
    created, replayed = jobs.create(service.context, g.caller, wanted, g.request_id, key)
    return answer(created, replayed=replayed, status=202)


@blueprint.get("/jobs/<job_id>")
def get_job(job_id: str) -> Response:
    return jsonify(jobs.find(g.caller, job_id))


@blueprint.post("/check")
def post_check() -> Response:
    body = json_body()
    wanted = parse(CheckRequest, body)
    name_ignored(CheckRequest, body)
    # The checks keep a processor busy, for seconds if the text is long: one text at a time leaves
    # the other calls their share.
    admission.call().wait_to_check()
    return jsonify(check_text(services().context, g.caller, wanted))


@blueprint.get("/usage")
def get_usage() -> Response:
    return jsonify(usage.report(services().context, g.caller))


@health.get("/healthz")
def healthz() -> Response:
    """Answer as long as the process runs."""
    return jsonify({"status": "ok"})


@health.get("/readyz")
def readyz() -> tuple[Response, int]:
    """Report whether the database, the queue and the model can be reached; with the key of the data
    folder, as `copydesk-server status` has it, also what is wrong."""
    service = services()
    report = service.readiness.report(service.context)
    ready = all(state == OK for state in report.values())
    body: dict[str, Any] = {"status": "ok" if ready else "unavailable", **report}
    given = request.authorization and request.authorization.token
    if given and compare_digest(given.encode(), recorded(service.settings)[1].encode()):
        ports, reasons = service.health()
        body |= {**ports, "reasons": reasons}
    return jsonify(body), 200 if ready else 503
