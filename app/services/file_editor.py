"""The editor of a file: a model that reads it as it reads a post."""

import logging
from collections.abc import Sequence

from app.core.checks import Finding, Kind, Passage
from app.core.errors import ModelUnavailable
from app.core.planning.brief import Brief
from app.core.writing.completion import Completion
from app.core.writing.editor import MAX_DOUBTS, Manuscript, is_doubt
from app.core.writing.parsing import UnreadableAnswer, load
from app.core.writing.plan import Plan
from app.core.writing.refusals import is_refusal
from app.deadline import Deadline
from app.ports import Model

log = logging.getLogger(__name__)

# The editor reads a text in one call; this is about 15,000 words.
MAX_CHARS = 100_000
_SUBJECT_CHARS = 100
_TRIES = 2
_UNREADABLE = "No answer of the editor could be read. Run the command again, or name another model."


class FileEditor:
    """A reader for ``check_file``, of at most MAX_CHARS characters.

    As with a post, the editor judges what the checks doubt: of what it was told, only what it names
    as well is reported. ``calls`` are its answers.

    Args:
        about: the keywords of the text, or its title; its first line if empty.
    """

    def __init__(
        self, model: Model, deadline: Deadline, language: str, about: Sequence[str] = ()
    ) -> None:
        self.calls: list[Completion] = []
        self._model, self._deadline = model, deadline
        self._language, self._about = language, tuple(about)

    def __call__(self, texts: Sequence[Passage], findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings that stay, and those of the editor.

        Raises:
            ModelUnavailable: the model cannot be reached, or no answer of it can be read.
        """
        told = [each for each in findings if is_doubt(each)][:MAX_DOUBTS]
        heeded = set(map(id, told))
        manuscript = Manuscript(texts, self._language)
        title = next((each for each in texts if each.kind is Kind.HEADING), texts[0]).text
        subject = " ".join(title.split())[:_SUBJECT_CHARS]
        brief = Brief(self._about or (subject,), self._language, 0, 0, 0, 0, 0)
        for seed in range(_TRIES):
            prompt = manuscript.prompt(brief, Plan(subject, subject, ()), "", told, seed=seed)
            answer = self._model.complete(prompt, self._deadline)
            self.calls.append(answer)
            try:
                if answer.refusal is not None or is_refusal(answer.text):
                    raise UnreadableAnswer("the model declined")
                found = manuscript.findings(load(answer.text, prompt.schema or {}))
            except UnreadableAnswer as unreadable:
                log.warning("the editor's answer cannot be read: %s", unreadable)
                continue
            return [*(each for each in findings if id(each) not in heeded), *found]
        raise ModelUnavailable(operator=_UNREADABLE)
