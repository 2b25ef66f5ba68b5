"""The ledger of claims: earlier posts of a feed or an account that a post contradicts."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from app.core.checks import (
    CONTRADICTS_EARLIER_POST,
    Finding,
    Passage,
    claimed,
)
from app.core.facts.ledger import Claim, contradicted
from app.core.text import shortened
from app.core.writing.completion import Completion, Prompt
from app.services.pipeline import Written
from app.store import claims as store
from app.store.claims import EarlierClaim
from app.store.database import reading

_short = partial(shortened, most=160)
# The claims of a longer post than any that Copydesk writes.
_MAX_CLAIMS = 60
# Answers a look-up; None if there is nothing to say.
Recall = Callable[[Prompt, Callable[[], Completion | None]], Completion | None]


def _at_once(prompt: Prompt, look_up: Callable[[], Completion | None]) -> Completion | None:
    return look_up()


class Ledger:
    """The claims of the earlier posts of a feed or an account.

    Args:
        scope: the id of the feed or the account; "" if only recorded answers are used.
        recall: returns recorded answers, and records new ones; each draft is looked up again.
    """

    def __init__(self, scope: str, recall: Recall = _at_once) -> None:
        self._scope = scope
        self._recall = recall

    def findings(self, texts: Sequence[Passage], language: str) -> list[Finding]:
        """Return a warning for each statement that an earlier post contradicts. One query."""
        said = claimed(texts, language)
        keys = sorted({key for _, _, claim in said for key in claim.keys})
        if not keys:
            return []
        prompt = Prompt(system="", user=json.dumps(keys), purpose="claims")
        answer = self._recall(prompt, lambda: self._look_up(keys))
        earlier = [] if answer is None else _from_text(answer.text)
        findings = []
        for passage, statement, _ in said:
            for each in earlier:
                other = contradicted(statement, each.claim)
                if other is not None:
                    problem = (
                        f"“{_short(statement.sentence.text)}” says {statement.fact.text}. The"
                        f" earlier post “{_short(each.title)}” says {other.fact.text}:"
                        f" “{_short(each.claim.sentence)}”."
                    )
                    findings.append(
                        CONTRADICTS_EARLIER_POST.found(passage.section, problem, statement.span)
                    )
                    break
        return findings

    def _look_up(self, keys: Sequence[int]) -> Completion | None:
        if not self._scope:
            return None
        with reading() as session:
            found = store.find(session, self._scope, keys)
        return Completion(_to_text(found)) if found else None


def save_claims(
    session: Session, scope: str, post_id: str, written: Written, now: datetime
) -> None:
    """Store the claims of a post, in the transaction that stores the post."""
    title = written.post.title
    store.add(session, scope, (post_id, title), written.claims[:_MAX_CLAIMS], now)


def _to_text(found: Sequence[EarlierClaim]) -> str:
    return json.dumps([
        [each.title, each.claim.kind, each.claim.low, each.claim.high, each.claim.sentence,
         each.claim.language]
        for each in found
    ])  # fmt: skip


def _from_text(text: str) -> list[EarlierClaim]:
    return [EarlierClaim(title, Claim((), *columns)) for title, *columns in json.loads(text)]
