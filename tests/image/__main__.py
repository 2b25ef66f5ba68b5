"""Checks the images that .ci/image has built, and what docker/compose.yaml makes of them.

python tests/image FOLDER     (by .ci/image; FOLDER has a venv with podman-compose)
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from composed import Composed, travel
from engine import podman, run, say

_REPOSITORY = Path(__file__).resolve().parents[2]
_STATE = "/var/lib/copydesk"
_COMPILERS = ("cc", "gcc", "g++", "c99", "clang", "ld", "as", "make", "rustc", "go")
# Where Debian leaves a folder open to everybody; all of it is empty and outside the code.
_OPEN = {"/tmp", "/var/tmp", "/run/lock", "/dev/shm", "/dev/mqueue"}
_SECRET = "a-password-that-is-shown-nowhere"


def main(folder: Path) -> None:
    server, connector = "copydesk-server:0.1.0", "copydesk-connector:0.1.0"
    check_contents(server, unwanted=("xllamacpp", "copydesk", "pytest"))
    check_contents(connector, unwanted=("flask", "sqlalchemy", "app", "granian"))
    nowhere = f"postgresql+psycopg://copydesk:{_SECRET}@127.0.0.1:1/copydesk"
    check_end(
        server,
        code=1,
        said="the database cannot be used",
        env={"OPENAI_BASE_URL": "https://model.invalid/v1", "COPYDESK_DATABASE_URL": nowhere},
    )
    check_end(connector, "--help", code=0, said="exactly once")
    config = "/etc/copydesk/connector.toml"
    check_end(
        connector, "check", "--config", config,
        code=1,
        said="cannot reach http://web.invalid:8000: ",
        env={"COPYDESK_FEED_URL": "http://web.invalid:8000/v1/content-tokens/a-long-token"},
        volume=f"{_REPOSITORY / 'docker' / 'connector.example.toml'}:{config}:ro",
    )  # fmt: skip
    with Composed(folder, _REPOSITORY) as composed:
        travel(composed)


def check_contents(image: str, unwanted: Sequence[str]) -> None:
    """Its size, what must not be left in it, and that its user can write nothing but its folder."""
    root = Path(podman("image", "mount", image))
    paths = [str(path.relative_to(root)) for path in root.rglob("*")]
    compilers = [p for p in paths if p.endswith(tuple(f"bin/{tool}" for tool in _COMPILERS))]
    assert not compilers, f"{image}: compilers are left: {compilers}"
    caches = [p for p in paths if ".cache/" in p or p.startswith(("src", "wheels", "opt/build"))]
    assert not caches, f"{image}: what only building needs is left: {caches[:5]}"
    packages = {p.name for p in root.glob("opt/copydesk/lib/python*/site-packages/*")}
    assert {"certifi", "click"} & packages, f"{image}: no packages were found"
    left = packages & {"pip", "setuptools", "hatchling", *unwanted}
    assert not left, f"{image}: not wanted in it: {left}"
    user = podman("image", "inspect", "--format={{.Config.User}}", image)
    assert user.split(":")[0] not in {"", "0"}, f"{image} runs as root"
    find = ("/", "-xdev", "-writable", "!", "-type", "l", "-prune", "-print")
    listed = run("podman", "run", "--rm", "--network=none", "--entrypoint=find", image, *find)
    written = {line for line in listed.stdout.splitlines() if not line.startswith("/proc")}
    assert _STATE in written, listed.stderr
    assert written <= {_STATE, *_OPEN}, f"{image}: its user can write {sorted(written)[:5]}"
    sizes = [int(podman("image", "inspect", "--format={{.Size}}", i)) for i in (image, "base")]
    grown = (sizes[0] - sizes[1]) / 1e6
    say(
        f"{image}: {grown:.0f} MB above its base; no compiler, no cache, no code that {user} writes"
    )


def check_end(
    image: str, *arguments: str, code: int, said: str, env: dict[str, str] | None = None, volume=""
) -> None:
    """Run it as compose.yaml does, without a network; check its exit code and what it says."""
    sealed = ("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges")
    options = [f"--env={name}={value}" for name, value in (env or {}).items()]
    options += [f"--volume={volume}"] if volume else []
    done = run("podman", "run", "--rm", "--network=none", *sealed, *options, image, *arguments)
    text = done.stdout + done.stderr
    assert done.returncode == code, f"{image}: ended with {done.returncode}, not {code}: {text}"
    assert said in text, f"{image}: {said!r} is not in what it said: {text}"
    assert _SECRET not in text, f"{image} shows a secret"
    say(f"{image}: ends with {code}, saying “{said}”")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except AssertionError as problem:
        sys.exit(f"FAILED  {problem}")
