"""PHP of each version as WebAssembly from npm: enough to compile files, without a site."""

import json
import platform
import subprocess
from pathlib import Path

from tests.support.sites.cache import made_once, npm_install
from tests.support.sites.programs import NotInstalled

VERSIONS = ("7.4", "8.0", "8.1", "8.2", "8.3", "8.4", "8.5")
RELEASE = "3.1.56"
# Debian 12's Node is too old for it.
NODE = "22.23.3"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
SCRIPT = Path(__file__).with_name("wordpress") / "compile.mjs"
COMPILE_SECONDS = 120.0


def compile_errors(version: str, files: dict[str, str]) -> list[str]:
    """Return what PHP of a version of VERSIONS says of sources by name, as ``php -l`` would.

    Errors, warnings and deprecations of the compiler, one a line; none for sources without fault.
    Nothing of the sources is run.

    Raises:
        NotInstalled: npm is missing, or cannot fetch it.
        AssertionError: PHP does not start.
    """
    folder = _npm_folder()
    done = subprocess.run(
        [str(folder / f"node_modules/{_node()}/bin/node"), str(SCRIPT), str(folder), version],
        input=json.dumps(files),
        capture_output=True,
        text=True,
        timeout=COMPILE_SECONDS,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["version"].startswith(f"{version}."), said["version"]
    assert said["compiled"] == len(files), said
    return list(said["errors"])


def _node() -> str:
    if platform.system() != "Linux" or platform.machine() not in MACHINES:
        raise NotInstalled(f"npm has no Node for {platform.system()} on {platform.machine()}")
    return f"node-linux-{MACHINES[platform.machine()]}"


def _npm_folder() -> Path:
    packages = [f"{_node()}@{NODE}", f"@php-wasm/universal@{RELEASE}"]
    packages += [f"@php-wasm/node-{version.replace('.', '-')}@{RELEASE}" for version in VERSIONS]
    return made_once(
        f"php-wasm-{RELEASE}-node-{NODE}",
        lambda folder: npm_install("--ignore-scripts", *packages, folder=folder),
    )
