"""What a page of a plain HTML site says of itself."""

import re

from bs4 import BeautifulSoup

from copydesk_connectors.targets.seen_files import Facts

_HEAD_END = re.compile(r"</head\s*>|<body\b", re.IGNORECASE)


def _head(text: str) -> BeautifulSoup:
    end = _HEAD_END.search(text)
    return BeautifulSoup(text[: end.start()] if end else text, "html.parser")


def _meta(head: BeautifulSoup, attribute: str, value: str) -> str:
    tag = head.find("meta", attrs={attribute: value})
    return str(tag.get("content") or "") if tag else ""


def read_page(text: str) -> Facts | None:
    """The post's id, title, description and time; None for a page that is not ours."""
    if "copydesk-id" not in text:
        return None
    head = _head(text)
    post_id = _meta(head, "name", "copydesk-id")
    if not post_id:
        return None
    title = head.title.get_text() if head.title else ""
    return Facts(
        post_id,
        title=" ".join(title.split()),
        description=_meta(head, "name", "description"),
        published=_meta(head, "property", "article:published_time"),
    )
