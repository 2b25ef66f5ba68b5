"""The operator's commands, each with --json, on a database of their own."""

import json
import re
import socket
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli import main
from app.commands.service_address import recorded, url_of
from app.settings import Settings


class Operator:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {"COPYDESK_DATA_DIR": str(folder), "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}

    def __call__(self, *arguments: str) -> Any:
        done = CliRunner().invoke(main, [*arguments, "--json"], env=self.env)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def fails(self, *arguments: str, code: int = 1, **env: str) -> str:
        done = CliRunner().invoke(main, list(arguments), env={**self.env, **env})
        assert done.exit_code == code, done.output
        assert "Traceback" not in done.output
        return done.stderr

    def migrate(self) -> None:
        done = CliRunner().invoke(main, ["migrate"], env=self.env)
        assert done.exit_code == 0, done.output


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    """On a folder without a database: `account create` makes it, as does `migrate`."""
    return Operator(tmp_path / "data")


# With an id that does not exist where one is asked for.
LOOK_UPS = [
    ["key", "list", "acc_x"],
    ["key", "create", "acc_x"],
    ["key", "revoke", "key_x"],
    ["account", "update", "acc_x", "--plan", "growth"],
    ["plan", "update", "gold", "--monthly-words", "5"],
    ["token", "list", "acc_x"],
    ["token", "create", "acc_x", "A blog"],
    ["token", "update", "tkn_x", "--metered"],
    ["token", "pause", "tkn_x"],
    ["token", "resume", "tkn_x"],
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
    ["webhook", "replay", "msg_x"],
    ["evidence", "itm_x"],
]
LISTS = [["account", "list"], ["plan", "list"], ["webhook", "list"]]


@pytest.mark.parametrize("command", [*LISTS, *LOOK_UPS], ids=" ".join)
def test_no_database_is_made_by_the_way(operator: Operator, command: list[str]) -> None:
    for arguments in (command, [*command, "--json"]):
        said = operator.fails(*arguments)
        assert "There is no database here yet." in said
        assert "copydesk-server migrate" in said
    assert not operator.folder.exists()


@pytest.mark.parametrize(
    ("revision", "said"), [("0004", "by an earlier version"), ("9999", "by a newer version")]
)
def test_the_database_of_another_version_is_left_as_it_is(
    operator: Operator, revision: str, said: str
) -> None:
    operator("account", "create", "A company")
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", [revision])
        database.commit()
    for command in [*LISTS, *LOOK_UPS]:
        assert said in operator.fails(*command)
    if revision == "9999":
        assert said in operator.fails("migrate")
        assert said in operator.fails("account", "create", "Another company")
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (revision,)
        ]


def test_a_command_that_finds_nothing_of_that_id_says_so_and_exits_1(operator: Operator) -> None:
    operator.migrate()
    for command in LOOK_UPS:
        said = operator.fails(*command)
        assert said.startswith("copydesk-server: "), command
        assert re.search(
            "There is no|No such feed|No delivery or job|No sources are stored", said
        ), command
        assert said.count("\n") == 1, command


def test_an_empty_list_is_a_success(operator: Operator) -> None:
    operator.migrate()
    assert operator("account", "list") == []
    assert operator("webhook", "list") == []


def test_a_pull_url_has_the_address_of_the_service_that_runs(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]

    def pull_url(**env: str) -> str:
        with pytest.MonkeyPatch.context() as patched:
            for name, value in env.items():
                patched.setenv(name, value)
            url: str = operator("token", "create", account, "A blog")["pullUrl"]
        return url.partition("/v1/")[0]

    settings = Settings(data_dir=operator.folder)
    record = operator.folder / "service.json"
    assert pull_url() == "http://127.0.0.1:8000"
    with recorded(settings, url_of("0.0.0.0", 59915)):
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert pull_url() == "http://127.0.0.1:59915"
        assert pull_url(COPYDESK_PUBLIC_URL="https://desk.example") == "https://desk.example"
        # A second one that could not start must not take its place.
        with recorded(settings, "http://127.0.0.1:1"):
            assert pull_url() == "http://127.0.0.1:59915"
        assert pull_url() == "http://127.0.0.1:59915"
    assert not record.exists()
    # What a killed service left behind counts for nothing, and the next one replaces it.
    ended = subprocess.Popen(["true"])
    ended.wait()
    for left in (json.dumps({"url": "http://127.0.0.1:1", "pid": ended.pid}), "{", "[]", "null"):
        record.write_text(left)
        assert pull_url() == "http://127.0.0.1:8000"
    with recorded(settings, url_of("::", 59916)):
        assert pull_url() == "http://[::1]:59916"
    assert not record.exists()


def test_a_table_shows_a_name_as_it_is(operator: Operator) -> None:
    for name in ("[/b] [red]Tea[/red] :tea:", "お茶"):
        operator("account", "create", name)
    shown = CliRunner().invoke(main, ["account", "list"], env=operator.env)
    assert shown.exit_code == 0
    heads, *rows = shown.output.splitlines()
    assert heads.split() == ["accountId", "name", "plan", "createdAt"]
    assert "[/b] [red]Tea[/red] :tea:  starter  20" in rows[0]
    # Each of the two characters takes two columns.
    assert f"お茶{' ' * 21}  starter  20" in rows[1]


def test_keys(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    made = operator("key", "create", account)
    assert made["apiKey"].startswith("cd_live_")
    (listed,) = operator("key", "list", account)
    assert listed["keyId"] == made["keyId"]
    assert made["apiKey"] not in json.dumps(listed)
    operator("key", "revoke", made["keyId"])
    assert operator("key", "list", account)[0]["revokedAt"]


def test_no_secret_is_stored(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    key = operator("key", "create", account)["apiKey"]
    token = operator("token", "create", account, "A blog")["tokenId"]
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        stored = "\n".join(database.iterdump())
    assert key not in stored
    assert token not in stored


def test_tokens_and_rules(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    token = operator("token", "create", account, "A blog")
    assert token["pullUrl"].endswith(f"/v1/content-tokens/{token['tokenId']}/latest")
    assert operator("token", "pause", token["tokenId"])["status"] == "paused"
    assert operator("token", "resume", token["feedId"])["status"] == "active"
    (listed,) = operator("token", "list", account)
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
    assert listed["keywords"] == "beds, soil"
    assert listed["every"] == "1d"
    assert listed["offers"] == "Shed"
    assert listed["status"] == "paused"
    assert operator("rule", "resume", rule)["status"] == "active"


def test_a_rule_takes_all_that_a_request_may_ask_for(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    token = operator("token", "create", account, "A blog")["tokenId"]
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
    assert "There is no rule rul_0" in operator.fails("rule", "runs", "rul_0")
    assert "limit must be between" in operator.fails("rule", "runs", rule, "--limit", "0")
    assert "needs sources" in operator.fails("rule", "update", rule, "--current-event")
    assert "at most 1500" in operator.fails("rule", "update", rule, "--max-words", "1501")


def test_a_token_is_metered_where_the_operator_says_so(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    plain = operator("token", "create", account, "A blog")["feedId"]
    metered = operator("token", "create", account, "Another", "--metered")["feedId"]
    listed = {token["feedId"]: token for token in operator("token", "list", account)}
    assert [listed[token]["metered"] for token in (plain, metered)] == [False, True]
    assert [listed[plain][name] for name in ("monthWords", "monthPosts")] == [0, 0]
    assert operator("token", "update", plain, "--metered") == {"feedId": plain, "metered": True}
    assert operator("token", "update", metered, "--no-metered")["metered"] is False
    assert "--metered" in operator.fails("token", "update", plain, code=2)


def test_wrong_use_is_one_sentence(operator: Operator) -> None:
    account = operator("account", "create", "A company")["accountId"]
    token = operator("token", "create", account, "A blog")["tokenId"]
    create = ("rule", "create", token, "Rule", "--keyword", "beds", "--every")
    assert "such as 30m, 1h or 7d" in operator.fails(*create, "often")
    assert "--every must be between 15m and 30d; it is 5m." in operator.fails(*create, "5m")
    words = operator.fails(*create, "1h", "--min-words", "90", "--max-words", "100")
    assert "--min-words must be at least 50 below --max-words, which is 100." in words
    assert "--tone must be one of professional" in operator.fails(*create, "1h", "--tone", "loud")
    assert "Name=https://" in operator.fails(*create, "1h", "--offer", "Kit")
    assert "http or https URL" in operator.fails(*create, "1h", "--offer", "Kit=javascript:1")
    assert "professional, friendly, bold" in operator.fails(*create, "1h", "--tone", "angry")
    assert "No such feed." in operator.fails("rule", "list", "ct_nothing")
    assert "starter, growth, scale" in operator.fails("account", "create", "X", "--plan", "gold")
    wrong = operator.fails("rule", "list", token, code=2, COPYDESK_WORKERS="many")
    assert wrong.startswith("copydesk-server: COPYDESK_WORKERS")
    with closing(sqlite3.connect(operator.folder / "copydesk.db")) as database:
        assert database.execute("SELECT count(*) FROM rules").fetchone() == (0,), "nothing stored"


def test_a_port_in_use_is_said(operator: Operator) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"Port {port} on 127.0.0.1 is in use" in operator.fails("run", "--port", port)


def test_plans_are_edited_and_accounts_move_between_them(operator: Operator) -> None:
    operator.migrate()
    plans = {plan["planId"]: plan for plan in operator("plan", "list")}
    assert (plans["starter"]["monthlyWords"], plans["scale"]["requestsPerDay"]) == (20_000, 5_000)
    changed = operator("plan", "update", "growth", "--requests-per-minute", "61")
    assert changed == {**plans["growth"], "requestsPerMinute": 61}
    account = operator("account", "create", "A company")["accountId"]
    operator("account", "update", account, "--plan", "scale")
    (listed,) = operator("account", "list")
    assert (listed["accountId"], listed["plan"]) == (account, "scale")
    assert "There is no plan gold" in operator.fails(
        "plan", "update", "gold", "--monthly-words", "9000"
    )
    assert "requests-per-day must be between 1" in operator.fails(
        "plan", "update", "scale", "--requests-per-day", "0"
    )
    assert "must be one of" in operator.fails("account", "update", account, "--plan", "gold")
    assert "no account" in operator.fails("account", "update", "acc_0", "--plan", "scale")


def test_a_webhook_that_does_not_exist_is_not_replayed(operator: Operator) -> None:
    operator.migrate()
    assert operator("webhook", "list") == []
    said = operator.fails("webhook", "replay", "msg_0")
    assert "No delivery or job with deliveries has the id msg_0." in said
    assert "status must be one of" in operator.fails("webhook", "list", "--status", "lost")
