"""Posts of the service beside posts of one plain prompt, on the same requests and endpoint.

    python bench/editorial.py write FOLDER [--requests FOLDER] [--only NAME ...]
    python bench/editorial.py page FOLDER
    python bench/editorial.py summary FOLDER MARKS.json ...

`write` needs a model: OPENAI_BASE_URL, OPENAI_API_KEY and COPYDESK_MODEL as for the service. It
writes both posts of each request and stores each as soon as it exists; run it again to continue.
`page` makes posts.html, on which a reader marks all posts blind and chooses in pairs; its button
saves MARKS.json. `summary` counts pairs and marks, and prints what the posts cost.

A request is a TOML file: a table `request` as the API takes it, and tables `[[notes]]` with url,
site, title and lines, its sources. The marks follow app/writing/prompts/rubric.md.
"""

import argparse
import json
import re
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.container import pick_models
from app.core.errors import ContentQualityFailed, ServiceError
from app.core.schemas.bodies import parse
from app.core.schemas.post import SEOPost
from app.core.schemas.request import GenerateRequest, ResponseType
from app.deadline import Deadline
from app.ports import Model
from app.rendering.markdown import to_html
from app.rendering.page import render
from app.rules.languages import primary_subtag
from app.rules.words import word_count
from app.settings import Settings
from app.sources.source import Source
from app.writing.brief import make_brief
from app.writing.completion import Completion, Prompt
from app.writing.pipeline import Writers, write_post

HERE = Path(__file__).parent / "editorial"
SERVICE, PLAIN = "service", "plain"
_DESCRIPTION = re.compile(r"^\W*meta[ -]?\w+[*_]*:\W*(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Task:
    """A request and its sources."""

    name: str
    request: GenerateRequest
    sources: tuple[Source, ...]

    @classmethod
    def read(cls, path: Path) -> "Task":
        data = tomllib.loads(path.read_text("utf-8"))
        request = parse(GenerateRequest, data["request"])
        now = datetime.now(UTC)
        return cls(path.stem, request, tuple(
            Source(each["url"], each["site"], each["title"], "\n\n".join(each["lines"]),
                   primary_subtag(request.language), None, now)
            for each in data.get("notes", ())
        ))  # fmt: skip


@dataclass
class Post:
    """A post as it is stored. ``problem`` says why there is none; tokens are the endpoint's."""

    request: str
    arm: str
    markdown: str = ""
    problem: str = ""
    words: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    score: int | None = None
    revisions: int = 0


class Counting(Model):
    """A model that adds what its calls cost to a post."""

    def __init__(self, model: Model, post: Post) -> None:
        self._model, self._post = model, post
        self.name = model.name

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        completion = self._model.complete(prompt, deadline)
        self._post.calls += 1
        self._post.prompt_tokens += completion.prompt_tokens
        self._post.completion_tokens += completion.completion_tokens
        return completion

    def ping(self) -> None:
        self._model.ping()


def by_service(task: Task, settings: Settings, model: Model, editor: Model | None) -> Post:
    """Return the post of the pipeline."""
    post = Post(task.name, SERVICE)
    writers = Writers(
        Counting(model, post), editor and Counting(editor, post), drafts=settings.drafts,
        is_local=not settings.has_endpoint, seed=len(task.name),
    )  # fmt: skip
    limits = task.request.constraints
    brief = make_brief(
        task.request, max_words=limits.max_words or 1200, today=datetime.now(UTC).date()
    )
    try:
        written = write_post(
            writers, brief, deadline=Deadline(settings.generation_timeout_seconds),
            sources=task.sources,
        )  # fmt: skip
    except ContentQualityFailed as error:
        post.problem = error.message
        draft = getattr(error, "post", None)
        post.markdown = as_on_a_site(draft, brief.language) if draft else ""
    else:
        post.markdown = as_on_a_site(written.post, brief.language)
        post.score = written.quality.score
        post.revisions = written.quality.revision_count
    return post


def as_on_a_site(post: SEOPost, language: str) -> str:
    """Return a post as readers of a site see it, below its title and its description."""
    page = render(post, {ResponseType.MARKDOWN}, language=language)
    return f"# {post.title}\n\n> {post.meta.description}\n\n{page.markdown}"


def by_plain_prompt(task: Task, settings: Settings, model: Model) -> Post:
    """Return the post of one plain prompt."""
    post, limits = Post(task.name, PLAIN), task.request.constraints
    asked = json.dumps(task.request.to_wire(), ensure_ascii=False, indent=1)
    text = (
        "Write a blog post for this request, with a title and a meta description, in"
        f" Markdown:\n\n{asked}"
    )
    if task.sources:
        told = "\n\n".join(f"{each.title} ({each.site})\n{each.text}" for each in task.sources)
        text += f"\n\nUse these sources for the facts, in your own words:\n\n{told}"
    text += f"\n\nIt has {limits.min_words} to {limits.max_words} words in all."
    deadline = Deadline(settings.generation_timeout_seconds)
    post.markdown = Counting(model, post).complete(Prompt("", text), deadline).text
    return post


def write_all(folder: Path, requests: Path, only: Sequence[str]) -> None:
    """Write what is missing of both arms."""
    settings = Settings.load()
    model, editor = pick_models(settings)
    tasks = [Task.read(path) for path in sorted(requests.glob("*.toml"))]
    folder.mkdir(parents=True, exist_ok=True)

    def write_one(task: Task, arm: str) -> None:
        path = folder / f"{task.name}.{arm}.json"
        if path.exists():
            return
        began = time.monotonic()
        try:
            post = (
                by_service(task, settings, model, editor)
                if arm == SERVICE
                else by_plain_prompt(task, settings, model)
            )
        except ServiceError as error:
            post = Post(task.name, arm, problem=error.operator)
        post.seconds, post.words = time.monotonic() - began, word_count(post.markdown)
        path.write_text(json.dumps(asdict(post), ensure_ascii=False, indent=1), "utf-8")
        print(
            f"{task.name} {arm}: {post.words} words, {post.calls} calls {post.problem}", flush=True
        )

    wanted = [task for task in tasks if not only or task.name in only]
    with ThreadPoolExecutor(max(1, settings.model_concurrency)) as pool:
        runs = [pool.submit(write_one, task, arm) for task in wanted for arm in (SERVICE, PLAIN)]
        for run in runs:
            run.result()


def posts_of(folder: Path) -> dict[str, dict[str, Post]]:
    """Return the posts of each request by their arms."""
    found: dict[str, dict[str, Post]] = {}
    for path in sorted(folder.glob("*.*.json")):
        post = Post(**json.loads(path.read_text("utf-8")))
        found.setdefault(post.request, {})[post.arm] = post
    return found


def pairs(folder: Path) -> Iterator[tuple[str, Sequence[Post]]]:
    """Yield the two posts of each request, in an order that tells nothing."""
    for name, posts in posts_of(folder).items():
        both = [posts[SERVICE], posts[PLAIN]]
        Random(f"{folder.name} {name}").shuffle(both)
        yield name, both


def make_page(folder: Path) -> Path:
    """Write the page on which a reader marks the posts."""
    shown = [
        {"name": name, "posts": [to_html(_shown(post.markdown)) for post in both]}
        for name, both in pairs(folder)
    ]
    templates = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined
    )
    page = folder / "posts.html"
    page.write_text(templates.get_template("page.html").render(pairs=shown), "utf-8")
    return page


def _shown(markdown: str) -> str:
    """Return a post with its description marked as one, whatever the arm calls it."""
    return _DESCRIPTION.sub(r"> \1", markdown, count=1)


def summary(folder: Path, marks: Sequence[Mapping[str, Any]]) -> str:
    """Return the counts of pairs, the marks and the cost of the posts, as Markdown.

    Each file of marks has, for each request, `marks` of the two posts in the order of the page,
    `better` and `smoother`: 0, 1 or null.
    """
    rows, differences = [], []
    wins = smoother = chosen = 0
    for name, both in pairs(folder):
        at = next(index for index, post in enumerate(both) if post.arm == SERVICE)
        for reader in marks:
            told = reader[name]
            ours, plain = told["marks"][at], told["marks"][1 - at]
            differences.append(ours - plain)
            wins += told["better"] == at
            smoother += told["smoother"] == at
            chosen += 1
            better = SERVICE if told["better"] == at else PLAIN
            rows.append(f"| {name} | {ours:g} | {plain:g} | {better} |")
    posts = [each[SERVICE] for each in posts_of(folder).values()]
    passed = [post for post in posts if not post.problem]
    used = [post for post in passed if post.words]
    return "\n".join([
        "| request | service | plain | better |", "|---|---|---|---|", *rows, "",
        f"better in {wins} of {chosen}, smoother in {smoother} of {chosen}; marks differ by"
        f" {mean(differences):+.2f} on average, at worst {min(differences):+g}",
        f"accepted: {len(passed)} of {len(posts)}; calls: median {median(p.calls for p in used)};"
        f" tokens for each word: {median(p.prompt_tokens / p.words for p in used):.1f} in,"
        f" {median(p.completion_tokens / p.words for p in used):.1f} out",
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("write", "page", "summary"):
        commands.add_parser(name).add_argument("folder", type=Path)
    commands.choices["write"].add_argument("--requests", type=Path, default=HERE / "requests")
    commands.choices["write"].add_argument("--only", nargs="*", default=())
    commands.choices["summary"].add_argument("marks", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "write":
        write_all(options.folder, options.requests, options.only)
    elif options.command == "page":
        print(make_page(options.folder))
    else:
        print(summary(options.folder, [json.loads(p.read_text("utf-8")) for p in options.marks]))


if __name__ == "__main__":
    main()
