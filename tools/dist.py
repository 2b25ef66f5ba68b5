"""Build the wheels and sdists of the SDK and the connectors.

    python tools/dist.py [FOLDER]

FOLDER is dist/ by default. It needs hatchling. Exit codes: 0 success, 1 the versions differ or a
build fails (reason on stderr).
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
# The server is not among them: its wheel has packages named app and scheduler.
PROJECTS = ("sdk", "connectors")
_VERSIONS = {
    "server": "app/__init__.py",
    "SDK": "sdk/copydesk/_version.py",
    "connectors": "connectors/copydesk_connectors/__init__.py",
    "changelog": "CHANGELOG.md",
    "SDK's changelog": "sdk/CHANGELOG.md",
    "connectors' changelog": "connectors/CHANGELOG.md",
}


def versions() -> dict[str, str]:
    """Return the version of each package, and of the latest section of each changelog."""
    found = {}
    for name, path in _VERSIONS.items():
        pattern = r"^## (\S+)" if path.endswith(".md") else r'^__version__ = "([^"]+)"$'
        match = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else ""
    return found


def build(folder: Path = DIST) -> list[Path]:
    """Build all distributions into the folder; return their files.

    Raises:
        SystemExit: the versions differ, or a build fails.
    """
    if len(set(versions().values())) != 1:
        sys.exit(f"dist: the versions differ: {versions()}")
    folder.mkdir(parents=True, exist_ok=True)
    for project in PROJECTS:
        command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
        done = subprocess.run(command, cwd=ROOT / project, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"dist: {project} was not built: {done.stderr.strip()[-2000:]}")
    version = versions()["SDK"]
    return sorted(
        path for path in folder.iterdir() if re.search(rf"-{re.escape(version)}[-.]", path.name)
    )


if __name__ == "__main__":
    for built in build(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else DIST):
        print(built)
