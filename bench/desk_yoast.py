"""The desk beside the npm package yoastseo, on the same texts in the same run.

yoastseo is fetched by `npm install yoastseo` into a folder of its own and run by node
(bench/desk_yoast.cjs); nothing of it is part of this repository.

Both are asked the same question. They get the same blocks of each page, its headings and its
running paragraphs: the items of lists are sentences to yoastseo for some checks and not for others.
Shares of sentences are asked of the paragraphs alone, as yoastseo takes a heading for a sentence.
"""

import json
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import median
from typing import Any

from markdown import markdown

from app.core.checks import Kind, Passage, check_document, read_document
from app.core.checks.readability import check_paragraph_length, check_subheading_distance
from app.core.languages import get_language
from app.core.text import forget, sentences, word_count
from bench.desk_texts import HumanText
from bench.desk_yoast_posts import compare_posts, post_inputs
from bench.desk_yoast_table import table

# Our check, the assessment of yoastseo that asks the same, and which of the two papers it gets.
_PAIRS = {
    "sentence_length": ("textSentenceLength", "prose"),
    "paragraph_length": ("textParagraphTooLong", "headed"),
    "subheading_distance": ("subheadingsTooLong", "headed"),
    "passive_voice": ("passiveVoice", "prose"),
    "transition_words": ("textTransitionWords", "prose"),
    "same_openings": ("sentenceBeginnings", "headed"),
}
_TIMED, _JUDGED = 60, 100
_GOOD = 9
_SCRIPT = Path(__file__).with_suffix(".cjs")
# Why one of the two says so and the other does not, as reading the sentences has shown.
_REASONS = (
    (
        "Sentences that only one of the two has: yoastseo ends a sentence at each full stop inside"
        " a quotation and after `p.`, `Cit.` and an initial, which cuts references into pieces;"
        " `sentencex` keeps a quotation in one piece, and a note in brackets with the sentence"
        " behind it. Sentences are cut by the library; neither way is changed for a verdict."
    ),
    (
        "Length: the words of a path or an address are words to us (`/usr/share/doc`, as in"
        " `and/or`), one word to yoastseo. yoastseo also counts a sign on its own (`-`, `→`,"
        " `<<`) as a word."
    ),
    (
        "Passive voice, ours alone: `is based on`, `is located in`, `must be provided` and their"
        " like are passive in form; yoastseo has some 3,000 participles that it never counts. A"
        " matter of taste."
    ),
    (
        "Passive voice, theirs alone: mostly a participle that belongs to a noun (`is a list of"
        " names separated by commas`, `they have an unfulfilled dependency`), which is not the"
        " passive voice; at times one that the desk misses (`is so opposed by`)."
    ),
    (
        "Transition words: the lists differ, though they share many words. yoastseo counts"
        " `than`, `another`, `during`, `last` and `further` wherever they stand, and `both` with"
        " any `and` of the sentence, also one before it; ours counts `after`, `in practice`,"
        " `this means`, and `first`, `so`, `still`, `then` or `yet` only where the sentence begins"
        " with it."
    ),
    (
        "Same openings: a heading is a sentence to yoastseo, and so is each sentence of a"
        " quotation; to us a heading and what stands in one piece are none."
    ),
)


@dataclass(frozen=True)
class _Page:
    """The prose of a page by section, and the same as HTML with its headings and without."""

    name: str
    sections: tuple[Passage, ...]
    headed: str
    prose: str


def compare(folder: Path, texts: Sequence[HumanText]) -> Iterator[str]:
    """Time, then the verdicts of both on each text; a verdict is good or not good."""
    timed = _spread(texts, _TIMED)
    pages = [_page(text) for text in _spread(texts, _JUDGED)]
    judged, inputs = post_inputs()
    result = ask(
        folder,
        {
            "timed": [markdown(text.markdown) for text in timed],
            "pages": [{"headed": page.headed, "prose": page.prose} for page in pages],
            "posts": inputs,
        },
    )
    version = json.loads((folder / "node_modules/yoastseo/package.json").read_text())["version"]
    yield f"## Beside yoastseo {version}"
    yield ""
    yield from _time(timed, result["timed"])
    yield from _verdicts(pages, result["pages"])
    yield from _sentences(pages, result["pages"])
    yield "Who is right, as far as reading a sample of them has shown:"
    yield ""
    yield from (f"- {reason}" for reason in _REASONS)
    yield ""
    yield from compare_posts(judged, result["posts"])


def _spread(texts: Sequence[HumanText], wanted: int) -> Sequence[HumanText]:
    """Return at most ``wanted`` texts, evenly spaced, so that all packages are represented."""
    count = min(wanted, len(texts))
    return [texts[at * len(texts) // count] for at in range(count)]


def _page(text: HumanText) -> _Page:
    document = read_document(text.markdown)
    headings = {one.passage.section: one.passage.text for one in document.headings}
    paragraphs: dict[str, list[str]] = {}
    headed, prose, number = [], [], 0
    for located in document.passages:
        if not located.whole:
            continue
        section = located.passage.section
        while number < int(re.sub(r"\D", "", section)):
            number += 1
            heading = headings.get(f"heading[{number}]", "")
            headed.append(f"<h2>{escape(heading, quote=False)}</h2>")
        paragraph = f"<p>{escape(located.passage.text, quote=False)}</p>"
        headed.append(paragraph)
        prose.append(paragraph)
        paragraphs.setdefault(section, []).append(located.passage.text)
    sections = (Passage(name, Kind.PROSE, "\n\n".join(all_)) for name, all_ in paragraphs.items())
    return _Page(
        f"{text.package}/{text.page}", tuple(sections), "\n".join(headed), "\n".join(prose)
    )


def _time(texts: Sequence[HumanText], milliseconds: Sequence[float]) -> Iterator[str]:
    ratios, ours, theirs = [], [], []
    for text, spent in zip(texts, milliseconds, strict=True):
        words = word_count(text.markdown)
        forget()
        began = time.process_time()
        _found([one.passage for one in read_document(text.markdown + "\n").passages])
        own = (time.process_time() - began) * 1e3
        ratios.append(spent / own)
        ours.append(own * 1000 / words)
        theirs.append(spent * 1000 / words)
    yield (
        f"The checks of readability that both have, on {len(texts)} of the English texts with all"
        f" that stands in them: the desk takes {median(ours):.1f} ms of processor time for 1,000"
        f" words, yoastseo {median(theirs):.1f} ms;"
        f" it is {median(ratios):.1f} times as fast in the median (aim: 10)."
    )
    yield ""


def _found(parts: Sequence[Passage]) -> set[str]:
    """The names of the checks that have something to say, as they judge a post's sections."""
    found = {finding.check for finding in check_document(parts, "en")}
    sections: dict[str, list[str]] = {}
    for part in parts:
        found |= {finding.check for finding in check_paragraph_length(part, "en")}
        sections.setdefault(part.section, []).append(part.text)
    for name, lines in sections.items():
        together = Passage(name, Kind.PROSE, "\n\n".join(lines))
        found |= {finding.check for finding in check_subheading_distance([together], "en")}
    return found


def _verdicts(pages: Sequence[_Page], results: Sequence[dict[str, Any]]) -> Iterator[str]:
    counted: dict[str, Counter[tuple[bool, bool]]] = {check: Counter() for check in _PAIRS}
    differ: list[str] = []
    for page, result in zip(pages, results, strict=True):
        found = _found(page.sections)
        for check, (assessment, paper) in _PAIRS.items():
            score = result[paper][assessment]
            if score is None:
                continue
            ours, theirs = check in found, score < _GOOD
            counted[check][ours, theirs] += 1
            if ours != theirs:
                differ.append(
                    f"{check}, {page.name}: {'the desk' if ours else 'yoastseo'} alone finds fault"
                    f"{_shares(check, page, result)}"
                )
    total = sum(row.total() for row in counted.values())
    same = sum(row[True, True] + row[False, False] for row in counted.values())
    yield (
        f"Given the same paragraphs of {len(pages)} of the English texts, they come to the same"
        f" verdict, good or not, in {same} of {total}: {same / total:.1%} (aim: 95 %)."
    )
    yield ""
    yield from table("check", counted)
    yield from (f"- {line}" for line in sorted(differ))
    yield ""


def _sentence_verdicts(text: str) -> dict[str, bool]:
    english = get_language("en")
    assert english
    assert english.sentences
    assert english.passive
    assert english.transitions
    return {
        "more than 20 words": word_count(text) > english.sentences.long_words,
        "passive voice": english.passive.within(text),
        "transition word": english.transitions.within(text),
    }


_SENTENCE_CHECK = {
    "sentence_length": "more than 20 words",
    "passive_voice": "passive voice",
    "transition_words": "transition word",
}


def _shares(check: str, page: _Page, result: dict[str, Any]) -> str:
    """Of how many sentences either says it, where that decides."""
    name = _SENTENCE_CHECK.get(check)
    if name is None:
        return ""
    ours = [_sentence_verdicts(one.text)[name] for one in _own_sentences(page)]
    theirs = {
        "sentence_length": sum(length > 20 for _, length in result["sentences"]),
        "passive_voice": len(result["passive"]),
        "transition_words": len(result["linked"]),
    }[check]
    return f" ({sum(ours)} of {len(ours)} sentences, {theirs} of {len(result['sentences'])})"


def _own_sentences(page: _Page) -> list[Any]:
    return [one for part in page.sections for one in sentences(part.text, "en")]


def _key(sentence: str) -> str:
    return re.sub(r"[\W_]+", "", sentence).casefold()


def _sentences(pages: Sequence[_Page], results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Sentence by sentence: a share that is far from its limit hides what is said of each."""
    counted: dict[str, Counter[tuple[bool, bool]]] = {
        name: Counter() for name in _SENTENCE_CHECK.values()
    }
    own = other = 0
    for page, result in zip(pages, results, strict=True):
        lengths = {_key(text): length for text, length in result["sentences"]}
        passive = {_key(text) for text in result["passive"]}
        linked = {_key(text) for text in result["linked"]}
        other += len(result["sentences"])
        for sentence in _own_sentences(page):
            own += 1
            key = _key(sentence.text)
            if key not in lengths:
                continue
            ours = _sentence_verdicts(sentence.text)
            theirs = (lengths[key] > 20, key in passive, key in linked)
            for (name, said), their in zip(ours.items(), theirs, strict=True):
                counted[name][said, their] += 1
    both = next(iter(counted.values())).total()
    yield (
        f"Sentence by sentence: {own} sentences to the desk, {other} to yoastseo, {both} of them"
        " the same. What either says of these, a fault being one of them that is long, passive or"
        " linked:"
    )
    yield ""
    yield from table("says of a sentence", counted)


def ask(folder: Path, asked: dict[str, Any], language: str = "en") -> dict[str, Any]:
    """Return what yoastseo says of pages and posts in one language."""
    with tempfile.TemporaryDirectory() as name:
        texts = Path(name) / "texts.json"
        texts.write_text(json.dumps({"language": language, **asked}), encoding="utf-8")
        command = ["node", str(_SCRIPT), str(folder.resolve()), str(texts)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"node failed: {done.stderr.strip()[-600:]}")
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    return dict(json.loads(line.removeprefix("RESULT")))
