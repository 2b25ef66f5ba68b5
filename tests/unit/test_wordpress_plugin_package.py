"""The zip of the WordPress plugin: reproducible, complete, nothing else."""

import hashlib
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from tools.wordpress_plugin import PLUGIN, NotBuildable, build, files


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the plugin, which a test may change."""
    return Path(shutil.copytree(PLUGIN, tmp_path / "copydesk"))


def test_the_same_files_give_the_same_zip(copied: Path, tmp_path: Path) -> None:
    """reproducible (sorted, fixed dates)"""
    first, second = tmp_path / "one.zip", tmp_path / "two.zip"
    build(first)
    for path in copied.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        path.chmod(0o700)
    build(second, copied)
    assert digest(first) == digest(second)
    with zipfile.ZipFile(first) as archive:
        names = archive.namelist()
        assert names == sorted(names)
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.testzip() is None


def test_the_zip_has_the_plugin_with_its_licence_and_nothing_else(
    copied: Path, tmp_path: Path
) -> None:
    """without tests; licence inside"""
    for stray in ("tests/test_x.py", ".git/config", "includes/.cache.php", "x.php~", "notes.md"):
        (copied / stray).parent.mkdir(parents=True, exist_ok=True)
        (copied / stray).write_text("stray")
    file = tmp_path / "copydesk.zip"
    build(file, copied)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        licence = archive.read("copydesk/LICENSE.txt").decode()
    assert names == [f"copydesk/{path.relative_to(PLUGIN).as_posix()}" for path in files()]
    assert {"copydesk/copydesk.php", "copydesk/readme.txt", "copydesk/uninstall.php"} < set(names)
    assert not [name for name in names if "test" in name or name.endswith((".py", ".md"))]
    assert "GNU GENERAL PUBLIC LICENSE" in licence
    assert "Version 2, June 1991" in licence


@pytest.mark.parametrize("name", ["LICENSE.txt", "languages/copydesk.pot"])
def test_a_missing_file_is_named(copied: Path, name: str, tmp_path: Path) -> None:
    (copied / name).unlink()
    with pytest.raises(NotBuildable, match=re.escape(f"{name} is missing")):
        build(tmp_path / "x.zip", copied)
    assert not (tmp_path / "x.zip").exists()


def test_the_readme_has_what_the_plugin_directory_reads() -> None:
    """readme.txt in the form of the plugin directory"""
    readme = (PLUGIN / "readme.txt").read_text(encoding="utf-8")
    header = dict(
        re.findall(r"^([A-Z][A-Za-z ]+): (.+)$", readme.partition("\n\n")[0], re.MULTILINE)
    )
    assert readme.startswith("=== Copydesk ===\n")
    main = (PLUGIN / "copydesk.php").read_text(encoding="utf-8")
    for field in ("Requires at least", "Requires PHP", "License", "License URI"):
        assert f" * {field}: {header[field]}\n" in main
    assert header["Tested up to"] == "7.1"
    assert len(header["Tags"].split(",")) <= 5
    short = readme.partition("\n\n")[2].partition("\n")[0]
    assert 20 < len(short) <= 150
    for section in ("Description", "Installation", "Frequently Asked Questions", "Changelog"):
        assert f"\n== {section} ==\n" in readme
