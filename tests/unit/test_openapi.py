"""The OpenAPI document: committed as it is served, as strict as the validation, and complete."""

import base64
import hashlib
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from flask import Flask

from app import create_app
from app.api.errors import ERRORS
from app.core.errors import ServiceError
from app.core.webhooks.signature import new_secret, signed_headers
from app.settings import Settings
from tools.api.document import as_json, document

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return document()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    return create_app(Settings(data_dir=tmp_path_factory.mktemp("data")))


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in described["paths"].items():
        for method, operation in item.items():
            yield path, method.upper(), operation


def test_the_committed_document_is_the_served_one(app: Flask) -> None:
    """Run ``make openapi`` when this fails."""
    served = app.test_client().get("/v1/openapi.json")
    assert served.status_code == 200
    assert served.mimetype == "application/json"
    assert served.text == as_json()
    assert ROOT.joinpath("docs", "openapi.json").read_text("utf-8") == as_json()


def test_tools_that_read_json_as_yaml_read_the_same(described: dict[str, Any]) -> None:
    assert yaml.load(as_json(), yaml.CSafeLoader) == described


def test_every_route_of_v1_is_described_and_nothing_else(
    app: Flask, described: dict[str, Any]
) -> None:
    """The document, its page, HEAD and OPTIONS are not operations."""
    served = {
        (rule.rule, method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/v1/") or rule.rule in {"/healthz", "/readyz"}
    }
    # A path's parameters have other names in the code.
    shapes = {(re.sub(r"<[^>]+>", "{}", path), method) for path, method in served}
    shapes -= {("/v1/openapi.json", "GET"), ("/v1/docs", "GET")}
    assert shapes == {
        (re.sub(r"\{[^}]+\}", "{}", path), method) for path, method, _ in operations(described)
    }


def test_every_error_of_the_service_is_described() -> None:
    def codes(kind: type[ServiceError]) -> set[str]:
        return {kind.code}.union(*map(codes, kind.__subclasses__()))

    assert codes(ServiceError) <= ERRORS.keys()


def messages(node: Any) -> Iterator[dict[str, Any]]:
    """Every media type object, wherever it stands."""
    if isinstance(node, dict):
        if "schema" in node and "examples" in node:
            yield node
        for child in node.values():
            yield from messages(child)


def test_every_example_is_valid_and_every_body_has_one(described: dict[str, Any]) -> None:
    found = 0
    for message in messages({**described["paths"], **described["webhooks"]}):
        schema = {**message["schema"], "components": described["components"]}
        check = jsonschema_rs.Draft202012Validator(schema)
        assert message["examples"]
        for example in message["examples"].values():
            check.validate(example["value"])
            found += 1
    assert found > 50


def test_every_answer_has_a_request_id_and_every_secured_one_says_how(
    described: dict[str, Any],
) -> None:
    for path, _, operation in operations(described):
        keyed = operation.get("security", described["security"]) != []
        paths = {"/v1/generate", "/v1/jobs", "/v1/jobs/{jobId}", "/v1/check", "/v1/usage"}
        assert keyed == (path in paths)
        assert ("401" in operation["responses"]) == keyed
        for status, response in operation["responses"].items():
            assert "X-Request-ID" in response["headers"], (path, status)
            if keyed and status in {"200", "202", "400", "404", "429"}:
                assert {"RateLimit", "RateLimit-Policy"} <= set(response["headers"])
            if status == "429":
                assert "Retry-After" in response["headers"]


# --- what the page and the document promise in words --------------------------------------------


def test_the_example_that_verifies_a_webhook_works(described: dict[str, Any]) -> None:
    code = re.search(r"```python\n(.*?)```", described["info"]["description"], re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    secret, body, now = new_secret(b"\x07" * 32), b'{"event": "job.failed"}', int(time.time())

    def genuine(at: int, sent: bytes = body, key: str = secret) -> bool:
        signature = signed_headers(secret, "msg_1", at, body)["x-svc-signature"]
        return bool(names["is_genuine"](key, signature, sent))

    assert genuine(now)
    assert genuine(now - 290)
    assert not genuine(now - 310)
    assert not genuine(now + 310)
    assert not genuine(now, sent=body + b" ")
    assert not genuine(now, key=secret + "x")
    assert not names["is_genuine"](secret, "v1=00", body)


def test_no_cache_keeps_the_address_that_the_sender_of_a_request_says(app: Flask) -> None:
    client, said = app.test_client(), {"Host": "evil.example"}
    # The page, an error and a redirect.
    answers = [client.get(path, headers=said) for path in ("/v1/docs", "/v1/x", "/console")]
    assert [answer.status_code for answer in answers] == [200, 404, 308]
    assert all("evil.example" in answer.text for answer in answers)
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}


def test_the_page_needs_nothing_from_anywhere(app: Flask, described: dict[str, Any]) -> None:
    page = app.test_client().get("/v1/docs")
    assert page.status_code == 200
    assert page.mimetype == "text/html"
    text = page.text
    assert not re.search(r"<(?:script|img|iframe|link|object)\b", text)
    assert not re.search(r"(?:src|href)=\"(?!#|/v1/)", text)
    assert "url(" not in text
    assert "@import" not in text
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = hashlib.sha256(style[1].encode()).digest()
    assert f"'sha256-{base64.b64encode(digest).decode()}'" in policy
    for _, _, operation in operations(described):
        assert f">{operation['summary']}</h3>" in text
    for code in ERRORS:
        assert code in text


def test_the_links_of_the_page_lead_somewhere_on_it(app: Flask) -> None:
    text = app.test_client().get("/v1/docs").text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
