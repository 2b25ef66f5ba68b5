"""The command: in this process, and as a process of its own where a terminal or a signal counts."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from copydesk.cli import main

Run = Any


@pytest.fixture
def command(
    service: Any,
    api_key: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Runs ``copydesk`` with arguments; further names are environment variables."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as patch:
            for name, value in (_environment(service, api_key) | environment).items():
                patch.setenv(name, value)
            status = main(arguments)
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, status, printed.out, printed.err)

    return run


def _environment(service: Any, api_key: str) -> dict[str, str]:
    return os.environ | {
        "COPYDESK_BASE_URL": service.url,
        "COPYDESK_API_KEY": api_key,
        "COPYDESK_FEED_URL": service.pull_url,
    }


def test_generate_prints_the_figures_and_the_post(service: Any, command: Run) -> None:
    done = command(
        *("generate", "--keyword", "cold brew", "--keyword", "beans", "--topic", "At home"),
        *("--tone", "bold", "--language", "en", "--min-words", "600", "--max-words", "900"),
        *("--faqs", "--idempotency-key", "key-1"),
    )
    assert done.returncode == 0
    assert re.fullmatch(
        r"title:      Cold brew at home\n"
        r"words:      20\n"
        r"score:      91\n"
        r"revisions:  1\n"
        r"\n"
        r"Cold brew needs time\.\n\n",
        done.stdout,
    )
    assert done.stderr == "writing the post ...\n"
    (seen,) = service.seen
    assert seen.headers["Idempotency-Key"] == "key-1"
    assert seen.body == {
        "keywords": ["cold brew", "beans"],
        "topic": "At home",
        "language": "en",
        "tone": "bold",
        "constraints": {"maxWords": 900, "minWords": 600, "includeFAQs": True},
    }


@pytest.mark.parametrize(
    ("choice", "text"),
    [("html", "<p>Cold brew needs time.</p>\n\n"), ("markdown", "Cold brew needs time.\n\n")],
)
def test_a_chosen_format_leaves_stdout_to_the_post(command: Run, choice: str, text: str) -> None:
    done = command("generate", "--keyword", "cold brew", "--format", choice)
    assert done.stdout == text
    assert "score:      91" in done.stderr


def test_json_is_the_answer_as_received(command: Run, samples: Any) -> None:
    done = command("generate", "--keyword", "cold brew", "--json")
    assert json.loads(done.stdout) == samples["generation"]
    assert json.loads(command("usage", "--json").stdout) == samples["usage"]


def test_a_job_is_ordered_looked_at_and_waited_for(
    service: Any, command: Run, samples: Any
) -> None:
    order = ("jobs", "create", "--keyword", "cold brew", "--max-words", "900")
    assert command(*order, "--idempotency-key", "key-1").stdout == "job_1: queued\n"
    assert service.seen[0].body == {
        "generateRequest": {"keywords": ["cold brew"], "constraints": {"maxWords": 900}},
        "format": {"responseTypes": ["markdown", "html"]},
        "idempotencyKey": "key-1",
    }
    done = command("jobs", "wait", "job_1")
    assert done.returncode == 0
    assert done.stderr == "0 s: queued\n0 s: processing\n0 s: succeeded\n"
    assert done.stdout == (
        "title:      Cold brew at home\n"
        "words:      20\n"
        "score:      91\n"
        "revisions:  1\n"
        "\n"
        "Cold brew needs time.\n\n"
    )
    html = command("jobs", "wait", "job_1", "--format", "html")
    assert html.stdout == "<p>Cold brew needs time.</p>\n\n"
    assert json.loads(command("jobs", "wait", "job_1", "--json").stdout) == samples["succeeded"]


def test_a_failed_job_is_a_failure_of_the_wait(service: Any, command: Run, samples: Any) -> None:
    service.job = [samples["failed"]]
    done = command("jobs", "wait", "job_1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        "Error: The post is too short (CONTENT_QUALITY_FAILED, request req_1)"
    )


def test_a_wait_that_is_over_says_how_to_go_on(service: Any, command: Run, samples: Any) -> None:
    service.job = [samples["queued"]]
    done = command("jobs", "wait", "job_1", "--timeout", "0.2")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "Error: job job_1 is queued after 0.2 s of waiting and goes on: wait for it again;"
        " run `copydesk jobs wait job_1`"
    )


def test_usage_for_people(command: Run) -> None:
    assert command("usage").stdout == (
        "plan:       Starter\n"
        "period:     2026-03-01 to 2026-04-01\n"
        "words:      930 used, 19,070 left of 20,000\n"
        "posts:      1\n"
        "requests:   1 billed\n"
        "today:      1 of 50 calls with this key\n"
    )


def test_a_file_is_checked_line_by_line(service: Any, command: Run, tmp_path: Path) -> None:
    file = tmp_path / "draft.md"
    file.write_text("Tea.\n", encoding="utf-8")
    done = command("check", str(file), "--keyword", "tea", "--title", "Tea")
    assert done.returncode == 0
    assert done.stdout == f"{file}:1:1: warning leftover: Say so.\n"
    assert done.stderr == "findings: 1; score: 68 of 100\n"
    assert service.seen[-1].body == {"text": "Tea.\n", "title": "Tea", "keywords": ["tea"]}
    assert json.loads(command("check", str(file), "--json").stdout)["words"] == 1
    service.reply(200, {"qualityVersion": "1", "passes": False})
    assert command("check", str(file)).returncode == 1


def test_a_feed_is_worked_through(service: Any, command: Run) -> None:
    line = "itm_1  send 1 of 3  Cold brew at home\n"
    assert command("feed", "items", "--rule", "coffee").stdout == line
    assert json.loads(command("feed", "items", "--json").stdout)[0]["ruleName"] == "Coffee"
    assert command("feed", "confirm", "itm_1").stdout == "itm_1: used\n"
    assert command("feed", "items").stdout == "nothing new\n"
    assert command("feed", "reject", "itm_2").stdout == "itm_2: rejected\n"
    settled = {"ok": True, "item": {"id": "itm_1", "status": "used"}}
    assert json.loads(command("feed", "confirm", "itm_1", "--json").stdout) == settled
    assert service.seen[0].query == "rule=coffee"
    command("feed", "confirm", "itm_1", "--url", "https://blog.example/post")
    assert service.seen[-1].body == {"url": "https://blog.example/post"}


@pytest.mark.parametrize(
    ("status", "code", "advice"),
    [
        (422, "PROHIBITED_INPUT", ""),
        (500, "INTERNAL_ERROR", "; run it again with --idempotency-key key-1: it is billed once"),
    ],
)
def test_a_failure_is_one_sentence_that_says_what_to_do(
    service: Any, command: Run, status: int, code: str, advice: str
) -> None:
    service.refuse(status, code, "It did not work.", x_should_retry="false")
    done = command("generate", "--keyword", "cold brew", "--idempotency-key", "key-1")
    assert (done.returncode, done.stdout) == (1, "")
    sentence = f"Error: It did not work (HTTP {status} {code}){advice}"
    assert done.stderr.splitlines() == ["writing the post ...", sentence]


def test_an_error_of_the_service_names_the_option(service: Any, command: Run) -> None:
    problem = "constraints.minWords must be at least 50 below maxWords, which is 600."
    service.refuse(400, "VALIDATION_ERROR", problem)
    done = command("generate", "--keyword", "a", "--min-words", "600", "--max-words", "600")
    assert "Error: --min-words must be at least 50 below --max-words, which is 600 (" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "Usage: copydesk"),
        (["generate"], "Missing option '--keyword'"),
        (["generate", "--keyword", "a", "--max-words", "many"], "'many' is not a valid integer"),
        (["generate", "--keywords", "a"], "Did you mean one of: '--keyword'"),
        (["check", "nothing.md"], "'nothing.md': No such file or directory"),
        (["jobs", "wait"], "Missing argument 'JOB_ID'"),
        (["jobs", "wait", "job_1", "--timeout", "0"], "--timeout must be more than 0 seconds"),
        (["usage", "--base-url", "nonsense"], "--base-url must be a complete URL"),
    ],
)
def test_a_wrong_call_exits_with_2(command: Run, arguments: list[str], complaint: str) -> None:
    done = command(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(["usage"], "COPYDESK_API_KEY"), (["feed", "ready"], "COPYDESK_FEED_URL")],
)
def test_a_missing_setting_is_named(
    service: Any, api_key: str, arguments: list[str], name: str
) -> None:
    environment = _environment(service, api_key)
    del environment[name]
    done = subprocess.run(
        [sys.executable, "-m", "copydesk", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, name in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["feed", "items", "--feed-url", "{url}"],
        ["feed", "items", "--feed-url", "{url}?next=true"],
        ["feed", "confirm", "itm_1", "--feed-url", "{url}/items/itm_1"],
        ["feed", "{url}"],
        ["feed", "items", "{url}"],
        ["feed", "items", "--verbose={url}"],
    ],
)
def test_the_pull_url_is_never_echoed(
    service: Any, command: Run, token: str, arguments: list[str]
) -> None:
    service.refuse(500, "INTERNAL_ERROR", f"Broken at /v1/content-tokens/{token}/latest.")
    done = command(*[argument.format(url=service.pull_url) for argument in arguments])
    assert done.returncode in {1, 2}
    assert token not in done.stdout + done.stderr


def test_text_from_elsewhere_does_not_steer_the_terminal(service: Any, command: Run) -> None:
    hostile = {"markdown": "safe\x1b]0;owned\x07 👩‍🍳\r\n\tend\x9b2J\ud800"}
    service.reply(200, {"post": {"title": "a\x1b[2Jb"}, "rendered": hostile})
    done = command("generate", "--keyword", "cold brew")
    assert done.returncode == 0
    assert "title:      a[2Jb\n" in done.stdout
    assert done.stdout.endswith("safe]0;owned 👩‍🍳\n\tend2J\\ud800\n")


def test_a_reader_who_leaves_early_is_no_crash(service: Any, api_key: str) -> None:
    service.reply(200, {"post": {}, "rendered": {"markdown": "word " * 2_000_000}})
    process = subprocess.Popen(
        [sys.executable, "-m", "copydesk", "generate", "--keyword", "a"],
        env=_environment(service, api_key),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == 1
    assert errors == "writing the post ...\n"


def _hear_interrupts() -> None:
    # Started in the background, a test run hands its children a SIGINT that is ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_call_says_how_to_get_its_post(service: Any, api_key: str) -> None:
    service.replies.append("silent")
    process = subprocess.Popen(
        [sys.executable, "-m", "copydesk", "generate", "--keyword", "a"],
        env=_environment(service, api_key),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_hear_interrupts,
    )
    assert process.stderr is not None
    with process.stderr:
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
    assert process.wait(60) == 130
    assert re.search(r"add --idempotency-key [0-9a-f-]{36}\n$", errors)


def test_the_version(command: Run) -> None:
    assert re.fullmatch(r"copydesk \d+\.\d+\.\d+\n", command("--version").stdout)


def test_a_feed_url_is_checked_without_reserving_anything(service: Any, command: Run) -> None:
    """feed (ready, ...)"""
    assert command("feed", "ready").stdout == "ready\n"
    assert json.loads(command("feed", "ready", "--json").stdout) == {"ready": True}
    assert {seen.method for seen in service.seen} == {"HEAD"}
    done = command("feed", "ready", COPYDESK_FEED_URL=f"{service.url}/v1/content-tokens/other")
    assert done.returncode == 1
    assert "does not know this URL: its operator has the current one (HTTP 404)" in done.stderr


@pytest.fixture
def consume(command: Run) -> Run:
    """Runs ``copydesk feed consume``."""

    def run(shell: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        done: subprocess.CompletedProcess[str] = command(
            "feed", "consume", "--exec", shell, *arguments
        )
        return done

    return run


def test_a_command_publishes_each_item_that_it_reads(
    service: Any, consume: Run, samples: Any, tmp_path: Path
) -> None:
    """`feed consume --exec 'CMD'` gives the item's JSON on stdin, exit status 0 = published"""
    done = consume(f"cat > {tmp_path / 'item.json'}; echo done")
    assert (done.returncode, done.stdout) == (0, "itm_1  Cold brew at home  published\n")
    assert done.stderr == "publishing itm_1: Cold brew at home\n"
    assert json.loads((tmp_path / "item.json").read_text()) == samples["item"]
    assert service.seen[1].path.endswith("/items/itm_1/confirm")
    assert consume("false").stdout == "nothing new\n"


def test_a_command_rejects_an_item_or_leaves_it(service: Any, consume: Run, samples: Any) -> None:
    done = consume("exit 3", "--json")
    assert done.returncode == 1
    (outcome,) = json.loads(done.stdout)
    assert (outcome["item_id"], outcome["status"]) == ("itm_1", "failed")
    assert "non-zero exit status 3" in outcome["reason"]
    assert "the feed sends it again" in done.stderr
    assert len(service.waiting) == 1
    done = consume("exit 65")
    assert done.returncode == 0
    assert done.stdout.startswith("itm_1  Cold brew at home  rejected  the command rejected it")
    assert service.seen[-2].path.endswith("/items/itm_1/reject")
    assert consume("true", "--limit", "0").returncode == 2


def test_a_command_tells_what_is_published_already(service: Any, consume: Run) -> None:
    done = consume("false", "--find", "exit 7")
    assert done.stdout.startswith("itm_1  Cold brew at home  failed")
    assert len(service.waiting) == 1
    done = consume("false", "--find", "true")
    assert (done.returncode, done.stdout) == (0, "itm_1  Cold brew at home  confirmed\n")


def test_mcp_says_how_to_install_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`copydesk mcp` as the command (a clear sentence if the extra is missing)"""
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "copydesk._mcp_server", raising=False)
    monkeypatch.delattr("copydesk._mcp_server", raising=False)
    assert main(["mcp"]) == 2
    problem = "it needs the module mcp.server.mcpserver: pip install './sdk[mcp]' in a clone"
    assert problem in capsys.readouterr().err
