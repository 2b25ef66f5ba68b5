"""Endpoints as they are: each gives a text, or one sentence that names the cause, and none stays
unusable after its oddity has ended.

The sentences of the endpoints are made up; only codes, names of members and marks are real.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from app.adapters import openai_client
from app.adapters.openai_model import OpenAIModel
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.writing.completion import Completion, Prompt
from tests.support.endpoints import model_at, operator_told
from tests.support.odd_endpoint import Reply, Request, refused, said, serving

KEY = "sk-secret-1234567890"
PROMPT = Prompt("You write.", "Write about tea.")
POST = "# Tea\n\nSteep it for four minutes."
GOOD = said(POST)
CUT = said("<think>\nThe reader asks", "length")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_client, "_FIRST_PAUSE", 0.001)


def adapter(url: str, **options: Any) -> OpenAIModel:
    return model_at(url, KEY, **{"concurrency": 4} | options)


def ask(model: OpenAIModel) -> Completion:
    return model.complete(PROMPT, Deadline(60))


def has_system(request: Request) -> bool:
    return any(message["role"] != "user" for message in request["messages"])


def unless(
    is_odd: Callable[[Request], object], reply: Reply, otherwise: Reply = GOOD
) -> Callable[[Request], Reply]:
    return lambda request: reply if is_odd(request) else otherwise


def gemini(status: int, message: str, *details: object) -> Reply:
    error = {"code": status, "message": message, "status": "X", "details": list(details)}
    return Reply([{"error": error}], status)


HARMONY = "<|channel|>analysis<|message|>Plan it.<|end|><|start|>assistant"
ANSWERED: dict[str, Reply | Callable[[Request], Reply]] = {
    # No role for instructions.
    "a template": unless(
        has_system, Reply({"object": "error", "message": "Roles alternate here.", "code": 400}, 400)
    ),
    "no developer": unless(has_system, gemini(400, "models/m takes no instruction.")),
    "llama.cpp": unless(has_system, refused(500, "template: unknown role system")),
    "no words at all": unless(has_system, Reply(b"", 400)),
    # Thoughts.
    "think": said(f"<think>\nSo.\n</think>\n\n{POST}"),
    "a stray mark": said(f"So, tea.\n</think>\n\n{POST}"),
    "two blocks": said(f"<think>a</think>\n<think>b</think>\n{POST}"),
    "nested": said(f"<think>a <think>b</think> c\n</think>\n{POST}"),
    "mistral": said(f"[THINK]First the heat. Then time.[/THINK]{POST}"),
    "kimi": said(f"◁think▷So.◁/think▷{POST}"),
    "seed": said(f"<seed:think>So.</seed:think>{POST}"),
    "sky": said(
        f"<|begin_of_thought|>\nSo.\n<|end_of_thought|>\n<|begin_of_solution|>{POST}"
        "<|end_of_solution|>"
    ),
    "cohere": said(
        f"<|START_THINKING|>So.<|END_THINKING|><|START_RESPONSE|>{POST}<|END_RESPONSE|>"
    ),
    "harmony": said(f"{HARMONY}<|channel|>final<|message|>{POST}<|return|>"),
    "harmony without marks": said(f"analysisPlan it.assistantfinal{POST}"),
    "reflection": said(f"<reflection>So.</reflection>\n<output>{POST}</output>"),
    "parts": said(
        [
            {"type": "thinking", "thinking": [{"type": "text", "text": "So."}]},
            {"type": "text", "text": POST},
        ]
    ),
    "a field of thoughts": said(POST, reasoning_content="So."),
    # Forms of answers.
    "a list": Reply([GOOD.body]),
    "no reason": said(POST, None),
    "an odd reason": said(POST, 7),
    "an odd usage": said(POST, usage="many"),
}


@pytest.mark.parametrize("name", ANSWERED)
def test_an_odd_endpoint_is_understood(name: str) -> None:
    with serving(ANSWERED[name]) as server:
        model = adapter(server.base_url)
        assert ask(model).text == POST
        first = len(server.asked)
        assert ask(model).text == POST
        assert len(server.asked) == first + 1, "it remembers what it has learned"


@pytest.mark.parametrize(
    "text",
    [
        "# Marks\n\nModels write `<think>` and `</think>`.",
        "# Marks\n\n```\n<think>\nSo.\n</think>\n```\n\nThat is all.",
        "# Marks\n\n```\nSo.\n</think>\n```",
        "# Marks\n\nSome end their thoughts with </think> and go on.",
        "# Harmony\n\nIts last channel is `<|channel|>final<|message|>`.",
        "# Analysis\n\nanalysis and assistantfinal are words of it.",
    ],
)
def test_a_text_about_such_marks_survives(text: str) -> None:
    with serving(said(text)) as server:
        assert ask(adapter(server.base_url)).text == text


PAGE = b"<!doctype html><title>Welcome</title>"
UNKNOWN = "The model `m` is not here."
INSIDE = r"the answer ended inside the model's thoughts"
TOLD: dict[str, tuple[Reply, str]] = {
    "a key": (refused(401, f"No key: {KEY}"), r"not accept the API key\. Check OPENAI_API_KEY"),
    "a forbidden key": (refused(403, "No."), "Check OPENAI_API_KEY"),
    "a key at Gemini": (
        gemini(400, "This is no key.", {"reason": "API_KEY_INVALID"}),
        r"does not accept the API key.*It said: This is no key\.$",
    ),
    "a model": (refused(404, UNKNOWN, code="model_not_found"), "not know the model 'm'.*_MODEL"),
    "a model in a list": (gemini(404, "models/m is gone."), r"COPYDESK_MODEL.*models/m is gone\.$"),
    "a model with a 400": (refused(400, "Model m does not exist."), "Check COPYDESK_MODEL"),
    "a deployment": (
        Reply({"error": {"code": "DeploymentNotFound", "message": "None."}}, 404), "COPYDESK_MODEL",
    ),
    "credit": (refused(402, "Pay."), "credit is used up. Check its billing. It said: Pay."),
    "a quota": (refused(429, "No more.", code="insufficient_quota"), "credit is used up"),
    "a rate": (refused(429, "Slow down.", {"Retry-After": "90"}), "limits the rate of calls"),
    "a fault": (refused(500, "Oops."), r"status 500\. Try again later\. It said: Oops\.$"),
    "a fault in a list": (gemini(503, "Overloaded."), r"status 503\. .*It said: Overloaded\.$"),
    "a page of a fault": (Reply(PAGE, 502), r"status 502 and a web page\. Try again later\.$"),
    "an empty fault": (Reply(b"", 503), r"status 503\. Try again later\.$"),
    "a page": (Reply(PAGE), "something other than a chat completion.*often ends in /v1"),
    "nothing": (Reply(b""), "an empty body"),
    "half of it": (Reply(b'{"choices": ['), "something other than a chat completion"),
    "no choice": (Reply({"choices": []}), "something other than a chat completion"),
    "a stream": (Reply(b'data: {"choices": []}\n\ndata: [DONE]\n'), "a stream of events"),
    "an error with 200": (Reply({"error": {"message": "Busy upstream.", "code": 502}}),
                          r"status 502.*It said: Busy upstream\.$"),
    "a key with 200": (Reply({"error": {"message": "Who?", "code": 401}}), "OPENAI_API_KEY"),
    "an error in a choice": (
        Reply({"choices": [{"error": {"message": "Broken."}, "finish_reason": "error"}]}),
        r"an error\. It said: Broken\.$",
    ),
    "a provider behind": (
        refused(429, "Provider error", metadata={"raw": "m is cold."}),
        r"It said: Provider error m is cold\.$",
    ),
    "a 400": (refused(400, "Without streaming, enable_thinking is false."),
              r"status 400\. It said: Without streaming, enable_thinking is false\.$"),
    "a plain 400": (Reply(b"No {braces} here.", 400), r"It said: No \{braces\} here\.$"),
    "a page of a 400": (Reply(PAGE, 400), r"status 400 and a web page\.$"),
    "a cut thought": (CUT, INSIDE),
    "a cut thought of Mistral": (said("[THINK]Well", "length"), INSIDE),
    "a cut channel": (said("<|channel|>analysis<|message|>Well", "stop"), INSIDE),
    "a cut field": (
        said("", "length", reasoning_content="Well"), rf"{INSIDE} \(reasoning_content\)",
    ),
    "unseen thoughts": (
        said("", "length", {"prompt_tokens": 100, "completion_tokens": 0, "total_tokens": 1510}),
        rf"{INSIDE} \(1,410 tokens\)\. .*COPYDESK_MODEL_BODY",
    ),
    "a text elsewhere": (
        said("", reasoning_content=POST), "text was in reasoning_content.*COPYDESK_MODEL_BODY",
    ),
    "a text in thinking": (said(None, thinking=POST), "the text was in thinking"),
    "no text": (said("  "), "an empty text"),
    "a tool": (said(None, "tool_calls", tool_calls=[{"id": "1"}]), "a call of a tool"),
    "too long a text": (said("x" * 200_001), "more than 200,000 characters"),
    "too many bytes": (Reply(b" " * 5_000_000), "more than 4,194,304 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_an_odd_endpoint_is_told_by_its_cause_and_works_again(name: str) -> None:
    reply, cause = TOLD[name]
    with serving(reply) as server:
        model = adapter(server.base_url)
        with operator_told(ModelUnavailable, cause) as error:
            ask(model)
        operator = error.value.operator
        assert KEY not in operator
        assert not re.search(r"[{\[]'|\\n|<!doctype", operator), "it is a sentence, not a repr"
        assert operator in model.state().reason
        server.behave = lambda _: GOOD
        assert ask(model).text == POST
        assert model.state().reason == ""


def test_the_tokens_of_answers_that_cannot_be_used_are_told() -> None:
    with (
        serving(said(" ", usage={"prompt_tokens": 100, "completion_tokens": 10})) as server,
        pytest.raises(ModelUnavailable) as error,
    ):
        ask(adapter(server.base_url))
    assert error.value.paid == (100 * len(server.asked), 10 * len(server.asked)) > (0, 0)


def test_what_was_learned_is_forgotten_when_it_no_longer_helps() -> None:
    with serving(ANSWERED["a template"]) as server:
        model = adapter(server.base_url)
        assert ask(model).text == POST
        server.behave = lambda _: refused(400, "Not today.")
        with operator_told(ModelUnavailable, r"Not today\.$"):
            ask(model)
        server.behave = lambda _: GOOD
        assert ask(model).text == POST
        assert has_system(server.asked[-1])


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (gemini(429, "Wait.", {"@type": "RetryInfo", "retryDelay": "170s"}), 170),
        (refused(503, "Loading.", retry_after=75), 75),
        (refused(429, "Full.", {"Retry-After-Ms": "61500"}), 62),
        (refused(429, "Full.", retryDelay="999999.5s"), 86_400),
    ],
)
def test_a_pause_is_kept_wherever_it_stands(reply: Reply, seconds: int) -> None:
    with serving(reply) as server:
        with pytest.raises(ModelUnavailable) as error:
            ask(adapter(server.base_url))
        assert len(server.asked) == 1, "it is too long to wait for"
    assert error.value.retry_after == seconds


PATHS = [
    ("/v1", "/v1/chat/completions"),
    ("/v1/", "/v1/chat/completions"),
    ("/v1/chat/completions", "/v1/chat/completions"),
    ("/deployments/m?api-version=2026-01", "/deployments/m/chat/completions?api-version=2026-01"),
    ("/d/m/chat/completions?v=1&k=a-b", "/d/m/chat/completions?v=1&k=a-b"),
    ("", "/chat/completions"),
]


@pytest.mark.parametrize(("address", "path"), PATHS)
def test_an_address_is_taken_as_people_copy_it(address: str, path: str) -> None:
    with serving(GOOD) as server:
        assert ask(adapter(server.origin + address)).text == POST
        assert server.paths == [path]
        assert ("api-key" in server.heads[0]) == ("api-version" in address)


def test_a_redirect_is_told_and_not_followed() -> None:
    """the model's client follows no redirect"""
    with serving(GOOD) as other:
        target = f"http://me:pw@127.0.0.1:{other.server_address[1]}/v2/chat/completions?key=abc"
        with serving(Reply(b"", 307, {"Location": target})) as server:
            model = adapter(server.base_url)
            told = rf"redirects to {other.origin}/v2; set OPENAI_BASE_URL to that address\.$"
            with operator_told(ModelUnavailable, told):
                ask(model)
            server.listed = Reply(b"", 302, {"Location": "/v2/models"})
            with operator_told(ModelUnavailable, rf"redirects to {server.origin}/v2; set"):
                model.ping()
        assert other.paths == []


def test_both_texts_are_in_the_one_message() -> None:
    with serving(unless(has_system, refused(400, "No."))) as server:
        ask(adapter(server.base_url))
    (message,) = server.asked[-1]["messages"]
    assert message == {"role": "user", "content": "You write.\n\nWrite about tea."}


def test_the_first_refusal_is_told() -> None:
    """If one message does not help, what was wrong with two is what the operator reads."""
    odd = unless(has_system, refused(400, "Tea is off."), refused(400, "And alone."))
    told = operator_told(ModelUnavailable, r"It said: Tea is off\.$")
    with serving(odd) as server, told:
        ask(adapter(server.base_url))
