"""The Markdown parser, ready for several threads.

Import it where a parser is made: loading it takes a while.
"""

from markdown_it import MarkdownIt

# mdurl fills a table at the first link and lets other threads use it half full. A module is
# imported once, so both tables are full before anybody has the parser.
_FIRST = MarkdownIt("commonmark")
_FIRST.normalizeLink("https://example.com/")
_FIRST.normalizeLinkText("https://example.com/")

__all__ = ["MarkdownIt"]
