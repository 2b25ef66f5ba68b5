"""What the composed services must do together: a job, a feed item on a page, a backup, an end."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chamber import Running
from checks import say
from composed import Composed

_GENERATION_SECONDS = 120
_ASK = """
import http.client, json, sys
method, path, key, body = sys.argv[1:]
connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=30)
headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
connection.request(method, path, body or None, headers)
answer = connection.getresponse()
print(json.dumps([answer.status, json.loads(answer.read())]))
"""


def travel(composed: Composed, model: Path) -> None:
    """Start all services in the order of the file and use them as a customer would."""
    composed.start_model(model)
    database = composed.start_postgres()
    redis = composed.start_redis()
    ready = ["pg_isready", "--dbname=copydesk"]
    _wait(lambda: composed.postgres_tool(database, *ready).returncode == 0, 180, "PostgreSQL")
    assert composed.postgres_tool(database, "createdb", "copydesk").returncode == 0
    composed.fill(database)
    say("compose: PostgreSQL and Redis run with the file's own arguments")

    migrate = composed.start("migrate")
    assert migrate.process.wait(180) == 0, composed.said("migrate")
    backup = composed.start_backup()
    web = composed.start("web")
    workers = [composed.start("worker", f"worker-{n}") for n in (1, 2)]
    scheduler = composed.start("scheduler")

    def ask(method: str, path: str, key: str = "", body: Any = None) -> tuple[int, Any]:
        text = "" if body is None else json.dumps(body)
        done = web.run(["python3", "-I", "-c", _ASK, method, path, key, text])
        assert done.returncode == 0, f"{done.stderr}{composed.said('web')}"
        status, answer = json.loads(done.stdout)
        return status, answer

    def command(*words: str) -> Any:
        done = web.run(["copydesk-server", *words, "--json"])
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    image_check = composed.healthcheck("web")
    _wait(lambda: web.run(image_check).returncode == 0, 180, "the web server is healthy")
    _wait(lambda: ask("GET", "/readyz")[0] == 200, 90, "the web server is ready")
    say(f"compose: migrated, healthy, and ready: {ask('GET', '/readyz')[1]}")

    health = composed.services["worker"]["healthcheck"]["test"][1:]
    for name, service in {"worker-1": workers[0], "scheduler": scheduler}.items():
        _wait(
            lambda service=service: service.run(health).returncode == 0, 180, f"{name} is healthy"
        )
    say("compose: worker and scheduler are healthy")

    account = command("account", "create", "A customer")["accountId"]
    key = command("key", "create", account)["apiKey"]
    body = {
        "generateRequest": {"keywords": ["cold brew coffee"], "constraints": {"maxWords": 400}},
        "format": {"responseTypes": ["markdown"]},
    }
    status, job = ask("POST", "/v1/jobs", key, body)
    assert status == 202, job
    jobs = f"/v1/jobs/{job['jobId']}"
    _wait(lambda: _ended(ask("GET", jobs, key)[1]), _GENERATION_SECONDS, "the job ends")
    answer = ask("GET", jobs, key)[1]
    assert answer["status"] == "succeeded", answer
    say("compose: a job that web took was done by a worker")

    token = command("token", "create", account, "A blog")
    words = ["Coffee", "--keyword", "cold brew", "--every", "1h"]
    rule = command("rule", "create", token["tokenId"], *words)["ruleId"]
    # The connector pulls at once, and then every few minutes.
    _wait(lambda: _has_run(command("rule", "runs", rule)), _GENERATION_SECONDS, "the rule has run")
    feed = f"http://web:8000/v1/content-tokens/{token['tokenId']}"
    connector = composed.start("connector", COPYDESK_FEED_URL=feed)
    site = composed.volume("connector") / "site"
    _wait(lambda: len(list(site.glob("*.html"))) >= 2, _GENERATION_SECONDS, "a page is there")
    pages = [page.name for page in site.glob("*.html") if page.name != "index.html"]
    assert len(pages) == 1, pages
    say(f"compose: the connector put the rule's post on a page, once: {pages[0]}")

    _wait(lambda: len(composed.backups()) == 1, 180, "a backup is there")
    backup.end()
    composed.backups()[0].unlink()
    backup = composed.start_backup()
    _wait(lambda: len(composed.backups()) == 1, 180, "a backup with the job is there")
    memory = {"web": web, "worker": workers[0], "scheduler": scheduler, "connector": connector}
    sizes = [f"{name} {megabytes(service):.0f}" for name, service in memory.items()]
    say(f"compose: memory in MB: {', '.join(sizes)}")
    backup.end()
    running = {"web": web, "scheduler": scheduler, "connector": connector, "redis": redis}
    running |= {f"worker {n}": worker for n, worker in enumerate(workers, 1)}
    for name, service in running.items():
        seconds = float(composed.grace(name.split()[0]))
        try:
            code, took = service.stop(signal.SIGTERM, within=seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name} still runs {seconds:g} s after SIGTERM") from None
        assert code == 0, f"{name} ended with {code}: {composed.said(name.replace(' ', '-'))}"
        say(f"compose: {name} ends in {took:.1f} of {seconds:g} s")
    logs = "".join(composed.said(name) for name in ("web", "worker-1", "worker-2", "scheduler"))
    _restore(composed, database)
    passwords = composed.secret("passwords.sql").split("'")[1::2]
    assert len(passwords) == 2
    for secret in (*passwords, composed.secret("redis.conf").split()[1], key, token["tokenId"]):
        assert secret not in logs + composed.said("connector")
    assert "Traceback" not in logs, logs


def _restore(composed: Composed, database: Running) -> None:
    """The command of docs/guides/backup.md, while the service is stopped."""
    count = ("psql", "--dbname=copydesk", "--no-align", "--tuples-only")
    tool = composed.postgres_tool
    done = tool(database, *count, "--command=DELETE FROM webhook_deliveries; DELETE FROM jobs")
    assert done.returncode == 0, done.stderr
    guide = (Path(__file__).resolve().parents[2] / "docs/guides/backup.md").read_text()
    (line,) = [each for each in guide.splitlines() if " backup sh " in each]
    command = line.partition(" backup ")[2].split()
    command[-1] = composed.backups()[-1].name
    restoring = composed.start_backup(command, "restore")
    assert restoring.process.wait(180) == 0, composed.said("restore")
    counted = tool(database, *count, "--command=SELECT count(*) FROM jobs").stdout
    assert counted == "1\n", counted
    say("compose: a backup of the running database is restored")


def megabytes(service: Running) -> float:
    """The memory of all its processes, what they share counted once."""
    shares = service.run(["sh", "-c", "cat /proc/[0-9]*/smaps_rollup"]).stdout.splitlines()
    return sum(int(line.split()[1]) for line in shares if line.startswith("Pss:")) / 1024


def _has_run(runs: Any) -> bool:
    return any(run["status"] == "succeeded" for run in runs)


def _ended(job: Any) -> bool:
    return job["status"] in {"succeeded", "failed"}


def _wait(condition: Callable[[], bool], seconds: float, what: str) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds:g} s: {what}"
        time.sleep(0.2)
