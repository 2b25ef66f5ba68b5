"""HTML as the blocks of WordPress's editor (Gutenberg).

Each block has the HTML that its ``save`` function in the editor writes. Otherwise the editor
reports "This block contains unexpected or invalid content". Older versions accept the classes of
newer ones (wp-block-heading, wp-block-list) as classes that the owner added.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.formatter import HTMLFormatter

# WordPress escapes only these characters.
_FORMATTER = HTMLFormatter(
    entity_substitution=lambda text: (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("[", "&#91;")
    ),
    void_element_close_prefix="",
)


def as_blocks(markup: str) -> str:
    """Return the body as blocks. An element without a block becomes custom HTML."""
    soup = BeautifulSoup(markup, "html.parser")
    return "\n\n".join(_blocks(soup.contents))


def _blocks(nodes: Iterable[Any]) -> list[str]:
    blocks: list[str] = []
    loose: list[Any] = []
    for node in nodes:
        if isinstance(node, Tag) and (form := _FORMS.get(node.name)):
            blocks += _paragraph_of(loose)
            loose = []
            blocks.append(form(node))
        elif isinstance(node, Tag) and node.name not in _INLINE:
            blocks += [*_paragraph_of(loose), _block("html", str(node))]
            loose = []
        else:
            loose.append(node)
    return blocks + _paragraph_of(loose)


def _block(name: str, inner: str, **attributes: Any) -> str:
    written = f" {json.dumps(attributes, separators=(',', ':'))}" if attributes else ""
    return f"<!-- wp:{name}{written} -->\n{inner}\n<!-- /wp:{name} -->"


def _inner(nodes: Iterable[Any]) -> str:
    written = (
        node.decode(formatter=_FORMATTER)
        if isinstance(node, Tag)
        else node.output_ready(formatter=_FORMATTER)
        for node in nodes
    )
    return "".join(written).strip()


def _paragraph_of(nodes: list[Any]) -> list[str]:
    inner = _inner(nodes)
    return [_paragraph(inner)] if inner else []


def _paragraph(inner: str) -> str:
    return _block("paragraph", f"<p>{inner}</p>")


def _heading(tag: Tag) -> str:
    level = int(tag.name[1])
    inner = f'<{tag.name} class="wp-block-heading">{_inner(tag.contents)}</{tag.name}>'
    return _block("heading", inner, **({} if level == 2 else {"level": level}))


def _list(tag: Tag) -> str:
    items = "\n\n".join(_list_item(item) for item in tag.find_all("li", recursive=False))
    if tag.name == "ul":
        return _block("list", f'<ul class="wp-block-list">{items}</ul>')
    start = str(tag.get("start", ""))
    if start.isdecimal() and start != "1":
        opening = f'<ol start="{start}" class="wp-block-list">'
        return _block("list", f"{opening}{items}</ol>", ordered=True, start=int(start))
    return _block("list", f'<ol class="wp-block-list">{items}</ol>', ordered=True)


def _list_item(item: Tag) -> str:
    text: list[str] = []
    lists: list[str] = []
    running: list[Any] = []
    for node in item.contents:
        if isinstance(node, Tag) and node.name in {"ul", "ol"}:
            lists.append(_list(node))
        elif isinstance(node, Tag) and node.name == "p":
            # An item has one text, so breaks separate its paragraphs.
            text += [_inner(running), _inner(node.contents)]
            running = []
        else:
            running.append(node)
    text.append(_inner(running))
    return _block("list-item", f"<li>{'<br>'.join(filter(None, text))}{''.join(lists)}</li>")


def _quote(tag: Tag) -> str:
    inner = "\n\n".join(_blocks(tag.contents))
    return _block("quote", f'<blockquote class="wp-block-quote">{inner}</blockquote>')


def _table(tag: Tag) -> str:
    parts = []
    for name in ("thead", "tbody", "tfoot"):
        found = tag.find_all(name, recursive=False)
        rows = "".join(_row(row) for part in found for row in part.find_all("tr", recursive=False))
        parts += [f"<{name}>{rows}</{name}>"] if rows else []
    loose = "".join(map(_row, tag.find_all("tr", recursive=False)))
    parts += [f"<tbody>{loose}</tbody>"] if loose else []
    # Columns as wide as their texts; a wide table scrolls.
    figure = f'<figure class="wp-block-table"><table>{"".join(parts)}</table></figure>'
    return _block("table", figure, hasFixedLayout=False)


def _row(tag: Tag) -> str:
    cells = tag.find_all(["th", "td"], recursive=False)
    written = (f"<{cell.name}>{_inner(cell.contents)}</{cell.name}>" for cell in cells)
    return f"<tr>{''.join(written)}</tr>"


def _separator(_: Tag) -> str:
    return _block("separator", '<hr class="wp-block-separator has-alpha-channel-opacity"/>')


def _code(tag: Tag) -> str:
    code = tag.find("code", recursive=False)
    if isinstance(code, Tag):
        inner = f"<code>{_inner(code.contents)}</code>"
        return _block("code", f'<pre class="wp-block-code">{inner}</pre>')
    inner = _inner(tag.contents)
    return _block("preformatted", f'<pre class="wp-block-preformatted">{inner}</pre>')


_FORMS: dict[str, Callable[[Tag], str]] = {
    "p": lambda tag: _paragraph(_inner(tag.contents)),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _heading),
    "ul": _list,
    "ol": _list,
    "blockquote": _quote,
    "table": _table,
    "hr": _separator,
    "pre": _code,
}
_INLINE = frozenset({"a", "strong", "em", "b", "i", "code", "br", "span", "sub", "sup", "s"})
