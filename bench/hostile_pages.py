"""Hostile pages and files against the running service.

    python bench/hostile_pages.py [--patterns quotes,blanks] [--bytes 2000000]

A page of two megabytes of each pattern is what a search in the mode verified finds: alone, after an
honest article, and as raw HTML. /healthz is asked without a break meanwhile, by a process of its
own: the longest answer shows how long the page held up everybody else; the row "prose" is the peer.
Then `copydesk-server check` is given the same patterns as a file. Exits with 1 if an answer took
more than 200 ms and more than twice the peer's, or a file more than `FILE_SECONDS`.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from tests.support.customers import new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import ROOT, CopydeskService, ScriptedModel, one_process
from tests.support.source_site import BRIDGE, SourceSite

PAUSE_SECONDS = 0.2
FILE_SECONDS = 60.0
ANSWER_SECONDS = 600.0
PATTERNS: Mapping[str, str] = {
    "prose": " ".join(BRIDGE) + "\n",
    "quotes": "“",
    "quotes in words": "“a ",
    "apostrophes": "'",
    "quotes of all kinds": "“\"'`",
    "brackets": "[",
    "comments": "<!-- ",
    "blanks": " ",
}
SHAPES = ("alone", "after an article", "as raw HTML")
# Asks again and again and prints, once a line comes in, how long the slowest answer took.
POLLER = """
import http.client, sys, threading, time
host, slowest, stop = sys.argv[1], 0.0, threading.Event()
def ask():
    began = time.monotonic()
    link = http.client.HTTPConnection(host, timeout=600)
    link.request("GET", "/healthz")
    ok = link.getresponse().status == 200
    link.close()
    return time.monotonic() - began if ok else 600.0
def poll():
    global slowest
    while not stop.is_set():
        slowest = max(slowest, ask())
        time.sleep(0.01)
thread = threading.Thread(target=poll)
thread.start()
sys.stdin.readline()
stop.set()
thread.join()
print(slowest)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--patterns", default=",".join(PATTERNS))
    parser.add_argument("--bytes", type=int, default=1_990_000)
    options = parser.parse_args()
    patterns = {name: PATTERNS[name] for name in options.patterns.split(",")}
    failed = pages(patterns, options.bytes)
    failed |= files(patterns, options.bytes)
    return int(failed)


def pages(patterns: Mapping[str, str], size: int) -> bool:
    """Whether the service was held up by one of them."""
    table = Table("page", "", "longest pause", "answer", "seconds", "what became of the page")
    failed, peer = False, 0.0
    with ProcessGroup() as group, SourceSite() as site:
        cases = [(name, shape) for name in patterns for shape in SHAPES]
        urls = {case: _put_up(site, number, case, size) for number, case in enumerate(cases)}
        feed = _feed(site, [(_keyword(number), urls[case]) for number, case in enumerate(cases)])
        model = ScriptedModel(group)
        service = one_process(
            group, model.url, COPYDESK_SOURCE_FEEDS=feed, COPYDESK_SOURCES_ALLOW_PRIVATE="1"
        )
        # What a process loads when it first writes from sources is no matter of the page.
        _generate(service, "nowhere")
        for number, case in enumerate(cases):
            poller = subprocess.Popen(
                [sys.executable, "-c", POLLER, service.url.removeprefix("http://")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            began = time.monotonic()
            status, said = _generate(service, _keyword(number))
            seconds = time.monotonic() - began
            pause = float(poller.communicate("\n")[0])
            if case[0] == "prose":
                peer = max(peer, pause)
            elif pause > max(PAUSE_SECONDS, 2 * peer):
                failed = True
            table.add_row(*case, f"{1000 * pause:,.0f} ms", status, f"{seconds:.1f}", said)
    Console(width=140).print(table)
    return failed


def files(patterns: Mapping[str, str], size: int) -> bool:
    """Whether a file took too long."""
    table = Table("check FILE", "seconds", "exit code", "findings")
    failed = False
    with TemporaryDirectory() as folder:
        for name, pattern in patterns.items():
            file = Path(folder, f"{name}.md")
            said = pattern * (size // len(pattern.encode()) + 1)
            file.write_text(f"# A title\n\n{' '.join(BRIDGE)}\n\n{said}")
            began = time.monotonic()
            command = [sys.executable, "-m", "app.cli", "check", str(file), "--json"]
            try:
                done = subprocess.run(
                    command, cwd=ROOT, capture_output=True, text=True, timeout=FILE_SECONDS
                )
                found = json.loads(done.stdout)["findings"] if done.stdout else []
                kinds = ", ".join(sorted({one["check"] for one in found}))
                code, kinds = f"{done.returncode}", kinds or done.stderr[-60:]
            except subprocess.TimeoutExpired:
                failed, code, kinds = True, "ended", ""
            table.add_row(name, f"{time.monotonic() - began:.1f}", code, kinds)
    Console(width=140).print(table)
    return failed


def _keyword(number: int) -> str:
    return f"harbour{'abcdefghijklmnopqrstuvwxyz'[number]}"


def _put_up(site: SourceSite, number: int, case: tuple[str, str], size: int) -> str:
    name, shape = case
    keyword, pattern = _keyword(number), PATTERNS[name]
    if shape != "as raw HTML":
        pattern = pattern.replace("<", "&lt;")
    published = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    article = "" if shape == "alone" else f"<p>{' '.join(BRIDGE)}</p>"
    head = (
        f'<html lang="en"><head><title>{keyword}</title><meta content="{published}"'
        f' property="article:published_time"></head><body><article><h1>{keyword}</h1>{article}<p>'
    )
    end = "</p></article></body></html>"
    said = pattern * ((size - len(head) - len(end)) // len(pattern.encode()))
    return site.add(f"/{number}", head + said + end)


def _feed(site: SourceSite, pages: list[tuple[str, str]]) -> str:
    entries = "".join(
        f"<item><title>{keyword}</title><link>{url}</link></item>" for keyword, url in pages
    )
    feed = f'<rss version="2.0"><channel><title>All</title>{entries}</channel></rss>'
    return site.add("/feed.xml", feed, type="application/rss+xml")


def _generate(service: CopydeskService, keyword: str) -> tuple[str, str]:
    """The answer's status, and what it or the log says of the page."""
    customer = new_customer(service)
    body = {
        "keywords": [keyword],
        "constraints": {"minWords": 50, "maxWords": 150},
        "factualityMode": "verified",
    }
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(customer.call("POST", "/v1/generate", json=body))
    )
    thread.start()
    thread.join(ANSWER_SECONDS)
    if not answers:
        return "none", ""
    answer = answers[0].json()
    refused = answer.get("error", {}).get("details", {}).get("refusedSources")
    if refused:
        return str(answers[0].status_code), refused[0]["reason"]
    return str(answers[0].status_code), "used"


if __name__ == "__main__":
    sys.exit(main())
