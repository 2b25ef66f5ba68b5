"""Responses of the scripted model, by behaviour.

good               what was asked for
short, long        far too few or too many sentences
missing_keyword    without the phrases that were asked for
link, markdown_link, html, script, placeholder, assistant_talk    what must not stand in a text
repeated_sentence  one sentence again and again, also across calls
heading_echo       a paragraph that opens with its heading
truncated          ends in mid-sentence, and says that it stopped on its own
cut_off            ends in mid-sentence, and says that it ran out of tokens
long_meta          a title and a description that are too long
cites              quotes a note that it was given
invents            names figures that no note has
invents_once       the same in the introduction alone
asserts            says without a figure what no note has
asserts_once       the same in the introduction alone
judge_yes          the judge calls every sentence supported, with the nearest passage as its proof
judge_invents      the judge proves every sentence with words that no passage has
judge_half         the judge leaves out every other sentence
judge_rejects      the judge supports no sentence
judge_unreadable   the judge answers with half of its JSON
copies             takes notes over word for word
inflected          with the plural of each phrase that was asked for
faulty, faulty:KIND    with a planted fault (of that kind, as editor.py names them) in the first
                   draft; a rewrite is clean
stubborn:KIND      with that fault in every draft and rewrite
no_markers         several parts without the lines that tell them apart
missing_part       one of several parts is left out
no_faqs            running text instead of questions and answers
preface            a line of talk before the first marker
fenced             parts in a fence of code
false_editor       the editor quotes words that are not in the text
varied             sentences that no other post has, and that make no sense
repeats            the same headings and paragraphs whatever the angle, under a title of its own
bad_json, wrong_schema    an answer that is no JSON, or of another shape
think              a block of reasoning first
empty              no text
refusal, content_filter, refusal_text    declines: by its field, by its finish reason, in words
slow               answers well after ``--delay`` seconds
error_NNN          that HTTP status, as error_500; error_429 and error_503 have a Retry-After of
                   ``--retry-after``: seconds, or any text that /control sets, such as a date
reset              closes the connection without an answer
drip_head          a status line, then a byte of a header from time to time, for ever
drip_body          a head, then a byte of a body from time to time, for ever
blanks             a head, then a blank that keeps the connection alive, for ever
huge               a body of 512 MB
gzip               a compressed body, though nobody asked for one
error_body, web_page    status 200 with an error in it, or with a web page
picky:P+Q          400 as OpenAI words it while the request has parameter P or Q (max_tokens,
                   temperature, seed, stop, response_format; json_schema refuses that kind alone)
picky_vllm:P+Q     the same as vLLM words it
recover:NAME       NAME for the first attempt at a piece, good afterwards
recover_N:NAME     the same for the first N attempts
flaky_N:NAME       NAME for N % of the calls, the same ones in each run, good for the others
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.support.scripted_model import judge, planted
from tests.support.scripted_model.paraphraser import paraphrased
from tests.support.scripted_model.part_writer import PartWriter, as_answer, part_texts
from tests.support.scripted_model.planner import Planner
from tests.support.scripted_model.post_prompts import (
    AskedPart,
    PartsRequest,
    PlanRequest,
    is_parts,
    is_plan,
)
from tests.support.scripted_model.prose import Writer
from tests.support.scripted_model.requirements import EDITOR, Requirements, read, schema_in_words
from tests.support.scripted_model.reviewer import review
from tests.support.scripted_model.schema import Filler

INVENTED = "A survey of 4,812 households in Brackwater found that 73 percent of them agree."
SAME_AGAIN = "The very same plan saves most of the work for most people."

RECOVER = re.compile(r"recover(?:_(\d+))?:")
FLAKY = re.compile(r"flaky_(\d\d?):")
_ANGLED = re.compile(r'^(Plan a blog post about ".+?"): .*\.$', re.MULTILINE)
_TITLED = re.compile(r" of “[^”]*”")

Change = Callable[[str, Requirements], str]


def _unchanged(text: str, _requirements: Requirements) -> str:
    return text


def _after_first(text: str, extra: str) -> str:
    first, _, rest = text.partition(". ")
    return f"{first.rstrip('.')}. {extra} {rest}".rstrip()


def _cite(text: str, requirements: Requirements) -> str:
    """In the introduction alone: the same note twice would be a repetition."""
    notes = requirements.notes
    if not notes or not requirements.is_introduction:
        return text
    return _after_first(text, f"As one report has it: “{notes[len(text) % len(notes)]}”")


def _copy(text: str, requirements: Requirements) -> str:
    return _after_first(text, " ".join(requirements.notes[:2]))


def _inflect(text: str, requirements: Requirements) -> str:
    for phrase in requirements.phrases:
        text = re.sub(rf"{re.escape(phrase)}\b", r"\g<0>s", text, flags=re.IGNORECASE)
    return text


_PROSE: dict[str, Change] = {
    "short": lambda _text, _requirements: "It helps.",
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
    "invents_once": lambda text, requirements: (
        _after_first(text, INVENTED) if requirements.is_introduction else text
    ),
    "asserts": lambda text, _: _after_first(text, judge.ASSERTED),
    "asserts_once": lambda text, requirements: (
        _after_first(text, judge.ASSERTED) if requirements.is_introduction else text
    ),
    "copies": _copy,
    "inflected": _inflect,
    "heading_echo": lambda text, requirements: (
        f"{requirements.heading}. {text}" if requirements.heading else text
    ),
}
HOSTILE = ("drip_head", "drip_body", "blanks", "huge", "gzip")
_WHOLE = {
    "good", "long", "missing_keyword", "long_meta", "cut_off", "bad_json", "wrong_schema", "think",
    "empty", "refusal", "content_filter", "refusal_text", "repeats", "varied", "slow", "reset",
    "error_body",
    "web_page", "faulty", "no_markers", "missing_part", "no_faqs", "preface", "fenced",
    "false_editor", "judge_unreadable", *judge.JUDGES, *HOSTILE,
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
    base = FLAKY.sub("", RECOVER.sub("", name, count=1), count=1)
    picky, _, wanted = base.partition(":")
    known = (
        base in _WHOLE
        or base in _PROSE
        or re.fullmatch(r"error_[45]\d\d", base) is not None
        or (picky in {"faulty", "stubborn"} and wanted in planted.KINDS)
        or (picky in {"picky", "picky_vllm"} and set(wanted.split("+")) <= PARAMETERS)
    )
    if not known:
        names = ", ".join(sorted(_WHOLE | set(_PROSE)))
        raise ValueError(
            f"no behaviour {name!r}; there are {names}, error_NNN, faulty:KIND, stubborn:KIND,"
            " picky:PARAMETER, picky_vllm:PARAMETER, recover:NAME, recover_N:NAME, flaky_N:NAME"
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
    requirements = read(prompts.get("user", ""))
    schema = _schema(body, prompts)
    seed = f"{prompts.get('system')}\n{requirements.prompt}\n{body.get('seed')}"
    if behaviour == "repeats":
        seed = _of_the_piece_alone(schema, requirements) or seed
    if (told := paraphrased(requirements.prompt)) is not None:
        text = told
    elif is_parts(requirements.prompt):
        text = _parts(behaviour, requirements, seed)
    else:
        text = _text(behaviour, schema, requirements, Random(seed))
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


def _of_the_piece_alone(schema: Mapping[str, Any] | None, requirements: Requirements) -> str | None:
    """What an outline or a paragraph is asked for, without what sets its post apart from others."""
    if schema is None:
        return _TITLED.sub(
            "", requirements.prompt[requirements.prompt.rfind("Write one paragraph") :]
        )
    if "sections" not in schema["properties"]:
        return None
    return f"outline{requirements.prompt.partition(EDITOR)[2]}"


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return len(text) // 5 + 1


def _schema(body: Mapping[str, Any], prompts: Mapping[str, str]) -> Mapping[str, Any] | None:
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return dict(wanted["json_schema"]["schema"])
    return schema_in_words("\n".join(prompts.values()))


def _text(
    behaviour: str, schema: Mapping[str, Any] | None, requirements: Requirements, random: Random
) -> str:
    change = _PROSE.get(behaviour, _unchanged)
    writer = Writer(random, requirements.avoid, requirements.longest)
    if behaviour == "missing_keyword":
        requirements = replace(requirements, phrases=(), subject=None)
    factor = 3 if behaviour == "long" else 1
    if schema is None:
        count = (requirements.sentences or 4) * factor
        return change(writer.paragraph(count, requirements.phrases), requirements)
    if behaviour == "wrong_schema":
        return json.dumps({"unexpected": [1, 2, 3]})
    members = set(schema["properties"])
    if members == {"verdicts"}:
        is_cut = behaviour == "judge_unreadable"
        told = judge.answer(requirements.prompt, behaviour)
        return _json(told, "bad_json" if is_cut else behaviour)
    if members == {"findings"}:
        return _json(review(requirements.prompt, invented=behaviour == "false_editor"), behaviour)
    if is_plan(requirements.prompt) and {"purpose", "sections", "title"} <= members:
        return _json(_plan(schema, requirements, random, behaviour), behaviour)

    def prose(text: str) -> str:
        return change(text, requirements)

    filler = Filler(writer, requirements, prose, factor=factor, long_meta=behaviour == "long_meta")
    return _json(filler.fill(schema), behaviour)


def _json(value: Any, behaviour: str) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text[: len(text) // 2] if behaviour == "bad_json" else text


def _plan(
    schema: Mapping[str, Any], requirements: Requirements, random: Random, behaviour: str
) -> dict[str, Any]:
    request = PlanRequest(requirements.prompt)
    titles = Random(f"{requirements.prompt}\n{random.random()}")
    if behaviour == "repeats":
        # The angle would change the forms of sections.
        prompt = _ANGLED.sub(r"\1.", requirements.prompt)
        request, random = PlanRequest(prompt), Random("\n".join(request.keywords))
    return Planner(request, random, titles).plan(schema, long_title=behaviour == "long_meta")


def _parts(behaviour: str, requirements: Requirements, seed: str) -> str:
    """Return the parts of a planned post that a prompt asks for."""
    request = PartsRequest(requirements.prompt)
    writer = PartWriter(
        request,
        factor=3 if behaviour == "long" else 1,
        without_phrases=behaviour == "missing_keyword",
    )
    texts = [
        (part, _changed(behaviour, request, part, text, requirements))
        for part, text in part_texts(request, writer)
    ]
    if behaviour == "varied":
        prose = Writer(Random(seed), request.keywords)
        texts = [
            (part, prose.paragraph(max(1, part.words // 15), part.phrases))
            if part.kind in {"INTRODUCTION", "SECTION", "CONCLUSION"}
            else (part, text)
            for part, text in texts
        ]
    if behaviour == "missing_part" and len(texts) > 1:
        texts.pop(len(texts) // 2)
    text = as_answer(texts, markers=behaviour != "no_markers")
    if behaviour == "preface" and len(texts) > 1:
        return f"Here is your post:\n\n{text}"
    return f"```markdown\n{text}\n```" if behaviour == "fenced" else text


def _changed(
    behaviour: str, request: PartsRequest, part: AskedPart, text: str, requirements: Requirements
) -> str:
    """Return a part as the behaviour has it. Titles and labels are not changed."""
    name, _, kind = behaviour.partition(":")
    if name == "stubborn" or (name == "faulty" and not request.is_rewrite):
        return planted.plant(request, part, text, kind)
    if behaviour == "long_meta" and part.kind in {"TITLE", "DESCRIPTION"}:
        return f"{text} With more words than any page of search results would ever show to anybody."
    if behaviour == "no_faqs" and part.kind == "FAQS":
        return re.sub(r"^### .*\n+", "", text, flags=re.MULTILINE).replace("\n\n", " ")
    if behaviour not in _PROSE or part.kind == "TITLE":
        return text
    of_part = replace(
        requirements,
        phrases=part.phrases,
        heading=part.heading or None,
        is_introduction=part.kind == "INTRODUCTION",
    )
    label, separator, rest = text.partition(": " if part.kind == "CALLOUT" else "\n\n")
    if part.kind in {"CALLOUT", "FAQS"}:
        return f"{label}{separator}{_PROSE[behaviour](rest, of_part)}"
    return _PROSE[behaviour](text, of_part)
