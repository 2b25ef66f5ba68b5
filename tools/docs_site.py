"""Hooks of the documentation site (mkdocs.yml): pages from outside of docs/, and links to them."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
# Pages of the repository, and what they are called on the site.
ADDED = {
    "sdk/README.md": "sdk.md",
    "connectors/README.md": "connectors.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of ``ADDED``."""
    for source, page in ADDED.items():
        content = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Point links at pages of the site. A link to a file that is not on it becomes its text."""
    on_site: str = page.file.src_uri
    outside = {page: source for source, page in ADDED.items()}
    folder = posixpath.dirname(outside.get(on_site, f"docs/{on_site}"))

    def linked(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        there = ADDED.get(path) or path.removeprefix("docs/")
        if files.get_file_from_path(there) is None or not path.startswith(("docs/", *ADDED)):
            # The build says which links lead nowhere.
            return text if (ROOT / path).exists() else found[0]
        relative = posixpath.relpath(there, posixpath.dirname(on_site) or ".")
        return f"[{text}]({relative}{anchor})"

    return _LINK.sub(linked, markdown)
