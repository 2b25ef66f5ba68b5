"""The values of the package: what an answer holds, and errors."""

import copy
import pickle
import re
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime
from typing import Any

import pytest

import copydesk
from copydesk import FeedItem, Generation, Post, Usage, errors
from copydesk.errors import CopydeskError, error_class
from copydesk.request import with_arguments

# Every place of a generation that this version of the package reads.
PATHS = [
    ("requestId",),
    ("rendered",),
    ("rendered", "markdown"),
    ("quality",),
    ("quality", "score"),
    ("quality", "revisionCount"),
    ("debug",),
    ("post", "title"),
    ("post", "slugSuggestion"),
    ("post", "meta"),
    ("post", "meta", "description"),
    ("post", "outline"),
    ("post", "outline", "h2"),
    ("post", "sections"),
    ("post", "sections", 0),
    ("post", "sections", 0, "type"),
    ("post", "sections", 2, "callout"),
    ("post", "sections", 2, "callout", "label"),
    ("post", "faqs"),
    ("post", "faqs", 0, "answer"),
    ("post", "conclusion"),
    ("post", "coverageNotes"),
    ("post", "coverageNotes", "keywordCoverage"),
    ("post", "coverageNotes", "keywordCoverage", 0, "covered"),
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("value", [None, "text", 7, [], {}, [None, 3], float("inf"), 10**400, True])
def test_no_value_of_another_type_breaks_the_reading(samples: Any, path: Any, value: Any) -> None:
    data = copy.deepcopy(samples["generation"])
    parent = data
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    generation = Generation.from_wire(data)
    assert generation.raw is data
    assert generation.post.word_count >= 0
    repr(generation)


def test_what_is_new_is_kept_as_received(samples: Any) -> None:
    data = copy.deepcopy(samples["generation"])
    data["quality"] |= {"status": "pass_with_distinction", "badge": "gold"}
    data["post"]["sections"][0]["type"] = "video"
    generation = Generation.from_wire(data)
    assert generation.quality.status == "pass_with_distinction"
    assert generation.quality.raw["badge"] == "gold"
    assert generation.post.sections[0].type == "video"


@pytest.mark.parametrize("value", [False, None, "true", 1])
def test_a_keyword_is_covered_only_where_that_is_said(samples: Any, value: Any) -> None:
    data = copy.deepcopy(samples["post"])
    data["coverageNotes"]["keywordCoverage"][0]["covered"] = value
    assert Post.from_wire(data).coverage_notes.keyword_coverage[0].covered is False


def test_what_is_missing_is_none_or_empty() -> None:
    item = FeedItem.from_wire({"id": "itm_1"})
    assert (item.generated_at, item.delivery_count, item.rule_id) == (None, None, None)
    assert (item.rendered.html, item.post.title, item.post.sections) == (None, "", ())
    usage = Usage.from_wire({"plan": {}})
    assert (usage.plan.team_seats, usage.daily.reset_at, usage.limits.monthly_posts) == (None,) * 3


@pytest.mark.parametrize(
    "text", ["2026-03-01T12:30:00.250Z", "2026-03-01T13:30:00.250+01:00", "2026-03-01T12:30:00.250"]
)
def test_a_time_always_has_an_offset(text: str) -> None:
    item = FeedItem.from_wire({"id": "itm_1", "generatedAt": text})
    assert item.generated_at == datetime(2026, 3, 1, 12, 30, 0, 250_000, tzinfo=UTC)


def test_models_are_frozen_hashable_and_short(samples: Any) -> None:
    post = Post.from_wire(samples["post"])
    with pytest.raises(FrozenInstanceError):
        post.title = "Another"  # type: ignore[misc]
    assert hash(post) == hash(Post.from_wire(copy.deepcopy(samples["post"])))
    assert "raw" not in repr(post)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("Cold brew, at home.", 4),
        ("Beans – and a jar", 4),
        ("**don't** over-extract", 2),
        ("1. Cold brew\n2. **At**\n    - `home`", 4),
        ("| A | B |\n| --- | --- |\n| c \\| d | e |", 5),
        ("2024\\. It is &lt; 5", 4),
        ("```sh\nbrew --cold\n```", 2),
        ("1,000 litres at 92.5 degrees", 5),
        ("冷萃咖啡", 4),
    ],
)
def test_words_are_counted_as_a_reader_would(text: str, words: int) -> None:
    section = {"type": "body", "heading": "What you need", "contentMarkdown": text}
    assert Post.from_wire({"title": "Not counted", "sections": [section]}).word_count == 3 + words


def test_every_text_below_the_title_counts_once(samples: Any) -> None:
    # 4 of the introduction, 3 + 4 of the body, 2 of the callout, 1 + 4 of the FAQ, 2 at the end
    assert Post.from_wire(samples["post"]).word_count == 20


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
