"""A post in the words of WordPress, by whichever protocol it is sent."""

import html
import re
from dataclasses import dataclass

from copydesk_connectors.json_ld import blog_posting
from copydesk_connectors.post import Post
from copydesk_connectors.targets.wordpress.blocks import as_blocks

# Where the post's own JSON-LD is kept on sites with the companion, which prints it in the head.
JSON_LD_META = "_copydesk_json_ld"
# How the comment begins by which a post is known again.
MARKER = "<!-- copydesk:"
_TEXT_END = re.compile(r"</(?:p|li|h[1-6]|t[dh])\s*>", re.IGNORECASE)
# What WordPress would take for a shortcode if it stood in the JSON as it is.
_BRACKET_IN_TEXT = re.compile(r"\[(?=[\w/\[-])")


@dataclass(frozen=True)
class Content:
    """The texts of a post. All but the slug are HTML: WordPress shows them as they are."""

    title: str
    slug: str
    excerpt: str
    content: str


def content_of(post: Post, format: str) -> Content:  # noqa: A002 - the setting's name
    """The post with its marker, as ``format`` ("html" or "blocks") wants it."""
    body = _marked(post)
    return Content(
        title=html.escape(post.title, quote=False),
        slug=post.slug,
        excerpt=html.escape(post.description, quote=False),
        content=as_blocks(body) if format == "blocks" else body,
    )


def marker(post: Post) -> str:
    """The comment in the content by which the post is known again."""
    return f"{MARKER}{post.key} -->"


def search_term(post: Post) -> str:
    """What to search the site for; a marker without the characters that searches drop."""
    return f"copydesk:{post.key}"


def seo_meta(post: Post) -> dict[str, str]:
    """The fields of Yoast SEO and of Rank Math, by the names of their post meta; plain texts."""
    keyword = next(iter(post.keywords), "")
    fields = {
        "_yoast_wpseo_title": post.title,
        "_yoast_wpseo_metadesc": post.description,
        "_yoast_wpseo_focuskw": keyword,
        "rank_math_title": post.title,
        "rank_math_description": post.description,
        "rank_math_focus_keyword": keyword,
    }
    return {key: text for key, text in fields.items() if text}


def json_ld_text(post: Post) -> str:
    """The post's JSON-LD, for the meta field and for ``json_ld_script``."""
    return _BRACKET_IN_TEXT.sub(r"\\u005b", blog_posting(post))


def with_json_ld(content: str, post: Post) -> str:
    """A stored content with the JSON-LD at its end, for users who may keep scripts in posts."""
    script = f'<script type="application/ld+json">{json_ld_text(post)}</script>'
    if "<!-- wp:" in content:
        script = f"<!-- wp:html -->\n{script}\n<!-- /wp:html -->"
    return f"{content}\n\n{script}"


def _marked(post: Post) -> str:
    """The body with the marker in it.

    It goes to the end of the last running text: between elements WordPress would wrap it into a
    paragraph of its own, which shows as a gap. Brackets are written so that no shortcode comes
    of a text.
    """
    body = post.html.replace("[", "&#91;")
    ends = [match.start() for match in _TEXT_END.finditer(body)]
    end = ends[-1] if ends else len(body)
    return body[:end] + marker(post) + body[end:]
