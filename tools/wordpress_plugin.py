"""Build dist/copydesk.zip, the WordPress plugin as owners install it.

    python tools/wordpress_plugin.py [ZIP]

The same files give the same bytes on every machine.
"""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "connectors" / "wordpress-plugin" / "copydesk"
ZIP = ROOT / "dist" / "copydesk.zip"
SUFFIXES = frozenset({".css", ".js", ".php", ".pot", ".txt"})
# The first moment that a zip can name.
_DATE = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16


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
    """Write the zip."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for path in files(plugin):
            name = f"copydesk/{path.relative_to(plugin).as_posix()}"
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = 3, _MODE
            # Stored: what compression gives differs between versions of zlib.
            archive.writestr(entry, path.read_bytes())
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ZIP)
