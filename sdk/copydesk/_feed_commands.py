"""The commands that work through a feed by hand."""

import argparse
import os
import sys
from typing import Any

from copydesk._output import item_line, say, say_json
from copydesk.errors import ConfigurationError
from copydesk.feed import Feed


def add_commands(commands: Any) -> None:
    feed = commands.add_parser("feed", help="pull posts from a feed, confirm or reject them")
    actions = feed.add_subparsers(title="actions", required=True, metavar="ACTION")
    latest = actions.add_parser("latest", help="pull one post (each pull counts as a send of 3)")
    latest.add_argument("--next", action="store_true", help="reject the reserved post first")
    latest.set_defaults(run=_latest)
    items = actions.add_parser("items", help="pull all waiting posts (each pull counts as a send)")
    items.add_argument("--rule", help="only this rule's posts, by its name or id")
    items.set_defaults(run=_items)
    for verb, meaning in (("confirm", "published"), ("reject", "not going to be published")):
        settle = actions.add_parser(verb, help=f"say that a post is {meaning}")
        settle.add_argument("item_id", metavar="ITEM_ID")
        settle.set_defaults(run=_settle, verb=verb)
    for action in actions.choices.values():
        action.add_argument("--json", action="store_true", help="print the answer as JSON")
        action.add_argument(
            "--feed-url",
            metavar="URL",
            help="the pull URL; better set COPYDESK_FEED_URL, which no process list shows",
        )


def _feed(arguments: argparse.Namespace) -> Feed:
    url = arguments.feed_url or os.environ.get("COPYDESK_FEED_URL")
    if not url:
        raise ConfigurationError("there is no pull URL: set COPYDESK_FEED_URL or pass --feed-url")
    return Feed(url)


def _latest(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        item = feed.latest(next=arguments.next)
    if arguments.json:
        answer = {"available": False} if item is None else {"available": True, "item": item.raw}
        say_json(answer, sys.stdout)
    elif item is None:
        say("nothing new", sys.stdout)
    else:
        say(f"{item_line(item)}\n\n{item.rendered.markdown or ''}", sys.stdout)


def _items(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        items = feed.items(rule=arguments.rule)
    if arguments.json:
        say_json([item.raw for item in items], sys.stdout)
    else:
        say("\n".join(map(item_line, items)) or "nothing new", sys.stdout)


def _settle(arguments: argparse.Namespace) -> None:
    with _feed(arguments) as feed:
        settle = feed.confirm if arguments.verb == "confirm" else feed.reject
        result = settle(arguments.item_id)
    if arguments.json:
        say_json(result.raw, sys.stdout)
    else:
        say(f"{result.id}: {result.status}", sys.stdout)
