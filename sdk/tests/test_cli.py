"""The command: in this process, and as a process of its own where a terminal or a signal counts."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
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
            try:
                status = main(arguments)
            except SystemExit as end:
                status = int(end.code or 0)
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
        r"seconds:    \d+\.\d\n"
        r"\n"
        r"Cold brew needs time\.\n\n",
        done.stdout,
    )
    assert re.fullmatch(r"writing the post … 0 s\n", done.stderr)
    (seen,) = service.seen
    assert seen.headers["Idempotency-Key"] == "key-1"
    assert seen.body == {
        "keywords": ["cold brew", "beans"],
        "topic": "At home",
        "language": "en",
        "tone": "bold",
        "constraints": {"maxWords": 900, "minWords": 600, "includeFAQs": True},
        "format": {"responseTypes": ["markdown", "html"]},
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
    assert json.loads(command("jobs", "get", "job_1", "--json").stdout) == samples["queued"]
    done = command("jobs", "wait", "job_1")
    assert done.returncode == 0
    assert done.stderr == "waiting for job_1 … 0 s\n"
    assert done.stdout == (
        "title:      Cold brew at home\n"
        "words:      20\n"
        "score:      91\n"
        "revisions:  1\n"
        "seconds:    90.5\n"
        "\n"
        "Cold brew needs time.\n\n"
    )
    html = command("jobs", "wait", "job_1", "--format", "html")
    assert html.stdout == "<p>Cold brew needs time.</p>\n\n"
    assert json.loads(command("jobs", "wait", "job_1", "--json").stdout) == samples["succeeded"]
    assert command("jobs", "get", "job_1").stdout == (
        "job_1: succeeded\ntitle:   Cold brew at home\n"
    )


def test_the_secret_of_a_webhook_is_shown_once(service: Any, command: Run, secret: str) -> None:
    webhook = ("--webhook-url", "https://example.com/hook", "--webhook-event", "job.failed")
    done = command("jobs", "create", "--keyword", "cold brew", *webhook)
    assert done.stdout == (f"job_1: queued\nsecret:  {secret} (of its webhook; not shown again)\n")
    sent = {"url": "https://example.com/hook", "events": ["job.failed"]}
    assert service.seen[0].body["webhook"] == sent
    assert secret not in command("jobs", "get", "job_1").stdout


def test_a_failed_job_is_a_failure_of_the_wait(service: Any, command: Run, samples: Any) -> None:
    service.job = [samples["failed"]]
    done = command("jobs", "wait", "job_1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        "copydesk: The post is too short (CONTENT_QUALITY_FAILED, request req_1);"
        " try other keywords, a --topic, or a wider range of words"
    )
    assert command("jobs", "get", "job_1").stdout == (
        "job_1: failed\nerror:   CONTENT_QUALITY_FAILED: The post is too short.\n"
    )


def test_a_wait_that_is_over_says_how_to_go_on(service: Any, command: Run, samples: Any) -> None:
    service.job = [samples["queued"]]
    done = command("jobs", "wait", "job_1", "--timeout", "0.2")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "copydesk: job job_1 is queued after 0.2 s of waiting and goes on: wait for it again;"
        " run `copydesk jobs wait job_1`"
    )


def test_usage_for_people(command: Run) -> None:
    assert command("usage").stdout == (
        "plan:       Starter\n"
        "period:     2026-03-01 to 2026-04-01\n"
        "words:      930 used, 19,070 left of 20,000\n"
        "posts:      1\n"
        "requests:   1\n"
        "today:      1 of 50 requests, resets at 2026-03-02 00:00 UTC\n"
    )


def test_a_feed_is_worked_through(service: Any, command: Run) -> None:
    line = "itm_1  send 1 of 3  Cold brew at home"
    assert command("feed", "items", "--rule", "coffee").stdout == f"{line}  [Coffee]\n"
    assert command("feed", "latest", "--next").stdout.startswith(f"{line}\n\nCold brew needs")
    assert command("feed", "confirm", "itm_1").stdout == "itm_1: used\n"
    assert command("feed", "latest").stdout == "nothing new\n"
    assert command("feed", "items").stdout == "nothing new\n"
    assert command("feed", "reject", "itm_2").stdout == "itm_2: rejected\n"
    assert [seen.query for seen in service.seen] == ["rule=coffee", "next=true", "", "", "", ""]


def test_a_feed_as_json(command: Run, samples: Any) -> None:
    latest = json.loads(command("feed", "latest", "--json").stdout)
    assert latest == {"available": True, "item": samples["item"]}
    assert json.loads(command("feed", "items", "--json").stdout)[0]["ruleName"] == "Coffee"
    settled = {"ok": True, "item": {"id": "itm_1", "status": "used"}}
    assert json.loads(command("feed", "confirm", "itm_1", "--json").stdout) == settled
    assert json.loads(command("feed", "latest", "--json").stdout) == {"available": False}


FAILURES = [
    (400, "VALIDATION_ERROR", "correct it and run it again"),
    (401, "UNAUTHORIZED", "set COPYDESK_API_KEY to a key that the service knows"),
    (403, "FORBIDDEN", "ask the service's operator about this API key"),
    (404, "NOT_FOUND", "check the address, and the job, item or rule where one is given"),
    (422, "CONTENT_QUALITY_FAILED", "try other keywords, a --topic, or a wider range of words"),
    (422, "PROHIBITED_INPUT", "ask for something else"),
    (429, "RATE_LIMITED", "try again in 150 s"),
    (429, "QUOTA_EXCEEDED", "see `copydesk usage` for when it resets"),
    (500, "INTERNAL_ERROR", "run it again with --idempotency-key key-1, so that it is billed once"),
]


@pytest.mark.parametrize(("status", "code", "advice"), FAILURES)
def test_a_failure_is_one_sentence_that_says_what_to_do(
    service: Any, command: Run, status: int, code: str, advice: str
) -> None:
    service.refuse(status, code, "It did not work.", Retry_After="150", x_should_retry="false")
    done = command("generate", "--keyword", "cold brew", "--idempotency-key", "key-1")
    assert done.returncode == 1
    assert done.stdout == ""
    sentence = f"copydesk: It did not work (HTTP {status} {code}); {advice}"
    assert done.stderr.splitlines() == ["writing the post … 0 s", sentence]


def test_an_unreachable_service(command: Run) -> None:
    done = command("usage", "--base-url", "http://copydesk.invalid")
    assert done.returncode == 1
    assert re.fullmatch(
        r"copydesk: cannot reach http://copydesk\.invalid: .+; check the address and that the"
        r" service is running\n",
        done.stderr,
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["generate"], "the following arguments are required: --keyword"),
        (["generate", "--keyword", "a", "--max-words", "many"], "invalid int value: 'many'"),
        (["generate", "--keyword", "a", "--json", "--format", "html"], "not allowed with"),
        (["generate", "--key", "a"], "required: --keyword"),
        (["jobs"], "the following arguments are required: ACTION"),
        (["jobs", "wait"], "the following arguments are required: JOB_ID"),
        (["jobs", "wait", "job_1", "--timeout", "0"], "--timeout must be more than 0 seconds"),
        (
            ["jobs", "create", "--keyword", "a", "--webhook-url", "https://x.com"],
            "event go together",
        ),
        (["feed", "confirm"], "the following arguments are required: ITEM_ID"),
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
    [(["usage"], "COPYDESK_API_KEY"), (["feed", "latest"], "COPYDESK_FEED_URL")],
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
    assert (done.returncode, f"Set {name}" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["feed", "latest", "--feed-url", "{url}"],
        ["feed", "latest", "--feed-url", "{url}?next=true"],
        ["feed", "confirm", "itm_1", "--feed-url", "{url}/items/itm_1"],
        ["feed", "{url}"],
        ["feed", "latest", "{url}"],
        ["feed", "latest", "--verbose={url}"],
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
    assert errors == "writing the post … 0 s\n"


def test_a_terminal_shows_the_time_going_by(service: Any, api_key: str) -> None:
    service.replies.append("silent")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "copydesk", "generate", "--keyword", "a"],
        env=_environment(service, api_key),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        # Started in the background, a test run hands its children a SIGINT that is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(theirs)
    shown, deadline = "", time.monotonic() + 20
    try:
        while "… 1 s" not in shown:
            assert time.monotonic() < deadline, shown
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 1024).decode()
        assert shown == "\r\x1b[Kwriting the post … 0 s\r\x1b[Kwriting the post … 1 s"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_the_version(command: Run) -> None:
    assert re.fullmatch(r"copydesk \d+\.\d+\.\d+\n", command("--version").stdout)
