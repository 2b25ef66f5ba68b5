"""The samples of this folder: sources of our own writing, and texts that were written from them.

Rules were written for those in `tuned`, and for none of those in `held_out`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path

import yaml

from app.core.checks import Kind, Passage
from app.core.sources.source import Source
from app.core.verification import RequestContext, SourceIndex, Verdict

TODAY = date(2026, 11, 21)
_PLANTED = re.compile(r"\[\[(.*?)\]\]")


@dataclass(frozen=True)
class Text:
    """``kind`` is the defect's kind, empty for a faithful text; ``planted`` its span."""

    text: str
    source: Source
    kind: str = ""
    planted: tuple[int, int] = (0, 0)

    def check(self) -> Verdict:
        passage = Passage("sections[0]", Kind.PROSE, self.text)
        request = RequestContext(self.source.language)
        return SourceIndex([self.source], request, TODAY).check([passage])

    def is_caught(self) -> bool:
        """Whether a finding stands on what was planted."""
        low, high = self.planted
        return any(f.span and f.span[0] < high and low < f.span[1] for f in self.check().findings)


def texts(half: str = "*") -> Iterator[Text]:
    """Yield the texts of "tuned" or "held_out", by default of both."""
    for file in sorted(Path(__file__).parent.glob(f"{half}/*.yaml")):
        for number, sample in enumerate(yaml.safe_load(file.read_text(encoding="utf-8"))):
            written = datetime.combine(sample["published"], time(8), UTC)
            site = f"{file.parent.name}-{file.stem}-{number}.example".replace("_", "-")
            source = Source(
                f"https://{site}/page",
                site,
                "",
                sample["source"].strip(),
                sample["language"],
                written,
                written,
            )
            for text in sample["faithful"]:
                yield Text(text, source)
            for kind, marked in sample["defects"].items():
                match = _PLANTED.search(marked)
                assert match, marked
                begin = match.start()
                text = _PLANTED.sub(r"\1", marked)
                yield Text(text, source, kind, (begin, begin + len(match.group(1))))


@dataclass(frozen=True)
class Told:
    """A statement about a source. ``kind`` says how it is false, empty if it is true; ``by`` has
    the words of the source that support it."""

    text: str
    source: Source
    kind: str = ""
    by: str = ""


# What figures, dates and quotations show without a judge.
FIGURES = frozenset(
    {"wrong figure", "wrong year", "wrong money", "month for another", "altered quotation"}
)


def statements(half: str) -> Iterator[Told]:
    """Yield the statements of "tuned" or "held_out"."""
    file = Path(__file__).with_name(f"statements_{half}.yaml")
    for number, sample in enumerate(yaml.safe_load(file.read_text(encoding="utf-8"))):
        written = datetime.combine(sample["published"], time(8), UTC)
        site = f"statements-{half}-{number}.example".replace("_", "-")
        text = " ".join(sample["source"].split())
        source = Source(
            f"https://{site}/page", site, "", text, sample["language"], written, written
        )
        for each in sample["supported"]:
            yield Told(each["text"], source, by=each["by"])
        for kind, told in sample["unsupported"].items():
            yield Told(told, source, kind)
