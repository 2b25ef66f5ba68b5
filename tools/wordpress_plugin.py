"""Build dist/copydesk.zip, the WordPress plugin as owners install it.

    python tools/wordpress_plugin.py [ZIP]

The same files give the same bytes on every machine. Exit codes: 0 success, 1 a file is missing
(reason on stderr).
"""

import sys
import zipfile
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


class NotBuildable(Exception):
    """The plugin lacks a file; the message says which."""


def files(plugin: Path = PLUGIN) -> list[Path]:
    """Return the files that belong in the zip, in order."""
    return sorted(
        path
        for path in plugin.rglob("*")
        if path.is_file()
        and path.suffix in SUFFIXES
        and not any(part.startswith(".") for part in path.relative_to(plugin).parts)
    )


def build(target: Path = ZIP, plugin: Path = PLUGIN) -> None:
    """Write the zip.

    Raises:
        NotBuildable: a file is missing.
    """
    for name in NEEDED:
        if not (plugin / name).is_file():
            raise NotBuildable(f"{plugin / name} is missing")
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for path in files(plugin):
            name = f"copydesk/{path.relative_to(plugin).as_posix()}"
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = 3, _MODE
            # Stored: what compression gives differs between versions of zlib.
            archive.writestr(entry, path.read_bytes())


def main() -> None:
    """Build the zip that the command line names."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ZIP
    try:
        build(target)
    except NotBuildable as error:
        sys.exit(str(error))
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
