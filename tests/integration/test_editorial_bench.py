"""The editorial bench writes posts with a scripted endpoint."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.editorial import main
from tests.support.scripted_model.server import ScriptedServer

TWO = ("--only", "roast-chicken", "low-light-houseplants")


class Bench:
    """The bench with a folder and an endpoint of its own."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.folder, self.server = folder, server

    def run(self, *arguments: str, behaviour: str = "good") -> int:
        self.server.control({"behaviour": behaviour})
        return main([*arguments, "--out", str(self.folder)])

    @property
    def posts(self) -> list[dict[str, Any]]:
        return list(json.loads((self.folder / "posts.json").read_text("utf-8"))["posts"])


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    with ScriptedServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("COPYDESK_MODEL", "scripted")
        yield Bench(tmp_path / "run", server)
        server.shutdown()
        thread.join()


def test_each_request_is_written_with_and_without_sources(bench: Bench) -> None:
    """“with and without sources …: calls, tokens in and out for each accepted word, seconds”"""
    assert bench.run(*TWO) == 0
    assert [(post["request"], post["sources"]) for post in bench.posts] == [
        ("roast-chicken", True), ("roast-chicken", False),
        ("low-light-houseplants", True), ("low-light-houseplants", False),
    ]  # fmt: skip
    for post in bench.posts:
        assert post["result"] == "accepted", post["findings"]
        assert post["calls"] >= 3  # plan, post, editor
        assert post["promptTokens"] > post["completionTokens"] > post["words"] / 2
    assert sum(post["calls"] for post in bench.posts) == bench.server.calls.total()
    text = (bench.folder / "posts.html").read_text("utf-8")
    assert all(post["title"] in text for post in bench.posts)


def test_a_rejected_post_is_kept_with_its_findings_and_last_draft(bench: Bench) -> None:
    # The scripted model writes English whatever the request asks for.
    assert bench.run("--only", "elterngeld", "--sources", "with") == 0
    (post,) = bench.posts
    assert post["result"] == "rejected"
    assert "language" in {found["check"] for found in post["findings"]}
    assert post["words"] >= 250
    assert post["title"] in (bench.folder / "posts.html").read_text("utf-8")


def test_resume_writes_only_what_is_missing(bench: Bench) -> None:
    bench.run("--only", "roast-chicken", "--sources", "with")
    first = bench.posts
    calls = bench.server.calls.total()
    assert bench.run("--only", "roast-chicken", "--sources", "with", "--resume") == 0
    assert bench.server.calls.total() == calls
    assert bench.run("--only", "roast-chicken", "--resume") == 0
    assert bench.posts[:1] == first
    assert len(bench.posts) == 2


def test_a_post_that_the_endpoint_did_not_answer_is_written_again(bench: Bench) -> None:
    only = ("--only", "roast-chicken", "--sources", "with")
    assert bench.run(*only, behaviour="error_401") == 0
    assert [post["result"] for post in bench.posts] == ["unavailable"]
    assert bench.run(*only, "--resume") == 0
    assert [post["result"] for post in bench.posts] == ["accepted"]


def test_three_posts_without_an_answer_end_the_run(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.run(*TWO, behaviour="error_401") == 1
    assert len(bench.posts) == 3
    assert "the model did not answer" in capsys.readouterr().err


def test_results_are_never_overwritten_or_mixed(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    only = ("--only", "roast-chicken", "--sources", "with")
    bench.run(*only)
    assert bench.run(*only) == 1
    assert "--resume" in capsys.readouterr().err
    monkeypatch.setenv("COPYDESK_MODEL", "another")
    assert bench.run(*only, "--resume") == 1
    assert "has model scripted, not another" in capsys.readouterr().err


def test_the_markdown_page_has_the_marks_of_this_run_only(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.run("--only", "roast-chicken", "--sources", "with")
    (post,) = bench.posts
    record = json.loads((bench.folder / "posts.json").read_text("utf-8"))
    file, written = tmp_path / "marks.json", tmp_path / "posts.md"
    saved = {
        "run": record["run"]["id"],
        "marks": {post["id"]: {"mark": 3, "changes": ["Say how long."], "blind": True}},
    }
    file.write_text(json.dumps(saved))
    assert bench.run("--write", str(written), "--marks", str(file)) == 0
    assert "Result: accepted. Mark: 3." in written.read_text("utf-8")
    assert "- Say how long." in written.read_text("utf-8")
    file.write_text(json.dumps({**saved, "run": "another"}))
    assert bench.run("--write", str(written), "--marks", str(file)) == 1
    assert "marks of another run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "problem"),
    [(None, "No such file"), ("no JSON", "no marks"), ("{}", "no marks"), ("[1]", "no marks")],
)
def test_a_file_without_marks_is_named_in_a_sentence(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, problem: str
) -> None:
    bench.run("--only", "roast-chicken", "--sources", "with")
    file = tmp_path / "marks.json"
    if text is not None:
        file.write_text(text)
    assert bench.run("--write", str(tmp_path / "posts.md"), "--marks", str(file)) == 1
    told = capsys.readouterr().err
    assert told.startswith("editorial: ")
    assert problem in told
    assert str(file) in told


def test_a_setting_that_cannot_be_read_is_named_in_a_sentence(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:11434")
    assert bench.run("--only", "roast-chicken") == 1
    assert capsys.readouterr().err.startswith("editorial: OPENAI_BASE_URL: ")
