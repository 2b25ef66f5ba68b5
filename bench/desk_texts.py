"""Texts that people wrote, for the measurement of false alarms: documentation out of Debian.

The packages are fetched with apt-get when the bench runs and deleted after it; nothing of them is
committed. Each page of at least 400 words of prose is one text.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from app.core.rendering.plain_markdown import escape

MIN_WORDS = 400
MAX_WORDS = 20_000
_PACKAGES = {
    "debian-handbook": ("GPL-2+ or CC-BY-SA-3.0", "book"),
    "developers-reference": ("GPL-2+", "manual"),
    "debian-history": ("GPL-2+", "history"),
    "debian-reference-en": ("GPL-2+", "manual"),
    "maint-guide": ("GPL-2+", "manual"),
    "debian-faq": ("GPL-2+", "manual"),
    "debian-policy": ("GPL-2+", "manual"),
    "aptitude-doc-en": ("GPL-2+", "manual"),
    "installation-guide-amd64": ("GPL-2+", "manual"),
    "anarchism": ("GPL-2", "essays"),
}
_LANGUAGES = {
    "en-US": "en", "de-DE": "de", "fr-FR": "fr", "es-ES": "es", "it-IT": "it", "pt-BR": "pt-BR",
    "nl-NL": "nl",
}  # fmt: skip


@dataclass(frozen=True)
class HumanText:
    package: str
    licence: str
    page: str
    language: str
    markdown: str


def human_texts() -> Iterator[HumanText]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        seen: set[str] = set()
        subprocess.run(
            ["apt-get", "download", *_PACKAGES], cwd=folder, check=True, capture_output=True
        )
        for archive in sorted(folder.glob("*.deb")):
            package = archive.name.partition("_")[0]
            root = folder / package
            subprocess.run(["dpkg-deb", "-x", archive, root], check=True)
            for page in sorted(root.rglob("*.html")):
                relative = page.relative_to(root).as_posix()
                language = _language(package, relative)
                if language and page.is_file():
                    text = _markdown(page)
                    if MIN_WORDS <= len(text.split()) <= MAX_WORDS and text not in seen:
                        seen.add(text)
                        licence = _PACKAGES[package][0]
                        yield HumanText(package, licence, page.name, language, text)


def _language(package: str, path: str) -> str | None:
    if package == "debian-handbook":
        return next((_LANGUAGES[tag] for tag in _LANGUAGES if f"/{tag}/" in path), None)
    if package == "installation-guide-amd64" and "/en/" not in path:
        return None
    parts = path.split(".")
    if len(parts) > 2 and parts[-2] != "en" and len(parts[-2]) in {2, 5}:
        return None
    return "en"


def _markdown(page: Path) -> str:
    """Headings, paragraphs, quotations and lists; no navigation, no code."""
    soup = BeautifulSoup(page.read_bytes(), "html.parser")
    for tag in soup(["script", "style", "nav", "header", "footer", "table"]):
        tag.decompose()
    blocks = []
    for tag in soup.find_all(["h1", "h2", "h3", "h4", "p", "li", "pre"]):
        if not isinstance(tag, Tag) or tag.find_parent(["li"]) or tag.find_parent("p"):
            continue
        if tag.name == "pre":
            blocks.append(f"```\n{tag.get_text()}\n```")
            continue
        text = escape(" ".join(tag.get_text(" ").split()))
        for sign in (",", ".", ";", ":", ")", "?", "!"):
            text = text.replace(f" {sign}", sign)
        if not text:
            continue
        if tag.name.startswith("h"):
            blocks.append(f"{'#' * int(tag.name[1])} {text}")
        elif tag.name == "li":
            blocks.append(f"- {text}")
        else:
            blocks.append(f"> {text}" if tag.find_parent("blockquote") else text)
    return "\n\n".join(blocks)
