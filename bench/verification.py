"""Recall, false alarms and cost of verification.

    python bench/verification.py

Recall is the share of planted defects with a finding on what was planted; false alarms are findings
on faithful texts, by claim. The samples are those of tests/unit/verification_samples; those that
rules were written for are reported apart from the held-out ones. The cost is processor time for a
post against one, three and five sources, each as long as the post; the third line is half of the
post against five sources that are half as long.
"""

import time
from collections import defaultdict
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from app.core.checks import Kind, Passage
from app.core.sources.source import Source
from app.core.text import word_count
from app.core.verification import RequestContext, SourceIndex
from app.core.verification.annotate import annotate
from tests.unit.verification_samples.samples import TODAY, Text, texts

_WRITTEN = datetime(2026, 5, 20, tzinfo=UTC)


def main() -> None:
    console = Console()
    for half in ("tuned", "held_out"):
        console.print(_recall(half))
        console.print(_alarms(half))
    console.print(_cost([text for text in texts() if not text.kind]))


def _recall(half: str) -> Table:
    table = Table("defect", "planted", "caught", title=f"Recall, {half}")
    kinds: dict[str, list[bool]] = defaultdict(list)
    for text in texts(half):
        if text.kind:
            kinds[text.kind].append(text.is_caught())
    for kind, caught in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        table.add_row(kind, str(len(caught)), str(sum(caught)))
    total = [each for caught in kinds.values() for each in caught]
    table.add_row("all", str(len(total)), f"{sum(total)} ({sum(total) / len(total):.1%})")
    return table


def _alarms(half: str) -> Table:
    table = Table("language", "texts", "claims", "false alarms", title=f"Faithful texts, {half}")
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for text in texts(half):
        if text.kind:
            continue
        verdict = text.check()
        for name in (text.source.language, "all"):
            counts = (1, len(verdict.coverage), len(verdict.findings))
            rows[name] = [a + b for a, b in zip(rows[name], counts, strict=True)]
    for name, (count, claims, alarms) in sorted(rows.items(), key=lambda row: row[0] == "all"):
        table.add_row(name, str(count), str(claims), f"{alarms} ({alarms / claims:.1%})")
    return table


def _cost(faithful: list[Text]) -> Table:
    """English samples joined to a post of some 900 words; each source is the same text."""
    english = [text.text for text in faithful if text.source.language == "en"]
    table = Table("sources", "words", "ms per 1,000 words", title="Cost")
    for count, said in ((1, english), (3, english), (5, english[::2]), (5, english)):
        post = [Passage(f"sections[{i}]", Kind.PROSE, text) for i, text in enumerate(said)]
        words = sum(word_count(passage.text) for passage in post)
        body = "\n".join(said)
        sources = [
            Source(f"https://s{n}.example/", f"s{n}.example", "", body + " " * n, "en", _WRITTEN,
                   _WRITTEN)
            for n in range(count)
        ]  # fmt: skip
        best = 1e9
        for _ in range(3):
            annotate.cache_clear()
            began = time.process_time()
            SourceIndex(sources, RequestContext("en"), TODAY).check(post)
            best = min(best, time.process_time() - began)
        table.add_row(str(count), str(words), f"{best / words * 1e6:.0f}")
    return table


if __name__ == "__main__":
    main()
