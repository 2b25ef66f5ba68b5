"""Authentication: the API key, and that nothing else lets anybody in."""

import pytest
import requests

from copydesk import AuthenticationError, Copydesk, PermissionDeniedError
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer
from tests.support.response_schemas import ERROR_BODY, matches
from tests.support.service import CopydeskService

ENDPOINTS = [
    ("POST", "/v1/generate"), ("POST", "/v1/jobs"), ("POST", "/v1/check"),
    ("GET", "/v1/jobs/job_1"), ("GET", "/v1/usage"),
]  # fmt: skip
WRONG = {
    "none": None,
    "empty": "",
    "no-key": "Bearer",
    "other-scheme": "Basic YTpi",
    "no-key-of-ours": "Bearer cd_live_wrong",
    "mistyped": "Bearer cd_live_" + "0" * 38,
    "another-service": "Bearer sk-1234567890",
    "not-ascii": "Bearer caf\u00e9",
    "very-long": "Bearer " + "x" * 5000,
}


@clause("POST /v1/generate, POST /v1/jobs, GET /v1/jobs/{jobId}, GET /v1/usage |")
@clause("Headers: Authorization: Bearer <API_KEY> (required);")
@clause("Header: Authorization: Bearer <API_KEY> (required).", under="POST /v1/jobs")
@clause(
    "Header: Authorization: Bearer <API_KEY> (required). No body.", under="GET /v1/jobs/{jobId}"
)
@clause("Header: Authorization: Bearer <API_KEY> (required). No body.", under="GET /v1/usage")
@clause("Header Authorization: Bearer <API_KEY>; required.")
@clause("including codes for authentication failure,")
@pytest.mark.parametrize("header", WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_without_a_key_nobody_gets_in(
    service: CopydeskService, method: str, path: str, header: str | None
) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    answer = requests.request(method, service.url + path, headers=headers, json=SHORT, timeout=30)
    assert answer.status_code == 401
    matches(answer.json(), ERROR_BODY)
    assert answer.json()["error"]["code"] == "UNAUTHORIZED"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    if header and " " in header:
        assert header.split()[1][-12:] not in answer.text, "what was sent is not repeated"


@clause("Header Authorization: Bearer <API_KEY>; required.")
def test_a_key_of_nobody_is_refused(service: CopydeskService, customer: Customer) -> None:
    """One that is well formed: its checksum is right."""
    from app.core.credentials import make_api_key

    with Copydesk(make_api_key(bytes(32)), service.url) as sdk:
        with pytest.raises(AuthenticationError) as caught:
            sdk.usage()
        with pytest.raises(AuthenticationError):
            sdk.generate(keywords=["tea"])
    assert (caught.value.status, caught.value.code) == (401, "UNAUTHORIZED")


@clause("Header Authorization: Bearer <API_KEY>; required.")
def test_a_key_is_made_shown_once_and_revoked(service: CopydeskService, customer: Customer) -> None:
    made = service.cli("key", "create", customer.account_id)
    with Copydesk(made["apiKey"], service.url) as sdk:
        assert sdk.usage().plan.id == "growth"
        listed = service.cli("key", "list", "--account", customer.account_id)
        assert made["keyId"] in {key["keyId"] for key in listed}
        assert made["apiKey"] not in str(listed)
        service.cli("key", "revoke", made["keyId"])
        with pytest.raises(PermissionDeniedError) as caught:
            sdk.generate(keywords=["tea"])
    assert (caught.value.status, caught.value.code) == (403, "FORBIDDEN")
    assert made["apiKey"] not in service.log_text()


@clause("Header Authorization: Bearer <API_KEY>; required.")
def test_the_scheme_is_read_in_any_case(customer: Customer) -> None:
    for scheme in ("bearer", "BEARER"):
        answer = requests.get(
            f"{customer.service.url}/v1/usage",
            headers={"Authorization": f"{scheme} {customer.api_key}"},
            timeout=30,
        )
        assert answer.status_code == 200


@clause("Header Authorization: Bearer <API_KEY>; required.")
def test_a_key_is_no_use_in_the_query(customer: Customer) -> None:
    answer = requests.get(
        f"{customer.service.url}/v1/usage",
        params={"api_key": customer.api_key, "Authorization": f"Bearer {customer.api_key}"},
        timeout=30,
    )
    assert answer.status_code == 401
