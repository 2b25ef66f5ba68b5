"""A model that answers each call of the pipeline from a list, and a post that passes every rule."""

from collections.abc import Mapping, Sequence
from datetime import date

from app.core.errors import ServiceError
from app.deadline import Deadline
from app.ports import Model
from app.writing.brief import Brief
from app.writing.completion import Completion, Prompt

BRIEF = Brief(
    keywords=("cold brew", "burr grinder"),
    language="en",
    min_words=80,
    max_words=260,
    today=date(2026, 11, 28),
    faqs=True,
)
POST = """\
# Cold brew at home: one jar, one night

> Cold brew at home takes a jar, coarse grounds and one night of rest. Learn how to grind, steep \
and store it for a smooth glass.

Cold brew asks for patience and very little else. You put coarse grounds into water in the \
evening, and by breakfast there is a smooth drink in the fridge.

## Why a coarse grind matters

A coarse grind gives up its flavour slowly, which suits a long contact. Fine powder clouds the jar \
and leaves mud in the glass.

A burr grinder keeps the pieces even. Set it two steps coarser than you would for a French press.

## How long the jar should rest

The kitchen decides how long you wait, and three steps get you there.

1. Fill the jar with water and stir once.
2. Close the lid and leave it on the counter until morning.
3. Strain the drink through a paper filter into a clean bottle.

> **Good to know:** Weigh the grounds once, then mark that level on a cup.

## FAQ

### Can I heat the concentrate?

Yes, on a low flame and never to a boil. It stays mild when it is warm.

### How long does it keep?

A sealed bottle stays fresh for about a week. After that it tastes flat.

## Conclusion

Start tonight with one jar and a note of the time. Tomorrow you will know what to change.
"""
NO_EDITS = "BASE: A\n\nNo edits.\n"
MARK = "- The second section could name a temperature.\n\nMARK: 8\n"


def edit(find: str, replace: str, *, base: str = "A", why: str = "better") -> str:
    """Return an editor's answer with one edit."""
    block = f"WHY: {why}\n<<<<<<< FIND\n{find}\n=======\n{replace}\n>>>>>>> END\n"
    return f"BASE: {base}\n\n{block}"


class Answers(Model):
    """Answers by the purpose of a call; the last answer of a purpose also to later calls."""

    name = "answers"

    def __init__(self, **answers: Sequence[str | Completion | ServiceError] | str) -> None:
        usual: Mapping[str, Sequence[str | Completion | ServiceError] | str] = {
            "draft": POST, "edit": NO_EDITS, "read": "MARK: 8\n", "polish": NO_EDITS,
        }  # fmt: skip
        self._answers = {
            purpose: [told] if isinstance(told, str) else list(told)
            for purpose, told in {**usual, **answers}.items()
        }
        self.prompts: list[Prompt] = []

    @property
    def calls(self) -> list[str]:
        return [prompt.purpose for prompt in self.prompts]

    def prompts_for(self, purpose: str) -> list[Prompt]:
        return [prompt for prompt in self.prompts if prompt.purpose == purpose]

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        deadline.left()
        self.prompts.append(prompt)
        told = self._answers[prompt.purpose]
        answer = told[min(prompt.number, len(told)) - 1]
        if isinstance(answer, ServiceError):
            raise answer
        if isinstance(answer, Completion):
            return answer
        return Completion(answer, prompt_tokens=100, completion_tokens=10)

    def ping(self) -> None:
        """Always there."""
