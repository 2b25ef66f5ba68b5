"""Run every function that takes untrusted text on text designed to be slow.

    python bench/hostile_text.py [--only NAME] [--pattern NAME] [--seconds 20] [--quick]

Each function gets each pattern at 10, 100 and 1,000 kB, in a process of its own that is ended after
--seconds of processor time. Functions that the service calls with bounded text get bounded text
here too: page text goes through `source_text.bounded`. The last column is the cost of ten times the
text at the larger end: 10 is linear, 100 quadratic. The worst rows come first. Exits with 1 if a
function takes more than `LIMIT_SECONDS` at 1,000 kB.
"""

import argparse
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime

from rich.console import Console
from rich.table import Table

SIZES = (10_000, 100_000, 1_000_000)
LIMIT_SECONDS = 20.0
# Less than this, one measurement says nothing about growth.
_MEASURABLE = 0.02
NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)

PATTERNS: Mapping[str, str] = {
    "prose": "The harbour bridge of Brackwater was closed on 3 May, and 4.2 million went to it. ",
    "quotes “": "“",
    "quotes “a": "“a ",
    "quotes ‘": "‘",
    "quotes '": "'",
    'quotes "': '"',
    "quotes «": "« ",
    "quotes mixed": "“\"'`",
    "quotes pairs": "“a b c” ",
    "backticks": "`",
    "backticks odd": "`a``b```",
    "brackets [": "[",
    "brackets [a](": "[a](",
    "brackets ![": "![",
    "brackets (": "(",
    "brackets {": "{",
    "brackets {{": "{{a",
    "brackets ]": "]",
    "stars": "*",
    "stars a": "*a ",
    "stars **a": "**a ",
    "underscores": "_",
    "underscores _a": "_a ",
    "hashes": "#",
    "hashes # a": "# a\n",
    "greater": ">",
    "greater > a": "> a\n",
    "pipes": "|",
    "pipes |a": "|a|-|\n",
    "dashes": "-",
    "dashes - a": "- a\n",
    "dashes nested": "- - ",
    "comments": "<!-- ",
    "comments a": "a <!-- ",
    "doubled words": "the the word word ",
    "less": "<",
    "less <a": "<a ",
    "ampersands": "&",
    "ampersands &a": "&a",
    "dots": ".",
    "dots A.": "A.",
    "exclamations": "!? ",
    "backslashes": "\\",
    "tildes": "~",
    "dollars": "${a",
    "percents": "%A",
    "blanks": " ",
    "blanks a": "a" + " " * 99,
    "tabs": "\t",
    "newlines": "\n",
    "newlines \\r": "\r",
    "newlines a": "a\n",
    "blank lines": "\n \n",
    "blanks, newlines": " \n",
    "combining": "\u0301",
    "combining a": "a\u0301\u0327",
    "joiners": "a\u200d",
    "zero width": "\u200b",
    "override": "\u202e",
    "emoji": "👩\u200d👩\u200d👧",
    "word": "a",
    "word é": "é",
    "word Aa": "Aa",
    "words": "a ",
    "capitals": "Acme Pro ",
    "hyphens": "a-",
    "apostrophes": "a'",
    "thai": "ก",
    "kana": "か",
    "digits": "7",
    "digits 1,": "1,000,",
    "digits 1. ": "1. ",
    "digits dates": "3 May 2021 ",
    "digits words": "two hundred ",
    "percent": "5 % ",
    "urls": "https://a.example/b ",
    "urls whole": "https://a.example/",
    "addresses": "a@a.",
    "domains": "a.a-",
    "base64": "QUJD",
    "turns": "User: a\nAssistant\n",
    "orders": "ignore all previous ",
    "orders your": "your instructions and you must ",
    "json": '{"a":',
    "json list": "[{",
}


def functions() -> Mapping[str, Callable[[str], object]]:
    """What is measured, by name."""
    from app.adapters.feed_entries import feed_entries
    from app.adapters.page_text import read_html, read_plain, visible
    from app.adapters.robots import MAX_ROBOTS_BYTES, Protego
    from app.core import checks, text
    from app.core.checks import (
        Kind,
        Passage,
        check_document,
        check_file,
        check_passage,
        check_post,
        read_document,
    )
    from app.core.languages import identify
    from app.core.rendering.block_edits import cut, edit_text, leaves
    from app.core.rendering.blocks import parse, to_html, to_markdown
    from app.core.rendering.offers import Offer, link_offers
    from app.core.rendering.plain_markdown import escape, one_line, paragraphs
    from app.core.rendering.render import render, sanitise
    from app.core.schemas.post import CoverageNotes, Meta, Outline, Section, SectionType, SEOPost
    from app.core.schemas.request import ResponseType
    from app.core.sources.current_events import is_current_event
    from app.core.sources.prompt_injection import detect, may_address_a_model
    from app.core.sources.selection import Demand, objection, selected
    from app.core.sources.source import Source
    from app.core.sources.source_text import bounded, bounded_title
    from app.core.text.near_duplicates import sign
    from app.core.verification import (
        Originals,
        PassageIndex,
        RequestContext,
        SourceIndex,
        check_plagiarism,
        marked,
    )
    from app.core.writing import parsing as answers
    from app.core.writing.answer import read_answer, read_faqs, whole_sentences
    from app.core.writing.draft import INTRODUCTION, slug
    from app.core.writing.refusals import is_refusal
    from tests.support.manuscripts import BRIEF

    identify.load()
    request = RequestContext("en", ("harbour bridge",))
    today = date(2026, 11, 20)
    offers = [
        Offer(name="Acme Pro", url="https://acme.example/"),
        Offer(name="A", url="https://a.example/"),
    ]
    honest = "The harbour bridge of Brackwater was closed on 3 May, and 4.2 million went to it. "

    def source(said: str) -> Source:
        return Source("https://a.example/", "a.example", "", said, "en", NOW, NOW)

    def page(said: str) -> Source:
        return source(bounded(visible(said)))

    def prose(said: str) -> Passage:
        return Passage("sections[0]", Kind.PROSE, said, "Harbour")

    def post(said: str) -> SEOPost:
        return SEOPost(
            title="Harbour bridge",
            slug_suggestion="harbour",
            meta=Meta(description=honest, primary_keyword="bridge"),
            outline=Outline(h1="Harbour", h2=("Harbour",)),
            sections=(
                Section(type=SectionType.BODY, heading="Harbour", content_markdown=said),
                Section(type=SectionType.CONCLUSION, content_markdown=said),
            ),
            faqs=(),
            conclusion=said,
            coverage_notes=CoverageNotes(keyword_coverage=()),
        )

    def html(said: str) -> bytes:
        shown = said.replace("&", "&amp;").replace("<", "&lt;")
        paragraphs = f"<p>{honest}</p>" * 5
        return f"<html><body><article>{paragraphs}<p>{shown}</p></article></body></html>".encode()

    def quiet(read: Callable[[str], object]) -> Callable[[str], object]:
        def call(said: str) -> object:
            try:
                return read(said)
            except ValueError:
                return None
            except Exception as error:
                if type(error).__name__ == "TextMissing":
                    return None
                raise

        return call

    demand = Demand(("harbour bridge",), "en", current_event=False)
    kinds = [ResponseType.MARKDOWN, ResponseType.HTML]
    original = source(honest * 20)
    feed = "<rss version='2.0'><channel><item><link>https://a.example/</link><title>{}</title>"
    return {
        "text.sentences": lambda t: text.sentences(t, "en"),
        "text.word_count": text.word_count,
        "text.fold": text.fold,
        "text.find_phrase": lambda t: text.find_phrase(t, "a harbour", "en"),
        "plain_markdown.one_line": one_line,
        "plain_markdown.paragraphs": lambda t: list(paragraphs(t)),
        "plain_markdown.escape": escape,
        "render.render": lambda t: render(post(t), kinds),
        "render.sanitise": sanitise,
        "blocks.parse": parse.__wrapped__,
        "blocks.to_markdown": lambda t: to_markdown(parse(t)),
        "blocks.to_html": lambda t: to_html(parse(t)),
        "blocks.leaves": lambda t: list(leaves(parse(t))),
        "blocks.edit_text": lambda t: edit_text(parse(f"A b.\n\n{t}"), "blocks[0]", t),
        "blocks.cut": lambda t: cut(parse(f"A b. C d.\n\n{t}"), "blocks[0]", (0, 1)),
        "offers.link_offers": lambda t: link_offers(parse(t), offers, "en"),
        "checks.paragraphs": lambda t: list(checks.paragraphs(t)),
        "checks.check_passage": lambda t: check_passage(prose(t), "en"),
        "checks.check_passage de": lambda t: check_passage(prose(t), "de"),
        "checks.check_document": lambda t: check_document([prose(t)], "en"),
        "checks.check_post": lambda t: check_post(post(t), BRIEF),
        "checks.read_document": read_document,
        "checks.check_file": lambda t: check_file(t, "en", ["harbour bridge"]),
        "verification of a page": lambda t: SourceIndex([page(t)], request, today).check(
            [prose(honest)]
        ),
        "verification of a text": lambda t: SourceIndex([original], request, today).check(
            [prose(t)]
        ),
        "plagiarism in a page": lambda t: check_plagiarism(
            [prose(honest * 9)], Originals([page(t)]), []
        ),
        "plagiarism in a text": lambda t: check_plagiarism([prose(t)], Originals([original]), []),
        "retrieval.PassageIndex": lambda t: marked(
            PassageIndex([page(t)], "en").search("harbour bridge")
        ),
        "prompt_injection.detect": lambda t: detect(bounded(visible(t))),
        "prompt_injection.may_address_a_model": lambda t: may_address_a_model(bounded(t)),
        "sourcing.objection": lambda t: objection(page(t), 1.0, demand, NOW),
        "sourcing.selected": lambda t: selected([page(t), original], demand),
        "source_text.bounded": bounded,
        "source_text.bounded_title": bounded_title,
        "identify.page_language": lambda t: identify.page_language(t, "en"),
        "originality.sign": sign,
        "answers.tidy": answers.tidy,
        "answers.load": quiet(lambda t: answers.load(t, {"type": "object"})),
        "answers.load of a string": quiet(
            lambda t: answers.load(json.dumps({"a": t}), {"type": "object"})
        ),
        "answer.read_answer": lambda t: read_answer(t, [INTRODUCTION]),
        "answer.read_faqs": read_faqs,
        "answer.whole_sentences": lambda t: whole_sentences(t, "en"),
        "refusals.is_refusal": is_refusal,
        "current_event": lambda t: is_current_event([t], "en"),
        "writing.slug": slug,
        "page_text.visible": visible,
        "page_text.plain_text": quiet(lambda t: read_plain(t.encode(), "", "https://a.example/")),
        "page_text.read_html of text": quiet(
            lambda t: read_html(html(t), "", "https://a.example/")
        ),
        "page_text.read_html as it is": quiet(
            lambda t: read_html(t.encode(), "", "https://a.example/")
        ),
        "feed_entries": lambda t: feed_entries(
            feed.format(t).encode(), "application/rss+xml", "", "https://b.example/"
        ),
        "robots": lambda t: Protego.parse(
            f"User-agent: *\nDisallow: /{t}"[:MAX_ROBOTS_BYTES]
        ).can_fetch("https://a.example/" + "a" * 2000, "CopydeskBot"),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="functions whose name has this in it")
    parser.add_argument("--pattern", default="", help="patterns whose name has this in it")
    parser.add_argument("--seconds", type=float, default=LIMIT_SECONDS, help="for each process")
    parser.add_argument("--rows", type=int, default=40, help="how many rows are shown")
    options = parser.parse_args()
    sys.setswitchinterval(1)
    chosen = {n: f for n, f in functions().items() if options.only in n}
    patterns = {n: p for n, p in PATTERNS.items() if options.pattern in n}
    rows = []
    for name, function in chosen.items():
        for kind, pattern in patterns.items():
            times = measured(function, pattern, options.seconds)
            rows.append((name, kind, times))
        worst = max(rows[-len(patterns) :], key=_cost)
        print(f"{name}: {worst[1]}: {', '.join(map(_shown, worst[2]))}", file=sys.stderr)
    rows.sort(key=_cost, reverse=True)
    table = Table("function", "pattern", *(f"{size // 1000:,} kB" for size in SIZES), "growth")
    for name, kind, times in rows[: options.rows]:
        table.add_row(name, kind, *map(_shown, times), _growth(times))
    Console(width=110).print(table)
    late = [row for row in rows if None in row[2]]
    longest = sum(times[-1] or 0 for _, _, times in rows)
    print(f"{len(rows)} rows, {longest:.0f} s of them at 1,000 kB; {len(late)} took too long.")
    return 1 if late else 0


def measured(function: Callable[[str], object], pattern: str, seconds: float) -> list[float | None]:
    """Processor seconds at each size; None for what was ended."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        limit = int(time.process_time() + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for size in SIZES:
            said = (pattern * (size // len(pattern) + 1))[:size]
            began = time.process_time()
            function(said)
            os.write(theirs, f"{time.process_time() - began}\n".encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answers:
        times: list[float | None] = [float(line) for line in answers]
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("the function failed")
    return times + [None] * (len(SIZES) - len(times))


def _cost(row: tuple[str, str, list[float | None]]) -> tuple[int, float]:
    times = [time for time in row[2] if time is not None]
    return row[2].count(None), times[-1] if times else 0.0


def _growth(times: list[float | None]) -> str:
    known = [time for time in times if time is not None]
    if len(known) < 2 or known[-1] < _MEASURABLE:
        return "–"
    return f"{known[-1] / max(known[-2], 1e-4):.0f}"


def _shown(seconds: float | None) -> str:
    return "ended" if seconds is None else f"{seconds:.3f}"


if __name__ == "__main__":
    sys.exit(main())
