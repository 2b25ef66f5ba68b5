"""What the distribution promises: its names, its weight, its types."""

import pydoc
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import copydesk

SDK = Path(__file__).parents[1]


def test_all_is_what_is_exported() -> None:
    exported = {
        name
        for name, value in vars(copydesk).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert set(copydesk.__all__) == exported | {"__version__", "webhooks"}
    assert len(copydesk.__all__) == len(set(copydesk.__all__))


def test_everything_exported_is_explained() -> None:
    for name in set(copydesk.__all__) - {"__version__"}:
        assert getattr(copydesk, name).__doc__, name


def test_it_needs_httpx2_and_what_its_command_needs() -> None:
    project = tomllib.loads((SDK / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["anyio>=4.5,<5", "click>=8.1,<9", "httpx2>=2,<3"]


def test_importing_it_loads_nothing_but_what_it_needs() -> None:
    code = (
        "import sys; import httpx2; allowed = set(sys.modules);"
        "import copydesk; print(*{m.partition('.')[0] for m in set(sys.modules) - allowed})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded - set(sys.stdlib_module_names) == {"copydesk"}


def test_the_http_library_is_loaded_by_the_first_client() -> None:
    """import ≤ 1/3 of openai and ≤ 2/3 of stripe"""
    code = (
        "import sys, copydesk; assert 'httpx2' not in sys.modules;"
        "copydesk.Copydesk('cd_test_key'); assert 'httpx2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_types_are_there_for_those_who_install_it() -> None:
    assert (Path(copydesk.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("name", ["Copydesk", "Feed", "Post", "Job", "Generation"])
def test_help_shows_a_class_without_the_methods_of_a_dict(name: str) -> None:
    shown = pydoc.plain(pydoc.render_doc(getattr(copydesk, name)))
    assert "setdefault" not in shown
    assert len(shown.splitlines()) < 150


GOOD = """
import asyncio
from collections.abc import Sequence

from copydesk import (
    AsyncCopydesk, AsyncFeed, Copydesk, CopydeskError, Feed, FeedItem, GenerateRequest, Job,
    JobFailed, JobSucceeded, Progress, QualityError, Reject, webhooks,
)
from copydesk.testing import make_event, make_item, make_job, make_post, sign_webhook

DEFAULTS: GenerateRequest = {"keywords": ["tea"], "tone": "friendly", "max_words": 600}


def write(keywords: Sequence[str]) -> str:
    def note(progress: Progress) -> None:
        print(progress.elapsed, progress.status)

    with Copydesk(timeout=60) as client:
        try:
            made = client.generate(keywords=list(keywords), tone="bold", on_progress=note)
        except QualityError as error:
            return error.message
        except CopydeskError as error:
            return str(error.idempotency_key)
        if made.response is not None and made.response.replayed:
            print(made.response.rate_limits["day"].remaining)
        return made.rendered.markdown or ""


def job(client: Copydesk) -> Job:
    created = client.jobs.create(**DEFAULTS)
    return client.jobs.wait(created.job_id, timeout=10)


def publish(item: FeedItem) -> None:
    if not item.rendered.html:
        raise Reject("empty")


def consume(url: str) -> int:
    with Feed(url) as feed:
        return len(feed.consume(publish, find=lambda item: item.id == ""))


def receive(body: bytes, headers: dict[str, str]) -> str:
    match webhooks.unwrap(body, headers):
        case JobSucceeded() as done:
            return done.post.title
        case JobFailed() as failed:
            return failed.error.code
        case other:
            return other.event


def lines(text: str) -> list[int | None]:
    with Copydesk() as client:
        report = client.check(text, title="Tea", keywords=["tea"])
    return [finding.line for finding in report.findings if report.passes]


async def many(url: str) -> list[str]:
    async with AsyncCopydesk() as client, AsyncFeed(url) as feed:
        made = await asyncio.gather(*(client.generate(keywords=[each]) for each in ("a", "b")))
        item = await feed.latest()
        return [each.post.title for each in made] + ([item.id] if item else [])


def signed() -> bytes:
    publish(make_item(make_post(title="Tea")))
    return sign_webhook(make_event(make_job("failed"))).body
"""
BAD = """
from copydesk import Copydesk, Feed

client = Copydesk()
client.generate(keywords="cold brew")
client.generate(keywords=["cold brew"], tone="freindly")
client.generate(keywords=["cold brew"], max_wrods=600)
client.generate()
client.jobs.create(keywords=["a"], webhook_events=["job.done"])
print(client.usage().consumed.words + 1)
client.check("text", keywords="cold brew")
Feed("url").latest().id
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy finds in both programs, as file:line: text."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("programs")
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "good.py", "bad.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert not done.stderr, done.stderr
    return re.findall(r"^\w+\.py:\d+: error: .*$", done.stdout, re.MULTILINE)


def test_a_typed_program_passes_the_strict_check(errors: list[str]) -> None:
    """mypy strict on users' code"""
    assert [error for error in errors if error.startswith("good.py")] == []


def test_each_mistake_is_found_before_the_program_runs(errors: list[str]) -> None:
    """Literals for what is an enum, no string for a list"""
    found = [error for error in errors if error.startswith("bad.py")]
    assert [int(error.split(":")[1]) for error in found] == [5, 6, 7, 8, 9, 10, 11, 12], found
