"""The scripted model keeps its word: what rests on it is worth no more than it is."""

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
import pytest

from app.core.verification import Extract, marked
from tests.support.scripted_model.behaviours import SAME_AGAIN, answer, check
from tests.support.scripted_model.requirements import read
from tests.support.scripted_model.server import ScriptedServer

PROSE = (
    "Plan.\n\nWrite one paragraph of 4 or 5 sentences. It belongs to the section “Weighing it”.\n"
    'Use the phrase "cold brew ratio" exactly once.\nUse the phrase "coffee scale" exactly once.'
)
DESCRIPTION = (
    "Write the meta description, together between 121 and 156 characters long."
    ' Use the phrase "cold brew ratio" exactly once.'
)
TITLE = (
    "Write the title of this post: between 15 and 60 characters long."
    ' Use the phrase "cold brew ratio" in the title.'
)


def ask(
    prompt: str,
    behaviour: str = "good",
    seed: int = 1,
    schema: Mapping[str, Any] | None = None,
    **more: Any,
) -> str:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": prompt}], "seed": seed}
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": schema}}
    return answer(behaviour, body | more).content or ""


def fields(*names: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


def sentences(text: str) -> list[str]:
    return [sentence for sentence in re.split(r"(?<=[.!?]) ", text) if sentence]


def test_reads_the_notes_of_a_prompt() -> None:
    """By the marks that the service puts around them."""
    notes = marked([Extract(0, "Tea is old."), Extract(1, "Tea costs 3 crowns.")])
    assert read(f"Plan.\n\n{notes}\n\nWrite.").notes == ["Tea is old.", "Tea costs 3 crowns."]
    assert read("Plan.").notes == []


def test_is_deterministic_by_prompt_and_seed() -> None:
    assert ask(PROSE) == ask(PROSE)
    assert ask(PROSE) != ask(PROSE, seed=2)
    assert ask(PROSE) != ask(f"{PROSE} ")


def test_uses_each_phrase_once_and_keeps_the_number_of_sentences() -> None:
    for seed in range(100):
        text = ask(PROSE, seed=seed)
        assert len(sentences(text)) == 5
        for phrase in ("cold brew ratio", "coffee scale"):
            assert text.lower().count(phrase) == 1


@pytest.mark.parametrize("keyword", ["tea", "time", "C++", "how to fix a tap in an old house"])
def test_keeps_the_lengths_of_title_and_description(keyword: str) -> None:
    for seed in range(50):
        prompt = TITLE.replace("cold brew ratio", keyword)
        title = json.loads(ask(prompt, seed=seed, schema=fields("title")))["title"]
        assert 15 <= len(title) <= 60
        assert title.lower().startswith(keyword.lower())
        prompt = DESCRIPTION.replace("cold brew ratio", keyword)
        text = json.loads(ask(prompt, seed=seed, schema=fields("description")))["description"]
        assert 121 <= len(text) <= 156
        assert keyword.lower() in text.lower()


def test_says_nothing_twice() -> None:
    """«no sentence repeated across calls with different prompts»: 10,000 sentences."""
    everything = [
        sentence
        for number in range(2000)
        for sentence in sentences(ask(f"{number}. Write one paragraph of 5 sentences."))
    ]
    assert len(everything) == 10_000
    assert len(set(everything)) == len(everything)


def test_fills_any_schema() -> None:
    entry = fields("question", "answer")
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "headings": {"type": "array", "items": {"type": "string"}, "minItems": 3},
            "faqs": {"type": "array", "items": {"$ref": "#/$defs/entry"}, "maxItems": 4},
            "kind": {"enum": ["a", "b"]},
            "count": {"type": "integer", "minimum": 3, "maximum": 4},
            "ready": {"type": "boolean"},
            "note": {"type": ["string", "null"]},
            "other": {"anyOf": [{"type": "null"}, {"type": "number"}]},
        },
        "required": ["headings", "faqs", "kind", "count", "ready", "note", "other"],
        "additionalProperties": False,
        "$defs": {"entry": entry},
    }
    value = json.loads(ask("Fill it in.", schema=schema))
    jsonschema.validate(value, schema)
    assert len(set(value["headings"])) == 3
    assert all(faq["question"].endswith("?") for faq in value["faqs"])
    in_words = json.loads(ask(f"Fill it in.\n{json.dumps(schema)}"))
    jsonschema.validate(in_words, schema)


@pytest.mark.parametrize(
    ("behaviour", "mark"),
    [
        ("link", "https://"),
        ("markdown_link", "]("),
        ("html", "<b>"),
        ("script", "<script>"),
        ("placeholder", "TODO"),
        ("assistant_talk", "As an AI"),
        ("repeated_sentence", SAME_AGAIN),
        ("heading_echo", "Weighing it. "),
        ("think", "</think>"),
    ],
)
def test_bad_prose_is_bad(behaviour: str, mark: str) -> None:
    assert mark in ask(PROSE, behaviour)
    assert mark not in ask(PROSE)


def test_bad_lengths_and_endings() -> None:
    assert len(sentences(ask(PROSE, "short"))) == 1
    assert len(sentences(ask(PROSE, "long"))) == 15
    assert "cold brew ratio" not in ask(PROSE, "missing_keyword").lower()
    assert not ask(PROSE, "truncated").endswith(".")
    assert ask(PROSE, "empty") == ""
    body = {"messages": [{"role": "user", "content": PROSE}]}
    assert answer("cut_off", body).finish_reason == "length"
    assert answer("good", body | {"max_tokens": 5}).finish_reason == "length"
    assert answer("refusal", body).refusal
    assert answer("content_filter", body).finish_reason == "content_filter"
    title = json.loads(ask(TITLE, "long_meta", schema=fields("title")))["title"]
    assert len(title) > 80
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(ask(TITLE, "bad_json", schema=fields("title")))
    assert "title" not in json.loads(ask(TITLE, "wrong_schema", schema=fields("title")))


def test_names_of_behaviours_are_checked() -> None:
    for name in (
        "good", "recover:link", "recover_3:link", "picky:seed+stop", "error_503",
        "recover:error_500",
    ):  # fmt: skip
        assert check(name) == name
    for name in ("goood", "picky:nothing", "error_200", "recover:", "recover_x:link", ""):
        with pytest.raises(ValueError, match="no behaviour"):
            check(name)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def call(server: ScriptedServer, path: str, body: Mapping[str, Any] | None = None) -> Any:
    url = server.base_url.removesuffix("/v1") + path
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=10) as response:
        return json.load(response)


def complete(server: ScriptedServer, prompt: str = PROSE, model: str = "scripted") -> Any:
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    return call(server, "/v1/chat/completions", body)["choices"][0]


def test_control(server: ScriptedServer) -> None:
    """«POST /control {"behaviour": …}; GET /control gives counts of calls.»"""
    complete(server)
    assert call(server, "/control", {"behaviour": "refusal"})["behaviour"] == "refusal"
    assert complete(server)["message"]["refusal"]
    assert complete(server, model="scripted:content_filter")["finish_reason"] == "content_filter"
    state = call(server, "/control")
    assert state["calls"] == 3
    assert state["by_behaviour"] == {"good": 1, "refusal": 1, "content_filter": 1}
    assert call(server, "/control", {"behaviour": "good", "reset": True})["calls"] == 0
    with pytest.raises(urllib.error.HTTPError) as error:
        call(server, "/control", {"behaviour": "nonsense"})
    error.value.close()
    assert error.value.code == 400
    assert call(server, "/v1/models")["data"][0]["id"] == "scripted"


def test_recover_is_by_piece(server: ScriptedServer) -> None:
    """Bad for the first attempt at a piece, good when an editor sends it back."""
    call(server, "/control", {"behaviour": "recover:link"})
    other = PROSE.replace("Weighing it", "Grinding it")
    again = f"{PROSE}\nAn editor sent an earlier version back:\n- Write it without any link."
    linked = ["https://" in complete(server, prompt)["message"]["content"] for prompt in (
        PROSE, other, again, other
    )]  # fmt: skip
    assert linked == [True, True, False, False]


def test_recover_counts_the_attempts_at_a_piece(server: ScriptedServer) -> None:
    call(server, "/control", {"behaviour": "recover_2:link"})
    again = f"{PROSE}\nAn editor sent an earlier version back:\n- Write it without any link."
    linked = ["https://" in complete(server, prompt)["message"]["content"] for prompt in (
        PROSE, again, again
    )]  # fmt: skip
    assert linked == [True, True, False]


def test_inflected_has_the_plural_of_each_phrase() -> None:
    text = ask('Write 4 sentences. Use the phrase "clay pot" exactly once.', "inflected")
    assert "clay pots" in text.lower()


def test_repeats_writes_the_same_under_any_title() -> None:
    task = "Write one paragraph of 4 sentences. It is the introduction"
    texts = {
        ask(
            f"A post with the title “{title}”.\n\n{task} of “{title}”: it greets.",
            "repeats",
            seed=n,
        )
        for n, title in enumerate(("One", "Two"))
    }
    assert len(texts) == 1
    assert {ask(f"{task} of “One”: it ends.", "repeats")} != texts
