"""What search engines read of a post: a schema.org BlogPosting as JSON-LD."""

import json

from copydesk_connectors.post import Post


def blog_posting(
    post: Post,
    *,
    url: str = "",
    language: str = "",
    author: str = "",
    publisher: str = "",
    image: str = "",
) -> str:
    """The JSON-LD of a post, to stand in `<script type="application/ld+json">` as it is.

    ``url`` is the page's own address, ``author`` a person's name, ``publisher`` the site's; what
    is empty is left out. https://schema.org/BlogPosting
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
