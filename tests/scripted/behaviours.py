"""What the scripted model answers, by the name of a behaviour.

good               what was asked for
short, long        far too few or too many sentences
missing_keyword    without the phrases that were asked for
link, markdown_link, html, script, placeholder, assistant_talk    what must not stand in a text
repeated_sentence  one sentence again and again, also across calls
heading_echo       a paragraph that opens with its heading
truncated          ends in mid-sentence, and says that it stopped by itself
cut_off            ends in mid-sentence, and says that it ran out of tokens
long_meta          a title and a description that are too long
cites              quotes a note that it was given
invents            names figures that no note has
copies             takes notes over word for word
bad_json, wrong_schema    an answer that is no JSON, or of another shape
think              a block of reasoning first
empty              no text
refusal, content_filter, refusal_text    declines: by its field, by its finish reason, in words
slow               answers well after ``--delay`` seconds
error_NNN          that HTTP status, as error_500; error_429 has a Retry-After of ``--retry-after``
reset              closes the connection without an answer
error_body, web_page    status 200 with an error in it, or with a web page
picky:P+Q          400 as OpenAI words it while the request has parameter P or Q (max_tokens,
                   temperature, seed, stop, response_format; json_schema refuses that kind alone)
picky_vllm:P+Q     the same as vLLM words it
recover:NAME       NAME for the first attempt at a piece, good afterwards
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.scripted.prose import Writer
from tests.scripted.schema import Filler
from tests.scripted.wishes import Wishes, read, schema_in_words

INVENTED = "A survey of 4,812 households in Brackwater found that 73 percent of them agree."
SAME_AGAIN = "The very same plan saves most of the work for most people."

Change = Callable[[str, Wishes], str]


def _unchanged(text: str, _wishes: Wishes) -> str:
    return text


def _after_first(text: str, extra: str) -> str:
    first, _, rest = text.partition(". ")
    return f"{first.rstrip('.')}. {extra} {rest}".rstrip()


def _cite(text: str, wishes: Wishes) -> str:
    """In the introduction alone: the same note twice would be a repetition."""
    notes = wishes.notes
    if not notes or "It is the introduction" not in wishes.prompt:
        return text
    return _after_first(text, f"As one report has it: “{notes[len(text) % len(notes)]}”")


def _copy(text: str, wishes: Wishes) -> str:
    return _after_first(text, " ".join(wishes.notes[:2]))


_PROSE: dict[str, Change] = {
    "short": lambda _text, _wishes: "It helps.",
    "link": lambda text, _: _after_first(text, "Read more at https://www.example.com/guide today."),
    "markdown_link": lambda text, _: _after_first(text, "See [this guide](https://example.com/a)."),
    "html": lambda text, _: _after_first(text, "This part is <b>very</b> important to know."),
    "script": lambda text, _: _after_first(text, "<script>alert('hello')</script>"),
    "placeholder": lambda text, _: _after_first(text, "TODO: [insert your company name here]."),
    "assistant_talk": lambda text, _: f"Sure, here is a paragraph for you. As an AI, I try. {text}",
    "repeated_sentence": lambda text, _: f"{SAME_AGAIN} {text} {SAME_AGAIN}",
    "truncated": lambda text, _: text[: len(text) * 4 // 5].rstrip(" .,") + " and the",
    "cites": _cite,
    "invents": lambda text, _: _after_first(text, INVENTED),
    "copies": _copy,
    "heading_echo": lambda text, wishes: f"{wishes.heading}. {text}" if wishes.heading else text,
}
_WHOLE = {
    "good", "long", "missing_keyword", "long_meta", "cut_off", "bad_json", "wrong_schema", "think",
    "empty", "refusal", "content_filter", "refusal_text", "slow", "reset", "error_body", "web_page",
}  # fmt: skip
PARAMETERS = {
    "max_tokens", "max_completion_tokens", "temperature", "seed", "stop", "response_format",
    "json_schema", "reasoning_effort",
}  # fmt: skip


@dataclass(frozen=True)
class Reply:
    """One choice of a chat completion."""

    content: str | None
    finish_reason: str = "stop"
    refusal: str | None = None


def check(name: str) -> str:
    """The name itself; ValueError where there is no such behaviour."""
    base = name.removeprefix("recover:")
    picky, _, wanted = base.partition(":")
    known = (
        base in _WHOLE
        or base in _PROSE
        or re.fullmatch(r"error_[45]\d\d", base) is not None
        or (picky in {"picky", "picky_vllm"} and set(wanted.split("+")) <= PARAMETERS)
    )
    if not known:
        names = ", ".join(sorted(_WHOLE | set(_PROSE)))
        raise ValueError(
            f"no behaviour {name!r}; there are {names}, error_NNN, picky:PARAMETER,"
            " picky_vllm:PARAMETER, recover:NAME"
        )
    return name


def answer(behaviour: str, body: Mapping[str, Any]) -> Reply:
    """What the model says to a request; the same for the same prompt and seed."""
    if behaviour == "refusal":
        return Reply(None, refusal="I'm sorry, but I can't assist with that request.")
    if behaviour == "content_filter":
        return Reply("", "content_filter")
    if behaviour == "refusal_text":
        return Reply("I'm sorry, but I can't help with that.")
    if behaviour == "empty":
        return Reply("")
    prompts = {message["role"]: str(message["content"]) for message in body["messages"]}
    wishes = read(prompts.get("user", ""))
    random = Random(f"{prompts.get('system')}\n{wishes.prompt}\n{body.get('seed')}")
    text = _text(behaviour, _schema(body, prompts), wishes, random)
    if behaviour == "think":
        text = f"<think>\nLet me see what is wanted.\n\nA text.\n</think>\n\n{text}"
        for stop in body.get("stop") or ():  # it ends the thoughts as well
            text = text.partition(stop)[0]
        return Reply(text)
    if behaviour == "cut_off":
        return Reply(text[: len(text) * 3 // 5].rstrip(" .,"), "length")
    limit = body.get("max_tokens") or body.get("max_completion_tokens") or 100_000
    if tokens(text) > limit:
        return Reply(text[: limit * 5], "length")
    return Reply(text)


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return len(text) // 5 + 1


def _schema(body: Mapping[str, Any], prompts: Mapping[str, str]) -> Mapping[str, Any] | None:
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return dict(wanted["json_schema"]["schema"])
    return schema_in_words("\n".join(prompts.values()))


def _text(behaviour: str, schema: Mapping[str, Any] | None, wishes: Wishes, random: Random) -> str:
    change = _PROSE.get(behaviour, _unchanged)
    writer = Writer(random, wishes.avoid)
    if behaviour == "missing_keyword":
        wishes = Wishes(wishes.prompt, (), None, wishes.sentences, wishes.heading)
    factor = 3 if behaviour == "long" else 1
    if schema is None:
        count = (wishes.sentences or 4) * factor
        return change(writer.paragraph(count, wishes.phrases), wishes)
    if behaviour == "wrong_schema":
        return json.dumps({"unexpected": [1, 2, 3]})

    def prose(text: str) -> str:
        return change(text, wishes)

    filler = Filler(writer, wishes, prose, factor=factor, long_meta=behaviour == "long_meta")
    value = json.dumps(filler.fill(schema), ensure_ascii=False)
    return value[: len(value) // 2] if behaviour == "bad_json" else value
