"""How well claims are held against their sources, and what it costs.

    python bench/evidence.py

Recall is the share of planted defects with a finding on what was planted; false alarms are findings
on faithful texts, by claim. The samples are those of tests/unit/evidence_samples. The cost is that
of the processor for a post against one, three and five sources, each as long as the post; the third
line is half of the post against five sources that are half as long.
"""

import time
from collections import defaultdict
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from app.core.evidence.check import check_passages
from app.core.evidence.claims import Asked
from app.core.evidence.reading import read
from app.core.quality.passage import Kind, Passage
from app.core.source import Source
from app.core.text import word_count
from tests.unit.evidence_samples.samples import TODAY, Text, texts

_WRITTEN = datetime(2026, 5, 20, tzinfo=UTC)


def main() -> None:
    console = Console()
    every = list(texts())
    planted = [text for text in every if text.kind]
    faithful = [text for text in every if not text.kind]
    console.print(_recall(planted))
    console.print(_alarms(faithful))
    console.print(_cost(faithful))


def _recall(planted: list[Text]) -> Table:
    table = Table("defect", "planted", "caught", title="Recall")
    kinds: dict[str, list[bool]] = defaultdict(list)
    for text in planted:
        kinds[text.kind].append(text.is_caught())
    for kind, caught in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        table.add_row(kind, str(len(caught)), str(sum(caught)))
    total = [each for caught in kinds.values() for each in caught]
    table.add_row("all", str(len(total)), f"{sum(total)} ({sum(total) / len(total):.1%})")
    return table


def _alarms(faithful: list[Text]) -> Table:
    table = Table("language", "texts", "claims", "false alarms", title="Faithful texts")
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for text in faithful:
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
            read.cache_clear()
            began = time.process_time()
            check_passages(post, sources, Asked("en"), TODAY)
            best = min(best, time.process_time() - began)
        table.add_row(str(count), str(words), f"{best / words * 1e6:.0f}")
    return table


if __name__ == "__main__":
    main()
