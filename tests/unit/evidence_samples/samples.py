"""The samples of this folder: sources of our own writing, and texts that were written from them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path

import yaml

from app.core.evidence.check import Verdict, check_passages
from app.core.evidence.claims import Asked
from app.core.quality.passage import Kind, Passage
from app.core.source import Source

TODAY = date(2026, 11, 21)
_LANGUAGES = {"english": "en", "more": "en", "unseen": "en", "german": "de", "dutch": "nl"}
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
        return check_passages([passage], [self.source], Asked(self.source.language), TODAY)

    def is_caught(self) -> bool:
        """Whether a finding stands on what was planted."""
        low, high = self.planted
        return any(f.span and f.span[0] < high and low < f.span[1] for f in self.check().findings)


def texts() -> Iterator[Text]:
    for file in sorted(Path(__file__).parent.glob("*.yaml")):
        for number, sample in enumerate(yaml.safe_load(file.read_text(encoding="utf-8"))):
            written = datetime.combine(sample["published"], time(8), UTC)
            source = Source(
                f"https://{file.stem}{number}.example/page",
                f"{file.stem}{number}.example",
                "",
                sample["source"].strip(),
                sample.get("language") or _LANGUAGES[file.stem],
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
