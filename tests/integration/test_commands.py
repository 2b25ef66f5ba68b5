"""The operator's commands, each with --json, on a database of their own."""

import json
import re
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.settings import Settings
from app.settings.service_address import record, url_of
from tests.support.commands import Commands


class Operator(Commands):
    """With a data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(COPYDESK_DATA_DIR=str(folder), OPENAI_BASE_URL="http://127.0.0.1:9/v1")

    def feed(self) -> str:
        """Return the id of a new feed of a new account."""
        account = self("account", "create", "A company")["accountId"]
        feed: str = self("feed", "create", account, "A blog")["feedId"]
        return feed


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    """On a folder without a database: `account create` makes it, as does `migrate`."""
    return Operator(tmp_path / "data")


# With an id that does not exist where one is asked for.
LOOK_UPS = [
    ["key", "list", "--account", "acc_x"],
    ["key", "create", "acc_x"],
    ["key", "revoke", "key_x"],
    ["account", "update", "acc_x", "--plan", "growth"],
    ["plan", "update", "gold", "--monthly-words", "5"],
    ["feed", "list", "--account", "acc_x"],
    ["feed", "create", "acc_x", "A blog"],
    ["feed", "update", "tkn_x", "--metered"],
    ["feed", "pause", "tkn_x"],
    ["feed", "resume", "tkn_x"],
    ["rule", "create", "tkn_x", "Tea", "--keyword", "tea", "--every", "1h"],
    ["rule", "list", "tkn_x"],
    ["rule", "runs", "rul_x"],
    ["rule", "plan", "rul_x"],
    ["rule", "run", "rul_x"],
    ["rule", "update", "rul_x", "--every", "2h"],
    ["rule", "pause", "rul_x"],
    ["rule", "resume", "rul_x"],
    ["offer", "add", "rul_x", "Acme=https://acme.example"],
    ["offer", "remove", "rul_x", "Acme"],
    ["webhook", "list", "--job", "job_x"],
    ["webhook", "list", "--account", "acc_x"],
    ["job", "list", "--account", "acc_x"],
    ["item", "list", "--rule", "rul_x"],
    ["item", "list", "tkn_x"],
    ["rule", "list", "--account", "acc_x"],
    ["webhook", "replay", "msg_x"],
    ["webhook-secret", "show", "acc_x"],
    ["webhook-secret", "rotate", "acc_x"],
    ["evidence", "itm_x"],
    ["account", "delete", "acc_x"],
    ["key", "rotate", "key_x"],
    ["feed", "rotate", "tkn_x"],
    ["feed", "delete", "tkn_x"],
    ["rule", "delete", "rul_x"],
]
# One for each way in which a command opens the database.
OPENERS = [
    ["account", "list"],
    ["rule", "run", "rul_x"],
    ["rule", "plan", "rul_x"],
    ["costs"],
    ["status"],
]
# These migrate the database of an earlier version.
STARTERS = [["migrate"], ["run"], ["web"], ["worker"], ["scheduler"]]


@pytest.mark.parametrize("command", OPENERS, ids=" ".join)
def test_no_database_is_made_by_the_way(operator: Operator, command: list[str]) -> None:
    said = operator.fails(*command)
    assert "There is no database here yet." in said
    assert "copydesk-server migrate" in said
    assert not operator.folder.exists()


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("0024", "by an earlier version"),
        ("0023", "by another version"),
        ("9999", "by another version"),
    ],
)
def test_the_database_of_another_version_is_left_as_it_is(
    operator: Operator, revision: str, said: str
) -> None:
    operator("account", "create", "A company")
    assert operator.run("migrate", "--check").output == "the database is up to date\n"
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", [revision])
        database.commit()
    for command in (*OPENERS, ["migrate", "--check"]):
        assert said in operator.fails(*command)
    if revision != "0024":
        for command in (*STARTERS, ["account", "create", "Another company"]):
            assert said in operator.fails(*command)
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (revision,)
        ]


def test_a_command_that_finds_nothing_of_that_id_says_so_and_exits_1(operator: Operator) -> None:
    operator.run("migrate")
    for command in LOOK_UPS:
        said = operator.fails(*command)
        assert said.startswith("copydesk-server: "), command
        assert re.search("There is no|No delivery or job|No evidence is stored", said), command
        assert said.count("\n") == 1, command


def test_the_command_that_creates_a_database_says_where_it_is(operator: Operator) -> None:
    names = ("A company", "Another one")
    said = [operator.run("account", "create", name).stderr for name in names]
    assert said == [f"created the database {operator.folder.resolve() / 'copydesk.db'}\n", ""]


def test_a_pull_url_has_the_address_of_the_service_that_was_started_last(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = operator("account", "create", "A company")["accountId"]

    def address() -> str:
        url: str = operator("feed", "create", account, "A blog")["pullUrl"]
        return url.partition("/v1/")[0]

    assert address() == "http://127.0.0.1:8000"
    for host, port in (("0.0.0.0", 59915), ("::", 59916)):
        record(Settings(data_dir=operator.folder), url_of(host, port))
        assert address() == url_of(host, port)
    assert address() == "http://[::1]:59916"
    monkeypatch.setenv("COPYDESK_PUBLIC_URL", "https://desk.example")
    assert address() == "https://desk.example"


def test_a_table_shows_a_name_as_it_is(operator: Operator) -> None:
    for name in ("[/b] [red]Tea[/red] :tea:", "お茶"):
        operator("account", "create", name)
    heads, *rows = operator.run("account", "list").output.splitlines()
    assert heads.split() == ["accountId", "name", "plan", "monthWords"]
    assert "[/b] [red]Tea[/red] :tea:  starter  0" in rows[1]
    # Each of the two characters takes two columns.
    assert f"お茶{' ' * 21}  starter  0" in rows[0]


def test_no_secret_is_stored(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    key = operator("key", "create", account)["apiKey"]
    token = operator("feed", "create", account, "A blog")["tokenId"]
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        stored = "\n".join(database.iterdump())
    assert key not in stored
    assert token not in stored


def test_tokens_and_rules(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    token = operator("feed", "create", account, "A blog")
    assert token["pullUrl"].endswith(f"/v1/content-tokens/{token['tokenId']}/latest")
    assert operator("feed", "pause", token["tokenId"])["status"] == "paused"
    assert operator("feed", "resume", token["feedId"])["status"] == "active"
    assert operator("feed", "update", token["feedId"], "--metered")["metered"]
    (listed,) = operator("feed", "list", "--account", account)
    assert (listed["metered"], listed["monthWords"], listed["monthPosts"]) == (True, 0, 0)
    assert token["tokenId"] not in json.dumps(listed)

    rule = operator(
        "rule", "create", token["tokenId"], "Gardening", "--keyword", "beds", "--keyword", "soil",
        "--every", "90m", "--offer", "Kit=https://example.com/kit", "--max-words", "400", "--faqs",
    )["ruleId"]  # fmt: skip
    operator("offer", "add", rule, "Shed=https://example.com/shed")
    operator("offer", "remove", rule, "kit")
    operator("rule", "update", rule, "--every", "1d", "--tone", "bold", "--name", "Garden")
    operator("rule", "pause", rule)
    (listed,) = operator("rule", "list", token["feedId"])
    assert listed["name"] == "Garden"
    assert listed["keywords"] == ["beds", "soil"]
    assert listed["every"] == "1d"
    assert listed["offers"] == [{"name": "Shed", "url": "https://example.com/shed"}]
    assert listed["status"] == "paused"
    assert operator("rule", "resume", rule)["status"] == "active"


def test_a_rule_takes_all_that_a_request_may_ask_for(operator: Operator) -> None:
    token = operator.feed()
    create = ("rule", "create", token, "Garden", "--keyword", "beds", "--every", "30d")
    rule = operator(
        *create, "--topic", "in spring", "--language", "de", "--region", "DE", "--tone", "bold",
        "--target-audience", "beginners", "--brand-voice", "dry", "--industry", "gardening",
        "--target-url", "https://example.com/beds", "--max-words", "600", "--min-words", "300",
        "--max-sections", "4", "--faqs", "--internal-links", "--keyword-usage", "exact",
        "--factuality-mode", "standard", "--no-current-event",
    )["ruleId"]  # fmt: skip
    operator("rule", "update", rule, "--topic", "", "--no-faqs")
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        ((stored, current_event),) = database.execute("SELECT request, current_event FROM rules")
    request = json.loads(stored)
    constraints = request.pop("constraints")
    assert {name: request.get(name) for name in sorted(request) if name != "format"} == {
        "keywords": ["beds"], "language": "de", "region": "DE", "tone": "bold",
        "targetAudience": "beginners", "brandVoice": "dry", "industry": "gardening",
        "targetUrl": "https://example.com/beds", "factualityMode": "standard",
    }  # fmt: skip
    assert constraints == {
        "maxWords": 600, "minWords": 300, "maxSections": 4, "includeFAQs": False,
        "includeInternalLinksPlaceholders": True, "keywordUsageStrategy": "exact",
    }  # fmt: skip
    assert not current_event

    (listed,) = operator("rule", "list", token)
    assert (listed["status"], listed["openRun"]) == ("active", "queued")
    (run,) = operator("rule", "runs", rule)
    assert (run["status"], run["attempts"], run["itemId"]) == ("queued", 0, None)
    operator.env["COPYDESK_SOURCE_FEEDS"] = "https://news.example/feed"
    operator("rule", "update", rule, "--current-event")
    assert "at most 1500" in operator.fails("rule", "update", rule, "--max-words", "1501", code=2)


def test_a_name_is_as_good_as_an_id_if_no_other_has_it(operator: Operator) -> None:
    """“names accepted where unique”"""
    account = operator("account", "create", "A company")["accountId"]
    operator("key", "create", "A company", "--sandbox")
    feed = operator("feed", "create", "A company", "A blog")["feedId"]
    rule = operator("rule", "create", "A blog", "Tea", "--keyword", "tea", "--every", "1h")
    assert operator("rule", "pause", "tea") == {"ruleId": rule["ruleId"], "status": "paused"}
    assert [row["ruleId"] for row in operator("rule", "list", "A blog")] == [rule["ruleId"]]
    assert len(operator("rule", "plan", "Tea")) == 5
    # The earlier name of the group still works.
    assert [row["feedId"] for row in operator("feed", "list", "--account", "A company")] == [feed]
    twin = operator.run("account", "create", "A company").stdout.split()[-1]
    said = operator.fails("feed", "list", "--account", "A company")
    assert said == (
        "copydesk-server: There are several accounts named “A company”. Give the id of one:"
        f" {account}, {twin}.\n"
    )
    assert operator("feed", "list", "--account", twin) == []


def test_keys_and_feed_urls_are_rotated(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    for option, prefix in (((), "cd_live_"), (("--sandbox",), "cd_test_")):
        old = operator("key", "create", account, *option)
        new = operator("key", "rotate", old["keyId"])
        assert new["apiKey"].startswith(prefix)
        assert new["apiKey"] != old["apiKey"]
        assert new["revoked"] == old["keyId"]
        assert "The key was revoked." in operator.fails("key", "rotate", old["keyId"])
    revoked = [bool(row["revokedAt"]) for row in operator("key", "list", "--account", account)]
    assert revoked == [False, True, False, True]
    feed = operator("feed", "create", account, "A blog")
    new = operator("feed", "rotate", "A blog")
    assert new["feedId"] == feed["feedId"]
    assert new["pullUrl"].endswith(f"/{new['tokenId']}/latest")
    said = operator.fails("feed", "pause", feed["tokenId"])
    assert said == "copydesk-server: There is no feed of that feed URL. `feed list` shows them.\n"
    assert operator("feed", "pause", new["tokenId"])["feedId"] == feed["feedId"]


def test_what_something_depends_on_is_not_deleted(operator: Operator) -> None:
    """“each refused with one clear sentence where something depends on it”"""
    operator("account", "create", "A company")
    key = operator("key", "create", "A company")["keyId"]
    operator("feed", "create", "A company", "A blog")
    operator("rule", "create", "A blog", "Tea", "--keyword", "tea", "--every", "1h")
    for command, sentence in (
        (("account", "delete", "A company"), "has 1 feed. Delete it first."),
        (("feed", "delete", "A blog"), "has 1 rule. Delete it first."),
    ):
        assert operator.fails(*command).endswith(f"{sentence}\n")
    assert operator("rule", "delete", "Tea")["status"] == "deleted"
    assert operator("feed", "delete", "A blog")["status"] == "deleted"
    said = operator.fails("account", "delete", "A company")
    assert said.endswith("has 1 working API key. Revoke it first.\n")
    operator("key", "revoke", key)
    assert operator("account", "delete", "A company")["status"] == "deleted"
    assert operator("account", "list") == []


def test_a_deletion_asks_on_a_terminal(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = operator.feed()
    monkeypatch.setattr("app.commands.output.is_terminal", lambda: True)

    said = operator.run("feed", "delete", "A blog", code=1, typed="n\n").output
    assert "Delete the feed A blog? Its feed URL stops working. This cannot be undone." in said
    assert [row["feedId"] for row in operator("feed", "list", "--account", "A company")] == [feed]
    operator.run("feed", "delete", "A blog", "--yes")
    assert operator("feed", "list", "--account", "A company") == []


WRONG_VALUES = [
    (["--every", "soon"], "--every must be a number and m, h or d, such as 30m, 1h or 7d"),
    (["--every", "5m"], "--every must be between 15m and 30d; it is 5m."),
    (
        ["--min-words", "90", "--max-words", "100"],
        "--min-words must be at least 50 below --max-words, which is 100.",
    ),
    (["--max-words", "many"], "Invalid value for '--max-words': 'many' is not a valid integer."),
    (["--tone", "funny"], "--tone must be one of professional, friendly, bold."),
    (["--keyword-usage", "often"], "--keyword-usage must be one of natural, balanced, exact."),
    (["--factuality-mode", "verified"], "needs sources"),
    (["--current-event"], "needs sources"),
    (["--offer", "Kit"], "An offer has the form Name=https://…; it is “Kit”."),
    (["--offer", "Kit=ftp://x"], "The offer “Kit=ftp://x” is invalid: its url must be a complete"),
]


def test_a_wrong_value_of_an_option_of_a_rule_is_a_usage_error_and_stores_nothing(
    operator: Operator,
) -> None:
    """“Exit codes: … 2 usage error.”"""
    token = operator.feed()
    rule = operator("rule", "create", token, "Rule", "--keyword", "beds", "--every", "1h")["ruleId"]
    listed = operator("rule", "list")
    for options, sentence in WRONG_VALUES:
        create = ("rule", "create", token, "Another", "--keyword", "beds", "--every", "1h")
        assert sentence in operator.fails(*create, *options, code=2).splitlines()[-1]
        if "--offer" not in options:
            assert sentence in operator.fails("rule", "update", rule, *options, code=2)
    assert operator("rule", "list") == listed


def test_a_wrong_value_anywhere_else_is_a_usage_error(operator: Operator) -> None:
    """“Exit codes: … 2 usage error.”"""
    account = operator("account", "create", "A company")["accountId"]
    token = operator("feed", "create", account, "A blog")["tokenId"]
    rule = operator("rule", "create", token, "Rule", "--keyword", "beds", "--every", "1h")["ruleId"]
    for command, sentence in (
        (["account", "create", ""], "name must not be empty."),
        (["rule", "create", token, "a\u202eb", "--keyword", "a", "--every", "1h"], "U+202E"),
        (["account", "create", "X", "--plan", "gold"], "--plan must be one of starter, growth"),
        (["plan", "update", "scale", "--requests-per-day", "0"], "--requests-per-day must be betw"),
        (["feed", "update", token], "Say what to change, such as --metered or"),
        (["feed", "rotate", token, "--keep-old", "169"], "169 is not in the range 0<=x<=168"),
        (["webhook", "list", "--status", "lost"], "is not one of 'queued', 'sending'"),
        (["webhook", "replay-failed", "--since", "yesterday"], "'yesterday' does not match the fo"),
        (["offer", "add", rule, "Kit=javascript:1"], "The offer “Kit=javascript:1” is invalid"),
        (["rule", "plan", rule, "--count", "0"], "0 is not in the range 1<=x<=1000"),
        (["rule", "update", rule], "Nothing to change. Say what to change, such as --every 12h."),
    ):
        assert sentence in operator.fails(*command, code=2), command
    assert "There is no feed “A blg”. `feed list`" in operator.fails("rule", "list", "A blg")
    assert "There is no account “A" in operator.fails("feed", "list", "--account", "A compny")
    wrong = operator.fails("rule", "list", token, code=2, COPYDESK_WORKERS="many")
    assert wrong.startswith("copydesk-server: COPYDESK_WORKERS")


def test_a_port_in_use_is_said(operator: Operator) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = operator.fails("run", "--port", str(port))
    assert f"Port {port} on 127.0.0.1 is in use" in said
    assert f"`copydesk-server run --port {port + 1}`" in said


def test_plans_are_edited_and_accounts_move_between_them(operator: Operator) -> None:
    operator.run("migrate")
    plans = {plan["planId"]: plan for plan in operator("plan", "list")}
    assert (plans["starter"]["monthlyWords"], plans["scale"]["requestsPerDay"]) == (20_000, 5_000)
    changed = operator("plan", "update", "growth", "--requests-per-minute", "61")
    assert changed == {**plans["growth"], "requestsPerMinute": 61}
    account = operator("account", "create", "A company")["accountId"]
    operator("account", "update", account, "--plan", "scale")
    (listed,) = operator("account", "list")
    assert (listed["accountId"], listed["plan"]) == (account, "scale")


def test_the_root_secret_of_an_account_is_shown_and_rotated(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    first = operator("webhook-secret", "show", account)["rootSecret"]
    assert re.fullmatch(r"whroot_[A-Za-z0-9+/]{43}=", first)
    rotated = operator("webhook-secret", "rotate", account)
    assert rotated == {"rootSecret": rotated["rootSecret"], "replaced": first}
    assert (
        operator("webhook-secret", "show", account)["rootSecret"] == rotated["rootSecret"] != first
    )
