"""Jobs, their webhooks, and the playground, which creates a job."""

import json
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from flask import Response, g, render_template, request

from app.console import browser, forms, site
from app.console.site import Answer, blueprint
from app.console.words import post_html
from app.core.errors import ServiceError, ValidationFailed
from app.core.schemas.bodies import parse
from app.core.schemas.idempotency import fingerprint
from app.core.schemas.job import JobRequest
from app.core.schemas.times import span
from app.services import accounts, cost_reports, evidence, failures, jobs, overview, webhooks
from app.services.idempotency import Key
from app.store.overview import WorkFilter

_OPEN = frozenset({"queued", "processing"})
_FORMS = ["markdown", "html"]
# Workers that are there take a job within this many seconds, unless all are busy.
_SOON = 60
# What belongs to one call; "format" is that of the job.
_LEFT_OUT = frozenset({"idempotencyKey", "format"})


@blueprint.get("/console/jobs/<job_id>")
def job(job_id: str) -> str:
    row, account, calls = overview.job(job_id)
    result = row.result or {}
    rendered = result.get("rendered") or {}
    is_open, problem = row.status in _OPEN, browser.model_problem()
    return render_template(
        "console/job.html",
        job=row,
        account=account,
        calls=calls,
        is_open=is_open,
        progress=jobs.progress(job_id) if row.status == "processing" else None,
        reloads=is_open and "follow" in request.args,
        deliveries=[sent for sent, _ in overview.deliveries(WorkFilter(job=job_id))],
        title=(result.get("post") or {}).get("title", ""),
        html=post_html(rendered.get("html") or ""),
        markdown=rendered.get("markdown") or "",
        as_json=json.dumps(result.get("post"), indent=2, ensure_ascii=False) if result else "",
        quality=result.get("quality"),
        members=forms.shown(row.request),
        failure=failures.explain(row.error, problem) if row.error else None,
        waits=waits(row, problem) if row.status == "queued" else "",
        model_problem=problem if is_open else "",
        evidence=evidence.find(job_id),
        cost=cost_reports.of_post(job_id),
        curl=_curl(row.request, row.response_types),
    )


def waits(row: Any, model_problem: str) -> str:
    """Return what a queued job or run waits for."""
    seconds = int((row.not_before - browser.context().clock.now()).total_seconds())
    if seconds > 0:
        what = "for the model" if model_problem else "for its next attempt"
        return f"The post waits {what}. A worker tries it again in {span(seconds)}."
    if seconds > -_SOON:
        return "The post waits for a worker."
    return (
        f"The post has waited for a worker for {span(-seconds)}. If none runs, start"
        " `copydesk-server run` or `copydesk-server worker`."
    )


def _curl(request: Mapping[str, Any], response_types: Sequence[str]) -> str:
    """Return the call that creates a job with this request."""
    asked = {name: value for name, value in request.items() if name not in _LEFT_OUT}
    body = {"generateRequest": asked, "format": {"responseTypes": list(response_types)}}
    parts = (
        f"curl -X POST {shlex.quote(f'{browser.address()}/v1/jobs')}",
        '-H "Authorization: Bearer $COPYDESK_API_KEY"',
        '-H "Content-Type: application/json"',
        f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
    )
    return " \\\n  ".join(parts)


@blueprint.route("/console/playground", methods=site.FORM)
def create_job() -> Answer:
    context = browser.context()
    is_sent = request.method == "POST"
    account_id = (g.form if is_sent else request.args).get("account", "")[:40]
    values: Mapping[str, Any] = {}
    if again := request.args.get("again", "")[:40]:
        earlier, _, _ = overview.job(again)
        account_id, values = earlier.account_id, forms.values(earlier.request)
    if not account_id and not is_sent:
        rows = overview.accounts(context)
        if len(rows) != 1:
            return render_template("console/playground_account.html", rows=rows)
        account_id = rows[0][0].id
    found = overview.account(context, account_id)

    def create() -> Answer:
        body = {
            "generateRequest": forms.given(forms.request(g.form, found.plan)),
            "format": {"responseTypes": _FORMS},
        }
        wanted = parse(JobRequest, body)
        caller = accounts.caller_for(context, account_id)
        # A form that is sent twice creates one job.
        digest = fingerprint(body)
        key = Key(account_id, "jobs", f"console-{g.form.get('once', '')[:40]}-{digest}", digest)
        created, _ = jobs.create(context, caller, wanted, g.request_id, key)
        return site.to("job", job_id=json.loads(created)["jobId"], follow=1)

    return site.request_page("console/playground.html", create, values, account=found)


@blueprint.get("/console/webhooks")
def failed_webhooks() -> str:
    wanted, problem = WorkFilter("failed"), ""
    try:
        wanted = _filter(request.args)
        rows = overview.deliveries(wanted, site.before())
    except ServiceError as error:
        problem, rows = error.message, []
    return site.listed(
        "console/webhooks.html",
        rows,
        lambda row: row[0].id,
        problem=problem,
        number=0 if problem else overview.count_deliveries(wanted),
        most=webhooks.MOST_REPLAYED,
        values=request.args,
        replayed=request.args.get("replayed", "")[:10],
    )


@blueprint.post("/console/webhooks/replay")
def replay_webhooks() -> Response:
    wanted = _filter(g.form)
    number = webhooks.replay_given_up(browser.context(), wanted)
    return site.to("failed_webhooks", replayed=number)


def _filter(sent: Any) -> WorkFilter:
    account, job_id = (sent.get(name, "").strip()[:40] for name in ("account", "job"))
    return WorkFilter("failed", account, job_id, _time(sent, "begin"), _time(sent, "end"))


def _time(sent: Any, name: str) -> datetime | None:
    text = sent.get(name, "").strip()[:40]
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
    except ValueError:
        raise ValidationFailed(
            f"“{text}” is not a time. Write it like 2026-01-31T09:30, in UTC.", {"field": name}
        ) from None


@blueprint.post("/console/webhooks/<delivery_id>/replay")
def replay_webhook(delivery_id: str) -> Response:
    webhooks.replay(browser.context(), delivery_id)
    return browser.see_other(site.back())
