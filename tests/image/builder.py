"""Carries out the stages of a Dockerfile, each in a copy of its parent's root file system."""

import glob
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chamber import Chamber, Mount
from docker.utils.build import exclude_paths
from recipe import Stage, Step, UnknownStep, argument, expand, pairs

_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_NAMES = Path("/etc/resolv.conf")


class StepFailed(Exception):
    """A step of the Dockerfile ended with an error."""


@dataclass
class Image:
    """What a stage made: a root file system and how to start it."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: str = "0:0"
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    healthcheck: tuple[str, ...] = ()


class Builder:
    """Builds stages one after the other; a later one may copy from an earlier one."""

    def __init__(self, context: Path, work: Path, cache: Path, base: Image) -> None:
        self._work = work
        self._cache = cache
        self._base = base
        self._images: dict[str, Image] = {}
        self._context = self._context_of(context)
        self._pip = pip_options()

    def build(self, stage: Stage) -> Image:
        """Carry out one stage.

        Raises:
            StepFailed: a command of it failed; the message ends with what it printed.
            UnknownStep: it cannot be carried out here.
        """
        # Every image that is no stage is the Python image, which the bare system stands for.
        parent = self._images.get(stage.parent, self._base)
        root = self._work / stage.name
        subprocess.run(["cp", "-a", f"{parent.root}/.", f"{root}/"], check=True)
        image = Image(root, dict(parent.env), dict(parent.arguments), parent.workdir, parent.user)
        for step in stage.steps:
            self._carry_out(step, image)
        self._images[stage.name] = image
        return image

    def _carry_out(self, step: Step, image: Image) -> None:
        known = image.arguments | image.env
        match step.keyword:
            case "ARG":
                image.arguments |= argument(step, known)
            case "ENV":
                image.env |= pairs(step, known)
            case "RUN":
                self._run(step, image)
            case "COPY":
                self._copy(step, image)
            case "WORKDIR":
                image.workdir = str(Path(image.workdir, expand(step.words[0], known)))
                Path(f"{image.root}{image.workdir}").mkdir(parents=True, exist_ok=True)
            case "USER":
                image.user = _numbers(step)
            case "ENTRYPOINT":
                image.entrypoint, image.command = step.words, ()
            case "CMD":
                image.command = step.words
            case "HEALTHCHECK":
                if step.words[0] != "CMD":
                    raise UnknownStep(f"line {step.line}: HEALTHCHECK {step.words[0]}")
                image.healthcheck = step.words[1:]
            case "LABEL" | "EXPOSE" | "STOPSIGNAL":
                pass
            case _:
                raise UnknownStep(f"line {step.line}: {step.keyword}")

    def _run(self, step: Step, image: Image) -> None:
        if image.user != "0:0":
            raise UnknownStep(f"line {step.line}: RUN after USER")
        # Here the host's way to the outside is lent, as a container engine lends its own.
        mounts = [Mount(str(path), path, read_only=True) for path in (_NAMES, _CERTIFICATES)]
        mounts += [self._mount(dict(_options(value)), step) for _, value in step.flags]
        chamber = Chamber(
            image.root,
            {"HOME": "/root"} | self._pip | image.arguments | image.env,
            image.workdir,
            mounts=mounts,
            network=True,
        )
        with tempfile.TemporaryFile() as output:
            code = chamber.run(["/bin/sh", "-c", step.words[0]], output)
            output.seek(0)
            said = output.read().decode(errors="replace")
        if code != 0:
            raise StepFailed(f"line {step.line}: RUN ended with {code}:\n{said[-4000:]}")

    def _mount(self, options: Mapping[str, str], step: Step) -> Mount:
        match dict(options):
            case {"type": "cache", "target": target, **rest} if not rest:
                source = self._cache / "mounts" / target.strip("/").replace("/", "-")
                source.mkdir(parents=True, exist_ok=True)
                return Mount(target, source)
            case {"type": "bind", "from": stage, "source": path, "target": target, **rest} if (
                not rest
            ):
                return Mount(target, Path(f"{self._images[stage].root}{path}"), read_only=True)
        raise UnknownStep(f"line {step.line}: RUN --mount={options}")

    def _copy(self, step: Step, image: Image) -> None:
        stages = [value for _, value in step.flags]
        origin = self._images[stages[0]].root if stages else self._context
        *sources, destination = (expand(w, image.arguments | image.env) for w in step.words)
        place = Path(f"{image.root}{Path(image.workdir, destination)}")
        into = destination.endswith("/") or len(sources) > 1
        for source in sources:
            path = Path(f"{origin}/{source.lstrip('/')}")
            if glob.has_magic(source) or not path.exists():
                raise StepFailed(f"line {step.line}: COPY: {source} is not there to be copied")
            target = place / path.name if into and path.is_file() else place
            (target if path.is_dir() else target.parent).mkdir(parents=True, exist_ok=True)
            # COPY of a folder copies what is in it, and all belongs to root.
            inner = f"{path}/." if path.is_dir() else str(path)
            subprocess.run(["cp", "-a", "--no-preserve=ownership", inner, str(target)], check=True)

    def _context_of(self, repository: Path) -> Path:
        """A copy of what .dockerignore lets into the build."""
        patterns = (repository / ".dockerignore").read_text().splitlines()
        patterns = [line for line in patterns if line and not line.startswith("#")]
        context = self._work / "context"
        for name in exclude_paths(str(repository), patterns):
            if (repository / name).is_file():
                (context / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(repository / name, context / name)
        return context


def pip_options() -> dict[str, str]:
    """The host's configuration of pip as variables, without folders that only the host has."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    )
    options = {}
    for line in listed.stdout.splitlines():
        key, _, value = line.partition("=")
        words = [word for word in value.strip("'").split() if not word.startswith(("/", "file:"))]
        if key.startswith((":env:.", "global.", "install.")) and words:
            options["PIP_" + key.rpartition(".")[2].upper().replace("-", "_")] = " ".join(words)
    return options | {"PIP_CERT": str(_CERTIFICATES)}


def _options(text: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (part.partition("=") for part in text.split(","))]


def _numbers(step: Step) -> str:
    uid, _, gid = step.words[0].partition(":")
    if not (uid.isdigit() and gid.isdigit()):
        # Setting the owner of a volume would need a lookup for a name.
        raise UnknownStep(f"line {step.line}: USER must be UID:GID in numbers")
    return step.words[0]
