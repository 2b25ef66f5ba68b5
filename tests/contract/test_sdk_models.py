"""The models of service and SDK: what one writes the other reads, entirely.

The service's models are strict and the SDK's are lenient, and neither imports the other, so that
nothing but these tests would notice a member that only one of them knows.
"""

import base64
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic.alias_generators import to_camel

import copydesk
from app.core.schemas.api_model import ApiModel
from app.core.schemas.post import Faq, Section, SectionType
from app.core.schemas.times import wire_time
from app.core.webhooks.signature import signed_headers
from app.rendering.markdown import normalise
from app.rules.passages import post_words
from app.writing.post_markdown import parse_post
from copydesk import testing
from tests.support.answers import BRIEF
from tests.support.answers import POST as DOCUMENT
from tests.support.example_objects import filled
from tools.api import responses as server_job
from tools.api.responses import (
    CheckReport,
    Confirmed,
    FeedItem,
    Generation,
    Rejected,
    RuleFeedItem,
    UsageReport,
)

ROOT = Path(__file__).parents[2]
# What the service writes, and what the SDK makes of it.
PAIRS: list[tuple[type[ApiModel], Any]] = [
    (Generation, copydesk.Generation),
    (server_job.Job, copydesk.Job),
    (server_job.JobSucceeded, copydesk.JobSucceeded),
    (server_job.JobFailed, copydesk.JobFailed),
    (UsageReport, copydesk.Usage),
    (CheckReport, copydesk.CheckReport),
    (RuleFeedItem, copydesk.FeedItem),
]
OTHER_NAMES = {(copydesk.Job, "post"): "result"}
POST = parse_post(DOCUMENT, BRIEF)


def as_wire(value: Any) -> Any:
    """What the SDK has read, written again, from its attributes alone."""
    if is_dataclass(value):
        names = {
            field.name: OTHER_NAMES.get((type(value), field.name), to_camel(field.name))  # type: ignore[arg-type]
            for field in fields(value)
            if field.name != "raw"
        }
        members = {wire: as_wire(getattr(value, name)) for name, wire in names.items()}
        if isinstance(value, copydesk.JobError):
            members["details"] = value.details
        return {wire: member for wire, member in members.items() if member is not None}
    if isinstance(value, tuple):
        return [as_wire(entry) for entry in value]
    return wire_time(value) if isinstance(value, datetime) else value


def grown(value: Any) -> Any:
    """The same JSON as a later version might send it, with a new member in every object."""
    if isinstance(value, dict):
        return {**{key: grown(child) for key, child in value.items()}, "addedLater": {"x": [1]}}
    return [grown(entry) for entry in value] if isinstance(value, list) else value


pairs = pytest.mark.parametrize(("server", "sdk"), PAIRS, ids=lambda model: model.__name__)


@pairs
def test_every_member_that_the_service_writes_is_read(server: Any, sdk: Any) -> None:
    sent = filled(server)
    assert server.model_validate(sent).to_wire() == sent
    assert as_wire(sdk.from_wire(sent)) == sent


@pairs
def test_a_value_that_is_newer_than_the_sdk_is_read_as_it_is(server: Any, sdk: Any) -> None:
    sent = filled(server, enums="newer")
    assert as_wire(sdk.from_wire(sent)) == sent


@pairs
def test_a_member_that_is_newer_than_the_sdk_does_no_harm(server: Any, sdk: Any) -> None:
    sent = filled(server)
    received = sdk.from_wire(grown(sent))
    assert received == sdk.from_wire(sent)
    assert received.raw["addedLater"] == {"x": [1]}


@pytest.mark.parametrize("server", [Confirmed, Rejected])
def test_what_became_of_an_item_is_read(server: type[ApiModel]) -> None:
    sent = filled(server)
    assert as_wire(copydesk.FeedResult.from_wire(sent)) == sent["item"]


# --- what copydesk.testing makes


@pytest.mark.parametrize(
    ("server", "made"),
    [
        (Generation, testing.make_generation().raw),
        (server_job.Job, testing.make_job().raw),
        (server_job.Job, testing.make_job("succeeded").raw),
        (server_job.Job, testing.make_job("failed").raw),
        (server_job.JobSucceeded, testing.make_event(testing.make_job("succeeded"))),
        (server_job.JobFailed, testing.make_event(testing.make_job("failed"))),
        (FeedItem, testing.make_item().raw),
    ],
)
def test_the_factories_make_what_the_service_writes(
    server: type[ApiModel], made: dict[str, Any]
) -> None:
    assert server.model_validate(made).to_wire() == made


def test_a_signed_webhook_has_the_headers_of_the_service() -> None:
    secret = "whsec_" + base64.b64encode(bytes(32)).decode()
    event = testing.make_event(testing.make_job("succeeded"))
    signed = testing.sign_webhook(event, secret, now=datetime(2026, 1, 31, tzinfo=UTC))
    at, sent = 1_769_817_600, signed.headers
    expected = signed_headers(secret, sent["webhook-id"], at, signed.body)
    assert sent == {"Content-Type": "application/json", **expected}


# --- words

BLOCKS = """\
2024\\. was **unusual**, *5* * 3 = `a-b`, x &lt; y and AT&amp;T:

1. One **two**.
12. three
    - four `five six` ``seven``

### Eight nine

| Ten | Eleven \\| twelve |
| --- | --- |
| 13.5 | `a\\|b` |

> Fourteen.

```python
def *one*(two): 3. `x`
```"""

TEXTS = [
    BLOCKS,
    (ROOT / "docs/architecture.md").read_text("utf-8"),
    "Der Käse – 1.000 g, 5,50 € – schmeckt’s? Ja: C++ und e\u0301clair, 24/7.",
    "हिन्दी में लिखा गया यह वाक्य शब्दों को गिनता है।",
    "می‌خواهم این را بنویسم. النَّصُّ بِالعَرَبِيَّةِ هنا",
    "冷萃咖啡在家做。コールドブリュー。กาแฟสกัดเย็นที่บ้าน 콜드브루 커피",
    "١٢٣ mid_snake_case a--b it's. ’tis 3.14.15 a.b.c -x-",
]


def same_count(text: str, heading: str = "") -> bool:
    """Whether both count the same words in a section as the service writes it."""
    body = Section(type=SectionType.BODY, heading=heading, content_markdown=normalise(text))
    changed = POST.model_copy(
        update={
            "sections": (*POST.sections, body),
            "faqs": (*POST.faqs, Faq(question=text[:40], answer=text[-40:])),
        }
    )
    return copydesk.Post.from_wire(changed.to_wire()).word_count == post_words(changed)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:20])
def test_words_are_counted_as_they_are_billed(text: str) -> None:
    assert same_count(text, heading=text[:60])
