"""Write posts on 20 requests with your model, mark them blind, and then see score and cost.

    python bench/editorial.py [--sources with|without|both] [--held-out | --tuned]
                              [--only NAME ...] [--out FOLDER] [--seed N] [--resume]
    python bench/editorial.py --write docs/proofs/posts.md [--marks FILE] [--out FOLDER]

The first form writes the posts and needs a model: set OPENAI_BASE_URL, OPENAI_API_KEY,
COPYDESK_MODEL, COPYDESK_EDITOR_MODEL and COPYDESK_WRITING as for the service, or run
``copydesk-server model pull`` once to use the local model. It saves every result in FOLDER as soon
as it exists: ``posts.json``, and ``posts.html``, the page on which you read and mark the posts. If
the run is interrupted, continue it with --resume. Each request is written twice, with notes from
its sources and without; --sources with halves the cost.

The second form writes the results, the marks and the whole posts as one Markdown page.
"""

import argparse
import json
import os
import secrets
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

from app.adapters.weights import QWEN_CODER_1_5B
from app.commands.model import model_endpoint
from app.container import pick_editor, pick_model, pick_profile
from app.core.checks import QUALITY_VERSION, Finding, post_words, score
from app.core.errors import ModelUnavailable, ServiceError
from app.core.planning.brief import make_brief
from app.core.rendering.render import render
from app.core.schemas.post import SEOPost
from app.core.schemas.request import ResponseType
from app.core.writing.completion import Completion, Prompt
from app.core.writing.profile import Profile
from app.deadline import Deadline
from app.ports import Model
from app.services.pipeline import PostRejected, Writers, Written, write_post
from app.services.post_writer import needs_sources
from app.settings import Settings, SettingsError
from bench.editorial_page import page
from bench.editorial_requests import EditorialRequest, load_requests
from bench.editorial_summary import summary

RUNS = Path("var/editorial")
POSTS, PAGE = "posts.json", "posts.html"
PLAN_CAP = 1500
# Calls in a row that the endpoint does not answer, after which the run ends.
MAX_UNAVAILABLE = 3
REPRESENTATIONS = (ResponseType.MARKDOWN, ResponseType.HTML)


class BenchError(Exception):
    """Why the bench cannot run: a sentence for the user."""


@dataclass
class Tally:
    """Calls and tokens of one post. Tokens are the endpoint's own count, 0 if it reports none."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class CountingModel(Model):
    """A model that counts what its calls cost, those of failed posts included."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name, self.concurrency = model.name, model.concurrency
        self.tally = Tally()

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        self.tally.calls += 1
        completion = self._model.complete(prompt, deadline)
        self.tally.prompt_tokens += completion.prompt_tokens
        self.tally.completion_tokens += completion.completion_tokens
        return completion

    def ping(self) -> None:
        self._model.ping()


@dataclass(frozen=True)
class Desk:
    """Who writes and edits the posts of a run, and how long one post may take."""

    writer: CountingModel
    editor: CountingModel | None
    profile: Profile
    timeout_seconds: float

    @classmethod
    def of(cls, settings: Settings) -> "Desk":
        model = pick_model(settings)
        writer = CountingModel(model)
        editor = pick_editor(settings, lambda: model)
        return cls(
            writer,
            writer if editor is model else CountingModel(editor) if editor else None,
            pick_profile(settings, model),
            settings.generation_timeout_seconds,
        )

    def start_tally(self) -> Tally:
        """Count from zero, both models together."""
        tally = Tally()
        for model in (self.writer, self.editor):
            if model is not None:
                model.tally = tally
        return tally


@dataclass(frozen=True)
class Task:
    """One post to write."""

    request: EditorialRequest
    sourced: bool

    @property
    def name(self) -> str:
        return f"{self.request.name}, {'with' if self.sourced else 'without'} sources"

    @property
    def key(self) -> tuple[str, bool]:
        return self.request.name, self.sourced


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        if options.write:
            _write_summary(options)
        else:
            _write_posts(options)
    except (BenchError, SettingsError, OSError) as error:
        print(f"editorial: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\neditorial: interrupted; continue with --resume", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sources", choices=("with", "without", "both"), default="both",
        help="write each request with notes from its sources, without, or both (default)",
    )  # fmt: skip
    parser.add_argument("--only", nargs="+", metavar="NAME", help="write only these requests")
    part = parser.add_mutually_exclusive_group()
    part.add_argument(
        "--held-out", action="store_true", help="write only the requests that no prompt is tuned on"
    )
    part.add_argument("--tuned", action="store_true", help="write only the other requests")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER",
        help=f"the folder of the run (default: a new one in {RUNS}, or the newest one with"
        " --resume or --write)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="the seed of the run (default: 1)")
    parser.add_argument("--resume", action="store_true", help="continue a run")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write a Markdown page and end")
    parser.add_argument("--marks", type=Path, metavar="FILE", help="the marks saved on the page")
    return parser


def _write_posts(options: argparse.Namespace) -> None:
    tasks = _tasks(options)
    new = RUNS / f"{datetime.now(UTC):%FT%H%M%S}"
    folder = options.out or (_newest() if options.resume else new)
    with model_endpoint(Settings.from_env()) as settings:
        desk = Desk.of(settings)
        run = _setup(settings, desk, options.seed)
        record = _record(folder, run, resume=options.resume)
        done = {(post["request"], post["sources"]) for post in record["posts"] if _is_final(post)}
        left = [task for task in tasks if task.key not in done]
        print(f"posts to write: {len(left)}, model: {run['model']}, folder: {folder}", flush=True)
        unavailable = 0
        for number, task in enumerate(left, 1):
            print(f"{number}/{len(left)} {task.name} ... ", end="", flush=True)
            result = write(task, desk, record["run"])
            _add(record, result, task)
            _save(folder, record)
            print(_line(result), flush=True)
            unavailable = unavailable + 1 if not _is_final(result) else 0
            if unavailable == MAX_UNAVAILABLE:
                raise BenchError(f"the model did not answer: {result['problem']}")
        _save(folder, record)
    print(f"Open {(folder / PAGE).resolve()} to read and mark the posts.")


def _tasks(options: argparse.Namespace) -> list[Task]:
    requests = {request.name: request for request in load_requests()}
    unknown = [name for name in options.only or () if name not in requests]
    if unknown:
        raise BenchError(f"no request {unknown[0]}; there are {', '.join(requests)}")
    chosen = [requests[name] for name in options.only or requests]
    if options.held_out or options.tuned:
        chosen = [request for request in chosen if request.held_out is options.held_out]
    if not chosen:
        raise BenchError("no request is left; --only and the choice of a half exclude each other")
    sourced = {"with": [True], "without": [False], "both": [True, False]}[options.sources]
    return [Task(request, with_notes) for request in chosen for with_notes in sourced]


def _newest() -> Path:
    runs = sorted(path.parent for path in RUNS.glob(f"*/{POSTS}"))
    if not runs:
        raise BenchError(f"no run in {RUNS}; name one with --out")
    return runs[-1]


def _setup(settings: Settings, desk: Desk, seed: int) -> dict[str, Any]:
    """Return what distinguishes runs: the results of two of them do not mix."""
    local = f"local ({QWEN_CODER_1_5B.filename})"
    return {
        "model": desk.writer.name if settings.has_endpoint else local,
        "editor": desk.editor.name if desk.editor else None,
        "writing": desk.profile.strategy.value,
        "temperature": desk.profile.temperature,
        "seed": seed,
        "qualityVersion": QUALITY_VERSION,
    }


def _record(folder: Path, run: Mapping[str, Any], *, resume: bool) -> dict[str, Any]:
    """Return the record of the run in a folder, or a new one."""
    file = folder / POSTS
    if not file.exists():
        started = f"{datetime.now(UTC):%F %H:%M} UTC"
        new = {"id": secrets.token_hex(4), "started": started, "processors": os.cpu_count()}
        return {"run": {**new, **run}, "posts": []}
    if not resume:
        raise BenchError(f"{file} exists; continue it with --resume, or choose another --out")
    record: dict[str, Any] = json.loads(file.read_text("utf-8"))
    for name, value in run.items():
        if record["run"][name] != value:
            raise BenchError(
                f"the run in {folder} has {name} {record['run'][name]}, not {value}; choose another"
                " --out"
            )
    return record


def write(task: Task, desk: Desk, run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of one post: accepted, rejected by the checks, or failed."""
    request, now = task.request.request, datetime.now(UTC)
    brief = make_brief(
        request,
        max_words=request.max_words(PLAN_CAP),
        verified=task.sourced and needs_sources(request, current_event=False) is not None,
        sourced=task.sourced,
        day=now.date(),
    )
    grounding = task.request.grounding(now) if task.sourced else None
    seed = crc32(f"{run['seed']}:{task.request.name}".encode())
    tally, began = desk.start_tally(), time.monotonic()
    try:
        written = write_post(
            Writers(desk.writer, desk.profile, desk.editor, seed),
            brief,
            deadline=Deadline(desk.timeout_seconds),
            grounding=grounding,
        )
        outcome = _accepted(written, request.language)
    except PostRejected as rejected:
        outcome = {
            "result": "rejected",
            "problem": rejected.message,
            **_post(rejected.post, rejected.findings, request.language),
        }
    except ServiceError as error:
        found = (error.details or {}).get("findings", [])
        outcome = {
            "result": "unavailable" if isinstance(error, ModelUnavailable) else "failed",
            "problem": error.operator,
            "findings": [{"severity": "blocker", **finding} for finding in found],
        }
    return {
        "id": sha256(f"{run['id']}:{task.name}".encode()).hexdigest()[:8],
        "request": task.request.name,
        "kind": task.request.kind,
        "heldOut": task.request.held_out,
        "language": request.language,
        "sources": task.sourced,
        **outcome,
        "calls": tally.calls,
        "promptTokens": tally.prompt_tokens,
        "completionTokens": tally.completion_tokens,
        "seconds": round(time.monotonic() - began, 1),
    }


def _accepted(written: Written, language: str) -> dict[str, Any]:
    return {
        "result": "accepted",
        **_post(written.post, written.warnings, language),
        "score": written.quality.score,
        "revisions": written.quality.revision_count,
    }


def _post(post: SEOPost, findings: Sequence[Finding], language: str) -> dict[str, Any]:
    rendered = render(post, REPRESENTATIONS, language=language)
    return {
        "title": post.title,
        "description": post.meta.description,
        "markdown": rendered.markdown,
        "html": rendered.html,
        "words": post_words(post),
        "score": score(findings, words=post_words(post)).total,
        "findings": [{"severity": each.severity.value, **each.to_wire()} for each in findings],
    }


def _is_final(post: Mapping[str, Any]) -> bool:
    """Return whether a result stays: what the endpoint did not answer is written again."""
    return bool(post["result"] != "unavailable")


def _add(record: dict[str, Any], result: dict[str, Any], task: Task) -> None:
    others = [post for post in record["posts"] if (post["request"], post["sources"]) != task.key]
    record["posts"] = [*others, result]


def _save(folder: Path, record: Mapping[str, Any]) -> None:
    """Replace both files, each at once, so that an interrupted run leaves whole ones."""
    folder.mkdir(parents=True, exist_ok=True)
    requests = {request.name: request for request in load_requests()}
    _replace(folder / POSTS, json.dumps(record, ensure_ascii=False, indent=1))
    _replace(folder / PAGE, page(record, requests))


def _replace(file: Path, text: str) -> None:
    new = file.with_name(f"{file.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(file)


def _line(result: Mapping[str, Any]) -> str:
    cost = f"{result['calls']} calls, {result['seconds']:.0f} s"
    if result["result"] == "accepted":
        return f"{result['words']} words, {cost}"
    return f"{result['result']} after {cost}: {result['problem']}"


def _write_summary(options: argparse.Namespace) -> None:
    folder = options.out or _newest()
    file = folder / POSTS
    if not file.exists():
        raise BenchError(f"{file} does not exist")
    record = json.loads(file.read_text("utf-8"))
    marks = _marks(options.marks, record["run"]["id"]) if options.marks else {}
    options.write.write_text(summary(record, marks), encoding="utf-8")


def _marks(file: Path, run: str) -> Mapping[str, Any]:
    try:
        saved = json.loads(file.read_text("utf-8"))
        of_run, marks = saved["run"], dict(saved["marks"])
    except (ValueError, LookupError, TypeError):
        raise BenchError(f"{file} has no marks that the page saved") from None
    if of_run != run:
        raise BenchError(f"{file} has the marks of another run")
    return marks


if __name__ == "__main__":
    sys.exit(main())
