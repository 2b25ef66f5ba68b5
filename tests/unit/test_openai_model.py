"""What the adapter sends, retries and leaks. tests/integration/test_odd_endpoints.py has what it
makes of answers."""

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import SecretStr

from app.adapters import openai_client
from app.adapters.openai_model import OpenAIModel
from app.container import pick_models
from app.core.errors import (
    GenerationCancelled,
    GenerationTimeout,
    ModelUnavailable,
)
from app.deadline import Deadline
from app.ports import Model
from app.settings import Settings
from app.writing.completion import Completion, Prompt
from tests.support.endpoints import model_at, operator_told
from tests.support.odd_endpoint import OddEndpoint, Reply, Request, refused, said, serving
from tests.support.startup import wait_until

KEY = "sk-secret-1234567890"
PROMPT = Prompt("You write.", "Write about tea.")
MESSAGES = [
    {"role": "system", "content": "You write."},
    {"role": "user", "content": "Write about tea."},
]
GOOD = said("Tea.", usage={"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_client, "_FIRST_PAUSE", 0.001)


def adapter(server: OddEndpoint, **options: Any) -> OpenAIModel:
    return model_at(server.base_url, KEY, **{"concurrency": 4} | options)


def ask(model: Model, seconds: float = 60) -> Completion:
    return model.complete(PROMPT, Deadline(seconds))


def test_only_the_model_and_the_messages_are_sent() -> None:
    with serving(GOOD) as server:
        completion = ask(adapter(server))
        assert completion == Completion("Tea.", prompt_tokens=100, completion_tokens=20)
        assert server.asked == [{"model": "m", "messages": MESSAGES}]
        more = {"temperature": 0.0, "enable_thinking": False}
        ask(adapter(server, extra_body=more))
        assert server.asked[-1] == {"model": "m", "messages": MESSAGES, **more}


def test_the_local_model_gets_its_sampling_and_a_limit() -> None:
    with serving(GOOD) as server:
        own = Settings(local_model_url=server.base_url, local_model_key=SecretStr(KEY))
        ask(pick_models(own)[0])
        sent = server.asked[-1]
        assert (sent["temperature"], sent["max_tokens"]) == (0.2, 1_600)
        assert {"min_p", "top_k", "top_p", "repeat_penalty", "dry_multiplier"} < sent.keys()
        ask(pick_models(own.model_copy(update={"model_body": '{"temperature": 0.9}'}))[0])
        assert (server.asked[-1]["temperature"], server.asked[-1]["max_tokens"]) == (0.9, 1_600)


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        (refused(401, "Who?"), 1),
        (refused(404, "Where?"), 1),
        (refused(402, "Pay."), 1),
        (refused(429, "No more.", code="insufficient_quota"), 1),
        (refused(500, "A template without this role."), 2),  # the second one in one message
        (refused(400, "No."), 2),
        (refused(408, "Late."), 3),
        (refused(429, "Slow down."), 3),
        (refused(500, "Oops."), 3),
        (Reply(b"<html>"), 3),
        (said(""), 3),
        (said("", reasoning_content="Tea."), 1),
    ],
)
def test_only_what_may_pass_is_asked_for_again(reply: Reply, calls: int) -> None:
    with serving(reply) as server:
        with pytest.raises(ModelUnavailable):
            ask(adapter(server))
        assert len(server.asked) == calls


def test_answers_that_are_thrown_away_are_paid_for() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    with serving(said("", usage=usage), GOOD) as server:
        completion = ask(adapter(server))
    assert (completion.prompt_tokens, completion.completion_tokens) == (200, 40)


def test_waiting_for_a_place_ends() -> None:
    """No more than ``concurrency`` calls at once, and the others do not wait for ever."""
    held = Deadline(60)

    def hold(_: Request) -> Reply:
        held.pause(30)
        return GOOD

    with serving(hold) as server, ThreadPoolExecutor(1) as pool:
        model = adapter(server, concurrency=1)
        call = pool.submit(model.complete, PROMPT, held)
        wait_until(lambda: len(server.asked) == 1, 30, "the one place is taken")
        with operator_told(GenerationTimeout, "The model is busy: none of the 1 calls"):
            ask(model, seconds=0.1)
        held.cancel()
        with pytest.raises(GenerationCancelled):
            call.result(30)
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "usage",
    [None, "12", {"prompt_tokens": "12"}, {"prompt_tokens": 10**30, "completion_tokens": -1}],
)
def test_a_usage_that_cannot_be_is_none(usage: object) -> None:
    with serving(said("Tea.", usage=usage)) as server:
        completion = ask(adapter(server))
    assert (completion.prompt_tokens, completion.completion_tokens) == (0, 0)


def test_thoughts_that_only_the_total_counts_are_counted() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 1_120}
    with serving(said("Tea.", usage=usage)) as server:
        assert ask(adapter(server)).completion_tokens == 1_020


@pytest.mark.parametrize(
    ("reply", "refusal"),
    [
        (said(None, refusal="I can't help with that."), "I can't help with that."),
        (said("", "content_filter"), "The endpoint's content filter held the answer back."),
        (said("", "SAFETY"), "The endpoint's content filter held the answer back."),
        (refused(400, "The prompt was flagged.", code="content_filter"), "The prompt was flagged."),
    ],
)
def test_refusals(reply: Reply, refusal: str) -> None:
    with serving(reply) as server:
        completion = ask(adapter(server))
        assert completion.refusal == refusal
        assert len(server.asked) == 1


def test_no_secret_leaks(caplog: pytest.LogCaptureFixture) -> None:
    """Though the endpoint repeats the key, and in the middle of it its quoted sentence ends."""
    caplog.set_level(logging.DEBUG)
    with serving(refused(401, "x" * 290 + KEY)) as server:
        server.listed = refused(401, f"Incorrect: {KEY}")
        model = adapter(server)
        shown = [repr(model)]
        calls: list[Callable[[], object]] = [model.ping, lambda: ask(model)]
        for call in calls:
            with operator_told(ModelUnavailable, r"\[secret\]") as error:
                call()
            shown += [error.value.operator, repr(error.value), json.dumps(error.value.body())]
            assert error.value.__suppress_context__
        shown.append(model.state().reason)
    for text in [*shown, caplog.text]:
        assert "sk-secret" not in text


def test_a_key_of_one_letter_is_not_looked_for_in_sentences() -> None:
    """A server that needs no key takes any."""
    with serving(refused(404, "no such path")) as server:
        model = model_at(server.base_url, "k", concurrency=4)
        with operator_told(ModelUnavailable, "does not know the model"):
            ask(model)


@pytest.mark.parametrize(
    ("listed", "reply", "complaint"),
    [
        (Reply({"object": "list", "data": []}), GOOD, None),
        (Reply([{"id": "m"}]), GOOD, None),
        (Reply({"models": []}), GOOD, None),
        (refused(500, "broken"), GOOD, "status 500"),
        (refused(401, "who are you"), GOOD, "Check OPENAI_API_KEY"),
        (Reply(b'"Welcome"'), GOOD, "other than a chat completion"),
        (Reply({"error": {"message": "Closed."}}), GOOD, "an error. It said: Closed."),
        # A web server that is no endpoint is told from one without a list of models.
        *((refused(status, "no list"), refused(400, "Too short."), None) for status in (404, 501)),
        (refused(405, "no list"), refused(500, "no messages"), None),
        (refused(404, "no list"), refused(404, "no such model"), "does not know the model 'm', or"),
        (refused(404, "no list"), refused(405, "only GET"), "it often ends in /v1"),
        (refused(405, "no list"), refused(401, "who are you"), "Check OPENAI_API_KEY"),
    ],
)
def test_ping(listed: Reply, reply: Reply, complaint: str | None) -> None:
    with serving(reply) as server:
        server.listed = listed
        if complaint is None:
            adapter(server).ping()
        else:
            with operator_told(ModelUnavailable, complaint):
                adapter(server).ping()


@pytest.mark.parametrize(
    ("listed", "tokens"),
    [
        ({"id": "m", "max_model_len": 8192}, 8192),
        ({"id": "m", "context_length": 32768, "max_completion_tokens": 4096}, 32768),
        ({"id": "other", "max_model_len": 8192}, None),
        ({"id": "m", "max_model_len": "8192", "context_window": True}, None),
        ({"id": "m", "max_model_len": 0}, None),
        ("m", None),
    ],
)
def test_the_context_that_a_list_of_models_names(listed: object, tokens: int | None) -> None:
    with serving(GOOD) as server:
        server.listed = Reply({"object": "list", "data": [listed]})
        assert adapter(server).context_tokens() == tokens


def test_a_list_of_models_that_fails_is_asked_for_once_in_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(GOOD) as server:
        server.listed = refused(404, "no list")
        model = adapter(server)
        assert [model.context_tokens() for _ in range(3)] == [None] * 3
        assert len(server.paths) == 1
        server.listed = Reply({"data": [{"id": "m", "max_model_len": 9000}]})
        monkeypatch.setattr("app.adapters.openai_model.time.monotonic", lambda: 1e12)
        assert model.context_tokens() == 9000


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving(GOOD) as server:
        adapter(server).ping()
