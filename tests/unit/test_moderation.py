"""SPEC: "the request ends with PROHIBITED_INPUT; no partial or fabricated content is returned":
here by what the endpoint's moderation says of the request, where an operator wants that.
"""

from collections.abc import Sequence

import pytest

from app.container import pick_moderator
from app.core.errors import ProhibitedInput
from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest
from app.deadline import Deadline
from app.services.moderation import moderate
from app.settings import Settings, SettingsError

REQUEST = parse(
    GenerateRequest,
    {
        "keywords": ["cold brew", "ratio"],
        "topic": "Brewing at home",
        "language": "en",
        "region": "US",
        "tone": "friendly",
        "targetAudience": "beginners",
        "brandVoice": "dry humour",
        "industry": "coffee",
        "targetUrl": "https://example.com/cold-brew",
        "clientProvidedRequestId": "reference-1",
    },
)


class Told:
    """Flags what it is told to, and keeps what it was asked."""

    def __init__(self, *categories: str) -> None:
        self.categories = categories
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str], deadline: Deadline) -> tuple[str, ...]:
        self.asked += texts
        return self.categories


def test_everything_that_a_writer_is_told_is_looked_at() -> None:
    told = Told()
    moderate(told, REQUEST, Deadline(60))
    assert told.asked == [
        "cold brew, ratio",
        "Brewing at home",
        "beginners",
        "dry humour",
        "coffee",
        "US",
    ]
    told = Told()
    moderate(told, GenerateRequest(keywords=("tea",)), Deadline(60), "Shorter.")
    assert told.asked == ["tea", "Shorter."]


def test_a_flagged_request_is_prohibited_and_not_repeated() -> None:
    with pytest.raises(ProhibitedInput) as error:
        moderate(Told("illicit/violent", "violence"), REQUEST, Deadline(60))
    assert error.value.body() == {
        "code": "PROHIBITED_INPUT",
        "message": "The moderation flagged this request: illicit/violent, violence.",
        "details": {"categories": ["illicit/violent", "violence"]},
    }


def test_it_is_off_unless_a_model_is_set() -> None:
    settings = Settings.from_env({"OPENAI_API_KEY": "k", "COPYDESK_MODERATION_MODEL": "m"})
    assert pick_moderator(settings) is not None
    assert pick_moderator(Settings.from_env({"OPENAI_API_KEY": "k"})) is None
    moderate(None, REQUEST, Deadline(60))


def test_a_model_without_an_endpoint_is_a_wrong_setting() -> None:
    """A post would otherwise wait for OpenAI's refusal of a key that nobody set."""
    with pytest.raises(SettingsError, match=r"^COPYDESK_MODERATION_MODEL needs OPENAI"):
        Settings.from_env({"COPYDESK_MODERATION_MODEL": "omni-moderation-latest"})
