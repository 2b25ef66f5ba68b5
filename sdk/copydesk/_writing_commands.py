"""The commands that have posts written: ``generate``, ``jobs``, and ``usage`` for what it took."""

import argparse
import sys
from typing import Any

from copydesk._elapsed import Elapsed
from copydesk._output import figures, job_lines, say, say_json, usage_table
from copydesk.client import Copydesk
from copydesk.job import Job
from copydesk.models import Generation
from copydesk.request import GenerateRequest


def add_commands(commands: Any) -> None:
    generate = commands.add_parser("generate", help="write one post from keywords")
    _add_request_options(generate)
    _add_shape_options(generate)
    generate.set_defaults(run=_generate)

    jobs = commands.add_parser("jobs", help="have posts written in the background")
    actions = jobs.add_subparsers(title="actions", required=True, metavar="ACTION")
    create = actions.add_parser("create", help="order one post; this returns at once")
    _add_request_options(create)
    create.add_argument("--webhook-url", metavar="URL", help="where to send the job's end")
    create.add_argument(
        "--webhook-event",
        dest="webhook_events",
        action="append",
        metavar="EVENT",
        help="job.succeeded or job.failed; may be repeated",
    )
    _add_json_option(create)
    create.set_defaults(run=_create)
    get = actions.add_parser("get", help="show how a job is")
    _add_json_option(get)
    get.set_defaults(run=_get)
    wait = actions.add_parser("wait", help="wait for a job and print its post")
    wait.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="default 600")
    _add_shape_options(wait)
    wait.set_defaults(run=_wait)
    for action in (get, wait):
        action.add_argument("job_id", metavar="JOB_ID")

    usage = commands.add_parser("usage", help="show the plan and what is used of it")
    _add_json_option(usage)
    usage.set_defaults(run=_usage)

    for command in (generate, *actions.choices.values(), usage):
        command.add_argument(
            "--base-url",
            metavar="URL",
            help="the service; else COPYDESK_BASE_URL, else port 8000 here",
        )


def _add_request_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keyword", dest="keywords", action="append", required=True, help="may be repeated"
    )
    command.add_argument("--topic", help="what the post is about, beyond the keywords")
    command.add_argument("--tone", help="professional, friendly or bold")
    command.add_argument("--language", help="such as en or pt-BR")
    command.add_argument("--min-words", type=int, metavar="N")
    command.add_argument("--max-words", type=int, metavar="N")
    command.add_argument("--faqs", action="store_true", help="add questions and answers")
    command.add_argument(
        "--idempotency-key",
        metavar="KEY",
        help="continue an earlier attempt with the same arguments; nothing is billed twice",
    )


def _add_shape_options(command: argparse.ArgumentParser) -> None:
    shape = command.add_mutually_exclusive_group()
    _add_json_option(shape)
    shape.add_argument(
        "--format",
        choices=("markdown", "html"),
        help="print nothing but the post to stdout, the figures to stderr",
    )


def _add_json_option(command: Any) -> None:
    command.add_argument("--json", action="store_true", help="print the whole answer as JSON")


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
    with (
        Copydesk(base_url=arguments.base_url) as client,
        Elapsed("writing the post", sys.stderr) as elapsed,
    ):
        generation = client.generate(
            idempotency_key=arguments.idempotency_key, **_request(arguments)
        )
        seconds = elapsed.seconds
    if arguments.json:
        say_json(generation.raw, sys.stdout)
    else:
        _say_post(generation, seconds, arguments.format)


def _create(arguments: argparse.Namespace) -> None:
    with Copydesk(base_url=arguments.base_url) as client:
        job = client.jobs.create(
            webhook_url=arguments.webhook_url,
            webhook_events=arguments.webhook_events,
            idempotency_key=arguments.idempotency_key,
            **_request(arguments),
        )
    _say_job(job, arguments)


def _get(arguments: argparse.Namespace) -> None:
    with Copydesk(base_url=arguments.base_url) as client:
        job = client.jobs.get(arguments.job_id)
    _say_job(job, arguments)


def _wait(arguments: argparse.Namespace) -> None:
    with (
        Copydesk(base_url=arguments.base_url) as client,
        Elapsed(f"waiting for {arguments.job_id}", sys.stderr) as elapsed,
    ):
        job = client.jobs.wait(arguments.job_id, timeout=arguments.timeout)
        seconds = elapsed.seconds
    generation = job.generation()
    if job.created_at and job.updated_at:  # it may have been done before anyone waited
        seconds = (job.updated_at - job.created_at).total_seconds()
    if arguments.json:
        say_json(job.raw, sys.stdout)
    else:
        _say_post(generation, seconds, arguments.format)


def _usage(arguments: argparse.Namespace) -> None:
    with Copydesk(base_url=arguments.base_url) as client:
        usage = client.usage()
    if arguments.json:
        say_json(usage.raw, sys.stdout)
    else:
        say(usage_table(usage), sys.stdout)


def _say_post(generation: Generation, seconds: float, shape: str | None) -> None:
    rendered = generation.rendered
    text = rendered.html if shape == "html" else rendered.markdown
    say(figures(generation, seconds), sys.stderr if shape else sys.stdout)
    say(text or "", sys.stdout)


def _say_job(job: Job, arguments: argparse.Namespace) -> None:
    if arguments.json:
        say_json(job.raw, sys.stdout)
    else:
        say(job_lines(job), sys.stdout)
