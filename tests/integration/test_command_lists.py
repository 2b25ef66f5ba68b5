"""The lists of copydesk-server: across accounts, in pages, and in 80 columns."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
import pytest

from app.cli import main
from app.services import accounts, operators
from app.services import feed as feed_service
from app.store import database, models
from app.store.rows import new_id
from tests.support.commands import Commands
from tests.support.consoles import PASSWORD, add_given_up, add_job
from tests.support.integration import BEGIN, SQLITE, Feed

LONG = "A long name, as customers give them: “Heimwerken & Garten”, お茶, and 30 words more"
NAME = LONG[:100]


@pytest.fixture
def lists(feed: Feed, tmp_path: Path) -> Commands:
    """The commands on the database of a feed."""
    env = {"COPYDESK_DATABASE_URL": feed.url, "COPYDESK_DATA_DIR": str(tmp_path)}
    return Commands(**env, COLUMNS="80")


def widest(text: str) -> int:
    """The columns of a terminal that the widest line takes."""
    return max(
        len(line) + sum(character in "お茶" for character in line) for line in text.split("\n")
    )


def ids(rows: Sequence[dict[str, Any]], name: str) -> list[str]:
    return [row[name] for row in rows]


def test_lists_are_of_all_accounts_or_of_one(feed: Feed, lists: Commands) -> None:
    other = accounts.create_account(feed.context, "Other", "starter")
    mine = [add_job(feed.account_id, at=BEGIN) for _ in range(2)][::-1]
    strange = add_job(other, at=BEGIN, status="failed", error={"code": "INTERNAL_ERROR"})
    sent = [add_given_up(job, BEGIN) for job in (*mine, strange)]
    items = set(feed.add_items("Coffee", 3))
    theirs = accounts.create_token(feed.context, other, "A feed").id
    assert ids(lists("job", "list"), "jobId") == [strange, *mine]
    assert ids(lists("job", "list", "--account", "Other"), "jobId") == [strange]
    assert ids(lists("job", "list", "--status", "failed"), "jobId") == [strange]
    assert lists("job", "list", "--status", "failed", "--account", feed.account_id) == []
    assert set(ids(lists("webhook", "list"), "deliveryId")) == set(sent)
    assert ids(lists("webhook", "list", "--account", "Other"), "deliveryId") == sent[-1:]
    assert set(ids(lists("item", "list"), "itemId")) == items
    assert set(ids(lists("item", "list", feed.token_id), "itemId")) == items
    assert set(ids(lists("item", "list", "--rule", "coffee"), "itemId")) == items
    assert lists("item", "list", "--rule", "Tea") == []
    assert lists("item", "list", "--rule", "Tea", "--status", "pending") == []
    assert set(ids(lists("rule", "list"), "ruleId")) == set(feed.rules.values())
    assert lists("rule", "list") == lists("rule", "list", "--account", feed.account_id)
    assert lists("rule", "list") == lists("rule", "list", feed.token_id)
    assert lists("rule", "list", "--account", "Other") == []
    assert set(ids(lists("feed", "list"), "feedId")) == {feed.token_id, theirs}
    assert ids(lists("feed", "list", "--account", "Other"), "feedId") == [theirs]
    lists.run("job", "list", "--status", "lost", code=2)


def test_an_abandoned_item_is_handed_out_again_after_a_requeue(feed: Feed, lists: Commands) -> None:
    (item,) = feed.add_items("Coffee")
    for _ in range(4):
        feed_service.pull_latest(feed.context, feed.token, next_item=False)
    assert feed.states() == ["abandoned"]
    assert lists("item", "requeue", item) == {"itemId": item, "status": "pending"}
    again = feed_service.pull_latest(feed.context, feed.token, next_item=False)
    assert again is not None
    assert (again.id, again.delivery_count) == (item, 1)
    assert "it is reserved, not abandoned" in lists.fails("item", "requeue", item)
    assert feed.states() == ["reserved"]
    lists.run("item", "requeue", "itm_none", code=1)


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (("job", "list"), "jobId"),
        (("key", "list"), "keyId"),
        (("item", "list"), "itemId"),
        (("item", "list", "--rule", "Coffee"), "itemId"),
        (("webhook", "list"), "deliveryId"),
        (("webhook", "list", "--account", "{account}", "--status", "failed"), "deliveryId"),
        (("account", "list"), "accountId"),
        (("feed", "list"), "feedId"),
        (("rule", "list"), "ruleId"),
    ],
)
def test_pages_follow_one_another(
    feed: Feed, lists: Commands, command: tuple[str, ...], key: str
) -> None:
    for number in range(4):
        accounts.create_account(feed.context, f"Account {number}", "starter")
        accounts.create_token(feed.context, feed.account_id, f"Feed {number}")
        accounts.create_key(feed.context, feed.account_id, sandbox=bool(number % 2))
        job = add_job(feed.account_id, at=BEGIN + timedelta(seconds=number))
        add_given_up(job, BEGIN + timedelta(seconds=number))
    feed.add_items("Coffee", 4)
    command = tuple(part.format(account=feed.account_id) for part in command)
    whole = ids(lists(*command), key)
    assert len(whole) > 1
    found: list[str] = []
    while len(found) < len(whole):
        before = ("--before", found[-1]) if found else ()
        done = lists.run(*command, "--limit", "1", *before, "--json")
        found += ids(json.loads(done.stdout), key)
        assert done.stderr == f"There may be more: add --before {found[-1]}\n"
    assert found == whole
    end = lists.run(*command, "--before", whole[-1], "--json")
    assert (json.loads(end.stdout), end.stderr) == ([], "")


def all_lists(command: click.Command, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The commands that list something, by their names."""
    if not isinstance(command, click.Group):
        return {path} if path[-1] in {"list", "runs"} else set()
    context = click.Context(command)
    found: set[tuple[str, ...]] = set()
    for name in command.list_commands(context):
        each = command.get_command(context, name)
        assert each is not None
        found |= all_lists(each, (*path, name))
    return found


@SQLITE
def test_every_list_fits_80_columns_whatever_the_names(feed: Feed, lists: Commands) -> None:
    for _ in range(2):
        account = accounts.create_account(feed.context, NAME, "starter")
        job = add_job(account, at=BEGIN, request={"keywords": [LONG] * 9}, status="failed",
                      error={"code": "CONTENT_QUALITY_FAILED", "message": LONG})  # fmt: skip
        add_given_up(job, BEGIN, last_answer=LONG * 3)
        accounts.create_token(feed.context, account, NAME)
        accounts.create_key(feed.context, account)
    operators.create_operator(feed.context, NAME, PASSWORD)
    rule_id = feed.rules["Coffee"]
    (item_id,) = feed.add_items("Coffee")
    with database.writing() as session:
        row = session.get_one(models.Rule, rule_id)
        row.name, row.request = NAME, {"keywords": [LONG] * 9}
        row.saturated_since = BEGIN
        row.last_error = {"at": LONG, "code": "CONTENT_QUALITY_FAILED", "message": LONG * 3}
        session.get_one(models.FeedItem, item_id).title = LONG * 2
        error = {"code": "CONTENT_QUALITY_FAILED", "message": LONG * 3}
        for number in range(2):
            times = {"slot": BEGIN + timedelta(days=number), "finished_at": BEGIN}
            work = {"id": new_id("run"), "rule_id": rule_id, "status": "failed", "error": error}
            session.add(models.Run(**work, **times, not_before=BEGIN, item_id=item_id))
    arguments = {("rule", "runs"): rule_id}
    known = all_lists(main)
    assert known >= {(kind, "list") for kind in ("job", "item", "rule", "feed", "webhook")}
    for path in known:
        more = (arguments[path],) if path in arguments else ()
        # Sentences about rules follow theirs.
        table = lists.run(*path, *more).stdout.partition("\n\n“")[0]
        assert widest(table) <= 80, table
        assert len(table.splitlines()) > 1, path
        for row in lists(*path, *more):
            whole = ("Id", "slot")
            known_by = [str(value)[:10] for name, value in row.items() if name.endswith(whole)]
            assert any(each in table for each in known_by), "ids and times are whole"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("ru", {"rule", "run"}), ("rule pl", {"plan"}), ("item list --st", {"--status"})],
)
def test_bash_completes_commands_and_options(typed: str, offered: set[str]) -> None:
    words = f"copydesk-server {typed}"
    env = {
        **os.environ,
        "_COPYDESK_SERVER_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    code = "from app.cli import main; main(prog_name='copydesk-server')"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == offered, done.stderr
