"""docker/compose.yaml, started by podman-compose as an operator starts it, and what its services
must do together: a job, a feed item in a file, a backup, an end."""

import json
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from engine import Done, podman, run, say

_MODEL_PORT = 9000
_SECONDS = 180.0
_STOP_SECONDS = 60.0  # what idles ends before its time to drain is over
_WEB = "http://127.0.0.1:8000"


class Composed(AbstractContextManager["Composed"]):
    """The services of the file, none of them started yet. All of them end with the context."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self.repository = repository
        self._program = folder / "venv" / "bin" / "podman-compose"
        # What the operator makes beside the file, by the script that comes with it.
        self.folder = Path(shutil.copytree(repository / "docker", folder / "docker"))
        made = run("sh", "setup.sh", input="none\n", cwd=self.folder)
        assert made.returncode == 0, made.stderr
        with (self.folder / ".env").open("a") as env:
            env.write(f"OPENAI_BASE_URL=http://model:{_MODEL_PORT}/v1\nCOPYDESK_MODEL=scripted\n")
        file = self.folder / "compose.yaml"
        # Docker's own kind of log, which podman lacks.
        file.write_text(file.read_text().replace("driver: local", "driver: k8s-file"))
        example = self.folder / "connector.example.toml"
        example.rename(example.with_name("connector.toml"))

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        if problem is not None:
            for name in podman("ps", "--all", "--format={{.Names}}").splitlines():
                print(f"--- {name}:\n{self.said(name)[-3000:]}", file=sys.stderr)
        podman("rm", "--all", "--force", "--time=0")

    def compose(self, *words: object) -> Done:
        """Run podman-compose with the services that have a profile, too."""
        command = (sys.executable, self._program, "--profile", "connector", *words)
        return run(*command, cwd=self.folder)

    def start(self, service: str) -> str:
        """Start a service, without those that it waits for; the name of its container."""
        done = self.compose("up", "--detach", "--no-deps", "--no-build", service)
        assert done.returncode == 0, f"{service}: {done.stdout}{done.stderr}"
        return f"copydesk_{service}_1"

    def stop(self, service: str) -> None:
        """Stop a service; it is killed after its stop_grace_period."""
        done = self.compose("stop", service)
        assert done.returncode == 0, f"{service}: {done.stdout}{done.stderr}"

    def exec(self, container: str, *command: object) -> Done:
        return run("podman", "exec", container, *command)

    def is_healthy(self, container: str) -> bool:
        """By the check of the file, or of the image."""
        return run("podman", "healthcheck", "run", container).returncode == 0

    def exit_code(self, container: str) -> int:
        """Of a service, once it has ended."""
        return int(podman("wait", container))

    def said(self, container: str) -> str:
        done = run("podman", "logs", container)
        return done.stdout + done.stderr

    def secret(self, name: str) -> str:
        """The text of a secret that setup.sh made."""
        return (self.folder / "secrets" / name).read_text()

    def backups(self) -> list[Path]:
        return sorted(self.folder.glob("backups/*.backup"))


def ask(method: str, path: str, key: str = "", body: Any = None) -> tuple[int, Any]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(_WEB + path, data, headers, method=method), timeout=30) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return 0, None


def travel(composed: Composed) -> None:
    """Start all services in the order of the file and use them as a customer would."""
    postgres, redis = composed.start("postgres"), composed.start("redis")
    for name in (postgres, redis):
        wait(lambda name=name: composed.is_healthy(name), f"{name} is healthy")
    podman(
        "run", "--detach", "--name=model", "--network=copydesk_inside",
        f"--volume={composed.repository}:/repository:ro", "base",
        "python3", "/repository/tests/scripted_model.py", f"--port={_MODEL_PORT}", "--host=0.0.0.0",
    )  # fmt: skip
    migrate = composed.start("migrate")
    assert composed.exit_code(migrate) == 0, composed.said(migrate)
    backup = composed.start("backup")
    web, worker, scheduler = map(composed.start, ("web", "worker", "scheduler"))
    for name in (web, worker, scheduler):
        wait(lambda name=name: composed.is_healthy(name), f"{name} is healthy")
    wait(lambda: ask("GET", "/readyz")[0] == 200, "the web server is ready")
    say(f"compose: migrated, healthy, and ready: {ask('GET', '/readyz')[1]}")

    def command(*words: str) -> Any:
        done = composed.exec(web, "copydesk-server", *words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    account = command("account", "create", "A customer")["accountId"]
    key = command("key", "create", account)["apiKey"]
    body = {
        "generateRequest": {"keywords": ["cold brew coffee"], "constraints": {"maxWords": 400}},
        "format": {"responseTypes": ["markdown"]},
    }
    status, job = ask("POST", "/v1/jobs", key, body)
    assert status == 202, job
    jobs = f"/v1/jobs/{job['jobId']}"
    wait(lambda: ask("GET", jobs, key)[1]["status"] in {"succeeded", "failed"}, "the job ends")
    answer = ask("GET", jobs, key)[1]
    assert answer["status"] == "succeeded", answer
    say("compose: a job that web took was done by a worker")

    token = command("feed", "create", account, "A blog")
    words = ["Coffee", "--keyword", "cold brew", "--every", "1h"]
    rule = command("rule", "create", token["tokenId"], *words)["ruleId"]
    # The connector pulls at once, and then every few minutes.
    wait(lambda: "succeeded" in str(command("rule", "runs", rule)), "the rule has run")
    feed = f"http://web:8000/v1/content-tokens/{token['tokenId']}"
    (composed.folder / "connector.env").write_text(f"COPYDESK_FEED_URL={feed}\n")
    connector = composed.start("connector")
    posts = Path(podman("volume", "mount", "copydesk_connector"), "posts")
    wait(lambda: bool(list(posts.glob("*.md"))), "a post is there")
    wait(lambda: "confirmed" in composed.said(connector), "the feed knows it")
    files = [file.name for file in posts.glob("*.md")]
    assert len(files) == 1, files
    say(f"compose: the connector wrote the rule's post, once: {files[0]}")
    reach = ("python3", "-c", "import socket; socket.create_connection(('postgres', 5432), 5)")
    reached = [composed.exec(name, *reach).returncode == 0 for name in (web, connector)]
    assert reached == [True, False], f"the database is reached by web, connector: {reached}"
    say("compose: the connector's network does not have the database")

    wait(lambda: len(composed.backups()) == 1, "a backup is there")
    composed.backups()[0].unlink()
    podman("restart", "--time=0", backup)
    wait(lambda: len(composed.backups()) == 1, "a backup with the job is there")
    for service in ("web", "worker", "scheduler", "connector", "redis"):
        began, name = time.monotonic(), f"copydesk_{service}_1"
        composed.stop(service)
        seconds = time.monotonic() - began
        code = podman("inspect", "--format={{.State.ExitCode}}", name)
        assert code == "0", f"{name} ended with {code}: {composed.said(name)}"
        assert seconds < _STOP_SECONDS, f"{name}, idle, ended after {seconds:.1f} s"
        say(f"compose: {name} ends in {seconds:.1f} s")
    restore(composed, postgres)
    passwords = composed.secret("passwords.sql").split("'")[1::2]
    assert len(passwords) == 2
    logs = "".join(map(composed.said, (web, worker, scheduler, connector)))
    for secret in (*passwords, composed.secret("redis.conf").split()[1], key, token["tokenId"]):
        assert secret not in logs
    assert "Traceback" not in logs, logs


def restore(composed: Composed, postgres: str) -> None:
    """The command of docs/guides/backup.md, while the service is stopped."""
    psql = ("psql", "--username=postgres", "--dbname=copydesk", "--no-align", "--tuples-only")
    done = composed.exec(
        postgres, *psql, "--command=DELETE FROM webhook_deliveries; DELETE FROM jobs"
    )
    assert done.returncode == 0, done.stderr
    guide = (composed.repository / "docs/guides/backup.md").read_text()
    (line,) = [each for each in guide.splitlines() if " backup sh " in each]
    words = line.removeprefix("docker compose ").split()
    done = composed.compose(*words[:-1], composed.backups()[-1].name)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = composed.exec(postgres, *psql, "--command=SELECT count(*) FROM jobs").stdout
    assert counted == "1\n", counted
    say("compose: a backup of the running database is restored")


def wait(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < until, f"not within {_SECONDS:g} s: {what}"
        time.sleep(0.2)
