"""A schema.org BlogPosting as JSON-LD, for search engines."""

import json

from copydesk_connectors.target.post import Post


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
    values are left out. https://schema.org/BlogPosting
    """
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
        "author": {"@type": "Person", "name": author} if author else "",
        "publisher": {"@type": "Organization", "name": publisher} if publisher else "",
        "image": image,
    }
    text = json.dumps({key: value for key, value in fields.items() if value}, ensure_ascii=False)
    # A title with </script> in it must not end the element.
    return text.replace("<", "\\u003c")
