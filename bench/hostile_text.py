"""Run every function that reads foreign text on fills of one mark or word.

    python bench/hostile_text.py [--only NAME] [--fill TEXT] [--seconds 20] [--rows 40]

Each function gets each fill at 10, 100 and 1,000 kB, in a process that is ended after --seconds of
processor time. Functions that the service calls with bounded text get bounded text here too. The
last two columns are the cost of ten times the text (10 is linear, 100 quadratic) and the memory
that 1,000 kB took. The worst rows come first. Exits with 1 if a function takes more than --seconds
or 400 MB.
"""

import argparse
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import product
from multiprocessing import get_context

from rich.console import Console
from rich.markup import escape as escape_markup
from rich.table import Table

SIZES = (10_000, 100_000, 1_000_000)
MOST_MEGABYTES = 400
_MEASURABLE_SECONDS = 0.02  # Less says nothing about growth.
PROSE = "The harbour bridge of Brackwater was closed on 3 May, and 4.2 million went to it. "
FILLS = (
    PROSE, "“", "“a ", "‘", "'", '"', "« ", "“\"'`", "“a b c” ", "`", "`a``b```", "```\n", "~~~\n",
    "[", "[a](", "![", "(", "{", "{{a", "]", "*", "*a ", "**a ", "_", "_a ", "#", "# a\n", "## a\n",
    "### a?\n", ">", "> a\n", "> **a:** b\n\n", "|", "|a|-|\n", "a|b\n-|-\n", "-", "- a\n", "- - ",
    "1. ", "  1. a\n", "a\n\n", "*a**b**\n", "|a" * 39 + "\n" + "|-" * 39 + "\n" + "|\n" * 99,
    "<!-- ", "a <!-- ", "the the word word ", "<", "<a ", "<<<<<<< FIND\n",
    "<<<<<<< FIND\na\n=======\nb\n>>>>>>> END\n", "WHY: a\n", "BASE: A\n", "MARK: 6\n",
    "1 | 2 | a harbour\n", "&", "&a", ".", "A.", "!? ", "\\", "~", "${a", "%A", " ", "a" + " " * 99,
    "\t", "\n", "\r", "a\n", "\n \n", " \n", "\u0301", "a\u0301\u0327", "a\u200d", "\u200b",
    "\u202e", "👩\u200d👩\u200d👧",
    "a", "é", "Aa", "a ", "Acme Pro ", "a-", "a'", "ก", "か", "7", "1,000,",
    "3 May 2021 ", "5 % ", "https://a.example/b ", "https://a.example/", "a@a.", "a.a-", "QUJD",
    "User: a\nAssistant\n", "<|im_start|>", "<source number=", "I cannot ", '{"a":', "[{",
)  # fmt: skip


def functions() -> Mapping[str, Callable[[str], object]]:
    """Return what is measured, by name."""
    from protego import Protego

    from app.adapters.feed_entries import feed_entries
    from app.adapters.page_text import read_html
    from app.adapters.robots import MAX_ROBOTS_BYTES
    from app.adapters.thoughts import without_thoughts
    from app.core.schemas.check import CheckRequest
    from app.core.schemas.json_body import MAX_BODY_BYTES
    from app.core.schemas.request import ResponseType
    from app.ports import PageRefused
    from app.rendering.escape import escape, paragraphs
    from app.rendering.markdown import normalise, to_html
    from app.rendering.offers import Offer, link_offers
    from app.rendering.page import render
    from app.rules import identify, near_duplicates, words
    from app.rules.markdown_file import check_markdown
    from app.rules.table import check_post
    from app.sources import selection, text
    from app.sources.current_events import is_current_event
    from app.sources.prompt import quoted, within
    from app.sources.screening import screened
    from app.sources.source import Source
    from app.writing.brief import Brief
    from app.writing.edits import Edit, apply, parse_edits, without
    from app.writing.post_markdown import MAX_CHARS, format_post, parse_post
    from app.writing.reader import parse_reading, statements
    from app.writing.refusals import is_refusal

    now = datetime(2026, 11, 20, 8, tzinfo=UTC)
    subject = "harbour bridge"
    brief = Brief((subject,), "en", 250, 600, now.date(), faqs=True, verified=True)
    demand = selection.Demand((subject,), "en")
    offers = [Offer(name=name, url=f"https://{name[0]}.example/") for name in ("Acme Pro", "B")]
    edit = [Edit("closed on 3 May", "closed"), Edit("a b", "c")]
    asked = [(1, PROSE.strip())]

    def source(said: str) -> Source:
        return Source("https://a.example/", "a.example", "", said, "en", None, now)

    def page(said: str) -> Source:
        return source(text.bounded(screened(said)))

    def post(said: str) -> str:
        return (
            f"# Harbour bridge\n\n> {PROSE}\n\n{PROSE}\n\n## A\n\n{said}\n\n## Conclusion\n\n{said}"
        )

    def html(said: str) -> str:
        shown = said.replace("&", "&amp;").replace("<", "&lt;")
        return f"<html><body><article>{f'<p>{PROSE}</p>' * 5}<p>{shown}</p></article></body></html>"

    def extracted(read_page: Callable[[bytes, str, str], object], said: str) -> object:
        try:
            return read_page(said.encode(), "", "https://a.example/")
        except PageRefused:
            return None

    def answer(read_answer: Callable[[str], object], said: str) -> object:
        try:
            return read_answer(said)
        except ValueError:
            return None

    def read_feed(said: str) -> object:
        body = f"<rss version='2.0'><channel><item><link>https://a.example/</link><title>{said}"
        return feed_entries(body.encode(), "application/rss+xml", "", "https://b.example/")

    every = set(ResponseType)
    return {
        "post_markdown.parse_post": lambda t: parse_post(t, brief),
        "post_markdown.parse_post of a section": lambda t: format_post(parse_post(post(t), brief)),
        "edits.parse_edits": lambda t: answer(parse_edits, t),
        "edits.apply": lambda t: apply(f"{PROSE}\n\n{t}", edit),
        "edits.apply of a fill": lambda t: apply(post(t), [Edit(t, "a"), Edit(t[:999], "a")]),
        "edits.without": lambda t: without(f"{t}\n\n**{PROSE}**", PROSE),
        "reader.parse_reading": lambda t: answer(
            lambda said: parse_reading(f"{said}\nMARK: 7", asked, [source(PROSE)]), t
        ),
        "reader.statements": lambda t: statements(t, "en"),
        "refusals": is_refusal,
        "thoughts": without_thoughts,
        "rules.check_post": lambda t: check_post(
            parse_post(post(t), brief), brief, [source(PROSE)]
        ),
        "rules.check_post of a source": lambda t: check_post(
            parse_post(post(PROSE), brief), brief, [page(t)]
        ),
        "rules.check_markdown": lambda t: check_markdown(
            CheckRequest(text=t[:MAX_BODY_BYTES], language="en", keywords=(subject,))
        ),
        "words.sentences": lambda t: words.sentences(t, "en"),
        "words.word_count": words.word_count,
        "words.fold": words.fold,
        "identify": lambda t: identify.page_language(t, "en"),
        "near_duplicates.sign": near_duplicates.sign,
        "markdown.normalise": lambda t: normalise(t[:MAX_CHARS]),
        "markdown.to_html": lambda t: to_html(normalise(t[:MAX_CHARS])),
        "escape": escape,
        "escape.paragraphs": lambda t: list(paragraphs(t)),
        "offers": lambda t: link_offers(normalise(t[:MAX_CHARS]), offers, "en"),
        "page.render": lambda t: render(parse_post(post(t), brief), every),
        "sources.bounded": text.bounded,
        "sources.bounded_title": text.bounded_title,
        "sources.screened": screened,
        "sources.objection": lambda t: selection.objection(page(t), demand, now),
        "sources.selected": lambda t: selection.selected([page(t), source(PROSE * 20)], demand),
        "sources.prompt": lambda t: quoted(within([page(t), source(PROSE * 900)])),
        "current_events": lambda t: is_current_event([t], "en"),
        "page_text.read_html of text": lambda t: extracted(read_html, html(t)),
        "page_text.read_html": lambda t: extracted(read_html, t),
        # feedparser may raise ValueError; the process that reads pages says so.
        "feed_entries": lambda t: answer(read_feed, t),
        "robots": lambda t: Protego.parse(
            f"User-agent: *\nDisallow: /{t}"[:MAX_ROBOTS_BYTES]
        ).can_fetch("https://a.example/" + "a" * 2000, "CopydeskBot"),
    }  # fmt: skip


Row = tuple[str, str, list[float], int]
_functions: dict[str, Callable[[str], object]] = {}  # those of the processes that measure


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="functions whose name has this in it")
    parser.add_argument("--fill", default="", help="fills that have this in them")
    parser.add_argument("--seconds", type=int, default=20, help="for each process")
    parser.add_argument("--rows", type=int, default=40, help="how many rows are shown")
    options = parser.parse_args()
    _functions.update(functions())
    names = [name for name in _functions if options.only in name]
    fills = [fill for fill in FILLS if options.fill in fill]
    with get_context("fork").Pool(os.cpu_count()) as pool:
        rows = pool.starmap(_row, product(names, fills, [options.seconds]), chunksize=1)
    rows.sort(key=lambda row: (len(row[2]), -sum(row[2])))
    table = Table("function", "fill", *(f"{size // 1000:,} kB" for size in SIZES), "growth", "MB")
    for name, fill, times, megabytes in rows[: options.rows]:
        shown = [f"{each:.3f}" for each in times] + ["ended"] * (len(SIZES) - len(times))
        is_known = len(times) > 1 and times[-1] >= _MEASURABLE_SECONDS
        growth = f"{times[-1] / max(times[-2], 1e-4):.0f}" if is_known else "–"
        table.add_row(name, escape_markup(repr(fill[:20])), *shown, growth, f"{megabytes}")
    Console(width=110).print(table)
    bad = [row for row in rows if len(row[2]) < len(SIZES) or row[3] > MOST_MEGABYTES]
    print(f"{len(rows)} rows; {len(bad)} took too long or too much memory.")
    return 1 if bad else 0


def _row(name: str, fill: str, seconds: int) -> Row:
    return (name, fill, *measured(_functions[name], fill, seconds))


def measured(function: Callable[[str], object], fill: str, seconds: int) -> tuple[list[float], int]:
    """Return the processor seconds at each size, fewer if the process was ended, and how many
    megabytes it grew by."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        limit = int(time.process_time()) + seconds + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for size in SIZES:
            said = (fill * (size // len(fill) + 1))[:size]
            began = time.process_time()
            function(said)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            os.write(theirs, f"{time.process_time() - began} {grown // 1024}\n".encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answers:
        told = [line.split() for line in answers]
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"the function failed on {fill!r}")
    return [float(each[0]) for each in told], max((int(each[1]) for each in told), default=0)


if __name__ == "__main__":
    sys.exit(main())
