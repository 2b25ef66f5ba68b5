"""The commands of ``feed``."""

import argparse
import json
import os
import sys
from typing import Any

from copydesk._commands import add_json_option, say_either
from copydesk._output import item_line, outcome_line, say
from copydesk.consume import Consumed, Reject
from copydesk.errors import ConfigurationError, CopydeskError
from copydesk.feed import Feed
from copydesk.ledger import Ledger
from copydesk.models import FeedItem

# EX_DATAERR of sysexits.h: the input is not as it must be.
REJECTED = 65
_NOT_FOUND = 1


def add_commands(commands: Any) -> None:
    feed = commands.add_parser("feed", help="pull posts from a feed, confirm or reject them")
    actions = feed.add_subparsers(title="actions", required=True, metavar="ACTION")
    ready = actions.add_parser("ready", help="check the feed URL; reserves nothing")
    ready.set_defaults(run=_ready)
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
    _add_consume(actions)
    for action in actions.choices.values():
        add_json_option(action)
        action.add_argument(
            "--feed-url",
            metavar="URL",
            help="the feed URL; prefer COPYDESK_FEED_URL, because process lists show options",
        )


def _add_consume(actions: Any) -> None:
    consume = actions.add_parser(
        "consume",
        help="publish each post with a command of yours, and confirm it",
        description="Publish each post of the feed with a command, once, and confirm it. Ends when "
        "the feed is empty or a post fails.",
    )
    consume.add_argument(
        "--exec",
        dest="command",
        required=True,
        metavar="COMMAND",
        help="a shell command that publishes the post, which it reads as JSON from its input; exit "
        f"code 0: published, {REJECTED}: reject the post, any other: not published, send it again",
    )
    consume.add_argument(
        "--ledger",
        required=True,
        metavar="FILE",
        help="where to note which posts are published; created if missing",
    )
    consume.add_argument(
        "--find",
        metavar="COMMAND",
        help="a shell command that tells whether a post is published already, if an earlier run "
        "was stopped while it published it; exit code 0: yes, 1: no",
    )
    consume.add_argument("--limit", type=int, metavar="N", help="end after N posts")
    consume.add_argument(
        "--retry",
        metavar="ITEM_ID",
        help="publish this post, which an earlier run may have published",
    )
    consume.set_defaults(run=_consume)


def _feed(arguments: argparse.Namespace) -> Feed:
    url = arguments.feed_url or os.environ.get("COPYDESK_FEED_URL")
    if not url:
        raise ConfigurationError("No feed URL. Set COPYDESK_FEED_URL or pass --feed-url.")
    return Feed(url)


def _ready(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        feed.ready()
    say_either(arguments, {"ready": True}, "ready")


def _latest(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        item = feed.latest(next=arguments.next)
    if item is None:
        say_either(arguments, {"available": False}, "nothing new")
    else:
        text = f"{item_line(item)}\n\n{item.rendered.markdown or ''}"
        say_either(arguments, {"available": True, "item": item.raw}, text)


def _items(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        items = feed.items(rule=arguments.rule)
    text = "\n".join(map(item_line, items)) or "nothing new"
    say_either(arguments, [item.raw for item in items], text)


def _settle(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        settle = feed.confirm if arguments.verb == "confirm" else feed.reject
        result = settle(arguments.item_id)
    say_either(arguments, result.raw, f"{result.id}: {result.status}")


def _consume(arguments: argparse.Namespace) -> None:
    ledger = Ledger(arguments.ledger)

    def publish(item: FeedItem) -> None:
        say(f"publishing {item.id}: {item.post.title}", sys.stderr)
        if _status(arguments.command, item, 0, REJECTED) == REJECTED:
            raise Reject(f"the command rejected it (exit code {REJECTED})")

    def find(item: FeedItem) -> bool:
        return _status(arguments.find, item, 0, _NOT_FOUND) == 0

    with _feed(arguments) as feed:
        if arguments.retry:
            ledger.retry(arguments.retry)
        try:
            done = feed.consume(
                publish,
                ledger=ledger,
                find=find if arguments.find else None,
                limit=arguments.limit,
            )
        except CopydeskError as error:
            if error.consumed is not None and error.consumed.outcomes:
                _say_consumed(arguments, error.consumed)
            raise
    _say_consumed(arguments, done)


def _status(command: str, item: FeedItem, *expected: int) -> int:
    """Run a command of the user with the item as its input, and return its exit code.

    Raises:
        CalledProcessError: it is another code than those that are expected.
    """
    import subprocess  # not at the start of every command

    sys.stderr.flush()
    done = subprocess.run(  # noqa: S602 - the user's own command; the item is only its input
        command,
        shell=True,
        input=json.dumps(item.raw).encode(),
        stdout=2,  # stderr: what goes to stdout are the outcomes
        check=False,
    )
    if done.returncode not in expected:
        done.check_returncode()
    return done.returncode


def _say_consumed(arguments: argparse.Namespace, done: Consumed) -> None:
    value = [
        {
            "id": outcome.item_id,
            "title": outcome.title,
            "status": outcome.status,
            "reason": outcome.reason,
        }
        for outcome in done.outcomes
    ]
    say_either(arguments, value, "\n".join(map(outcome_line, done.outcomes)) or "nothing new")
