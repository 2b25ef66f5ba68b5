"""The commands of docs/start and docs/guides: each can be called like this, and those of the quick
starts work in their order."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.cli import main
from app.services import accounts
from app.store import database
from tests.support.contexts import context_at
from tests.support.crashes.programs import web_server
from tests.support.integration import CountingQueue, ManualClock, another_feed
from tests.support.process_group import ProcessGroup

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page for folder in ("start", "guides") for page in (ROOT / "docs" / folder).glob("*.md")
)
_BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`(copydesk-server [^`]*)`")
# They do not return, need a network, or are the subject of a test of their own.
# Guides whose blocks call copydesk-server, in an order in which they work; `model` has no database.
_TRIED = (
    "calendars", "costs", "sources", "webhooks", "troubleshooting", "scaling", "upgrading",
    "backup", "privacy",
)  # fmt: skip
_NOT_CALLED = {("run",), ("model", "pull"), ("doctor",)}


def blocks(page: str, language: str = "") -> list[str]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [block for kind, block in _BLOCK.findall(text) if kind == language]


def commands(text: str) -> Iterator[list[str]]:
    """The words of each call of copydesk-server in a block, without what the shell reads."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line)
        if words[:1] == ["copydesk-server"]:
            yield list(takewhile(lambda word: word != ">", words[1:]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_command_can_be_called_as_it_is_written(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("FILE").touch()  # as the pages call a file of the reader's
    shown = [*blocks(str(page.relative_to(ROOT / "docs"))), *_INLINE.findall(page.read_text())]
    for words in (words for text in shown for words in commands(text)):
        command: click.Command = main
        rest = list(words)
        while isinstance(command, click.Group):
            found = command.get_command(click.Context(command), rest[0])
            assert found is not None, words
            command = found
            rest.pop(0)
        command.make_context(command.name, rest).close()


def call(words: list[str], folder: Path, **env: str) -> str:
    settings = {"COPYDESK_DATA_DIR": str(folder), "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    password = "correct horse battery\n"
    done = CliRunner().invoke(main, words, env={**settings, **env}, input=password)
    assert done.exit_code == 0, f"{words}: {done.output}"
    return done.output


def test_the_commands_of_an_operator_work_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    monkeypatch.chdir(clone)
    called = [words for text in blocks("start/operator.md") for words in commands(text)]
    assert len(called) > 10
    key_id = ""
    for words in called:
        if tuple(words[:2]) not in _NOT_CALLED and tuple(words[:1]) not in _NOT_CALLED:
            said = call([key_id if word == "KEY_ID" else word for word in words], tmp_path / "data")
            if words[:2] == ["key", "create"]:
                key_id = said.split()[1]


def test_the_commands_of_the_guides_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["account", "create", "My company"], ["feed", "create", "My company", "My blog"]):
        call(words, tmp_path / "data")
    source = {"COPYDESK_SOURCE_FEEDS": "https://news.example/feed.xml"}
    for page in _TRIED:
        for words in (words for text in blocks(f"guides/{page}.md") for words in commands(text)):
            if tuple(words[:1]) not in _NOT_CALLED:
                call(words, tmp_path / "data", **source)


def run(command: list[str], **env: str) -> str:
    done = subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_caller_and_a_developer_get_a_post_with_a_test_key(
    group: ProcessGroup, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'copydesk.db'}"
    database.bind(url)
    database.migrate()
    context = context_at(ManualClock(), CountingQueue())
    account = accounts.create_account(context, "My company", "starter")
    key = accounts.create_key(context, account, sandbox=True).secret
    feed = another_feed(url)
    (item,) = feed.add_items("Coffee")
    database.dispose()
    with web_server(group, url) as (port, _):
        env = {"COPYDESK_BASE_URL": f"http://127.0.0.1:{port}", "COPYDESK_API_KEY": key}
        env |= {"TOKEN_ID": feed.token, "ITEM_ID": item}
        curls = [
            block
            for page in ("start/caller.md", "guides/webhooks.md")
            for block in blocks(page)
            if block.startswith("curl")
        ]
        written = ('"rendered"', '"jobId"', '"succeeded"')
        expected = (*written, f'"id":"{item}"', '"used"', '"plan"', '"jobId"')
        for block, member in zip(curls, expected, strict=True):
            answer = run(["bash", "-ec", block], **env)
            assert member in answer
            env["JOB_ID"] = json.loads(answer).get("jobId", "")
        first, second = blocks("start/developer.md", "python")
        # The job is written by a worker, and this service has none: it is only created.
        created = second.replace("client.jobs.wait(job.job_id).generation()", "None")
        created = created.replace("generation.quality.score", "job.job_id")
        assert created != second
        shown = run([sys.executable, "-c", f"{first}\n{created}"], **env)
        assert "job_" in shown
        (usage,) = [
            block for block in blocks("start/developer.md") if block.startswith("copydesk ")
        ]
        for line in usage.splitlines():
            run([sys.executable, "-m", *shlex.split(line)], **env)
