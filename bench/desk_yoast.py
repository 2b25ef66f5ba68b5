"""The desk beside the npm package yoastseo, on the same texts in the same run.

yoastseo is fetched by `npm install yoastseo` into a folder of its own and run by node; nothing of
it is part of this repository.
"""

import json
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from markdown import markdown

from app.core.quality.document import read_document
from app.core.quality.languages import rules_for
from app.core.quality.passage import Kind, Passage
from app.core.quality.readability import check_paragraphs, check_reading, check_subheadings
from app.core.text import forget, word_count
from bench.desk_texts import HumanText

# Our check, and the assessment of yoastseo that speaks of the same.
_PAIRS = {
    "sentence_length": "textSentenceLength",
    "paragraph_length": "textParagraphTooLong",
    "subheading_distance": "subheadingsTooLong",
    "passive_voice": "passiveVoice",
    "transition_words": "textTransitionWords",
    "same_openings": "sentenceBeginnings",
}
_TEXTS = 60
_GOOD = 9
_SCRIPT = """
const require = require_("module").createRequire(process.argv[2] + "/");
const yoast = require("yoastseo");
const path = require("path");
const root = path.dirname(require.resolve("yoastseo"));
const Researcher = require(root + "/languageProcessing/languages/en/Researcher.js").default;
const { build } = require(root + "/parse/build/index.js");
const LanguageProcessor = require(root + "/parse/language/LanguageProcessor.js").default;
const readability = yoast.assessments.readability;
const assessments = {
  textSentenceLength: new readability.SentenceLengthInTextAssessment(),
  textParagraphTooLong: new readability.ParagraphTooLongAssessment(),
  subheadingsTooLong: new readability.SubheadingDistributionTooLongAssessment(),
  passiveVoice: new readability.PassiveVoiceAssessment(),
  textTransitionWords: new readability.TransitionWordsAssessment(),
  sentenceBeginnings: new readability.SentenceBeginningsAssessment(),
};
const texts = JSON.parse(require_("fs").readFileSync(process.argv[3], "utf-8"));
const out = texts.map((text) => {
  const began = process.cpuUsage();
  const paper = new yoast.Paper(text, { locale: "en_US", permalink: "https://example.com/" });
  const researcher = new Researcher(paper);
  paper.setTree(build(paper, new LanguageProcessor(researcher)));
  const scores = {};
  for (const [name, assessment] of Object.entries(assessments)) {
    const applies = !assessment.isApplicable || assessment.isApplicable(paper, researcher);
    scores[name] = applies ? assessment.getResult(paper, researcher).getScore() : null;
  }
  return { scores, ms: (process.cpuUsage(began).user + process.cpuUsage(began).system) / 1e3 };
});
console.log("RESULT" + JSON.stringify(out));
"""


def compare(folder: Path, texts: Sequence[HumanText]) -> Iterator[str]:
    """Verdicts and time of both on each text; a verdict is good or not good."""
    # Every n-th, so that all packages are among them.
    texts = texts[:: max(1, len(texts) // _TEXTS)][:_TEXTS]
    theirs = _yoast(folder, [markdown(text.markdown) for text in texts])
    same: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    ratios, ours_ms, theirs_ms = [], [], []
    for text, their in zip(texts, theirs, strict=True):
        words = word_count(text.markdown)
        forget()
        began = time.process_time()
        found = _ours(text.markdown + "\n")
        spent = (time.process_time() - began) * 1e3
        ratios.append(their["ms"] / spent)
        ours_ms.append(spent * 1000 / words)
        theirs_ms.append(their["ms"] * 1000 / words)
        for check, name in _PAIRS.items():
            score = their["scores"][name]
            if score is None:
                continue
            judged[check] += 1
            same[check] += (score < _GOOD) == (check in found)
    version = json.loads((folder / "node_modules/yoastseo/package.json").read_text())["version"]
    yield f"## Beside yoastseo {version}"
    yield ""
    yield (
        f"The checks that both have, on {len(texts)} of the English texts: the desk takes"
        f" {median(ours_ms):.1f} ms of processor time for 1,000 words,"
        f" yoastseo {median(theirs_ms):.1f} ms;"
        f" it is {median(ratios):.1f} times as fast in the median (aim: 10)."
    )
    yield ""
    yield (
        f"Same verdict, good or not, in {same.total()} of {judged.total()}:"
        f" {same.total() / judged.total():.1%} (aim: 95 %)."
    )
    yield ""
    yield "| check | texts | same verdict |"
    yield "|---|---|---|"
    for check in _PAIRS:
        yield f"| {check} | {judged[check]} | {same[check]} |"
    yield ""


def _ours(text: str) -> set[str]:
    """The names of the checks that have something to say, as they judge a post's sections."""
    document = read_document(text)
    rules = rules_for("en")
    assert rules
    parts = [located.passage for located in document.passages]
    found = {finding.check for finding in check_reading(parts, "en", rules)}
    sections: dict[str, list[str]] = {}
    for part in parts:
        found |= {finding.check for finding in check_paragraphs(part)}
        sections.setdefault(part.section, []).append(part.text)
    for name, lines in sections.items():
        together = Passage(name, Kind.PROSE, "\n\n".join(lines))
        found |= {finding.check for finding in check_subheadings(together)}
    return found


def _yoast(folder: Path, pages: list[str]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        texts = Path(name) / "texts.json"
        texts.write_text(json.dumps(pages), encoding="utf-8")
        script = Path(name) / "run.cjs"
        script.write_text("const require_ = require;\n{" + _SCRIPT + "}\n", encoding="utf-8")
        done = subprocess.run(
            ["node", script, folder.resolve(), texts], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"node failed: {done.stderr.strip()[-600:]}")
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    return list(json.loads(line.removeprefix("RESULT")))
