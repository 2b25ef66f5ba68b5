"""The documentation: generated pages are current, links lead somewhere, words are checked."""

import re
from pathlib import Path

import pytest

from tools.check_words import WordList
from tools.reference import reference

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
RULES = """
paths = ["docs"]
excluded = []
[phrases]
'\\bso many\\b' = "a number of"
[names]
'\\bwish(es)?\\b' = "feedback"
"""


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_reference_is_current() -> None:
    """Run ``make openapi`` if this fails."""
    assert (ROOT / "docs" / "reference.md").read_text("utf-8") == reference()


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
        ("a.py", "# There are so\n# many.\nx = 'so ' 'many'\n", [1, 3]),
        ("a.py", "def read_wishes(myWish): ...\n", [1, 1]),
        ("a.py", "somany = so_many = 1\n", []),
    ],
)
def test_the_word_list_reads_prose_and_names(name: str, text: str, lines: list[int]) -> None:
    assert sorted(line for line, _, _ in WordList(RULES).hits(name, text)) == lines


def test_the_map_names_files_that_exist() -> None:
    """Every path with a folder in docs/architecture.md is below the root, `app/` or `app/core/`."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:[\w.-]+/)+(?:[\w-]+\.(?:py|toml|md))?)`", text))
    assert len(named) > 50
    bases = (ROOT, ROOT / "app", ROOT / "app/core", ROOT / "connectors/copydesk_connectors")
    assert [
        name for name in sorted(named) if not any((base / name).exists() for base in bases)
    ] == []
