"""Posts by a real model: how many pass, at the first try and in the end, and what they cost.

    python bench/posts.py [--only N] [--from N] [--write docs/posts.md] [--keep docs/samples]

Uses the configured endpoint, else the local model. Requests and seeds are fixed, so that two runs
on one model compare two versions of the prompts and checks. What must be verified is written from
pages of two sites on loopback. With --keep the first three posts that pass are written down
unedited.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app.adapters.pages import HttpPageReader
from app.adapters.weights import QWEN_CODER_1_5B
from app.commands.model_process import model_endpoint
from app.commands.output import migrated_app
from app.core.brief import make_brief
from app.core.completion import Completion, Prompt
from app.core.errors import ContentQualityFailed
from app.core.quality.desk import QUALITY_VERSION
from app.core.quality.lengths import post_words
from app.core.render import render
from app.core.request import GenerateRequest, ResponseType, parse_generate_request
from app.ports import Model
from app.services.authoring import WritingOptions, needs_sources, prepare
from app.services.pipeline import Written, write_post
from app.services.sources import Research
from app.settings import Settings
from app.wiring import pick_model
from tests.integration.listed_pages import ListedPages
from tests.running.source_site import BRIDGE, RIVER, SourceSite, article

PLAN_CAP = 1500
REQUESTS: tuple[dict[str, Any], ...] = (
    {
        "keywords": ["cold brew coffee", "coffee grind size"],
        "topic": "making it at home",
        "tone": "friendly",
        "constraints": {"maxWords": 500},
    },
    {
        "keywords": ["raised garden beds", "vegetable garden"],
        "tone": "professional",
        "constraints": {"minWords": 350, "maxWords": 700, "includeFAQs": True},
    },
    {
        "keywords": ["bike commuting"],
        "topic": "starting to ride to work",
        "constraints": {"maxWords": 400},
    },
    {"keywords": ["home office lighting"], "constraints": {"maxWords": 400, "maxSections": 2}},
    {
        "keywords": ["sourdough starter", "whole wheat flour"],
        "targetAudience": "people who never baked bread",
        "constraints": {"maxWords": 500},
    },
    {"keywords": ["emergency fund"], "tone": "bold", "constraints": {"maxWords": 400}},
    {
        "keywords": ["password manager"],
        "industry": "small businesses",
        "tone": "professional",
        "constraints": {"maxWords": 450},
    },
    {
        "keywords": ["indoor plants", "low light"],
        "constraints": {"maxWords": 450, "includeFAQs": True},
    },
    {
        "keywords": ["running shoes"],
        "topic": "when to replace them",
        "constraints": {"maxWords": 350},
    },
    {"keywords": ["meal planning"], "constraints": {"minWords": 300, "maxWords": 500}},
    {"keywords": ["dog training", "leash"], "tone": "friendly", "constraints": {"maxWords": 450}},
    {
        "keywords": ["rainwater harvesting"],
        "constraints": {"maxWords": 300, "keywordUsageStrategy": "exact"},
    },
    {
        "keywords": ["Kräutergarten", "Balkon"],
        "language": "de",
        "tone": "friendly",
        "constraints": {"maxWords": 400},
    },
    {
        "keywords": ["Fahrradpflege"],
        "language": "de",
        "constraints": {"maxWords": 350, "includeFAQs": True},
    },
    {
        "keywords": ["Haushaltsbuch führen"],
        "language": "de",
        "tone": "professional",
        "constraints": {"maxWords": 350},
    },
    {
        "keywords": ["café en casa"],
        "language": "es",
        "tone": "friendly",
        "constraints": {"maxWords": 400, "includeFAQs": True},
    },
    {
        "keywords": ["ahorro de energía", "hogar"],
        "language": "es",
        "constraints": {"maxWords": 350, "maxSections": 2},
    },
    {
        "keywords": ["harbour bridge", "Brackwater"],
        "factualityMode": "verified",
        "constraints": {"maxWords": 300},
    },
    {
        "keywords": ["harbour bridge repair"],
        "topic": "what it costs and who pays",
        "factualityMode": "verified",
        "constraints": {"maxWords": 300, "maxSections": 2},
    },
    {
        "keywords": ["Brackwater harbour bridge news"],
        "tone": "professional",
        "constraints": {"maxWords": 300},
    },
)
# What the verified posts may lean on.
_REPORTS = (("Harbour bridge: council votes", BRIDGE), ("Brackwater repairs its bridge", RIVER))


@dataclass
class Tally:
    """Of all posts so far; tokens are those that the model wrote, for failed posts as well."""

    posts: int = 0
    at_once: int = 0
    passed: int = 0
    words: int = 0
    tokens: int = 0


class Report:
    """Lines for whoever waits, and for a page once there is one to keep."""

    def __init__(self, page: Path | None) -> None:
        self._page = page
        self._lines: list[str] = []

    def add(self, line: str) -> None:
        print(line, flush=True)
        self._lines.append(line)
        if self._page is not None:
            self._page.write_text("\n".join(self._lines) + "\n", encoding="utf-8")


class Counting(Model):
    """The model, and how many tokens it wrote."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.calls = self.tokens = 0

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def concurrency(self) -> int:
        return self._model.concurrency

    def complete(self, prompt: Prompt) -> Completion:
        completion = self._model.complete(prompt)
        self.calls += 1
        self.tokens += completion.completion_tokens
        return completion

    def ping(self) -> None:
        self._model.ping()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--from", dest="first", type=int, default=0, help="leave out so many")
    parser.add_argument("--only", type=int, default=len(REQUESTS), help="so many requests")
    parser.add_argument("--keep", type=Path, help="a folder for the first three posts that pass")
    parser.add_argument("--write", type=Path, help="the page to keep the table as")
    options = parser.parse_args()
    report = Report(options.write)
    chosen = list(enumerate(REQUESTS))[options.first :][: options.only]
    tally, kept = Tally(), 0
    with model_endpoint(Settings.from_env()) as settings, _sites() as urls:
        model = Counting(pick_model(settings))
        name = model.name if settings.has_endpoint else f"local ({QWEN_CODER_1_5B.filename})"
        report.add(f"# {len(chosen)} posts by a real model\n")
        report.add(
            f"Written by `python bench/posts.py --write docs/posts.md` with the model `{name}`"
            f" on {os.cpu_count()} processors, version {QUALITY_VERSION} of the desk. Tokens are"
            " those that the model wrote. What failed was refused with these reasons and would not"
            " have been billed.\n"
        )
        report.add("| request | result | words | score | revisions | calls | tokens | seconds |")
        report.add("|---|---|---|---|---|---|---|---|")
        for number, body in chosen:
            request = parse_generate_request(body)
            written = _write(model, settings, request, urls, number, tally, report)
            if written and options.keep and kept < 3:
                kept += 1
                keep(options.keep, body, written, model.name)
    report.add(
        f"\nPassed without a revision: {tally.at_once} of {tally.posts}; in the end:"
        f" {tally.passed} of {tally.posts}. Tokens written for each accepted word, failed posts"
        f" included: {tally.tokens / max(1, tally.words):.2f}."
    )


def _write(
    model: Counting,
    settings: Settings,
    request: GenerateRequest,
    urls: Sequence[str],
    number: int,
    tally: Tally,
    report: "Report",
) -> Written | None:
    """Write one post and report its line; None where it failed."""
    research = Research([ListedPages(urls)], HttpPageReader(allow_private=True))
    desk = WritingOptions(900.0, settings.drafts, lambda: research)
    name = f"{request.keywords[0]} ({request.language})"
    before, began = (model.calls, model.tokens), time.monotonic()
    tally.posts += 1
    try:
        backing = prepare(request, desk, datetime.now(UTC))
        brief = make_brief(
            request, max_words=request.max_words(PLAN_CAP), verified=backing is not None
        )
        written = write_post(model, brief, backing=backing, drafts=desk.drafts, seed=number)
        result, words = "passed", post_words(written.post)
        score, revisions = str(written.quality.score), str(written.quality.revision_count)
    except ContentQualityFailed as failure:
        written, words, score, revisions = None, 0, "", ""
        found = (failure.details or {}).get("findings", [])
        reasons = [f"{f['check']} in {f['section']}: {f['reason']}" for f in found]
        result = f"failed: {' / '.join(reasons) or failure.message}".replace("|", " ")
    calls, tokens = model.calls - before[0], model.tokens - before[1]
    tally.tokens += tokens
    tally.words += words
    tally.passed += written is not None
    tally.at_once += revisions == "0"
    seconds = time.monotonic() - began
    if needs_sources(request, current_event=False):
        name += ", verified"
    report.add(
        f"| {name} | {result} | {words or ''} | {score} | {revisions} | {calls} | {tokens}"
        f" | {seconds:.0f} |"
    )
    return written


@contextmanager
def _sites() -> Iterator[list[str]]:
    """The pages that verified posts are written from, and a database to remember them in."""
    at = datetime.now(UTC) - timedelta(hours=1)
    with tempfile.TemporaryDirectory() as folder:
        app = migrated_app(Settings(data_dir=Path(folder)))
        with app.app_context(), SourceSite() as one, SourceSite("127.0.0.2") as two:
            yield [
                site.add("/report", article(title, text, published=at))
                for site, (title, text) in zip((one, two), _REPORTS, strict=True)
            ]


def keep(folder: Path, body: dict[str, Any], written: Written, model: str) -> None:
    """Write a post down as it came, under a line of what it cost."""
    folder.mkdir(parents=True, exist_ok=True)
    effort, post = written.effort, written.post
    text = render(post, (ResponseType.MARKDOWN,)).markdown
    warnings = "\n".join(f"- {w.section}: {w.reason}" for w in written.warnings) or "- none"
    (folder / f"{post.slug_suggestion}.md").write_text(
        f"# {post.title}\n\n"
        f"<!-- model {model}; {effort.seconds:.0f} s; {effort.calls} calls;"
        f" {effort.prompt_tokens} tokens in, {effort.completion_tokens} out;"
        f" {post_words(post)} words; score {written.quality.score};"
        f" revisions {written.quality.revision_count} -->\n\n"
        f"Request:\n\n```json\n{json.dumps(body)}\n```\n\n"
        f"Meta description: {post.meta.description}\n\nWarnings of the desk:\n\n{warnings}\n\n"
        f"---\n\n{text}",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
