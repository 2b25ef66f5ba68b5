"""Build dist/copydesk.zip, the WordPress plugin as owners install it.

    python tools/wordpress_plugin.py [ZIP]

The same files give the same bytes on every machine. Exit codes: 0 success, 1 the versions differ or
a file is missing (reason on stderr).
"""

import re
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "connectors" / "wordpress-plugin" / "copydesk"
ZIP = ROOT / "dist" / "copydesk.zip"
SUFFIXES = frozenset({".css", ".js", ".php", ".pot", ".txt"})
# What a plugin cannot do without.
NEEDED = ("copydesk.php", "uninstall.php", "readme.txt", "LICENSE.txt", "languages/copydesk.pot")
# The first moment that a zip can name.
_DATE = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16
_VERSIONS: Mapping[str, tuple[str, str]] = {
    "header": ("copydesk.php", r"^ \* Version:\s*(\S+)$"),
    "constant": ("copydesk.php", r"define\( 'COPYDESK_VERSION', '([^']+)' \);"),
    "stable tag": ("readme.txt", r"^Stable tag:\s*(\S+)$"),
    "changelog": ("readme.txt", r"^== Changelog ==\s*= (\S+) =$"),
    "template of translations": (
        "languages/copydesk.pot",
        r'^"Project-Id-Version: Copydesk ([^\\"]+)',
    ),
}


class NotBuildable(Exception):
    """The plugin lacks a file, or its files disagree; the message says which."""


def versions(plugin: Path = PLUGIN) -> dict[str, str]:
    """Return the version that each place of the plugin gives, "" for none."""
    found = {}
    for place, (name, pattern) in _VERSIONS.items():
        match = re.search(pattern, (plugin / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[place] = match[1] if match else ""
    return found


def files(plugin: Path = PLUGIN) -> list[Path]:
    """Return the files that belong in the zip, in order."""
    return sorted(
        path
        for path in plugin.rglob("*")
        if path.is_file()
        and path.suffix in SUFFIXES
        and not any(part.startswith(".") for part in path.relative_to(plugin).parts)
    )


def build(target: Path = ZIP, plugin: Path = PLUGIN) -> str:
    """Write the zip and return the version in it.

    Raises:
        NotBuildable: a file is missing, or versions differ.
    """
    for name in NEEDED:
        if not (plugin / name).is_file():
            raise NotBuildable(f"{plugin / name} is missing")
    found = versions(plugin)
    if len(set(found.values())) != 1 or not found["header"]:
        listed = ", ".join(f"{place}: {version or 'none'}" for place, version in found.items())
        raise NotBuildable(f"the versions in {plugin} differ: {listed}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for path in files(plugin):
            name = f"copydesk/{path.relative_to(plugin).as_posix()}"
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = 3, _MODE
            # Stored: what compression gives differs between versions of zlib.
            archive.writestr(entry, path.read_bytes())
    return found["header"]


def main() -> None:
    """Build the zip that the command line names."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ZIP
    try:
        version = build(target)
    except NotBuildable as error:
        sys.exit(str(error))
    print(f"{target}: version {version}, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
