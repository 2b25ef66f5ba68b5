"""The commands ``generate``, ``jobs``, ``check`` and ``usage``."""

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Any

from copydesk._calls import key_or_new
from copydesk._output import (
    Elapsed,
    check_summary,
    figures,
    finding_line,
    job_lines,
    say,
    say_json,
    usage_bars,
    usage_table,
)
from copydesk.client import Copydesk
from copydesk.errors import ConfigurationError
from copydesk.models import Generation
from copydesk.request import GenerateRequest


def add_commands(commands: Any) -> None:
    generate = commands.add_parser("generate", help="write one post from keywords")
    _add_request_options(generate)
    _add_shape_options(generate)
    generate.set_defaults(run=_generate)

    jobs = commands.add_parser("jobs", help="write posts in the background")
    actions = jobs.add_subparsers(title="actions", required=True, metavar="ACTION")
    create = actions.add_parser("create", help="create a job and return at once")
    _add_request_options(create)
    create.add_argument("--webhook-url", metavar="URL", help="where to send the event")
    create.add_argument(
        "--webhook-event",
        dest="webhook_events",
        action="append",
        metavar="EVENT",
        help="job.succeeded or job.failed; repeatable; required with --webhook-url",
    )
    add_json_option(create)
    create.set_defaults(run=_create)
    get = actions.add_parser("get", help="show a job")
    add_json_option(get)
    get.set_defaults(run=_get)
    wait = actions.add_parser("wait", help="wait for a job and print its post")
    wait.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="default 600")
    _add_shape_options(wait)
    wait.set_defaults(run=_wait)
    for action in (get, wait):
        action.add_argument("job_id", metavar="JOB_ID")

    check = commands.add_parser(
        "check",
        help="check a Markdown file",
        description="Check a Markdown file. Prints one finding per line, and the score on stderr."
        " Exit codes: 0 no blockers, 1 a blocker or a failure, 2 usage error.",
    )
    check.add_argument("file", metavar="FILE", help="the file; - reads standard input")
    check.add_argument("--title", help="title of the text, if FILE does not contain it")
    check.add_argument("--language", help="such as en or pt-BR; default: that of the text")
    check.add_argument(
        "--keyword",
        dest="keywords",
        action="append",
        metavar="KEYWORD",
        help="a keyword that the text must use; repeatable",
    )
    add_json_option(check)
    check.set_defaults(run=_check)

    usage = commands.add_parser("usage", help="show the plan and its usage")
    add_json_option(usage)
    usage.set_defaults(run=_usage)

    for command in (generate, *actions.choices.values(), check, usage):
        command.add_argument(
            "--base-url",
            metavar="URL",
            help="the service; default: COPYDESK_BASE_URL, or port 8000 on this machine",
        )


def as_typed(error: ConfigurationError, arguments: argparse.Namespace) -> str:
    """Return the error with the options and variables of the command, not the SDK's parameters."""
    given = vars(arguments)
    names = {
        "base_url": "--base-url" if given.get("base_url") else "COPYDESK_BASE_URL",
        "pull_url": "--feed-url" if given.get("feed_url") else "COPYDESK_FEED_URL",
        "timeout": "--timeout",
        "idempotency_key": "--idempotency-key",
        "limit": "--limit",
        "tolerance": "--tolerance",
        "secret": "COPYDESK_WEBHOOK_SECRET",
        "proxy": "COPYDESK_PROXY",
    }
    name, _, rest = str(error).partition(" ")
    return f"{names.get(name, name)} {rest}"


def with_options(text: str) -> str:
    """Return an error of the service with the options of the command, not the members of JSON."""
    return re.sub(r"\bconstraints\.(min|max)Words\b", r"--\1-words", text)


def _client(arguments: argparse.Namespace) -> Copydesk:
    if not os.environ.get("COPYDESK_API_KEY", "").strip():
        raise ConfigurationError("No API key. Set COPYDESK_API_KEY.")
    return Copydesk(base_url=arguments.base_url)


def _add_request_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keyword",
        dest="keywords",
        action="append",
        required=True,
        metavar="KEYWORD",
        help="a keyword to cover; repeatable",
    )
    command.add_argument("--topic", help="what the post is about, beyond the keywords")
    command.add_argument("--tone", help="professional, friendly or bold")
    command.add_argument("--language", help="such as en or pt-BR")
    command.add_argument("--min-words", type=int, metavar="N", help="minimum words of the post")
    command.add_argument("--max-words", type=int, metavar="N", help="maximum words of the post")
    command.add_argument(
        "--faqs", action="store_true", help="add a section of questions and answers"
    )
    command.add_argument(
        "--idempotency-key",
        metavar="KEY",
        help="continue an earlier attempt with the same arguments; nothing is billed twice",
    )


def _add_shape_options(command: argparse.ArgumentParser) -> None:
    shape = command.add_mutually_exclusive_group()
    add_json_option(shape)
    shape.add_argument(
        "--format",
        choices=("markdown", "html"),
        help="print only the post; statistics go to stderr",
    )


def add_json_option(command: Any) -> None:
    command.add_argument("--json", action="store_true", help="print the whole response as JSON")


def _request(arguments: argparse.Namespace) -> GenerateRequest:
    return {
        "keywords": arguments.keywords,
        "topic": arguments.topic,
        "tone": arguments.tone,
        "language": arguments.language,
        "min_words": arguments.min_words,
        "max_words": arguments.max_words,
        "include_faqs": arguments.faqs or None,
        "response_types": ["markdown", "html"],
    }


def _generate(arguments: argparse.Namespace) -> None:
    key = key_or_new(arguments.idempotency_key)
    try:
        with (
            _client(arguments) as client,
            Elapsed("writing the post", sys.stderr) as elapsed,
        ):
            generation = client.generate(
                idempotency_key=key, on_progress=elapsed.note, **_request(arguments)
            )
            seconds = elapsed.seconds
    except KeyboardInterrupt:
        say(
            "copydesk: stopped; the service goes on writing: to get this post, run it again with"
            f" --idempotency-key {key}",
            sys.stderr,
        )
        raise SystemExit(130) from None
    _say_post(arguments, generation.raw, generation, seconds)


def _create(arguments: argparse.Namespace) -> None:
    if (arguments.webhook_url is None) != (arguments.webhook_events is None):
        raise ConfigurationError("--webhook-url and --webhook-event go together.")
    with _client(arguments) as client:
        job = client.jobs.create(
            webhook_url=arguments.webhook_url,
            webhook_events=arguments.webhook_events,
            idempotency_key=arguments.idempotency_key,
            **_request(arguments),
        )
    say_either(arguments, job.raw, job_lines(job))


def _get(arguments: argparse.Namespace) -> None:
    with _client(arguments) as client:
        job = client.jobs.get(arguments.job_id)
    say_either(arguments, job.raw, job_lines(job))


def _wait(arguments: argparse.Namespace) -> None:
    with (
        _client(arguments) as client,
        Elapsed(f"waiting for {arguments.job_id}", sys.stderr) as elapsed,
    ):
        job = client.jobs.wait(
            arguments.job_id, timeout=arguments.timeout, on_progress=elapsed.note
        )
        seconds = elapsed.seconds
    generation = job.generation()
    if job.created_at and job.updated_at:  # the job may have ended before the wait began
        seconds = (job.updated_at - job.created_at).total_seconds()
    _say_post(arguments, job.raw, generation, seconds)


def _check(arguments: argparse.Namespace) -> int:
    text = _read(arguments.file)
    with _client(arguments) as client:
        report = client.check(
            text,
            title=arguments.title,
            language=arguments.language,
            keywords=arguments.keywords,
        )
    name = "<stdin>" if arguments.file == "-" else arguments.file
    if arguments.json:
        say_json(report.raw, sys.stdout)
    else:
        for finding in report.findings:
            say(finding_line(name, finding), sys.stdout)
        say(f"{name}: {check_summary(report)}", sys.stderr)
    return 0 if report.passes else 1


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (at byte {error.start}). Save it as UTF-8."
    raise ConfigurationError(f"{file} {problem}")


def _usage(arguments: argparse.Namespace) -> None:
    with _client(arguments) as client:
        usage = client.usage()
    table = usage_bars(usage) if sys.stdout.isatty() else usage_table(usage)
    say_either(arguments, usage.raw, table)


def _say_post(
    arguments: argparse.Namespace, value: Any, generation: Generation, seconds: float
) -> None:
    if arguments.json:
        say_json(value, sys.stdout)
        return
    rendered = generation.rendered
    text = rendered.html if arguments.format == "html" else rendered.markdown
    say(figures(generation, seconds), sys.stderr if arguments.format else sys.stdout)
    say(text or "", sys.stdout)


def say_either(arguments: argparse.Namespace, value: Any, text: str) -> None:
    """Print the value with --json, else the text."""
    if arguments.json:
        say_json(value, sys.stdout)
    else:
        say(text, sys.stdout)
