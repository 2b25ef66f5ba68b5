"""The documentation: generated pages are current, links lead somewhere, words are checked."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.api.reference import reference
from tools.check_words import hits
from tools.pages import BASE_URL, commands, settings

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    ROOT / "sdk" / "README.md",
    ROOT / "connectors" / "README.md",
    ROOT / "tests" / "README.md",
    ROOT / "examples" / "webhooks" / "README.md",
]
_LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")
_SECTION = re.compile(r"\]\(([^)#:\s]*)#([^)\s]+)\)")
# What a browser loads from another host as it shows a page.
_LOADED = re.compile(
    r"<(script|img|iframe|source)\b[^>]*\ssrc=[\"']?(https?:)?//"
    r"|<link\b[^>]*\brel=[\"']?(stylesheet|preconnect|preload|icon)[^>]*href=[\"']?(https?:)?//"
    r"|class=\"?mermaid"
)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_reference_is_current() -> None:
    """Run ``make openapi`` if this fails."""
    assert (ROOT / "docs" / "reference.md").read_text("utf-8") == reference(BASE_URL)


def test_the_pages_of_commands_and_settings_are_current() -> None:
    """Run ``make openapi`` if this fails."""
    assert (ROOT / "docs" / "commands.md").read_text("utf-8") == commands()
    assert (ROOT / "docs" / "settings.md").read_text("utf-8") == settings()


def test_the_site_is_built_without_a_warning_and_loads_nothing_from_other_hosts(
    tmp_path: Path,
) -> None:
    """“All assets local, no CDN, no fonts from other hosts”"""
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        assert not _LOADED.search(page.read_text("utf-8")), page.name
    for style in tmp_path.rglob("*.css"):
        assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", style.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for target, _ in _LINK.findall(text):
        assert (page.parent / target).exists(), target
    for target, section in _SECTION.findall(text):
        linked = page.parent / target if target else page
        assert section in anchors(linked), f"{target}#{section}"


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.md", "So\nmany words.\n", [1]),
        ("a.md", "It says “so many” only in a quotation.\n", []),
        ("a.md", "```\nso many\n```\n", []),
        ("CHANGELOG.md", "# Log\n\n## 2\n\nnew\n\n## 1\n\nso many\n", []),
        ("a.py", "# There are so\n# many.\nx = 'so ' 'many'\nsomany = so_many = 1\n", [1, 3]),
    ],
)
def test_the_word_list_reads_prose(name: str, text: str, lines: list[int]) -> None:
    assert [line for line, *_ in hits({r"\bso many\b": "a number of"}, name, text)] == lines


def test_the_map_names_files_that_exist() -> None:
    """Every path with a folder in docs/architecture.md is below the root, `app/` or `app/core/`."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:[\w.-]+/)+(?:[\w-]+\.(?:py|toml|md))?)`", text))
    assert len(named) > 50
    bases = (ROOT, ROOT / "app", ROOT / "app/core", ROOT / "connectors/copydesk_connectors")
    assert [
        name for name in sorted(named) if not any((base / name).exists() for base in bases)
    ] == []
