"""The scripted model without HTTP."""

from collections import Counter
from threading import Lock

from app.writing.completion import Completion, Prompt
from tests.support.scripted_model import behaviours

_times: Counter[tuple[str, str]] = Counter()
_lock = Lock()


def scripted(prompt: Prompt, behaviour: str = "good") -> Completion:
    """Return what it answers to a prompt when it behaves in that way; another text each time."""
    with _lock:
        _times[prompt.system, prompt.user] += 1
        time = _times[prompt.system, prompt.user]
    messages = [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": prompt.user},
    ]
    reply = behaviours.answer(behaviour, {"messages": messages}, time)
    return Completion(reply.content or "", refusal=reply.refusal)
