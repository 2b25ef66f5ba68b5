"""Builds both images by docker/Dockerfile without a container engine, and checks them.

python tests/image WORK_FOLDER CACHE_FOLDER     (by .ci/image, as root, in its own namespaces)
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import checks
import journey
import recipe
from builder import Builder, Image, StepFailed
from chamber import Mount
from composed import Composed

_REPOSITORY = Path(__file__).resolve().parents[2]
_RELEASE = "bookworm"
_PACKAGES = "python3,python3-pip,ca-certificates,netbase,tzdata"
# What the official image sets, so that the Dockerfile starts from the same.
_BASE_ENV = {
    "PATH": "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
}


def main(work: Path, cache: Path) -> int:
    began = time.monotonic()
    os.umask(0o022)
    work.mkdir()
    cache.mkdir(parents=True, exist_ok=True)
    stages = recipe.read(_REPOSITORY / "docker" / "Dockerfile")
    base = Image(_bare_system(cache), dict(_BASE_ENV))
    builder = Builder(_REPOSITORY, work, cache, base)
    images = {}
    for stage in stages:
        started = time.monotonic()
        images[stage.name] = builder.build(stage)
        checks.say(f"stage {stage.name}: every step in {time.monotonic() - started:.0f} s")
    _check_server(images["server"], base, work)
    _check_connector(images["connector"], base, work)
    file = _REPOSITORY / "docker" / "compose.yaml"
    with Composed(file, images, base, work / "composed") as composed:
        journey.travel(composed, _REPOSITORY / "tests" / "scripted_model.py")
    print(f"the images are as they should be ({time.monotonic() - began:.0f} s)")
    return 0


def _check_server(image: Image, base: Image, work: Path) -> None:
    folder = work / "running-server"
    folder.mkdir()
    checks.contents("server", image, base, unwanted=("xllamacpp", "copydesk", "pytest"))
    checks.code_is_safe("server", image)
    nowhere = f"postgresql+psycopg://copydesk:{checks.SECRET}@127.0.0.1:1/copydesk"
    checks.ends(
        "web without its database",
        image,
        folder,
        list(image.command),
        code=1,
        said="the database cannot be used",
        env={"OPENAI_BASE_URL": "https://model.invalid/v1", "COPYDESK_DATABASE_URL": nowhere},
    )


def _check_connector(image: Image, base: Image, work: Path) -> None:
    folder = work / "running-connector"
    folder.mkdir()
    checks.contents("connector", image, base, unwanted=("flask", "sqlalchemy", "app", "granian"))
    checks.code_is_safe("connector", image)
    checks.ends("help", image, folder, ["--help"], code=0, said="exactly once", env={})
    example = Mount(
        "/etc/copydesk/connector.toml",
        _REPOSITORY / "docker" / "connector.example.toml",
        read_only=True,
    )
    feed = {"COPYDESK_FEED_URL": "http://web.invalid:8000/v1/content-tokens/a-token-that-is-long"}
    checks.ends(
        "check",
        image,
        folder,
        ["check", *image.command[1:]],
        code=1,
        said="cannot reach http://web.invalid:8000: ",
        env=feed,
        mounts=[example],
    )


def _bare_system(cache: Path) -> Path:
    """Debian's smallest system with its own Python, in place of the official Python image."""
    root = cache / _RELEASE
    if not root.exists():
        unfinished = cache / f"{_RELEASE}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        command = ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", _RELEASE]
        subprocess.run([*command, str(unfinished)], check=True, stdout=sys.stderr)
        subprocess.run(["chroot", str(unfinished), "apt-get", "clean"], check=True)
        # The slim images leave these out as well.
        for path in ("var/lib/apt/lists", "usr/share/doc", "usr/share/locale", "usr/share/man"):
            shutil.rmtree(unfinished / path, ignore_errors=True)
        unfinished.rename(root)
        checks.say("a bare Debian system was made")
    return root


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
    except (AssertionError, ProcessLookupError, StepFailed, recipe.UnknownStep) as problem:
        sys.exit(f"FAILED  {problem}")
