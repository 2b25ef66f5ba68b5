"""Replay: a post built again from its journal, without a model and without a write."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.core.errors import NotFound, ServiceError
from app.core.rendering.offers import Offer
from app.core.rendering.render import render
from app.core.schemas.api_model import to_json
from app.core.schemas.request import GenerateRequest, ResponseType, parse
from app.core.writing.completion import Completion, Prompt
from app.deadline import Deadline
from app.ports import Model
from app.services.assignment import Inputs
from app.services.claims import Ledger
from app.services.journal import Answers, digest
from app.services.pipeline import Written
from app.services.post_writer import Models, write_attempt
from app.services.results import make_result
from app.store import journal as store
from app.store import models
from app.store.database import reading

# A replay computes for seconds, and waits for nobody.
_SECONDS = 600.0


@dataclass(frozen=True)
class Replay:
    """A replayed post.

    Args:
        calls: the number of stored calls, each of which was used.
        result: the JSON of what the work stores; the call's body, the job's result or the item.
        markdown: the post with its title.
        is_stored: whether the work has ended and stored a result.
        differs: whether that result has other bytes than this one.
    """

    calls: int
    result: str
    markdown: str
    is_stored: bool
    differs: bool


class JournalIncomplete(ServiceError):
    """The journal has no post: it ends too early, or its prompts are of another version."""


def replay(name: str) -> Replay:
    """Build the post of a journal again.

    Args:
        name: the id of a request, a job, a run or an item.

    Raises:
        NotFound: there is no journal of that id.
        JournalIncomplete: the stored calls make no post; the message says after which call.
        ServiceError: the work failed with this error.
    """
    with reading() as session:
        stored = store.find(session, name) or store.find_of_request(session, name)
        if stored is None:
            raise NotFound(f"No journal is stored for {name}. Journals are kept for 30 days.")
        calls = store.calls(session, stored.work_id)
    inputs = Inputs.from_json(stored.inputs)
    if inputs is None:
        raise JournalIncomplete("The journal was stored by another version of Copydesk.")
    answers = Answers(calls)
    written, refused = _write(inputs, answers)
    request, angle = inputs.assignment.request, inputs.assignment.angles[len(refused)]
    result = to_json(make_result(stored.output, request, written, angle))
    return Replay(
        calls=len(calls),
        result=result,
        markdown=_markdown(stored.output, request, written),
        is_stored=bool(stored.result_digest),
        differs=bool(stored.result_digest) and stored.result_digest != digest(result),
    )


def _write(inputs: Inputs, answers: Answers) -> tuple[Written, tuple[str, ...]]:
    """Return the post of the last attempt, and the titles of those before: calls that follow a
    finished post say that it repeated another one."""
    reader, grounding = _Stored(answers), inputs.grounding()
    ledger = Ledger("", lambda prompt, _: answers.next(prompt))
    replayed = Models(reader, reader if inputs.edited else None, ledger)
    refused: tuple[str, ...] = ()
    while True:
        written = write_attempt(
            inputs, refused, replayed, deadline=Deadline(_SECONDS), grounding=grounding
        )
        if not answers.left:
            return written, refused
        refused = (written.post.title, *refused)
        if len(refused) == len(inputs.assignment.angles):
            raise JournalIncomplete(_changed(answers))


class _Stored(Model):
    """Answers from a journal only."""

    name = "journal"
    concurrency = 1

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        deadline.left()
        answer = self._answers.next(prompt)
        if answer is not None:
            return answer
        raise JournalIncomplete(
            _changed(self._answers) if self._answers.left else _ended(self._answers, prompt)
        )

    def ping(self) -> None:
        """Return: there is nothing to reach."""


def _ended(answers: Answers, prompt: Prompt) -> str:
    after = "before the first call"
    if answers.calls:
        after = f"after call {answers.used} ({answers.calls[-1].purpose})"
    return f"The journal is incomplete: it ends {after}. The next call would be: {prompt.purpose}."


def _changed(answers: Answers) -> str:
    call: models.JournalCall = answers.calls[answers.used]
    return (
        f"This version of Copydesk does not send the prompt of call {call.number}"
        f" ({call.purpose}): the journal cannot be replayed behind call {answers.used}."
    )


def _markdown(output: Mapping[str, Any], request: GenerateRequest, written: Written) -> str:
    offers = [parse(Offer, offer) for offer in output.get("offers", ())]
    links = request.constraints.include_internal_links_placeholders
    kinds = (ResponseType.MARKDOWN,)
    rendered = render(written.post, kinds, offers, request.language, internal_links=links)
    return f"# {written.post.title}\n\n{rendered.markdown}"
