"""A schema.org BlogPosting as JSON-LD, for search engines."""

import json

from copydesk_connectors.target.post import Post

# IPTC's term for what a trained model wrote, as schema.org names it.
_DIGITAL_SOURCE = "https://schema.org/TrainedAlgorithmicMediaDigitalSource"


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
