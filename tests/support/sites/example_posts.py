"""Posts with every block: a how-to with numbered steps, a comparison with a table, a list post."""

from collections.abc import Mapping
from typing import Any

from bs4 import BeautifulSoup, Tag

from app.rendering.offers import Offer
from app.rendering.page import render
from tests.support.posts import make_post

_HOW_TO = """\
Set an hour aside. You need *citric acid* and these:

- a jug
    - of two litres
    - with a scale
- a cloth

Then follow these steps:

1. Fill the tank with **two litres**.
2. Run half of it through.
    1. Wait for ten minutes.
    2. Run the rest.

> Steam is hot: keep your hands away.

3. Rinse it twice, with `rinse --all {{ tank }}`.

### If it still drips

Set the pressure in `a|b` and run it again:

```sh
rinse --times 2 | tee {{ log }}
# **twice** costs $$5

echo "{% done %}" && true
```"""
_COMPARISON = """\
Both of them dissolve scale, and this is how they differ:

| Agent | Price | Smell |
| --- | --- | --- |
| Citric *acid* | **2** dollars | none |
| Vinegar | 1 dollar \\| litre |  |

The Green Kit has both of them."""
_LISTS = """\
### Tools

- **Jug**: it holds two litres.
- **Cloth**: it dries the tray.

### Habits

- Rinse it every day.
- Empty it every night."""

CONTENTS: Mapping[str, str] = {
    "how-to": _HOW_TO,
    "comparison": _COMPARISON,
    "list": _LISTS,
}
_SHOWN = ["h2", "h3", "ol", "ul", "li", "blockquote", "th", "td", "pre", "code", "strong", "em"]


def example_item(name: str) -> dict[str, Any]:
    """Return a feed's item with one of the posts."""
    post = make_post(
        f"How to descale a machine: {name}",
        "Scale is a pest.",
        [("Descale it", CONTENTS[name])],
        "That is all.",
        description="Descale it in an hour.",
        keyword="descale",
        slug=f"descale-{name}",
    )
    offers = [Offer(name="Green Kit", url="https://shop.example/kit?ref=1&plan=a_b")]
    return {
        "id": f"itm_{name}",
        "post": post.to_wire(),
        "rendered": render(post, [], offers).to_wire(),
        "generatedAt": "2026-05-01T10:00:00Z",
        "deliveryCount": 1,
    }


def blocks_of(page: BeautifulSoup | Tag) -> list[tuple[str, str]]:
    """Return the name and text of each block and style on a page, in order."""
    return [
        (tag.name, " ".join(tag.get_text(" ").replace("…", "...").split()))
        for tag in page.find_all(_SHOWN)
    ]


def expected_blocks(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what `blocks_of` must find on the item's page."""
    return blocks_of(BeautifulSoup(item["rendered"]["html"], "html.parser"))
