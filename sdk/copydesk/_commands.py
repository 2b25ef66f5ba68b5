"""The commands ``generate``, ``jobs``, ``usage`` and ``feed``."""

import argparse
import os
import sys
from typing import Any

from copydesk._output import Elapsed, figures, item_line, job_lines, say, say_json, usage_table
from copydesk.client import Copydesk
from copydesk.errors import ConfigurationError
from copydesk.feed import Feed
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
        help="job.succeeded or job.failed; repeatable",
    )
    _add_json_option(create)
    create.set_defaults(run=_create)
    get = actions.add_parser("get", help="show a job")
    _add_json_option(get)
    get.set_defaults(run=_get)
    wait = actions.add_parser("wait", help="wait for a job and print its post")
    wait.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="default 600")
    _add_shape_options(wait)
    wait.set_defaults(run=_wait)
    for action in (get, wait):
        action.add_argument("job_id", metavar="JOB_ID")

    usage = commands.add_parser("usage", help="show the plan and its usage")
    _add_json_option(usage)
    usage.set_defaults(run=_usage)

    for command in (generate, *actions.choices.values(), usage):
        command.add_argument(
            "--base-url",
            metavar="URL",
            help="the service; default: COPYDESK_BASE_URL, or port 8000 on this machine",
        )
    _add_feed_commands(commands)


def as_typed(error: ConfigurationError, arguments: argparse.Namespace) -> str:
    """Return the error with the options and variables of the command, not the SDK's parameters."""
    given = vars(arguments)
    names = {
        "api_key": "COPYDESK_API_KEY",
        "base_url": "--base-url" if given.get("base_url") else "COPYDESK_BASE_URL",
        "pull_url": "--feed-url" if given.get("feed_url") else "COPYDESK_FEED_URL",
        "timeout": "--timeout",
        "idempotency_key": "--idempotency-key",
        "proxy": "COPYDESK_PROXY",
    }
    name, _, rest = str(error).partition(" ")
    return f"{names.get(name, name)} {rest}"


def _client(arguments: argparse.Namespace) -> Copydesk:
    if not os.environ.get("COPYDESK_API_KEY", "").strip():
        raise ConfigurationError("No API key. Set COPYDESK_API_KEY.")
    return Copydesk(base_url=arguments.base_url)


def _add_feed_commands(commands: Any) -> None:
    feed = commands.add_parser("feed", help="pull posts from a feed, confirm or reject them")
    actions = feed.add_subparsers(title="actions", required=True, metavar="ACTION")
    latest = actions.add_parser(
        "latest",
        help="pull one post (after 3 pulls without confirm or reject, the next one abandons it)",
    )
    latest.add_argument("--next", action="store_true", help="reject the reserved post first")
    latest.set_defaults(run=_latest)
    items = actions.add_parser(
        "items", help="pull all available posts, up to 100 (each pull counts as one of 3 sends)"
    )
    items.add_argument("--rule", help="only the posts of this rule (name or id)")
    items.set_defaults(run=_items)
    for verb, meaning in (("confirm", "published"), ("reject", "not going to be published")):
        settle = actions.add_parser(verb, help=f"mark a post as {meaning}")
        settle.add_argument("item_id", metavar="ITEM_ID")
        settle.set_defaults(run=_settle, verb=verb)
    for action in actions.choices.values():
        _add_json_option(action)
        action.add_argument(
            "--feed-url",
            metavar="URL",
            help="the feed URL; prefer COPYDESK_FEED_URL, because process lists show options",
        )


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
    _add_json_option(shape)
    shape.add_argument(
        "--format",
        choices=("markdown", "html"),
        help="print only the post; statistics go to stderr",
    )


def _add_json_option(command: Any) -> None:
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
    with (
        _client(arguments) as client,
        Elapsed("writing the post", sys.stderr) as elapsed,
    ):
        generation = client.generate(
            idempotency_key=arguments.idempotency_key, **_request(arguments)
        )
        seconds = elapsed.seconds
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
    _say(arguments, job.raw, job_lines(job))


def _get(arguments: argparse.Namespace) -> None:
    with _client(arguments) as client:
        job = client.jobs.get(arguments.job_id)
    _say(arguments, job.raw, job_lines(job))


def _wait(arguments: argparse.Namespace) -> None:
    with (
        _client(arguments) as client,
        Elapsed(f"waiting for {arguments.job_id}", sys.stderr) as elapsed,
    ):
        job = client.jobs.wait(arguments.job_id, timeout=arguments.timeout)
        seconds = elapsed.seconds
    generation = job.generation()
    if job.created_at and job.updated_at:  # the job may have ended before the wait began
        seconds = (job.updated_at - job.created_at).total_seconds()
    _say_post(arguments, job.raw, generation, seconds)


def _usage(arguments: argparse.Namespace) -> None:
    with _client(arguments) as client:
        usage = client.usage()
    _say(arguments, usage.raw, usage_table(usage))


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


def _feed(arguments: argparse.Namespace) -> Feed:
    url = arguments.feed_url or os.environ.get("COPYDESK_FEED_URL")
    if not url:
        raise ConfigurationError("No feed URL. Set COPYDESK_FEED_URL or pass --feed-url.")
    return Feed(url)


def _latest(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        item = feed.latest(next=arguments.next)
    if item is None:
        _say(arguments, {"available": False}, "nothing new")
    else:
        text = f"{item_line(item)}\n\n{item.rendered.markdown or ''}"
        _say(arguments, {"available": True, "item": item.raw}, text)


def _items(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        items = feed.items(rule=arguments.rule)
    text = "\n".join(map(item_line, items)) or "nothing new"
    _say(arguments, [item.raw for item in items], text)


def _settle(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        settle = feed.confirm if arguments.verb == "confirm" else feed.reject
        result = settle(arguments.item_id)
    _say(arguments, result.raw, f"{result.id}: {result.status}")


def _say(arguments: argparse.Namespace, value: Any, text: str) -> None:
    """Print the value with --json, else the text."""
    if arguments.json:
        say_json(value, sys.stdout)
    else:
        say(text, sys.stdout)
