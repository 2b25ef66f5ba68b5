"""The first operator, made in the browser, and settings that are changed there."""

import errno
import os
import re
import signal
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import pytest
import requests
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from app.adapters.weights import QWEN_CODER_1_5B
from app.console.settings import GROUPS
from app.core.errors import Conflict, OperatorError
from app.services import operators
from app.services.operators import SetupCode
from app.settings import Settings
from app.store import database
from tests.support.consoles import PASSWORD, ConsoleOperator
from tests.support.customers import new_customer
from tests.support.process_group import ProcessGroup, descendants
from tests.support.redis_server import RedisServer
from tests.support.service import MODEL_KEY, CopydeskService, ScriptedModel
from tests.support.startup import free_port, wait_until

CODE = "K7QM-3XWP"
OTHER_KEY = "sk-other-not-a-secret"
UNSET = dict.fromkeys(("OPENAI_API_KEY", "OPENAI_BASE_URL", "COPYDESK_MODEL"), "")
# In the place of llama.cpp: a scripted model.
LLAMA = """
import os
import sys
from types import SimpleNamespace as Params

def CommonParams():
    return Params(model=Params(), cpuparams=Params(), cpuparams_batch=Params())

class Server:
    def __init__(self, params):
        if os.path.exists(os.path.join(os.path.dirname(__file__), "broken")):
            print("main E it is broken.", file=sys.stderr, flush=True)
            raise RuntimeError
        self.listening_address = os.environ["LISTENING_ADDRESS"]
"""
TEA = {"generateRequest": {"keywords": ["tea"], "constraints": {"maxWords": 200}}}
WELCOME = {"code": CODE, "name": "Ada", "password": PASSWORD, "again": PASSWORD}


@pytest.fixture
def empty(migrated_url: str) -> Iterator[Flask]:
    """A service of `run` without an operator."""
    yield create_app(
        Settings.from_env({"COPYDESK_DATABASE_URL": migrated_url, "COPYDESK_SETUP_CODE": CODE})
    )
    database.dispose()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of this process, which does not exist yet."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COPYDESK_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "copydesk.toml"


@pytest.fixture(scope="module")
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


@pytest.fixture
def ada(
    file: Path, migrated_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ConsoleOperator]:
    """An operator of a service whose settings can be changed."""
    monkeypatch.setenv("COPYDESK_DATABASE_URL", migrated_url)
    app = create_app(Settings.load())
    held, changes = app.extensions["copydesk"], []

    def change(settings: Settings) -> None:
        changes.append(settings)
        held.use(settings)

    held.change = change
    app.extensions["changes"] = changes
    yield ConsoleOperator(app.test_client())
    database.dispose()


def without_links(page: str) -> str:
    return re.sub(r"</?a\b[^>]*>", "", page)


def changes(ada: ConsoleOperator) -> list[Settings]:
    found: list[Settings] = ada.client.application.extensions["changes"]
    return found


def test_the_first_visitor_becomes_the_operator_and_the_page_is_gone(empty: Flask) -> None:
    """“the first visitor creates the operator with a code that `run` prints”; “as soon as an
    operator exists the page is gone whatever the code”"""
    visitor = empty.test_client()
    assert visitor.get("/", follow_redirects=True).request.path == "/console/welcome"
    for wrong in (
        {"code": "AAAA-AAAA"},
        {"again": "another"},
        {"password": "short", "again": "short"},
        {"name": " "},
    ):
        refused = visitor.post("/console/welcome", data=WELCOME | wrong)
        assert refused.status_code == 400
        # Both are empty again: typing goes on in the first of them.
        assert ('href="#password"' in refused.text) == ("again" in wrong)
    assert not operators.list_operators()
    foreign = {"Origin": "https://elsewhere.example"}
    assert visitor.post("/console/welcome", data=WELCOME, headers=foreign).status_code == 403
    typed = WELCOME | {"code": " k7qm3xwp"}
    assert visitor.post("/console/welcome", data=typed).headers["Location"] == "/console/setup"
    assert visitor.get("/console/setup", follow_redirects=True).status_code == 200
    late = empty.test_client()
    assert late.get("/console/welcome").status_code == 404
    assert late.post("/console/welcome", data=WELCOME | {"name": "Eve"}).status_code == 404
    assert late.get("/sign-in").status_code == 200
    # Nor is it back when nobody is left.
    operators.remove_operator("Ada")
    assert late.post("/console/welcome", data=WELCOME | {"name": "Eve"}).status_code != 303
    assert not operators.list_operators()


def test_without_a_code_there_is_no_such_page(client: FlaskClient) -> None:
    assert client.get("/console/welcome").status_code == 404
    assert client.post("/console/welcome", data=WELCOME | {"code": ""}).status_code == 404
    assert "copydesk-server operator create NAME" in client.get("/sign-in").text


def test_of_two_first_operators_at_once_one_is_created(empty: Flask) -> None:
    """“two visitors at once: one wins”"""
    context = empty.extensions["copydesk"].context

    def begin(code: SetupCode, name: str) -> str:
        try:
            code.use(context, CODE, name, PASSWORD)
        except Conflict:
            return "late"
        return name

    for _ in range(5):
        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(partial(begin, SetupCode(CODE)), ["Ada", "Bob", "Cem", "Dot"]))
        assert ends.count("late") == 3
        assert [each.name for each in operators.list_operators()] == [
            end for end in ends if end != "late"
        ]
        operators.remove_operator(operators.list_operators()[0].name)
    # Nor beside one whom a command has just created.
    operators.create_operator(context, "Eve", PASSWORD)
    assert begin(SetupCode(CODE), "Ada") == "late"


def test_ten_wrong_codes_end_it(empty: Flask) -> None:
    """The code can be tried ten times."""
    visitor = empty.test_client()
    for number in range(10):
        wrong = WELCOME | {"code": f"AAAA-AAA{number}"}
        assert visitor.post("/console/welcome", data=wrong).status_code == 400
    answer = visitor.post("/console/welcome", data=WELCOME)
    assert answer.status_code == 429
    assert "Start the service again for a new one." in answer.text
    assert not operators.list_operators()


@pytest.mark.parametrize("page", ["settings", "setup"])
def test_a_setting_is_tried_and_then_written_once(
    ada: ConsoleOperator, file: Path, model: ScriptedModel, page: str
) -> None:
    """“a real test call whose error is the sentence of docs”, “secrets are written and never
    shown”, “audit log line by name of setting without value”"""
    path = f"/console/{page}/model"
    given = {"openai_base_url": model.url, "openai_api_key": "sk-s3cret", "model": "scripted"}
    for behaviour, sentence in (
        ("error_401", "does not accept the API key. Check “API key”."),
        ("error_404", "does not know the model"),
        ("web_page", "answered with something other than a chat completion"),
    ):
        with model.behaving(behaviour):
            answer = ada.send(path, **given)
        assert answer.status_code == 400
        assert sentence in without_links(answer.text.replace("&#39;", "'"))
    assert not file.exists()
    ada.done(path, **given)
    assert tomllib.loads(file.read_text()) == given
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(changes(ada)) == 1
    for shown in (ada.page(path), ada.page("/console/settings"), ada.page("/console/audit")):
        assert "s3cret" not in shown
    assert "openai_base_url, openai_api_key, model" in ada.page("/console/audit")
    # An empty field of a secret keeps it; the same values change nothing.
    ada.done(path, openai_base_url=model.url, model="scripted")
    assert len(changes(ada)) == 1
    # What does not work is saved only if the operator insists.
    with model.behaving("error_401"):
        ada.done(path, openai_base_url=model.url, model="another", untried="1")
    assert tomllib.loads(file.read_text())["model"] == "another"


def test_what_would_stop_the_start_is_refused_with_its_sentence(
    ada: ConsoleOperator, file: Path
) -> None:
    """“a wrong setting is refused in the form with the same sentence that stops the start and never
    written”"""
    ada.done("/console/settings/costs", spend_cap="5")
    ada.done("/console/settings/address", public_url="https://copydesk.example", untried="1")
    before = file.read_text()
    for group, fields, sentence in (
        ("address", {"public_url": "copydesk.example"}, "must begin with http:// or https://"),
        ("model", {"openai_api_key": "sk- s3"}, "must be printable ASCII without spaces"),
        ("costs", {"model_prices": "m=1"}, "model_prices"),
        ("sources", {"source_feeds": "ftp://a.example"}, "must begin with http:// or https://"),
        ("mail", {"smtp_url": "mail.example"}, "must be such as smtps:"),
        ("mail", {"smtp_url": "smtp://mail.example"}, "“Mail server” needs “Sender”"),
        (
            "mail",
            {"smtp_url": "smtp://127.0.0.1:9", "mail_from": "a@b.example"},
            "The mail server did not work: ConnectionRefusedError. Check “Mail server”.",
        ),
        # Two that do not go together.
        (
            "model",
            {"openai_api_key": "sk-s3cret", "untried": "1"},
            "“Cap a month” needs the price of gpt-5-mini in “Prices”",
        ),
        ("model", {}, "Enter the address of an endpoint, or an API key of OpenAI"),
    ):
        answer = ada.send(f"/console/settings/{group}", **fields)
        assert answer.status_code == 400, fields
        assert sentence.lower() in without_links(answer.text).lower(), fields
    assert file.read_text() == before
    assert len(changes(ada)) == 2
    assert ada.send("/console/settings/database", database_url="sqlite:///x").status_code == 404


def test_a_key_is_never_sent_to_another_address(
    ada: ConsoleOperator, file: Path, model: ScriptedModel
) -> None:
    """An operator who may change an address does not learn the key of the present one."""
    given = {"openai_base_url": model.url, "openai_api_key": MODEL_KEY, "model": "scripted"}
    ada.done("/console/settings/model", **given)
    calls = model.calls()
    moved = {"openai_base_url": model.url.replace("127.0.0.1", "127.0.0.2"), "model": "scripted"}
    answer = ada.send("/console/settings/model", **moved, untried="1")
    assert "Enter the key of the new address" in answer.text
    assert model.calls() == calls
    assert tomllib.loads(file.read_text()) == given
    ada.done("/console/settings/model", **moved, **{"remove-openai_api_key": "1", "untried": "1"})
    assert "openai_api_key" not in tomllib.loads(file.read_text())


def test_what_the_environment_sets_is_shown_and_cannot_be_changed(
    ada: ConsoleOperator, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“environment variables override and are shown as "set by the environment" and not
    editable”"""
    monkeypatch.setenv("COPYDESK_PUBLIC_URL", "https://copydesk.example")
    ada.client.application.extensions["copydesk"].settings = Settings.load()
    page = ada.page("/console/settings/address")
    assert "set by the environment" in page
    assert 'name="public_url"' not in page
    answer = ada.send("/console/settings/address", public_url="https://other.example", untried="1")
    assert "It is set by the environment: change COPYDESK_PUBLIC_URL there." in answer.text
    assert not file.exists()
    # Beside it, the rest of a group can be changed; but the key of the environment goes nowhere.
    monkeypatch.setenv("COPYDESK_MODEL", "scripted")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-s3cret")
    ada.client.application.extensions["copydesk"].settings = Settings.load()
    every = ada.page("/console/settings")
    shown = dict(re.findall(r'<code>([a-z_]+)</code><br>.*?Value"><code>(.*?)</code>', every))
    assert (shown["model"], shown["openai_api_key"], shown["drafts"]) == ("scripted", "set", "2")
    assert every.count('Set by">the environment') >= 4
    moved = {"openai_base_url": "http://127.0.0.1:9/v1", "untried": "1"}
    assert "would be sent there." in ada.send("/console/settings/model", **moved).text
    assert not file.exists()
    monkeypatch.delenv("OPENAI_API_KEY")
    ada.client.application.extensions["copydesk"].settings = Settings.load()
    ada.done("/console/settings/model", **moved)
    assert tomllib.loads(file.read_text()) == {"openai_base_url": "http://127.0.0.1:9/v1"}


def test_an_endpoint_that_repeats_its_key_is_not_quoted(
    ada: ConsoleOperator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“Secrets are written and never shown”"""

    def ask(settings: Settings) -> None:
        assert settings.openai_api_key is not None
        raise OperatorError(f"It said: {settings.openai_api_key.get_secret_value()} is wrong.")

    monkeypatch.setitem(GROUPS, "model", replace(GROUPS["model"], ask=ask))
    answer = ada.send("/console/settings/model", openai_api_key="sk-s3cret")
    assert "It said: [secret] is wrong." in answer.text


def test_other_changes_of_the_file_are_not_applied_on_the_way(
    ada: ConsoleOperator, file: Path
) -> None:
    """Settings apply together or not at all."""
    file.parent.mkdir(exist_ok=True)
    file.write_text("workers = 3\n")
    answer = ada.send("/console/settings/costs", model_prices="m=1/2")
    assert answer.status_code == 409
    assert "such as workers. Restart the service first." in answer.text
    assert tomllib.loads(file.read_text()) == {"workers": 3}
    file.write_text("worker = 3\n")
    assert "worker is not a setting" in ada.page("/console/settings")
    assert ada.client.get("/console/setup/model").status_code == 409


def test_a_file_that_cannot_be_replaced_changes_nothing(
    ada: ConsoleOperator, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one that is mounted alone: “If they do not work, nothing changes”."""
    ada.done("/console/settings/costs", spend_cap="5")

    def fail(*_: object) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    held = ada.client.application.extensions["copydesk"]
    with monkeypatch.context() as patch:
        # A process of workers may not start.
        patch.setattr(held, "change", fail)
        answer = ada.send("/console/settings/costs", spend_cap="6")
    assert "The service cannot take new settings: Device or resource busy." in answer.text
    monkeypatch.setattr(Path, "replace", fail)
    answer = ada.send("/console/settings/costs", spend_cap="6")
    assert "cannot be written: Device or resource busy" in answer.text
    assert tomllib.loads(file.read_text()) == {"spend_cap": "5"}
    assert held.settings.given["spend_cap"] == ("5", "file")
    assert held.context.budget.cap == 5_000_000


def test_changes_at_once_all_apply(ada: ConsoleOperator) -> None:
    """Of two operators who change different settings, neither undoes what the other did. What is
    known of the model's health stays."""
    model = ada.client.application.extensions["copydesk"].context.model
    app, pages = ada.client.application, ("costs", "address", "sources")
    fields = ("spend_cap", "public_url", "searxng_url")
    others = [ConsoleOperator(app.test_client(), name) for name in ("Bob", "Cem")]
    for number in range(1, 4):
        values = (str(number), *(f"https://{number}.example/{name}" for name in "ab"))

        def change(who: ConsoleOperator, page: str, field: str, value: str) -> None:
            who.done(f"/console/settings/{page}", **{field: value}, untried="1")

        with ThreadPoolExecutor() as pool:
            list(pool.map(change, [ada, *others], pages, fields, values))
        now = app.extensions["copydesk"].settings
        assert tuple(now.given[field][0] for field in fields) == values
        assert now == Settings.load()
    assert app.extensions["copydesk"].context.model is model


def test_several_commands_are_not_changed_from_one_of_them(
    ada: ConsoleOperator, file: Path
) -> None:
    """A service of several commands shows its settings, and says where to change them."""
    ada.client.application.extensions["copydesk"].change = None
    answer = ada.client.get("/console/setup/model")
    assert answer.status_code == 409
    assert "runs as several commands" in answer.text
    assert "/console/setup/model" not in ada.page("/console/setup/feed")
    assert ada.client.get("/console/setup").headers["Location"].endswith("/feed")
    assert ada.send("/console/settings/costs", model_prices="m=1/2").status_code == 409
    assert not file.exists()


def test_what_was_left_out_is_not_asked_again(
    ada: ConsoleOperator, file: Path, model: ScriptedModel
) -> None:
    """Each step can be skipped, and come back to. “Sources saved empty is never ticked”"""
    given = {"openai_base_url": model.url, "openai_api_key": MODEL_KEY, "model": "scripted"}
    ada.done("/console/setup/model", **given)
    assert ada.client.get("/console/setup").headers["Location"].endswith("/sources")
    assert ada.send("/console/setup/feed", name="Blog").status_code == 303
    assert ada.client.get("/console/setup").headers["Location"].endswith("/rule")
    assert re.findall(r"(\w+) <span aria-hidden=\"true\">✓", ada.page("/console/setup/feed")) == [
        "Model",
        "Sources",
        "Address",
        "Site",
    ]
    assert "Only a site on this machine reaches" in ada.send("/console/setup/connect").text


@pytest.mark.parametrize("has_redis", [False, True], ids=["threads", "Redis"])
def test_a_running_service_takes_new_settings_and_ends_what_it_began(
    group: ProcessGroup, model: ScriptedModel, tmp_path: Path, has_redis: bool
) -> None:
    """What has begun ends with the earlier settings; what begins after the answer has the new
    ones, in each process of `run`."""
    # Without the local model of this machine.
    metrics = f"127.0.0.1:{free_port()}"
    env = {**UNSET, "COPYDESK_MODEL_CACHE": str(tmp_path), "COPYDESK_METRICS_ADDRESS": metrics}
    if has_redis:
        env["COPYDESK_REDIS_URL"] = RedisServer(group).url
    service = CopydeskService(group, model.url, f"changed-{has_redis}", **env)
    wait_until(lambda: "there is no operator yet: run" in service.log_text(), 60, "it says so")
    customer, visitor, other = new_customer(service), visitor_of(service), ScriptedModel(group)
    visitor.change(openai_base_url=model.url, openai_api_key=MODEL_KEY, model="scripted")
    processes = descendants(service.process("run").pid)
    first = customer.create_job(**TEA).json()["jobId"]
    assert customer.finished_job(first)["status"] == "succeeded"
    calls = model.calls()
    with model.behaving("slow", delay=2), ThreadPoolExecutor() as pool:
        call = pool.submit(customer.generate, **TEA["generateRequest"])
        begun = customer.create_job(**TEA).json()["jobId"]
        wait_until(lambda: model.calls() > calls + 2, 60, "both posts are being written")
        for name in ("soon changed", "m"):
            new = {"openai_base_url": other.url, "openai_api_key": OTHER_KEY, "model": name}
            visitor.change(**new, untried="1")
            assert other.url in visitor.page()
            # Workers ignore a signal that follows another within a second.
            Event().wait(1.1)
        assert call.result().status_code == 200
        assert customer.finished_job(begun)["status"] == "succeeded"
    assert not other.calls()
    calls = model.calls()
    if has_redis:
        # The web process is the first.
        earlier = processes[1:]
        wait_until(lambda: not any(map(lives, earlier)), 60, "the earlier workers end")
        # Those that crash are replaced.
        earlier = list(filter(lives, descendants(descendants(service.process("run").pid)[0])))
        os.kill(earlier[0], signal.SIGKILL)
        wait_until(lambda: not any(map(lives, earlier)), 60, "its forks end as well")
    else:
        assert descendants(service.process("run").pid) == processes
    last = customer.create_job(**TEA).json()["jobId"]
    assert customer.finished_job(last)["status"] == "succeeded"
    assert customer.generate(**TEA["generateRequest"]).status_code == 200
    assert other.last_request()["model"] == "m"
    assert model.calls() == calls
    Visitor(service.url, "costs").change(model_prices="m=1/2", spend_cap="0")
    shown = requests.get(f"http://{metrics}/metrics", timeout=60).text
    assert 'copydesk_spend_caps_reached{kind="installation"} 1.0' in shown
    assert not re.search(f"{MODEL_KEY}|{OTHER_KEY}", service.log_text())
    below = descendants(service.process("run").pid)
    service.terminate()
    assert service.wait_for_end() == {0}
    wait_until(lambda: not any(map(lives, below)), 60, "everything ends with it")


def test_the_local_model_is_switched_to_and_from(
    group: ProcessGroup, model: ScriptedModel, tmp_path: Path
) -> None:
    """One that does not start changes nothing, and the page says why. One that runs starts again
    with its process."""
    (tmp_path / "xllamacpp.py").write_text(LLAMA)
    env = {
        "COPYDESK_MODEL_CACHE": str(tmp_path),
        "LISTENING_ADDRESS": model.url.removesuffix("/v1"),
        "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
    }
    service = CopydeskService(group, model.url, "local", **UNSET, **env)
    customer, visitor = new_customer(service), visitor_of(service)
    weights = tmp_path / "models" / QWEN_CODER_1_5B.filename
    weights.parent.mkdir()
    with weights.open("wb") as sparse:
        sparse.truncate(QWEN_CODER_1_5B.size)
    broken = tmp_path / "broken"
    broken.touch()
    assert "did not start: it is broken." in visitor.send(writer="local").text
    assert "It writes now." not in visitor.page()
    given = {"openai_base_url": model.url, "openai_api_key": MODEL_KEY, "model": "scripted"}
    visitor.change(**given)
    assert "did not start: it is broken." in visitor.send(writer="local").text
    assert model.url in visitor.page()
    job = customer.create_job(**TEA).json()["jobId"]
    assert customer.finished_job(job)["status"] == "succeeded"
    broken.unlink()
    visitor.change(writer="local")
    assert "It writes now." in visitor.page()
    assert requests.get(f"{service.url}/readyz", timeout=60).json()["model"] == "ok"
    os.kill(descendants(service.process("run").pid)[0], signal.SIGKILL)
    wait_until(service.answers, 60, "another web process answers")
    assert "It writes now." in visitor.page()
    visitor.change(**given)
    visitor.change(writer="local")
    # The same one, in the same web process.
    web, *local = descendants(service.process("run").pid)
    assert (len(local), lives(web)) == (1, True)
    visitor.change(**given)
    job = customer.create_job(**TEA).json()["jobId"]
    assert customer.finished_job(job)["status"] == "succeeded"
    assert MODEL_KEY not in service.log_text()


def visitor_of(service: CopydeskService) -> "Visitor":
    service.cli("operator", "create", "ada", typed=f"{PASSWORD}\n")
    return Visitor(service.url)


def lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class Visitor:
    """An operator in a browser, of a service in other processes."""

    def __init__(self, url: str, group: str = "model") -> None:
        self._session, self._path = requests.Session(), f"{url}/console/settings/{group}"
        given = {"name": "ada", "password": PASSWORD}
        answer = self._session.post(f"{url}/sign-in", data=given, timeout=60)
        assert answer.status_code == 200, answer.text

    def page(self) -> str:
        """Return the page that changes the settings."""
        return self._session.get(self._path, timeout=60).text

    def change(self, **fields: str) -> None:
        """Change the settings."""
        answer = self.send(**fields)
        assert answer.history, answer.text
        assert "The file was changed since the service started." not in answer.text

    def send(self, **fields: str) -> requests.Response:
        """Send their form; return the page after it."""
        found = re.search('name="csrf" value="([0-9a-f]{64})"', self.page())
        assert found
        return self._session.post(self._path, data={"csrf": found[1], **fields}, timeout=60)
