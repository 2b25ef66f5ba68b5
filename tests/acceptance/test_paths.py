"""Where the interface is, what it is called, and what it does not offer."""

from typing import Any

import requests

from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer
from tests.support.feeds import new_feed
from tests.support.response_schemas import ERROR_BODY, matches
from tests.support.service import CopydeskService


@clause("All endpoints are under the path prefix /v1.")
@clause("All paths are relative to {base_url}.")
@clause(
    "synchronous generation, asynchronous jobs with webhooks, the pull feed of"
    " pre-generated items (content tokens), and the usage endpoint."
)
@clause("Base address: {base_url}.")
def test_every_endpoint_is_under_v1(service: CopydeskService, customer: Customer) -> None:
    feed = new_feed(service)
    item = feed.add_items(feed.add_rule(), 2)
    token = f"/content-tokens/{feed.token}"
    job_id = customer.create_job(generateRequest=SHORT).json()["jobId"]
    endpoints: list[tuple[str, str, Any, int]] = [
        ("POST", "/generate", SHORT, 200),
        ("POST", "/jobs", {"generateRequest": SHORT, "format": {"responseTypes": ["html"]}}, 202),
        ("GET", f"/jobs/{job_id}", None, 200),
        ("GET", "/usage", None, 200),
        ("GET", f"{token}/latest", None, 200),
        ("GET", f"{token}/items", None, 200),
        ("POST", f"{token}/items/{item[0]}/confirm", None, 200),
        ("POST", f"{token}/items/{item[1]}/reject", None, 200),
    ]
    for method, path, body, status in endpoints:
        for prefix in ("", "/v2", "/V1"):
            answer = customer.call(method, prefix + path, json=body)
            assert answer.status_code == 404
            matches(answer.json(), ERROR_BODY)
        answer = customer.call(method, f"/v1{path}", json=body)
        assert answer.status_code == status, answer.text
        assert answer.headers["Content-Type"] == "application/json"
        assert isinstance(answer.json(), dict)


@clause("The type is named GenerateRequestV1.")
@clause("Body types are named GenerateRequestV1 and SEOPostV1.")
def test_the_types_have_their_names(service: CopydeskService) -> None:
    document = requests.get(f"{service.url}/v1/openapi.json", timeout=30).json()
    schemas = document["components"]["schemas"]
    assert schemas["GenerateRequestV1"]["required"] == ["keywords"]
    assert "slugSuggestion" in schemas["SEOPostV1"]["properties"]
    body = document["paths"]["/v1/generate"]["post"]["requestBody"]["content"]
    assert body["application/json"]["schema"]["$ref"].endswith("/GenerateRequestV1")


@clause("Deprecation and compatibility policy: not shown.")
def test_nothing_is_deprecated(customer: Customer) -> None:
    answer = customer.call("GET", "/v1/usage")
    assert "Deprecation" not in answer.headers
    assert "Sunset" not in answer.headers
