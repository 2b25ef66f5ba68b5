"""One call of the API in curl, Python and JavaScript, made from its OpenAPI operation."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pprint import pformat
from typing import Any

# Writing a post may take minutes.
_TIMEOUT_SECONDS = 600


def samples(url: str, method: str, operation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield a language, as the style of /v1/docs tells samples from other code, and the call in it.
    Environment variables such as COPYDESK_API_KEY stand for the reader's values.

    Args:
        url: with the names of its parameters in braces.
    """
    body = None
    if "requestBody" in operation:
        examples = operation["requestBody"]["content"]["application/json"]["examples"]
        body = next(iter(examples.values()))["value"]
    keyed = "security" not in operation
    yield "bash", _curl(url, method, body, keyed=keyed)
    yield "py", _python(url, method, body, keyed=keyed)
    yield "js", _javascript(url, method, body, keyed=keyed)


def _curl(url: str, method: str, body: Any, *, keyed: bool) -> str:
    target = _with_variables(url, "${}")
    parts = [f'curl "{target}"' if method == "get" else f'curl -X POST "{target}"']
    if keyed:
        parts.append('-H "Authorization: Bearer $COPYDESK_API_KEY"')
    if body is not None:
        parts.append('-H "Content-Type: application/json"')
        parts.append(f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}")
    return " \\\n  ".join(parts)


def _python(url: str, method: str, body: Any, *, keyed: bool) -> str:
    target = _with_variables(url, "{{os.environ['{}']}}")
    lines = [f'    {"f" if target != url else ""}"{target}",']
    if keyed:
        lines.append('    headers={"Authorization": f"Bearer {os.environ[\'COPYDESK_API_KEY\']}"},')
    if body is not None:
        value = pformat(body, sort_dicts=False, width=80).replace("\n", "\n         ")
        lines.append(f"    json={value},")
    lines.append(f"    timeout={_TIMEOUT_SECONDS},")
    imports = "import os\n\nimport requests" if keyed or target != url else "import requests"
    call = "\n".join([f"answer = requests.{method}(", *lines, ")"])
    return f"{imports}\n\n{call}\nprint(answer.status_code, answer.json())"


def _javascript(url: str, method: str, body: Any, *, keyed: bool) -> str:
    target = _with_variables(url, "${{process.env.{}}}")
    quote = "`" if target != url else '"'
    headers = ["Authorization: `Bearer ${process.env.COPYDESK_API_KEY}`"] if keyed else []
    options = []
    if method != "get":
        options.append(f'  method: "{method.upper()}",')
    if body is not None:
        headers.append('"Content-Type": "application/json"')
    if headers:
        options.append(f"  headers: {{{', '.join(headers)}}},")
    if body is not None:
        text = json.dumps(body, ensure_ascii=False)
        options.append(f"  body: JSON.stringify({text}),")
    given = ", {\n" + "\n".join(options) + "\n}" if options else ""
    call = f"const answer = await fetch({quote}{target}{quote}{given});"
    return f"{call}\nconsole.log(answer.status, await answer.json());"


def _with_variables(url: str, form: str) -> str:
    def variable(match: re.Match[str]) -> str:
        return form.format(re.sub("(?<=[a-z])(?=[A-Z])", "_", match[1]).upper())

    return re.sub(r"\{(\w+)\}", variable, url)
