"""Sentences for readers at the end of each post, such as how it was written."""

import html
import re
from dataclasses import replace

from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Settings, Text, setting

_MARKDOWN = re.compile(r"([\\`*_\[\]<>&])")
_OFFER = re.compile(r"""<a\s[^>]*\brel=["'][^"']*\bsponsored\b""", re.IGNORECASE)


class NoticeSettings(Settings):
    """What readers are told below each post."""

    notice: Text = setting(
        "A sentence at the end of each post, such as "
        "`This post was written with AI and checked by its editors.` Without it, none.",
        default="",
    )
    offer_notice: Text = setting(
        "A sentence at the end of each post with offers, such as "
        "`We earn a commission from links marked as offers.` Without it, none.",
        default="",
    )


def with_notice(post: Post, settings: NoticeSettings) -> Post:
    """Return the post with the sentences at its end that it does not have yet."""
    sentences = [settings.offer_notice] if _OFFER.search(post.html) else []
    for sentence in [*sentences, settings.notice]:
        post = _with(post, " ".join(sentence.split()))
    return post


def _with(post: Post, sentence: str) -> Post:
    in_html = f"<p><small>{html.escape(sentence, quote=False)}</small></p>"
    if not sentence or in_html in post.html:
        return post
    in_markdown = _MARKDOWN.sub(r"\\\1", sentence)
    return replace(
        post,
        html=f"{post.html}\n{in_html}",
        markdown=f"{post.markdown}\n\n*{in_markdown}*",
    )
