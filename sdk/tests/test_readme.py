"""The README's examples run as they stand."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _settings(service: Any, api_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPYDESK_API_KEY", api_key)
    monkeypatch.setenv("COPYDESK_BASE_URL", service.url)
    monkeypatch.setenv("COPYDESK_FEED_URL", service.pull_url)


def test_the_python_examples_run(service: Any, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = _blocks("python")
    assert len(blocks) == 5
    names: dict[str, Any] = {}
    for block in blocks:
        if "max_words=600" in block and "ValidationError" in block:
            service.refuse(400, "VALIDATION_ERROR", "minWords must not be above maxWords.")
        exec(compile(block, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "Cold brew at home\n91 1\nCold brew needs time." in printed
    assert "930 words used, 19070 left" in printed
    assert "Cold brew at home 2026-03-01 12:30:00.250000+00:00" in printed
    assert "minWords must not be above maxWords (HTTP 400 VALIDATION_ERROR)" in printed
    paths = [seen.path.rpartition("/")[2] for seen in service.seen]
    pulls = ["latest", "confirm", "latest"]
    assert paths == ["generate", "usage", *pulls, *["generate"] * 3]


@pytest.mark.parametrize(
    "line", [line for block in _blocks("console") for line in block.splitlines()]
)
def test_the_commands_run(line: str) -> None:
    prompt, _, command = line.partition(" ")
    assert prompt == "$"
    if not command.startswith("copydesk "):  # what these lead to is this test's environment
        assert command.startswith(("pip install ", "export COPYDESK_"))
        return
    arguments, _, target = command.partition(" > ")
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(arguments)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    if target:
        assert done.stdout.startswith("<p>")


def test_every_setting_of_the_readme_is_read() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].glob("copydesk/*.py")
    )
    for name in set(re.findall(r"COPYDESK_\w+", README)):
        assert name in sources
