"""A post as Markdown and HTML: the same text in both, and nothing in it comes alive."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown import markdown
from markdown_it import MarkdownIt

from app.core.rendering.offers import Offer
from app.core.rendering.plain_markdown import escape, one_line, paragraphs
from app.core.rendering.render import render, sanitise
from app.core.schemas.post import Callout, Faq, SEOPost
from app.core.schemas.request import ResponseType

MakePost = Callable[..., SEOPost]

JSON, MARKDOWN, HTML = ResponseType.JSON, ResponseType.MARKDOWN, ResponseType.HTML

GOOD_MARKDOWN = """\
Cold brew asks for patience.

## Why a coarse grind matters

It gives up its flavour slowly.

A burr grinder helps.

> **Good to know:** Weigh the grounds once.

## Frequently asked questions

### Can I heat it?

Yes, on a low flame.

---

Start tonight.
"""
GOOD_HTML = """\
<p>Cold brew asks for patience.</p>
<h2>Why a coarse grind matters</h2>
<p>It gives up its flavour slowly.</p>
<p>A burr grinder helps.</p>
<blockquote>
<p><strong>Good to know:</strong> Weigh the grounds once.</p>
</blockquote>
<h2>Frequently asked questions</h2>
<h3>Can I heat it?</h3>
<p>Yes, on a low flame.</p>
<hr>
<p>Start tonight.</p>"""


@pytest.fixture(scope="module")
def good(make_post: MakePost) -> SEOPost:
    return make_post(
        introduction="Cold brew asks for patience.",
        bodies=(
            (
                "Why a coarse grind matters",
                "It gives up its flavour slowly.\n\nA burr grinder helps.",
            ),
        ),
        callout=Callout(label="Good to know", text="Weigh the grounds once."),
        faqs=(Faq(question="Can I heat it?", answer="Yes, on a low flame."),),
        conclusion="Start tonight.",
    )


def test_a_post_as_markdown_and_html(good: SEOPost) -> None:
    rendered = render(good, [])
    assert rendered.markdown == GOOD_MARKDOWN
    assert rendered.html == GOOD_HTML


def test_without_questions_a_rule_still_sets_the_conclusion_off(make_post: MakePost) -> None:
    rendered = render(make_post(faqs=(), callout=None), [])
    assert str(rendered.markdown).count("\n\n---\n\n") == 1
    assert str(rendered.html).count("<hr>") == 1


# SPEC: "When json and markdown are requested, the responses show only rendered.markdown".
# DESIGN: "`json` adds rawJson only when it is asked for alone; no responseTypes means markdown
# and html".
@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ([], {"markdown", "html"}),
        ([MARKDOWN], {"markdown"}),
        ([HTML], {"html"}),
        ([MARKDOWN, HTML], {"markdown", "html"}),
        ([JSON], {"rawJson"}),
        ([JSON, JSON], {"rawJson"}),
        ([JSON, MARKDOWN], {"markdown"}),
        ([JSON, HTML], {"html"}),
        ([JSON, MARKDOWN, HTML], {"markdown", "html"}),
    ],
)
def test_what_is_rendered_is_what_was_asked_for(
    good: SEOPost, wanted: list[ResponseType], shown: set[str]
) -> None:
    assert set(render(good, wanted).to_wire()) == shown


def test_raw_json_is_the_post(good: SEOPost) -> None:
    raw = render(good, [JSON]).raw_json
    assert raw is not None
    assert json.loads(raw) == good.to_wire()


def html_of(post: SEOPost) -> str:
    html = render(post, []).html
    assert html is not None
    return html


def shape(html: str) -> tuple[str, list[str]]:
    soup = BeautifulSoup(html, "html.parser")
    return " ".join(soup.get_text().split()), [tag.name for tag in soup.find_all(True)]


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- a comment -->",
    "<div>\nblock\n</div>",
    "</p><h1>Up</h1>",
    "&lt;b&gt; &amp; &copy; &#60;",
    "javascript:alert(1)",
    "[a link](http://y.example)",
    "![an image](http://y.example/i.png)",
    "[a link][ref] and [ref]",
    "[ref]: http://y.example",
    "<http://y.example>",
    "<me@y.example>",
    "http://y.example www.y.example me@y.example",
    "[[wiki]]",
    "# Not a heading",
    "#1 of many",
    "Not a heading\n===",
    "Not a heading\n---",
    "- not a list",
    "+ not a list",
    "* not a list",
    "1. not a list",
    "2024. That was a year",
    "2024) That was a year",
    "> not a quote",
    "```\nnot code\n```",
    "~~~\nnot code\n~~~",
    "`not code`",
    "    not code",
    "\tnot code",
    "**not bold** *nor this* __or__ _this_",
    "snake_case_name and 5 * 3 * 2",
    "***",
    "- - -",
    "___",
    "a | b\n--|--\n1 | 2",
    "back\\slash \\* and \\",
    "two spaces  \nat the end",
    "C#",
    "F# ##",
    "stash \x02klzzwxh:0000\x03 and \ue0000\ue001mark\ue002",
    "x < 5 and y > 3 & z",
    "{#id .class} {{ liquid }} {% raw %}",
    "^[note] [^1]",
    "Term\n: definition",
    "*[ABBR]: abbreviation",
    "wow!",
]
ALLOWED = {"p", "h2", "h3", "hr", "blockquote", "strong"}
_DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def as_markdown(text: str) -> str:
    """Markdown that shows the paragraphs of a plain text, as the writer makes it."""
    return "\n\n".join(map(escape, paragraphs(text)))


def all_over(make_post: MakePost, *texts: str) -> tuple[SEOPost, str]:
    """A post that holds the texts everywhere, and what its page must show."""
    first, second = texts[0], texts[-1]
    post = make_post(
        introduction=as_markdown(first),
        bodies=((first, as_markdown(f"{second}\n\n{first}")), (second, as_markdown(first))),
        callout=Callout(label=first, text=second),
        faqs=(Faq(question=first, answer=second),),
        conclusion=as_markdown(second),
    )
    shown = [first, first, second, first, second, first, f"{first}: {second}"]
    shown += ["Frequently asked questions", first, second, second]
    return post, " ".join(_DROPPED.sub("", " ".join(shown)).split())


def assert_shown_as_it_is(post: SEOPost, expected: str) -> None:
    html, source = html_of(post), str(render(post, []).markdown)
    text, tags = shape(html)
    assert text.replace(" :", ":") == expected.replace(" :", ":")
    assert set(tags) <= ALLOWED
    assert not re.search(r"<\w+ ", html)  # no attributes
    # Converting the Markdown gives the same page.
    assert shape(markdown(source)) == (text, tags)
    assert shape(MarkdownIt("commonmark").render(source)) == (text, tags)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_text_comes_alive(make_post: MakePost, text: str) -> None:
    assert_shown_as_it_is(*all_over(make_post, text))
    assert_shown_as_it_is(*all_over(make_post, f"Before {text} after"))


@settings(max_examples=100)
@given(
    st.lists(
        st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6)), max_size=5).map("".join),
        min_size=2,
        max_size=2,
    )
)
def test_any_text_is_shown_as_it_is(make_post: MakePost, texts: list[str]) -> None:
    assert_shown_as_it_is(*all_over(make_post, *texts))


BLOCKS = {"ul", "ol", "li", "em", "code", "pre", "table", "thead", "tbody", "tr", "th", "td"}


@settings(max_examples=100)
@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4).map("\n\n".join))
def test_markdown_of_a_section_has_blocks_but_nothing_alive(make_post: MakePost, text: str) -> None:
    """SPEC: "contentMarkdown | string | Markdown text" """
    post = make_post(introduction=text, bodies=(("Heading", text),), conclusion=text)
    html, source = html_of(post), str(render(post, []).markdown)
    assert set(shape(html)[1]) <= ALLOWED | BLOCKS
    assert not re.search(r"<(?!ol start)\w+ ", html)
    assert shape(MarkdownIt("commonmark").enable("table").render(source)) == shape(html)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's 5 * 3, a snake_case name & 50 % of “it” (x > 3).", None),
        ("-5 °C, +3 and 3.5 #tags; wow! AT&T.", None),
        ("a*b _c_ [d] `e` \\f", "a\\*b \\_c\\_ \\[d\\] \\`e\\` \\\\f"),
        ("x < 5 &lt; &copy &copy;", "x &lt; 5 &amp;lt; &copy &amp;copy;"),
        ("2024. It", "2024\\. It"),
        ("In 2024. It", None),
        ("#1", "\\#1"),
        ("Why C#", "Why C\\#"),
        ("~~~", "&#126;~~"),
    ],
)
def test_only_what_would_be_markup_is_escaped(text: str, expected: str | None) -> None:
    assert escape(text) == (expected or text)


def test_a_line_is_one_line() -> None:
    assert one_line("  a \r\n b\t\n\n c\rd\x00 ") == "a b c d"
    assert one_line("a\xa0b") == "a\xa0b"


def test_sanitise_keeps_offer_links_and_drops_what_is_not_ours() -> None:
    link = '<a href="https://a.example/?a=1&amp;b=2" rel="sponsored noopener" target="_blank">A</a>'
    assert sanitise(link) == link
    assert sanitise('<p onclick="x()">a<script>b</script><iframe></iframe></p>') == "<p>a</p>"
    assert sanitise('<a href="javascript:x()">a</a>') == "<a>a</a>"


SECTION = """\
Take these steps:

1. Fill *the* tank.
2. Run it through.
    - twice
    - slowly

### Two agents

| Agent | Price |
| --- | --- |
| Acid | **2** |

> Rinse twice.

```sh
rinse --all
```"""
SECTION_HTML = """\
<p>Take these steps:</p>
<ol>
<li>Fill <em>the</em> tank.</li>
<li>Run it through.
<ul>
<li>twice</li>
<li>slowly</li>
</ul>
</li>
</ol>
<h3>Two agents</h3>
<table>
<thead>
<tr>
<th>Agent</th>
<th>Price</th>
</tr>
</thead>
<tbody>
<tr>
<td>Acid</td>
<td><strong>2</strong></td>
</tr>
</tbody>
</table>
<blockquote>
<p>Rinse twice.</p>
</blockquote>
<pre><code>rinse --all
</code></pre>"""


def test_a_section_with_blocks_as_markdown_and_html(make_post: MakePost) -> None:
    post = make_post(bodies=(("Descale it", SECTION),))
    assert f"## Descale it\n\n{SECTION}\n\n" in str(render(post, []).markdown)
    assert f"<h2>Descale it</h2>\n{SECTION_HTML}\n" in html_of(post)


@pytest.mark.parametrize("part", ["heading", "question"])
def test_a_heading_keeps_the_sign_at_its_end(make_post: MakePost, part: str) -> None:
    parts: dict[str, Any] = (
        {"bodies": (("Learn C#", "It is a language."),)}
        if part == "heading"
        else {"faqs": (Faq(question="Why C#", answer="It is a language."),)}
    )
    assert re.search("<h[23]>(Learn|Why) C#</h[23]>", html_of(make_post(**parts)))


PLACE = re.compile(r"\[\[internal-link: ([^\[\]]+)\]\]")


def test_internal_links_have_places_in_what_is_rendered_alone(good: SEOPost) -> None:
    """constraints.includeInternalLinksPlaceholders"""
    rendered = render(good, [], internal_links=True)
    headings = [section.heading for section in good.sections if section.type == "body"]
    assert PLACE.findall(str(rendered.markdown)) == headings[:3]
    paragraphs = BeautifulSoup(str(rendered.html), "html.parser").find_all("p", string=PLACE)
    assert [PLACE.fullmatch(p.get_text())[1] for p in paragraphs] == headings[:3]
    assert "internal-link" not in str(render(good, []).html)
    assert "internal-link" not in str(good.to_wire())


def test_a_heading_cannot_break_the_place_of_a_link(good: SEOPost) -> None:
    heading = "[[a]] {0} <b>*Acme*</b> | x"
    sections = [
        section.model_copy(update={"heading": heading}) if section.type == "body" else section
        for section in good.sections
    ]
    post = good.model_copy(update={"sections": tuple(sections)})
    offer = Offer(name="Acme", url="https://acme.example/")
    html = str(render(post, [], [offer], internal_links=True).html)
    found = [p.get_text() for p in BeautifulSoup(html, "html.parser").find_all("p")]
    places = [text for text in found if "internal-link" in text]
    assert places
    assert {" ".join(PLACE.fullmatch(text)[1].split()) for text in places} == {
        "a {0} <b>*Acme*</b> | x"
    }
    assert html.count("https://acme.example/") == 1
