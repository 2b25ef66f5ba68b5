"""What the adapter makes of endpoints as they are: what they refuse, how they fail, what they leak.

Every endpoint here is a real server on loopback: the scripted model, or one that gives out answers
written down beforehand.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from typing import Any, TypeVar

import pytest

from app.adapters.openai_model import OpenAIModel
from app.core.errors import (
    GenerationCancelled,
    GenerationTimeout,
    ModelUnavailable,
    ServiceError,
)
from app.core.writing.completion import Completion, Prompt
from app.core.writing.profile import Limits
from app.deadline import Deadline
from tests.support.operator_errors import operator_told
from tests.support.scripted_model.server import ScriptedServer
from tests.support.startup import wait_until

S = TypeVar("S", bound=BaseServer)
KEY = "sk-secret-1234567890"
PROSE = Prompt(
    system="You write.",
    user='Write one paragraph of 3 sentences. Use the phrase "green tea" exactly once.',
    stop=("\n\n",),
    max_tokens=200,
    seed=3,
)
SCHEMA = replace(
    PROSE,
    user="Write a box: a label, and a text of 2 sentences.",
    stop=(),
    schema={
        "type": "object",
        "properties": {"label": {"type": "string"}, "text": {"type": "string"}},
        "required": ["label", "text"],
        "additionalProperties": False,
    },
)


@contextmanager
def serving(server: S) -> Iterator[S]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    with serving(ScriptedServer(retry_after=0.01, delay=30, api_key=KEY)) as server:
        yield server


class Canned(ThreadingHTTPServer):
    """Gives out its answers in order, the last one again and again, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, *answers: tuple[int, Any]) -> None:
        super().__init__(("127.0.0.1", 0), CannedHandler)
        self.answers = list(answers)
        self.listed: tuple[int, Any] | None = None
        self.asked: list[dict[str, Any]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class CannedHandler(BaseHTTPRequestHandler):
    server: Canned

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(json.loads(body))
        answers = self.server.answers
        self.answer(*(answers.pop(0) if len(answers) > 1 else answers[0]))

    def do_GET(self) -> None:
        self.answer(*(self.server.listed or self.server.answers[0]))

    def answer(self, status: int, body: Any) -> None:
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def said(content: object, finish: str = "stop", **message: object) -> tuple[int, Any]:
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **message},
    }
    return 200, {"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]}


def refused(status: int, message: str, **fields: object) -> tuple[int, Any]:
    return status, {
        "error": {"message": message, "type": "x", "param": None, "code": None} | fields
    }


def adapter(base_url: str, model: str = "m", **options: Any) -> OpenAIModel:
    return OpenAIModel(base_url, KEY, model, **{"timeout_seconds": 10, "concurrency": 4} | options)


def named(server: ScriptedServer, behaviour: str, **options: Any) -> OpenAIModel:
    return adapter(server.base_url, f"scripted:{behaviour}", **options)


def ask(model: OpenAIModel, prompt: Prompt, seconds: float = 60) -> Completion:
    return model.complete(prompt, Deadline(seconds))


PARAMETERS = ["max_tokens", "temperature", "seed", "stop", "response_format", "json_schema"]


@pytest.mark.parametrize("wording", ["picky", "picky_vllm"])
@pytest.mark.parametrize("parameter", PARAMETERS)
def test_goes_on_without_what_is_refused(
    scripted: ScriptedServer, wording: str, parameter: str
) -> None:
    """«learn from the first 400 which parameter is refused and go on without it for the life of
    the process»."""
    model = named(scripted, f"{wording}:{parameter}")
    prompt = SCHEMA if parameter in {"response_format", "json_schema"} else PROSE
    assert ask(model, prompt).text
    first = scripted.state()["calls"]
    assert first == (3 if parameter == "response_format" else 2)
    completion = ask(model, replace(prompt, seed=4))
    assert scripted.state()["calls"] == first + 1, "it is not asked for again"
    if prompt.schema is not None:
        assert set(json.loads(completion.text)) == {"label", "text"}


def test_everything_can_be_refused_at_once(scripted: ScriptedServer) -> None:
    """An endpoint that takes nothing but messages still answers, in JSON where it is wanted."""
    everything = "max_tokens+max_completion_tokens+temperature+seed+stop+response_format"
    model = named(scripted, f"picky:{everything}+reasoning_effort")
    assert ask(model, PROSE).text
    assert set(json.loads(ask(model, SCHEMA).text)) == {"label", "text"}
    last = scripted.state()["last_request"]
    assert set(last) == {"model", "messages"}


def test_max_completion_tokens_leaves_room_for_thoughts(scripted: ScriptedServer) -> None:
    """A model that refuses max_tokens thinks first, and its thoughts count against the ceiling."""
    ask(named(scripted, "picky:max_tokens"), PROSE)
    last = scripted.state()["last_request"]
    assert last["max_completion_tokens"] >= PROSE.max_tokens + 4000
    assert last["reasoning_effort"] == "low"


def test_what_is_taken_is_sent(scripted: ScriptedServer) -> None:
    """Nothing is left out before it was refused, and llama.cpp's own only goes to llama.cpp."""
    ask(adapter(scripted.base_url), SCHEMA)
    last = scripted.state()["last_request"]
    assert last == {
        "model": "m",
        "messages": [
            {"role": "system", "content": SCHEMA.system},
            {"role": "user", "content": SCHEMA.user},
        ],
        "max_tokens": 200,
        "temperature": 0.7,
        "seed": 3,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA.schema},
        },
    }
    local = adapter(scripted.base_url, llama_cpp=True)
    ask(local, SCHEMA)
    extra = {"min_p": 0.05, "top_k": 40}
    assert scripted.state()["last_request"] == last | extra
    ask(local, PROSE)
    last = scripted.state()["last_request"]
    assert last["stop"] == ["\n\n"]
    assert last["dry_multiplier"] == 0.8
    assert last["repeat_penalty"] == 1.05


def test_learning_is_safe_in_threads(scripted: ScriptedServer) -> None:
    """«(thread-safe)»: calls that are refused at the same time learn one thing, not two."""
    model = named(scripted, "picky:max_tokens+json_schema", concurrency=8)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(partial(ask, model), [replace(SCHEMA, seed=n) for n in range(32)]))
    assert all(json.loads(answer.text) for answer in answers)
    ask(model, SCHEMA)
    last = scripted.state()["last_request"]
    assert "max_completion_tokens" in last
    assert last["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (refused(400, "Your request is malformed."), "It said: Your request is malformed."),
        (refused(422, "No such thing."), "status 422"),
        (
            refused(
                400,
                "'max_tokens' is too large: 600. The maximum context length is 512.",
                param="max_tokens",
            ),
            "maximum context length is 512",
        ),
        ((400, {"detail": "nothing known"}), "It said: nothing known"),
        ((400, b"<html>Bad Request</html>"), "answered with status 400."),
    ],
    ids=["malformed", "422", "too long", "detail", "web page"],
)
def test_a_400_that_names_nothing_known(answer: tuple[int, Any], sentence: str) -> None:
    """«a 400 that names nothing known is ModelUnavailable with the endpoint's sentence»."""
    with serving(Canned(answer)) as server, pytest.raises(ModelUnavailable) as error:
        ask(adapter(server.base_url), PROSE)
    assert sentence in error.value.operator
    assert len(server.asked) == 1


def test_the_words_of_other_endpoints() -> None:
    """A list of places (FastAPI, Mistral) names the parameter as well as OpenAI's `param` does."""
    detail = [
        {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs", "input": 3}
    ]
    with serving(Canned((422, {"detail": detail}), said("Fine."))) as server:
        assert ask(adapter(server.base_url), PROSE).text == "Fine."
    assert "seed" in server.asked[0]
    assert "seed" not in server.asked[1]
    wording = refused(400, "This model does not support structured_outputs.")
    with serving(Canned(wording, said('{"label": "a", "text": "b"}'))) as server:
        ask(adapter(server.base_url), SCHEMA)
    assert server.asked[1]["response_format"] == {"type": "json_object"}
    assert '"additionalProperties"' in server.asked[1]["messages"][1]["content"]


ERRORS: list[tuple[str, type[ServiceError], str]] = [
    ("error_401", ModelUnavailable, "Check OPENAI_API_KEY"),
    ("error_403", ModelUnavailable, "Check OPENAI_API_KEY"),
    ("error_404", ModelUnavailable, "Check COPYDESK_MODEL"),
    ("error_429", ModelUnavailable, "limits the rate"),
    ("error_500", ModelUnavailable, "status 500. Try again later"),
    ("error_503", ModelUnavailable, "status 503"),
    ("reset", ModelUnavailable, "Check OPENAI_BASE_URL"),
    ("web_page", ModelUnavailable, "other than a chat completion"),
    ("error_body", ModelUnavailable, "upstream provider is overloaded"),
]


@pytest.mark.parametrize(("behaviour", "error", "sentence"), ERRORS)
def test_errors_say_what_to_do(
    scripted: ScriptedServer, behaviour: str, error: type[ServiceError], sentence: str
) -> None:
    """«ModelUnavailable with a clear sentence of what to do»; «Retries: the client's own»."""
    with operator_told(error, sentence):
        ask(named(scripted, behaviour), PROSE)
    retried = behaviour not in {"error_401", "error_403", "error_404"}
    assert scripted.state()["calls"] == (3 if retried else 1)


def test_a_passing_error_is_retried(scripted: ScriptedServer) -> None:
    assert ask(named(scripted, "recover:error_500"), PROSE).text
    assert scripted.state()["calls"] == 2


def test_a_late_answer_is_not_asked_for_again(scripted: ScriptedServer) -> None:
    """«timeouts -> GenerationTimeout»; asking again would triple the wait."""
    with operator_told(GenerationTimeout, r"no answer within 0\.2 seconds"):
        ask(named(scripted, "slow", timeout_seconds=0.2), PROSE)
    assert scripted.state()["calls"] == 1


def test_waiting_for_a_place_ends(scripted: ScriptedServer) -> None:
    """No more than ``concurrency`` calls at once, and the others do not wait for ever."""
    model = named(scripted, "slow", concurrency=1)
    long = Deadline(60)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(model.complete, PROSE, long)
        wait_until(lambda: scripted.state()["calls"] == 1, 30, "the one place is taken")
        for _ in range(2):
            with operator_told(GenerationTimeout, "The model is busy"):
                ask(model, PROSE, seconds=0.1)
        long.cancel()
        with pytest.raises(GenerationCancelled):
            call.result(30)
    assert scripted.state()["calls"] == 1


@pytest.mark.parametrize(
    "body",
    [b'{"choices": [', b"[" * 200_000, b'{"choices": %s}' % (b"9" * 5_000)],
    ids=["unfinished", "too deep", "a huge number"],
)
def test_bad_json_is_no_crash(body: bytes) -> None:
    with serving(Canned((200, body))) as server:
        with operator_told(ModelUnavailable, "other than a chat completion"):
            ask(adapter(server.base_url), PROSE)
        with pytest.raises(ModelUnavailable):
            adapter(server.base_url).ping()


@pytest.mark.parametrize(
    "choice",
    [
        "text",
        {},
        {"message": None},
        {"message": "text"},
        {"message": {"content": "A.", "refusal": ["no"]}, "finish_reason": "stop"},
        {"message": {"content": "A."}, "finish_reason": 7},
    ],
)
def test_json_that_is_no_completion_is_no_crash(choice: object) -> None:
    with (
        serving(Canned((200, {"choices": [choice]}))) as server,
        operator_told(ModelUnavailable, "other than a chat completion"),
    ):
        ask(adapter(server.base_url), PROSE)


@pytest.mark.parametrize(
    "usage", ["12", {"prompt_tokens": "12"}, {"prompt_tokens": 10**30, "completion_tokens": -1}]
)
def test_a_usage_that_cannot_be_is_none(usage: object) -> None:
    status, body = said("It is green.")
    with serving(Canned((status, {**body, "usage": usage}))) as server:
        completion = ask(adapter(server.base_url), PROSE)
    assert completion.text == "It is green."
    assert (completion.prompt_tokens, completion.completion_tokens) == (0, 0)


@pytest.mark.parametrize(
    "tokens", ["Yes", [{}], [{"top_logprobs": [{"token": None}]}],
               [{"top_logprobs": [{"token": "Yes", "logprob": 1e6}]}]]
)  # fmt: skip
def test_probabilities_that_cannot_be_are_none(tokens: object) -> None:
    status, body = said("Yes")
    body["choices"][0]["logprobs"] = {"content": tokens}
    with serving(Canned((status, body))) as server:
        completion = ask(adapter(server.base_url), replace(PROSE, yes_or_no=True))
    assert completion.yes is None


def test_a_ping_that_gets_a_text_is_no_crash() -> None:
    with serving(Canned((200, b'"Welcome"'))) as server, pytest.raises(ModelUnavailable):
        adapter(server.base_url).ping()


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (said(None, refusal="I can't help with that."), "I can't help with that."),
        (said("", "content_filter"), "The endpoint's content filter held the answer back."),
        (said("", "SAFETY"), "The endpoint's content filter held the answer back."),
        (refused(400, "The prompt was flagged.", code="content_filter"), "The prompt was flagged."),
    ],
)
def test_refusals(answer: tuple[int, Any], refusal: str) -> None:
    """«refusal field and finish_reason content_filter -> Completion.refusal», and a flagged
    prompt, which some endpoints answer with a 400."""
    with serving(Canned(answer)) as server:
        completion = ask(adapter(server.base_url), PROSE)
    assert completion.refusal == refusal
    assert not completion.cut_off


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("  Tea.\n", "Tea."),
        ("<think>\nWhat now?\n</think>\n\nTea.", "Tea."),
        ("What now?\n</think>\n\nTea.", "Tea."),
        ([{"type": "thinking", "thinking": []}, {"type": "text", "text": "Tea."}], "Tea."),
        ("Tea.\n\nAnd more.", "Tea."),
        ("\ufeffTea.", "Tea."),
        ("\u200b\n<think>\nWhat now?\n</think>\u2060 Te\ufeffa.", "Tea."),
        ("چای می‌خورم", "چای می‌خورم"),
    ],
)
def test_the_text_of_an_answer(content: object, text: str) -> None:
    """«Empty/None content handled»; «strip a leading think block»; ``stop`` holds in any case."""
    with serving(Canned(said(content))) as server:
        completion = ask(adapter(server.base_url), PROSE)
    assert completion.text == text
    assert (completion.prompt_tokens, completion.completion_tokens) == (0, 0)


@pytest.mark.parametrize(
    "answer",
    [
        said("<think>\nWhat is wanted is", "length"),
        said("<think>\nWhat is wanted is", "stop"),
        said("", "length", reasoning_content="What is wanted is"),
    ],
)
def test_a_model_that_thinks_gets_room(answer: tuple[int, Any]) -> None:
    """Thoughts that used the ceiling up, or ran into ``stop``, are seen once and allowed for."""
    with serving(Canned(answer, said("<think>\n\nAh.\n</think>\n\nTea."))) as server:
        model = adapter(server.base_url)
        assert ask(model, PROSE).text == "Tea."
        ask(model, PROSE)
    assert len(server.asked) == 3
    for asked in server.asked[1:]:
        assert asked["max_tokens"] >= PROSE.max_tokens + 4000
        assert "stop" not in asked


def test_a_model_that_only_thinks_is_asked_twice() -> None:
    with serving(Canned(said("<think>\nOn and on", "length"))) as server:
        completion = ask(adapter(server.base_url), PROSE)
    assert (completion.text, completion.cut_off) == ("", True)
    assert len(server.asked) == 2


def test_an_answer_that_is_thrown_away_is_paid_for() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    answers = said("<think>\nOn and on", "length"), said("Tea.")
    for _, body in answers:
        body["usage"] = usage
    with serving(Canned(*answers)) as server:
        completion = ask(adapter(server.base_url), PROSE)
    assert (completion.prompt_tokens, completion.completion_tokens) == (200, 40)


def test_a_schema_that_is_taken_and_not_kept() -> None:
    """From then on it stands in the prompt as well; the words around an object are left out."""
    answers = said("Here you are!"), said('```json\n{"label": "a", "text": "b"}\n```')
    with serving(Canned(*answers)) as server:
        model = adapter(server.base_url)
        assert ask(model, SCHEMA).text == "Here you are!"
        assert json.loads(ask(model, SCHEMA).text) == {"label": "a", "text": "b"}
    assert "JSON schema" not in server.asked[0]["messages"][1]["content"]
    assert "JSON schema" in server.asked[1]["messages"][1]["content"]
    assert "response_format" in server.asked[1]


def test_no_secret_leaks(scripted: ScriptedServer, caplog: pytest.LogCaptureFixture) -> None:
    """«The API key never in an error or repr», though the endpoint repeats it; nor in a log."""
    caplog.set_level(logging.INFO)
    wrong = "sk-wrong-0987654321"
    model = OpenAIModel(scripted.base_url, wrong, "m", timeout_seconds=5, concurrency=1)
    shown = [repr(model)]
    calls: list[Callable[[], object]] = [model.ping, lambda: ask(model, PROSE)]
    for call in calls:
        with operator_told(ModelUnavailable, "Incorrect API key provided: …") as error:
            call()
        shown += [
            error.value.operator,
            str(error.value),
            repr(error.value),
            json.dumps(error.value.body()),
        ]
        assert error.value.__suppress_context__
    for text in [*shown, caplog.text]:
        assert wrong not in text


@pytest.mark.parametrize("key", ["sk secret", "sk-sécret", "sk-\nsecret", "“sk-secret”"])
def test_a_key_that_is_none(key: str) -> None:
    """One clear error that names the setting, without the key."""
    with pytest.raises(ValueError, match="OPENAI_API_KEY") as error:
        OpenAIModel("http://127.0.0.1:9/v1", key, "m", timeout_seconds=1, concurrency=1)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "url", ["http://[bad/v1", "http://127.0.0.1:port/v1", "https://me:pass-5555@example.com/v1"]
)
def test_an_address_that_cannot_be_used(url: str) -> None:
    """A password in it would stand in every log line and error."""
    with pytest.raises(ValueError, match="OPENAI_BASE_URL") as error:
        OpenAIModel(url, KEY, "m", timeout_seconds=1, concurrency=1)
    assert "pass-5555" not in str(error.value)


def test_a_key_with_white_space_around_it_is_taken(scripted: ScriptedServer) -> None:
    model = OpenAIModel(scripted.base_url, f" {KEY}\n", "m", timeout_seconds=5, concurrency=1)
    model.ping()


@pytest.mark.parametrize(
    ("answer", "works"),
    [
        ((200, {"object": "list", "data": []}), True),
        (refused(500, "broken"), False),
        (refused(401, "who are you"), False),
    ],
)
def test_ping(answer: tuple[int, Mapping[str, Any]], works: bool) -> None:
    """«Return when the endpoint answers; raise ModelUnavailable when it does not.»"""
    with serving(Canned(answer)) as server:
        if works:
            adapter(server.base_url).ping()
        else:
            with pytest.raises(ModelUnavailable):
                adapter(server.base_url).ping()


@pytest.mark.parametrize("no_list", [404, 405, 501])
@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (refused(400, "messages is too short"), None),
        (refused(422, "messages is too short"), None),
        (refused(500, "no messages"), None),
        (refused(404, "no such model"), "does not know the model 'm', or the path"),
        (refused(405, "only GET"), "it often ends in /v1"),
        (refused(501, "no POST here"), "it often ends in /v1"),
        (refused(401, "who are you"), "Check OPENAI_API_KEY"),
    ],
)
def test_a_web_server_that_is_no_endpoint_is_told_from_one_without_a_list_of_models(
    no_list: int, answer: tuple[int, Mapping[str, Any]], complaint: str | None
) -> None:
    """«Return when the endpoint answers; raise ModelUnavailable when it does not.»"""
    with serving(Canned(answer)) as server:
        server.listed = refused(no_list, "no list")
        if complaint is None:
            adapter(server.base_url).ping()
        else:
            with operator_told(ModelUnavailable, complaint):
                adapter(server.base_url).ping()


@pytest.mark.parametrize(
    ("listed", "limits"),
    [
        ({"id": "m", "max_model_len": 8192}, Limits(8192)),
        ({"id": "m", "context_length": 32768, "max_completion_tokens": 4096}, Limits(32768, 4096)),
        ({"id": "other", "max_model_len": 8192}, Limits()),
        ({"id": "m"}, Limits()),
        ({"id": "m", "max_model_len": "8192", "context_window": True}, Limits()),
        ({"id": "m", "max_model_len": 0}, Limits()),
        (None, Limits()),
        ("m", Limits()),
    ],
)
def test_the_limits_that_a_list_of_models_names_are_used(listed: object, limits: Limits) -> None:
    with serving(Canned((200, {"object": "list", "data": [listed]}))) as server:
        assert adapter(server.base_url).limits() == limits


@pytest.mark.parametrize(
    ("answer", "is_asked_again"),
    [(refused(404, "no list"), False), (refused(503, "starting"), True), ((200, b"["), True)],
)
def test_an_endpoint_without_a_list_of_models_has_no_limits(
    answer: tuple[int, Any], is_asked_again: bool
) -> None:
    with serving(Canned(answer)) as server:
        model = adapter(server.base_url)
        assert model.limits() == Limits()
        server.answers = [(200, {"object": "list", "data": [{"id": "m", "max_model_len": 9000}]})]
        assert model.limits() == (Limits(9000) if is_asked_again else Limits())


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(
    scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    adapter(scripted.base_url).ping()
