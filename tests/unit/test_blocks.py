"""Blocks of a section: one parse, the same page from Markdown and HTML, and edits of one text."""

import re
import subprocess
import sys

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.rendering.block_edits import cut, edit_text, leaves
from app.core.rendering.blocks import (
    BulletList,
    Code,
    Heading,
    NumberedList,
    Paragraph,
    Quotation,
    Table,
    parse,
    to_html,
    to_markdown,
)
from app.core.rendering.render import sanitise

HOW_TO = """\
Descale the machine once a month. You need:

- citric acid, *food grade*
- water
    - two litres to dissolve it
    - one litre to rinse

Then follow these steps:

1. Fill the tank.
2. Run **half** of it through.
3. Wait, then run `rinse`.

### What it costs

| Agent | Price |
| --- | --- |
| Citric acid | 2 dollars |
| Vinegar | **1** dollar |

> Rinse twice, always.

```sh
rinse --times 2 # **not** bold
```
"""
# Pieces of Markdown from which random texts are made.
PIECES = st.sampled_from(
    ["*", "**", "***", "_", "__", "`", "``", "```", "```py\n", "~~~\n", "- ", "* ", "+ ", "1. ",
     "2) ", "12. ", "2024. ", "    ", "  ", " ", "\t", "\n", "\n\n", "  \n", "\\\n", "# ", "## ",
     "### ", "###### ", " #", "> ", ">", "|", "| a | b |\n|---|---|\n", "|--|\n", "\n---\n",
     "===\n", "***\n", "- - -\n", "[a](http://a.example)", "![a](http://a.example/i.png)",
     "[r]", "[r]: /u\n", "<http://a.example>", "<b>", "</b>", "<script>", "<!-- c -->", "&amp;",
     "&lt;", "&#42;", "&#32;", "&#10;", "&nbsp;", "&", "<", ">", "\\", "\\*", "\\|", "!", "a",
     "b c", "word", "1", "é", "日本", "\u00a0", "\x00", "\x07", "\x85", "\u2028", "\ue000",
     "(", ")", ".", ",", ":", "“", "'", "$"]
)  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, PIECES, PIECES, st.text(max_size=3)), max_size=25).map("".join)
ALIVE = {"a", "img", "script", "b", "h1", "h2", "hr", "iframe"}


def shape(html: str) -> tuple[str, list[str]]:
    """The visible text and the tags of a page."""
    soup = BeautifulSoup(html, "html.parser")
    return " ".join(soup.get_text(" ").split()), [tag.name for tag in soup.find_all(True)]


def common_mark(markdown: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(markdown)


def test_the_blocks_of_a_section() -> None:
    blocks = parse(HOW_TO)
    assert [type(block) for block in blocks] == [
        Paragraph, BulletList, Paragraph, NumberedList, Heading, Table, Quotation, Code,
    ]  # fmt: skip
    assert to_markdown(blocks) == HOW_TO.rstrip("\n")
    soup = BeautifulSoup(to_html(blocks), "html.parser")
    steps, needs = soup.find("ol"), soup.find("ul")
    assert isinstance(steps, Tag)
    assert isinstance(needs, Tag)
    assert [item.get_text() for item in steps.find_all("li")] == [
        "Fill the tank.", "Run half of it through.", "Wait, then run rinse.",
    ]  # fmt: skip
    assert len(needs.select(":scope > li > ul > li")) == 2
    assert [cell.get_text() for cell in soup.select("thead th")] == ["Agent", "Price"]
    assert len(soup.select("tbody tr")) == 2
    assert soup.select_one("pre code").get_text() == "rinse --times 2 # **not** bold\n"  # type: ignore[union-attr]


@settings(max_examples=400)
@given(TEXTS)
@example(HOW_TO)
@example("a*b*c **“d”**e")
@example("***a* b** c")
@example("- a\n- b\n\n* c\n1. d\n2) e")
@example("*" * 30)
@example("***a***")
@example("**_a_** __*b*__")
def test_markdown_and_html_show_the_same_page_and_nothing_is_alive(text: str) -> None:
    blocks = parse(text)
    markdown, html = to_markdown(blocks), to_html(blocks)
    assert parse(markdown) == blocks
    assert shape(common_mark(markdown)) == shape(html)
    assert not ALIVE & set(shape(html)[1])
    # Sanitising finds nothing to remove.
    assert shape(sanitise(html)) == shape(html)
    assert not re.search(r"<(?!ol start)\w+ ", html)


@settings(max_examples=200)
@given(TEXTS)
def test_every_text_of_the_page_has_a_path(text: str) -> None:
    blocks = parse(text)
    found = list(leaves(blocks))
    assert len({leaf.path for leaf in found}) == len(found)
    shown = "".join(leaf.text for leaf in found)
    page = BeautifulSoup(to_html(blocks), "html.parser").get_text()
    assert "".join(shown.split()) == "".join(page.split())


@settings(max_examples=200)
@given(TEXTS, TEXTS, st.data())
def test_an_edit_changes_one_text_and_no_other(text: str, new: str, data: st.DataObject) -> None:
    blocks = parse(text)
    found = list(leaves(blocks))
    if not found:
        return
    leaf = data.draw(st.sampled_from(found))
    edited = edit_text(blocks, leaf.path, new)
    assert [type(block) for block in edited] == [type(block) for block in blocks]
    before = {each.path: each.text for each in found if each is not leaf}
    assert before == {each.path: each.text for each in leaves(edited) if each.path != leaf.path}
    if new.strip() and not isinstance(leaf.block, Code):
        markdown = to_markdown(edited)
        assert shape(common_mark(markdown)) == shape(to_html(edited))


@settings(max_examples=200)
@given(TEXTS, st.data())
def test_a_cut_leaves_whole_blocks(text: str, data: st.DataObject) -> None:
    blocks = parse(text)
    found = list(leaves(blocks))
    if not found:
        return
    leaf = data.draw(st.sampled_from(found))
    span = data.draw(st.sampled_from([None, (0, 1)]))
    shorter = cut(blocks, leaf.path, span)
    if shorter is None:
        return
    assert parse(to_markdown(shorter)) == shorter
    assert shorter
    assert sum(map(len, (each.text for each in leaves(shorter)))) < sum(
        map(len, (each.text for each in found))
    )


TABLE = "| A | B |\n| --- | --- |\n| c | 1 |\n| d | 2 |\n| e | 3 |"
TWO_ROWS = "| A | B |\n| --- | --- |\n| c | 1 |\n| d | 2 |"
CUTS = [
    ("A stays. B goes. C stays.", "blocks[0]", (9, 11), "A stays. C stays."),
    ("A stays.\n\nB goes.", "blocks[1]", (0, 3), "A stays."),
    ("A **stays**. *B* goes.", "blocks[0]", (13, 14), "A **stays**."),
    ("- one\n- two\n- three", "blocks[0].items[1]", None, "- one\n- three"),
    ("1. one\n2. two\n3. three", "blocks[0].items[0]", (0, 2), "1. two\n2. three"),
    ("- It is. He has.\n- two", "blocks[0].items[0]", (0, 1), "- He has.\n- two"),
    ("- a\n    - b\n    - c\n    - d\n- e", "blocks[0].items[0].items[1]", None,
     "- a\n    - b\n    - d\n- e"),
    ("A.\n\n> B.", "blocks[1]", None, "A."),
    ("A.\n\n```\nb\n```", "blocks[1]", (0, 1), "A."),
    # What would be left is incomplete.
    ("A goes.", "blocks[0]", (0, 3), None),
    ("- one\n- two", "blocks[0].items[1]", None, None),
    ("- a\n    - b\n    - c\n- e\n- f", "blocks[0].items[0]", None, None),
    ("Take these:\n\n- one\n- two", "blocks[0]", (0, 3), "- one\n- two"),
    ("A jar. Take these:\n\n- one\n- two", "blocks[0]", (10, 12), None),
    ("Take this:\n\n```\nb\n```", "blocks[1]", None, None),
    ("A.\n\n### B\n\nC.", "blocks[2]", None, None),
    ("A.\n\n### B\n\nC.", "blocks[0]", None, None),
    ("A.\n\n### B\n\nC.", "blocks[1]", None, "A.\n\nC."),
    ("- a\n- b\n\nC.\n\n- d", "blocks[1]", None, "- a\n- b\n- d"),
    ("| A | B |\n| --- | --- |\n| c | d |", "blocks[0].rows[0][0]", None, None),
    ("| A | B |\n| --- | --- |\n| c | d |", "blocks[0].header[1]", (0, 1), None),
    (TABLE, "blocks[0].rows[1]", None, TABLE.replace("| d | 2 |\n", "")),
    # A table of one row compares nothing.
    (f"Z.\n\n{TWO_ROWS}", "blocks[1].rows[0]", None, "Z."),
    (f"A jar. See:\n\n{TWO_ROWS}\n\nX.", "blocks[1].rows[1]", None, "A jar.\n\nX."),
    (f"See:\n\n{TWO_ROWS}\n\nX.", "blocks[1].rows[1]", None, "X."),
    (f"See:\n\n{TWO_ROWS}", "blocks[1].rows[1]", None, None),
    (f"A.\n\n### B\n\n{TWO_ROWS}", "blocks[2].rows[1]", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "span", "left"), CUTS)
def test_what_a_cut_leaves(
    text: str, path: str, span: tuple[int, int] | None, left: str | None
) -> None:
    shorter = cut(parse(text), path, span)
    assert (to_markdown(shorter) if shorter else None) == left


@pytest.mark.parametrize("path", ["blocks[0].rows[3]", "blocks[1].rows[0]", "blocks[2].rows[0]"])
def test_a_row_that_is_not_there_cannot_be_cut(path: str) -> None:
    with pytest.raises(LookupError):
        cut(parse(f"{TABLE}\n\nText."), path)


def test_an_edit_of_a_span_keeps_the_style_around_it() -> None:
    blocks = parse("It **costs 5 dollars** a *jar*.\n\n| A | B |\n| --- | --- |\n| `c` | d |")
    blocks = edit_text(blocks, "blocks[0]", "6", (9, 10))
    blocks = edit_text(blocks, "blocks[1].rows[0][1]", "x | <b>y</b> **z**")
    assert to_markdown(blocks) == (
        "It **costs 6 dollars** a *jar*.\n\n"
        "| A | B |\n| --- | --- |\n| `c` | x \\| &lt;b>y&lt;/b> \\*\\*z\\*\\* |"
    )
    with pytest.raises(LookupError, match=r"blocks\[7\]"):
        edit_text(blocks, "blocks[7]", "x")


_FIRST_LINK = """
from mdurl._decode import decode_cache
from mdurl._encode import encode_cache
from app.core.rendering.commonmark import MarkdownIt

full = dict(encode_cache), dict(decode_cache)
MarkdownIt("commonmark").render("[a](https://example.com/~a?b=%C3%BC) <https://example.com/>")
assert full == (encode_cache, decode_cache) != ({}, {}), full
"""


def test_the_first_link_of_a_process_fills_no_table_that_threads_share() -> None:
    """The library's tables are used by other threads while the first one fills them."""
    subprocess.run([sys.executable, "-c", _FIRST_LINK], check=True)


CODED = """\
1. Open the file:

   ```nginx
   server {
     listen 80;
   }
   ```
2. Save it.

   ```
   nginx -t
   ```

   Go on only without an error.
3. Leave."""


def test_code_in_a_step_stays_code_and_the_steps_go_on_behind_it() -> None:
    blocks = parse(CODED)
    shown = to_markdown(blocks)
    assert shown == (
        "1. Open the file:\n\n```nginx\nserver {\n  listen 80;\n}\n```\n\n2. Save it.\n\n"
        "```\nnginx -t\n```\n\nGo on only without an error.\n\n3. Leave."
    )
    assert parse(shown) == blocks
    assert shape(sanitise(to_html(blocks))) == shape(common_mark(shown))
    assert '<ol start="3">' in to_html(blocks)


@pytest.mark.parametrize(
    ("markdown", "written"),
    [
        ("- a\n  ```\n  x\n  ```\n- b", "- a\n\n```\nx\n```\n\n- b"),
        ("- a\n  - b\n    ```\n    x\n    ```\n  - c", "- a\n    - b\n\n```\nx\n```\n\n- c"),
        # Without words before it, an item would be empty.
        ("1. ```\n   x\n   ```\n2. b", "1. `x`\n2. b"),
    ],
)
def test_code_in_other_items(markdown: str, written: str) -> None:
    assert to_markdown(parse(markdown)) == written
