"""A sentence for readers at the end of each post, such as how it was written."""

import html
import re
from dataclasses import replace
from typing import Any

from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import setting

_MARKDOWN = re.compile(r"([\\`*_\[\]<>&])")


def notice() -> Any:
    """Declare the setting ``notice``."""
    return setting(
        "A sentence at the end of each post, such as "
        "`This post was written with AI and checked by its editors.` Without it, none.",
        default="",
    )


def with_notice(post: Post, sentence: str) -> Post:
    """Return the post with the sentence at its end, unless that is empty or there already."""
    if not sentence:
        return post
    shown = " ".join(sentence.split())
    in_html = f"<p><small>{html.escape(shown, quote=False)}</small></p>"
    if post.html.endswith(in_html):
        return post
    in_markdown = _MARKDOWN.sub(r"\\\1", shown)
    return replace(
        post,
        html=f"{post.html}\n{in_html}",
        markdown=f"{post.markdown}\n\n*{in_markdown}*",
    )
