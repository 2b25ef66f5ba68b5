"""The command ``copydesk``: generate a post, read the usage, work through a feed by hand."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from copydesk import errors
from copydesk._address import redact_tokens
from copydesk._elapsed import Elapsed
from copydesk._output import advice, figures, item_line, say, say_json, usage_table
from copydesk._version import __version__
from copydesk.client import Copydesk
from copydesk.feed import Feed


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it is done, 1 when it failed, 2 when it was asked wrongly."""
    arguments = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A post that is paid for is not lost to a character that the terminal cannot show.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        arguments.run(arguments)
        sys.stdout.flush()  # here, so that a reader who has gone is noticed here
    except errors.ConfigurationError as error:
        say(f"copydesk: {error}", sys.stderr)
        return 2
    except errors.CopydeskError as error:
        say(f"copydesk: {error}; {advice(error)}", sys.stderr)
        return 1
    except BrokenPipeError:
        # Python flushes once more at exit, and would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        say("copydesk: stopped", sys.stderr)
        return 130
    return 0


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        # argparse quotes what it does not understand, and that may be a pull URL.
        super().error(redact_tokens(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="copydesk",
        description="Keywords in, finished blog posts out.",
        epilog="The API key is read from COPYDESK_API_KEY, a feed's pull URL from "
        "COPYDESK_FEED_URL.",
    )
    parser.add_argument("--version", action="version", version=f"copydesk {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_generate(commands.add_parser("generate", help="write one post from keywords"))

    usage = commands.add_parser("usage", help="show the plan and what is used of it")
    _add_service_options(usage)
    usage.set_defaults(run=_usage)

    feed = commands.add_parser("feed", help="pull posts from a feed, confirm or reject them")
    actions = feed.add_subparsers(title="actions", required=True, metavar="ACTION")
    latest = actions.add_parser("latest", help="pull one post (each pull counts as a send of 3)")
    latest.add_argument("--next", action="store_true", help="reject the reserved post first")
    latest.set_defaults(run=_feed_latest)
    items = actions.add_parser("items", help="pull all waiting posts (each pull counts as a send)")
    items.add_argument("--rule", help="only this rule's posts, by its name or id")
    items.set_defaults(run=_feed_items)
    for verb, meaning in (("confirm", "published"), ("reject", "not going to be published")):
        settle = actions.add_parser(verb, help=f"say that a post is {meaning}")
        settle.add_argument("item_id", metavar="ITEM_ID")
        settle.set_defaults(run=_feed_settle, verb=verb)
    for action in actions.choices.values():
        action.add_argument("--json", action="store_true", help="print the answer as JSON")
        action.add_argument(
            "--feed-url",
            metavar="URL",
            help="the pull URL; better set COPYDESK_FEED_URL, which no process list shows",
        )
    return parser


def _add_generate(command: argparse.ArgumentParser) -> None:
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
    shape = command.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    shape.add_argument(
        "--format",
        choices=("markdown", "html"),
        help="print nothing but the post to stdout, the figures to stderr",
    )
    _add_service_options(command, with_json=False)
    command.set_defaults(run=_generate)


def _add_service_options(command: argparse.ArgumentParser, *, with_json: bool = True) -> None:
    command.add_argument(
        "--base-url", metavar="URL", help="the service; else COPYDESK_BASE_URL, else port 8000 here"
    )
    if with_json:
        command.add_argument("--json", action="store_true", help="print the answer as JSON")


def _generate(arguments: argparse.Namespace) -> None:
    with (
        Copydesk(base_url=arguments.base_url) as client,
        Elapsed("writing the post", sys.stderr) as elapsed,
    ):
        generation = client.generate(
            keywords=arguments.keywords,
            topic=arguments.topic,
            tone=arguments.tone,
            language=arguments.language,
            min_words=arguments.min_words,
            max_words=arguments.max_words,
            include_faqs=arguments.faqs or None,
            response_types=["markdown", "html"],
            idempotency_key=arguments.idempotency_key,
        )
        seconds = elapsed.seconds
    if arguments.json:
        say_json(generation.raw, sys.stdout)
        return
    rendered = generation.rendered
    text = rendered.html if arguments.format == "html" else rendered.markdown
    say(figures(generation, seconds), sys.stderr if arguments.format else sys.stdout)
    say(text or "", sys.stdout)


def _usage(arguments: argparse.Namespace) -> None:
    with Copydesk(base_url=arguments.base_url) as client:
        usage = client.usage()
    if arguments.json:
        say_json(usage.raw, sys.stdout)
    else:
        say(usage_table(usage), sys.stdout)


def _feed(arguments: argparse.Namespace) -> Feed:
    url = arguments.feed_url or os.environ.get("COPYDESK_FEED_URL")
    if not url:
        raise errors.ConfigurationError(
            "there is no pull URL: set COPYDESK_FEED_URL or pass --feed-url"
        )
    return Feed(url)


def _feed_latest(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        item = feed.latest(next=arguments.next)
    if arguments.json:
        answer = {"available": False} if item is None else {"available": True, "item": item.raw}
        say_json(answer, sys.stdout)
    elif item is None:
        say("nothing new", sys.stdout)
    else:
        say(f"{item_line(item)}\n\n{item.rendered.markdown or ''}", sys.stdout)


def _feed_items(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        items = feed.items(rule=arguments.rule)
    if arguments.json:
        say_json([item.raw for item in items], sys.stdout)
    else:
        say("\n".join(map(item_line, items)) or "nothing new", sys.stdout)


def _feed_settle(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        settle = feed.confirm if arguments.verb == "confirm" else feed.reject
        result = settle(arguments.item_id)
    if arguments.json:
        say_json(result.raw, sys.stdout)
    else:
        say(f"{result.id}: {result.status}", sys.stdout)
