"""A request for a post as a call to copy: curl, Python and JavaScript."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

_PYTHON = """from copydesk import Copydesk

with Copydesk(base_url={address}) as client:  # the key is in COPYDESK_API_KEY
    job = client.jobs.create(
{arguments}
    )
    print(client.jobs.wait(job.job_id, timeout=900).generation().rendered.markdown)
"""
_JAVASCRIPT = """const headers = {{
  Authorization: `Bearer ${{process.env.COPYDESK_API_KEY}}`,
  "Content-Type": "application/json",
}};
const body = {body};
const address = {address};
const created = await fetch(`${{address}}/v1/jobs`, {{
  method: "POST",
  headers,
  body: JSON.stringify(body),
}});
let job = await created.json();
while (["queued", "processing"].includes(job.status)) {{
  await new Promise((done) => setTimeout(done, 5000));
  job = await (await fetch(`${{address}}/v1/jobs/${{job.jobId}}`, {{ headers }})).json();
}}
console.log(job.error ?? job.rendered.markdown);
"""
_SNAKE = {
    "targetAudience": "target_audience",
    "brandVoice": "brand_voice",
    "targetUrl": "target_url",
    "factualityMode": "factuality_mode",
    "clientProvidedRequestId": "client_provided_request_id",
    "minWords": "min_words",
    "maxWords": "max_words",
    "maxSections": "max_sections",
    "keywordUsageStrategy": "keyword_usage_strategy",
    "includeFAQs": "include_faqs",
    "includeInternalLinksPlaceholders": "include_internal_links_placeholders",
}
# It belongs to one call, and "format" is that of the job.
_LEFT_OUT = frozenset({"idempotencyKey", "format"})


def examples(
    address: str, request: Mapping[str, Any], response_types: Sequence[str]
) -> dict[str, str]:
    """Return the call that creates a job with this request, by language."""
    asked = {name: value for name, value in request.items() if name not in _LEFT_OUT}
    body = {"generateRequest": asked, "format": {"responseTypes": list(response_types)}}
    return {
        "curl": _curl(address, body),
        "Python": _python(address, asked, response_types),
        "JavaScript": _JAVASCRIPT.format(
            address=json.dumps(address), body=json.dumps(body, indent=2, ensure_ascii=False)
        ),
    }


def _curl(address: str, body: Mapping[str, Any]) -> str:
    parts = (
        f"curl -X POST {shlex.quote(f'{address}/v1/jobs')}",
        '-H "Authorization: Bearer $COPYDESK_API_KEY"',
        '-H "Content-Type: application/json"',
        f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
    )
    return " \\\n  ".join(parts)


def _python(address: str, asked: Mapping[str, Any], response_types: Sequence[str]) -> str:
    flat = {**asked, **asked.get("constraints", {})}
    flat.pop("constraints", None)
    flat["response_types"] = list(response_types)
    lines = [f"        {_SNAKE.get(name, name)}={value!r}," for name, value in flat.items()]
    return _PYTHON.format(address=repr(address), arguments="\n".join(lines))
