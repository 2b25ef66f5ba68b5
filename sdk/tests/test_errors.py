"""The tree of exceptions."""

import pickle
import re

import pytest

import copydesk
from copydesk import errors
from copydesk.errors import CopydeskError, error_class
from copydesk.request import with_arguments

CODES = {
    "VALIDATION_ERROR": "ValidationError",
    "PAYLOAD_TOO_LARGE": "ValidationError",
    "UNSUPPORTED_MEDIA_TYPE": "ValidationError",
    "METHOD_NOT_ALLOWED": "APIError",
    "REQUEST_TIMEOUT": "APIError",
    "UNAUTHORIZED": "AuthenticationError",
    "FORBIDDEN": "PermissionDeniedError",
    "NOT_FOUND": "NotFoundError",
    "CONFLICT": "ConflictError",
    "IDEMPOTENCY_IN_PROGRESS": "ConflictError",
    "CONTENT_QUALITY_FAILED": "QualityError",
    "PROHIBITED_INPUT": "ProhibitedInputError",
    "RATE_LIMITED": "RateLimitError",
    "QUOTA_EXCEEDED": "QuotaExceededError",
    "INTERNAL_ERROR": "ServerError",
    "SERVICE_UNAVAILABLE": "ServerError",
    "GENERATION_TIMEOUT": "ServerError",
}
STATUSES = {
    400: "ValidationError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    405: "APIError",
    409: "ConflictError",
    413: "ValidationError",
    415: "ValidationError",
    418: "APIError",
    422: "ValidationError",
    429: "RateLimitError",
    500: "ServerError",
    507: "ServerError",
}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "constraints.minWords must be 50 below maxWords.",
            "min_words must be 50 below max_words.",
        ),
        ("generateRequest.keywords[0] must not be empty.", "keywords[0] must not be empty."),
        ("constraints.includeFAQs needs maxWords of 150.", "include_faqs needs max_words of 150."),
        ("format.responseTypes and webhook.url.", "response_types and webhook_url."),
        ("This API key is unknown.", "This API key is unknown."),
    ],
)
def test_a_message_has_the_names_of_the_callers_arguments(said: str, shown: str) -> None:
    assert with_arguments(said) == shown


@pytest.mark.parametrize(("code", "name"), CODES.items())
def test_the_code_picks_the_class_whatever_the_status(code: str, name: str) -> None:
    assert {error_class(status, code).__name__ for status in (200, 418, 500)} == {name}


@pytest.mark.parametrize(("status", "name"), STATUSES.items())
@pytest.mark.parametrize("code", [None, "NEWER_THAN_THIS_PACKAGE"])
def test_the_status_picks_it_where_the_code_is_unknown(
    status: int, code: str | None, name: str
) -> None:
    assert error_class(status, code).__name__ == name


def test_the_docstring_draws_the_tree_as_it_is() -> None:
    depths = [
        (len(indent), name)
        for indent, name in re.findall(r"^([ │├└─]*)(\w+Error)\b", errors.__doc__ or "", re.M)
    ]
    path: dict[int, str] = {}
    for depth, name in depths:
        path = {d: n for d, n in path.items() if d < depth} | {depth: name}
        parent = path[max(d for d in path if d < depth)] if len(path) > 1 else "Exception"
        assert getattr(errors, name).__mro__[1].__name__ == parent
        assert getattr(copydesk, name) is getattr(errors, name)
    drawn = {name for _, name in depths}
    assert drawn == {name for name in vars(errors) if name.endswith("Error")}


@pytest.mark.parametrize("name", sorted({*CODES.values(), "APIError"}))
def test_an_error_can_be_sent_to_another_process(name: str) -> None:
    error = getattr(errors, name)(
        "No.", status=409, code="X", details={"a": 1}, request_id="req_1", retry_after=2.5
    )
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


@pytest.mark.parametrize(
    "error",
    [
        copydesk.WebhookVerificationError("No.", "timestamp"),
        copydesk.JobPendingError("Not yet.", copydesk.Job.from_wire({"jobId": "j", "status": "q"})),
        copydesk.APITimeoutError("Silence."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_so_can_those_that_are_no_answer(error: CopydeskError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))
