"""JSON-LD as search engines read it."""

import json
from dataclasses import replace

from bs4 import BeautifulSoup

from copydesk_connectors.target.json_ld import blog_posting
from copydesk_connectors.target.post import Post


def test_it_says_what_the_post_is(post: Post) -> None:
    data = json.loads(
        blog_posting(post, url="https://blog.example/tea/", author="Jo", publisher="Tea & Co")
    )
    assert data["@context"] == "https://schema.org"
    assert data["@type"] == "BlogPosting"
    assert (data["headline"], data["description"]) == (post.title, post.description)
    assert data["mainEntityOfPage"] == {"@type": "WebPage", "@id": "https://blog.example/tea/"}
    assert data["author"] == {"@type": "Person", "name": "Jo"}
    assert data["publisher"] == {"@type": "Organization", "name": "Tea & Co"}
    assert data["digitalSourceType"] == "https://schema.org/TrainedAlgorithmicMediaDigitalSource"
    assert data["datePublished"] == post.generated_at.isoformat(timespec="seconds")


def test_what_is_not_known_is_left_out(post: Post) -> None:
    site = {"@type": "Organization", "name": "Garden"}
    assert json.loads(blog_posting(post, publisher="Garden"))["author"] == site
    data = json.loads(blog_posting(post))
    assert not {"image", "author", "publisher", "mainEntityOfPage", "inLanguage"} & data.keys()


def test_no_title_ends_the_element(post: Post) -> None:
    title = 'About </script><script>alert("x")</script> & <!-- tea'
    text = blog_posting(replace(post, title=title))
    element = f'<script type="application/ld+json">{text}</script>'
    found = BeautifulSoup(element, "html.parser").find_all("script")
    assert len(found) == 1
    assert json.loads(str(found[0].string))["headline"] == title
