"""What every target can add to a post: sentences for readers, and JSON-LD for search engines."""

import html
import json
import re
from dataclasses import replace

from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Settings, Text, setting

_MARKDOWN = re.compile(r"([\\`*_\[\]<>&])")
_OFFER = re.compile(r"""<a\s[^>]*\brel=["'][^"']*\bsponsored\b""", re.IGNORECASE)
# IPTC's term for what a trained model wrote, as schema.org names it.
_DIGITAL_SOURCE = "https://schema.org/TrainedAlgorithmicMediaDigitalSource"


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
        post, html=f"{post.html}\n{in_html}", markdown=f"{post.markdown}\n\n*{in_markdown}*"
    )


def blog_posting(
    post: Post,
    *,
    url: str = "",
    language: str = "",
    author: str = "",
    publisher: str = "",
    image: str = "",
) -> str:
    """Return the JSON-LD of a post for `<script type="application/ld+json">`.

    ``url`` is the page's address, ``author`` a person's name, ``publisher`` the site's. Empty
    values are left out. Without a person, the site is the author: it answers for the text. The
    digital source type says that a model wrote it. https://schema.org/BlogPosting
    """
    organization = {"@type": "Organization", "name": publisher} if publisher else ""
    published = post.generated_at.isoformat(timespec="seconds")
    fields = {
        "@context": "https://schema.org",
        "@type": "BlogPosting",
        "headline": post.title,
        "description": post.description,
        "datePublished": published,
        "dateModified": published,
        "keywords": list(post.keywords),
        "inLanguage": language,
        "mainEntityOfPage": {"@type": "WebPage", "@id": url} if url else "",
        "author": {"@type": "Person", "name": author} if author else organization,
        "publisher": organization,
        "image": image,
        "digitalSourceType": _DIGITAL_SOURCE,
    }
    text = json.dumps({key: value for key, value in fields.items() if value}, ensure_ascii=False)
    # A title with </script> in it must not end the element.
    return text.replace("<", "\\u003c")
