"""A post as Markdown and HTML: one text in both, nothing alive in it, each offer linked once."""

import gc
import re
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown import markdown
from markdown_it import MarkdownIt

from app.core.errors import ValidationFailed
from app.core.schemas.bodies import parse
from app.core.schemas.post import (
    Callout,
    SEOPost,
)
from app.core.schemas.request import ResponseType
from app.rendering.escape import paragraphs
from app.rendering.markdown import normalise, to_html
from app.rendering.offers import Offer, check_offers, link_offers
from app.rendering.page import render
from tests.support import posts

JSON, MARKDOWN, HTML = ResponseType.JSON, ResponseType.MARKDOWN, ResponseType.HTML


def make_post(**parts: Any) -> SEOPost:
    """A post about cold brew; keyword arguments replace its parts."""
    given = {
        "title": "Cold brew at home",
        "introduction": "Cold brew takes a day.",
        "bodies": [("Grind it", "Coarse grounds give off less.")],
        "conclusion": "Start tonight.",
    }
    return posts.make_post(**{**given, **parts})


def common_mark(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def shape(html: str) -> tuple[str, list[str]]:
    """The visible text and the tags of a page."""
    soup = BeautifulSoup(html, "html.parser")
    return " ".join(soup.get_text().split()), [tag.name for tag in soup.find_all(True)]


def shown(text: str) -> str:
    return to_html(normalise(text))


# --- what models write

UL, LI = "<ul><li>a</li><li>b</li></ul>", "<li>a</li><li>b</li>"
NESTED = "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"
HABITS = [
    ("Take:\n- a\n- b", f"<p>Take:</p>{UL}"),
    ("* a\n+ b", UL),
    ("  - a\n  - b", UL),
    ("1) a\n2) b", f"<ol>{LI}</ol>"),
    ("3. a\n4. b", f'<ol start="3">{LI}</ol>'),
    ("- a\n  - b\n- c", NESTED),
    ("- a\n    - b\n- c", NESTED),
    ("- a\n\t- b\n- c", NESTED),
    ("- a\n1. b", "<ul><li>a</li></ul><ol><li>b</li></ol>"),
    ("- - a\n- # b", "<ul><li>- a</li><li># b</li></ul>"),
    ("1. a\n```sh\nb <c>\n```\n2. d", "<ol><li>a</li></ol><pre><code>b &lt;c&gt;</code></pre>"
     '<ol start="2"><li>d</li></ol>'),
    ("- ```\n  a\n  ```", "<pre><code>a</code></pre>"),
    ("````\n```\na\n```\n````", "<pre><code>```a```</code></pre>"),
    ("```\na", "<pre><code>a</code></pre>"),
    ("a\n|b|c|\n|-|-|\n|d|e|\nf", "<p>a</p><table><thead><tr><th>b</th><th>c</th></tr></thead>"
     "<tbody><tr><td>d</td><td>e</td></tr></tbody></table><p>f</p>"),
    ("a\n> b\n\n> c", "<p>a</p><blockquote><p>b</p></blockquote><blockquote><p>c</p></blockquote>"),
    (">" * 90 + " a", f"{'<blockquote>' * 3}<p>a</p>{'</blockquote>' * 3}"),
    ("> ~~~\n> > > > a", "<blockquote><p><code>&gt; &gt; &gt; a</code></p></blockquote>"),
    ("> > > 1. > a", f"{'<blockquote>' * 3}<p>1. &gt; a</p>{'</blockquote>' * 3}"),
    ("# a\nb", "<h3>a</h3><p>b</p>"),
    ("a\n===\n\n---\n", "<p>a</p>"),
    ("2024. That year", "<p>2024. That year</p>"),
    ("5 * 3, snake_case, AT&T, C#, a < b", "<p>5 * 3, snake_case, AT&amp;T, C#, a &lt; b</p>"),
    ("[a](http://b.c) ![d](e) <http://f.g> \\<i>h", "<p>[a](http://b.c) ![d](e) &lt;http://f.g&gt;"
     " &lt;i&gt;h</p>"),
    ("`<b> [c]`", "<p><code>&lt;b&gt; [c]</code></p>"),
    ("**Label:** *text*", "<p><strong>Label:</strong> <em>text</em></p>"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "html"), HABITS)
def test_the_habits_of_models_are_read(text: str, html: str) -> None:
    assert re.sub(r"\n", "", shown(text)) == html


@pytest.mark.parametrize(
    ("written", "readable"),
    [
        ("**重点：**绿茶怕烫。", "**重点**：绿茶怕烫。"),
        ("他说**“先温杯”**再放。", "他说“**先温杯**”再放。"),
        ("**Tip:**Let it cool.", "**Tip**:Let it cool."),
        ("**Tip:** Let `2**(3)**x` be.", "**Tip:** Let `2**(3)**x` be."),
        ("- ** Steep the beans**: 12 h", "- **Steep the beans**: 12 h"),
        ("2 ** 3 ** 4 and 2 ** 3**", "2 ** 3 ** 4 and 2 ** 3**"),
        ("** 2 ** 3, `** a**`", "** 2 ** 3, `** a**`"),
    ],
)
def test_bold_type_is_bold_for_every_reader_of_markdown(written: str, readable: str) -> None:
    assert normalise(written) == readable


# Pieces of Markdown from which random texts are made.
WORDS = ["alpha", "beta", "gamma", "日本", "é"]
PIECES = [
    "*", "**", "***", "_", "__", "`", "``", "```\n", "~~~\n", "- ", "* ", "+ ", "1. ", "2) ",
    "12. ", "2024. ", "    ", "  ", " ", "\t", "\n", "\n\n", "  \n", "\\\n", "# ", "## ", "### ",
    "###### ", " #", "> ", ">", "|", "| a | b |\n|---|---|\n", "|--|\n", "\n---\n", "===\n",
    "***\n", "- - -\n", "[a](http://a.example)", "![a](http://a.example/i.png)", "[r]", "[r]: /u\n",
    "<http://a.example>", "<b>", "</b>", "<script>", "<!-- c -->", "&amp;", "&lt;", "&#42;",
    "&#32;", "&nbsp;", "&", "<", ">", "\\", "\\*", "\\|", "!", "1", "\u00a0", "\x00", "\x07",
    "\x85", "\ue000", "(", ")", ".", ",", ":", "“", "'", "$", "\n- alpha", "\n  beta",
    *WORDS,
]  # fmt: skip
# Converters differ in which characters without a meaning are letters.
OTHERS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=3)
TEXTS = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), OTHERS), max_size=25
).map("".join)
ALIVE = {"a", "img", "script", "b", "h1", "h2", "hr", "iframe"}


@settings(max_examples=300)
@given(TEXTS)
@example("*a*b*c **“d”**e")
@example("- a\n- b\n\n* c\n1. d\n2) e")
@example("**_a_** __*b*__ " + "*" * 30)
def test_any_text_shows_its_words_in_both_and_nothing_is_alive(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal) == normal
    html = to_html(normal)
    found, tags = shape(html)
    assert not ALIVE & {*tags}
    assert not re.search(r"<(?!ol start)\w+ ", html)
    if not re.search(r"(`{3}|~{3})[^\n]*\w", text):  # the language of code
        words = re.compile("|".join(WORDS))
        assert words.findall(text) == words.findall("".join(found.split()))


@pytest.mark.parametrize("columns", [100, 2_000])
def test_short_rows_below_a_wide_header_are_not_filled_up(columns: int) -> None:
    header = "|".join("a" * columns)
    assert len(shown(f"{header}\n{'|'.join('-' * columns)}\n" + "|b\n" * 10_000)) < 200_000


def test_styles_far_inside_each_other_raise_nothing() -> None:
    for text in ("*a " * 1_000 + "b* " * 1_000, "**a *" * 190 + "b" + "* a**" * 190):
        assert "a" in shown(text)


# --- the page


def html_of(post: SEOPost, offers: list[Offer] | None = None) -> str:
    html = render(post, [], offers or []).html
    assert html is not None
    return html


def markdown_of(post: SEOPost, offers: list[Offer] | None = None) -> str:
    text = render(post, [], offers or []).markdown
    assert text is not None
    return text


HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- a comment -->",
    "<div>\nblock\n</div>", "</p><h1>Up</h1>", "&lt;b&gt; &amp; &copy; &#60;",
    "javascript:alert(1)",
    "[a link](http://y.example)", "![an image](http://y.example/i.png)", "[a link][ref] and [ref]",
    "[ref]: http://y.example", "<http://y.example>", "<me@y.example>",
    "http://y.example www.y.example me@y.example", "[[wiki]]", "# Not a heading", "#1 of many",
    "Not a heading\n===", "Not a heading\n---", "- not a list", "+ not a list", "* not a list",
    "1. not a list", "2024. That was a year", "2024) That was a year", "> not a quote",
    "```\nnot code\n```", "~~~\nnot code\n~~~", "`not code`", "    not code", "\tnot code",
    "**not bold** *nor this* __or__ _this_", "snake_case_name and 5 * 3 * 2", "***", "- - -", "___",
    "a | b\n--|--\n1 | 2", "back\\slash \\* and \\", "two spaces  \nat the end", "C#", "F# ##",
    "stash \x02klzzwxh:0000\x03 and \ue0000\ue001mark\ue002", "x < 5 and y > 3 & z",
    "{#id .class} {{ liquid }} {% raw %}", "^[note] [^1]", "Term\n: definition",
    "*[ABBR]: abbreviation", "wow!",
]  # fmt: skip
PLAIN = {"p", "h2", "h3", "hr", "blockquote", "strong"}
_DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def all_over(first: str, second: str) -> tuple[SEOPost, str]:
    """A post that holds the texts everywhere, and what its page must show."""
    as_markdown = ["\n\n".join(paragraphs(text)) for text in (first, second)]
    post = make_post(
        introduction=as_markdown[0],
        bodies=((first, "\n\n".join(as_markdown[::-1])), (second, as_markdown[0])),
        callout=Callout(label=first, text=second),
        faqs=[(first, second)],
        conclusion=second,
    )
    texts = [first, first, second, first, second, first, f"{first}: {second}"]
    texts += ["Frequently asked questions", first, second, second]
    return post, " ".join(_DROPPED.sub("", " ".join(texts)).split())


def assert_shown_as_it_is(post: SEOPost, expected: str) -> None:
    html, source = html_of(post), markdown_of(post)
    text, tags = shape(html)
    assert text.replace(" :", ":") == expected.replace(" :", ":")
    assert set(tags) <= PLAIN
    assert not re.search(r"<\w+ ", html)  # no attributes
    # Whatever converts the Markdown makes the same page.
    assert shape(markdown(source)) == (text, tags)
    assert shape(MarkdownIt("commonmark").render(source)) == (text, tags)


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_texts_are_shown_as_they_are(text: str) -> None:
    assert_shown_as_it_is(*all_over(text, text))
    assert_shown_as_it_is(*all_over(f"Before {text} after", text))


PLACE = re.compile(r"\[\[internal-link: ([^\[\]]+)\]\]")


def test_internal_links_have_places_in_what_is_rendered_alone() -> None:
    """constraints.includeInternalLinksPlaceholders"""
    post = make_post(bodies=tuple((f"Heading {number}", "Text.") for number in range(5)))
    rendered = render(post, [], internal_links=True)
    headings = ["Heading 0", "Heading 1", "Heading 2"]
    assert PLACE.findall(str(rendered.markdown)) == headings
    found = BeautifulSoup(str(rendered.html), "html.parser").find_all("p", string=PLACE)
    assert [str(p.get_text()) for p in found] == [f"[[internal-link: {each}]]" for each in headings]
    assert "internal-link" not in html_of(post)
    assert "internal-link" not in str(post.to_wire())


def test_a_heading_cannot_break_the_place_of_a_link() -> None:
    post = make_post(bodies=(("[[a]] {0} <b>*Acme*</b> | x", "Text."),))
    offer = Offer(name="Acme", url="https://acme.example/")
    html = str(render(post, [], [offer], internal_links=True).html)
    found = [p.get_text() for p in BeautifulSoup(html, "html.parser").find_all("p")]
    (place,) = [text for text in found if "internal-link" in text]
    assert " ".join(place.split()) == "[[internal-link: a {0} <b>*Acme*</b> | x]]"
    assert html.count("https://acme.example/") == 1


# --- offers

OFFER_TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["Acme", "ACME", "acme's", "Acme Pro", "Acme\nPro", "C++", "C#", "a.b*c", "ソニーの",
             "café", "<script>x()</script>", "[x](http://y.example)", "[r]: http://r.example",
             "[r]", "<http://a.example>", "# ", "2024. ", "- ", "\n\n", "\n", "`", "**", "_",
             "\\", "!", "&copy;", "&amp;", "http://z.example", "</a>", "1", "(", ")", "is good.",
             "| a | b |\n|---|---|\n| Acme | `Acme` |\n", "```\nAcme\n```\n", "> Acme\n"]
        ),
        st.text(max_size=5),
    ),
    max_size=10,
).flatmap(lambda parts: st.sampled_from([" ".join(parts), "".join(parts)]))  # fmt: skip
NAMES = st.one_of(
    st.sampled_from(
        ["Acme", "Acme Pro", "Pro", "C++", "C#", "a.b*c", "[x]", "(y)", "**", "_", "<b>", "&copy;",
         "amp", "#", "-", "\\", "1", "^$", "\\d", "ソニー", "café", "A\nB", "`", "!", "](", "{0}",
         "%s"]
    ),
    st.text(min_size=1, max_size=8),
)  # fmt: skip
URLS = st.one_of(
    st.sampled_from(
        ["https://a.example/?a=1&b=2", "https://a.example/?a=1&copy;=2", "https://a.example/?x&copy",
         "https://a.example/&amp;x", "https://a.example/(x)", "https://a.example/!)(",
         'https://a.example/"q"', "https://a.example/'q'", "https://a.example/é?ü=ß#%20",
         "https://a.example/*x*_y_", "https://a.example/[1]", "https://a.example/{x}|^~~,;",
         "https://[::1]:8080/", "HTTP://user@a.example", "https://a.example/Case",
         "https://a.example/case", "https://a.example/cas", "https://münchen.example/"]
    ),
    st.text(max_size=6).map(lambda tail: f"https://u.example/{tail}"),
)  # fmt: skip


@st.composite
def offers_of_all_kinds(draw: st.DrawFn) -> list[Offer]:
    """Offers that the service accepts: each is valid, and they are distinct."""
    taken: list[Offer] = []
    for name, url in draw(st.lists(st.tuples(NAMES, URLS), max_size=5)):
        try:
            offer = parse(Offer, {"name": name, "url": url})
            check_offers([*taken, offer])
        except ValidationFailed:
            continue
        taken.append(offer)
    return taken


def links(html: str) -> list[tuple[str, str]]:
    """(visible text, address) of each link, in order."""
    found = BeautifulSoup(html, "html.parser").find_all("a")
    return [(a.get_text(), str(a["href"])) for a in found if isinstance(a, Tag)]


def without_featured(html: str) -> str:
    """The page before the list of offers that the text does not mention."""
    return html.split("<h2>Featured offers</h2>")[0]


@settings(max_examples=75)
@given(st.lists(OFFER_TEXTS, min_size=8, max_size=8), offers_of_all_kinds())
def test_each_configured_link_appears_exactly_once(texts: list[str], offers: list[Offer]) -> None:
    """SPEC: "an offer not mentioned naturally is added to a short Featured offers list at the end,
    so each configured link appears exactly once. Links appear only in rendered.html and
    rendered.markdown; the structured post stays link-free. […] Only configured URLs can appear."
    """
    post = make_post(
        introduction=texts[0],
        bodies=((texts[1] or "Heading", texts[2]),),
        callout=Callout(label=texts[3], text=texts[4]),
        faqs=[(texts[5], texts[6])],
        conclusion=texts[7],
    )
    before = post.to_wire()
    html, source = html_of(post, offers), markdown_of(post, offers)

    configured = sorted(offer.url for offer in offers)
    assert sorted(url for _, url in links(html)) == configured
    assert len(links(common_mark(source))) == len(offers)

    # "In rendered.html links carry rel=sponsored noopener and open in a new tab."
    for tag in re.findall(r"<a [^>]*>", html):
        assert re.fullmatch(r'<a href="[^"]+" target="_blank" rel="sponsored noopener">', tag)
    assert links(html_of(post)) == links(common_mark(markdown_of(post))) == []
    assert post.to_wire() == before


@pytest.mark.parametrize(
    "code",
    [
        "> ~~~\n> a\n>\n> [b](https://b.example/)\n> ~~~",
        "`a | \\[b](https://b.example/)`",
        "~~~`a\n```\n~~~\n[b](https://b.example/)\n```",
    ],
)
def test_code_has_no_link_that_works(code: str) -> None:
    """SPEC: "Only configured URLs can appear." """
    post = make_post(bodies=(("Heading", code),))
    offers = [Offer(name="Acme", url="https://acme.example/")]
    assert links(html_of(post, offers)) == [("Acme", "https://acme.example/")]
    assert links(common_mark(markdown_of(post, offers))) == [("Acme", "https://acme.example/")]


ACME = {"Acme": "https://acme.example/"}
BOTH = ACME | {"Acme Pro": "https://acme.example/pro"}


@pytest.mark.parametrize(
    ("text", "offers", "expected"),
    [
        ("Try acme. Acme is good.", ACME, [("acme", "Acme")]),
        ("Try Acme’s jar and Acme.", ACME, [("Acme", "Acme")]),
        ("An Acme-like jar.", ACME, [("Acme", "Acme")]),
        ("“Acme” (by Acme).", ACME, [("Acme", "Acme")]),
        ("Acmes and SuperAcme, then Acme.", ACME, [("Acme", "Acme")]),
        ("Acme Pro first, Acme second.", BOTH, [("Acme Pro", "Acme Pro"), ("Acme", "Acme")]),
        ("Acme Pro, Acme Pro and Acme.", BOTH, [("Acme Pro", "Acme Pro"), ("Acme", "Acme")]),
        ("Acme Pro alone.", BOTH, [("Acme Pro", "Acme Pro"), ("Acme", "Acme")]),
        ("Acme then Acme\nPro.", BOTH, [("Acme", "Acme"), ("Acme Pro", "Acme Pro")]),
        ("An _Acme_ jar and *Acme*.", ACME, [("Acme", "Acme")]),
        ("私はソニーが好き。", {"ソニー": "https://sony.example/"}, [("ソニー", "ソニー")]),
        ("私はSonyが好き。", {"Sony": "https://sony.example/"}, [("Sony", "Sony")]),
        ("Learn C# and C++.", {"C++": "https://c.example/"}, [("C++", "C++")]),
        ("Write a\\*b\\*c here.", {"a*b*c": "https://c.example/"}, [("a*b*c", "a*b*c")]),
        ("Use <b> here.", {"<b>": "https://c.example/"}, [("<b>", "<b>")]),
        ("Use [x](y) here.", {"[x](y)": "https://c.example/"}, [("[x](y)", "[x](y)")]),
        ("AT&T and R&D.", {"AT&T": "https://c.example/"}, [("AT&T", "AT&T")]),
        ("AT&amp;T it is.", {"AT&T": "https://c.example/"}, [("AT&T", "AT&T")]),
        ("It says &lt;b.", {"lt": "https://c.example/"}, [("lt", "lt")]),
        ("1. One\n2. Two", {"1": "https://c.example/"}, [("1", "1")]),
    ],
)
def test_what_counts_as_a_mention(
    text: str, offers: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    placed = [Offer(name=name, url=url) for name, url in offers.items()]
    post = make_post(introduction=text)
    html = html_of(post, placed)
    wanted = [(shown, offers[name]) for shown, name in expected]
    assert links(html) == links(common_mark(markdown_of(post, placed))) == wanted
    assert shape(without_featured(html))[0] == shape(html_of(post))[0]


@pytest.mark.parametrize(
    ("parts", "selector"),
    [
        ({"bodies": [("Why Acme works", "Acme works.")]}, "h2"),
        ({"callout": Callout(label="Acme says", text="Acme works.")}, "blockquote p strong"),
        ({"callout": Callout(label="Note", text="Acme works. Acme!")}, "blockquote p"),
        ({"faqs": [("Is Acme good?", "Acme is good.")]}, "h3"),
        ({"faqs": [("Is it good?", "Acme is, Acme is.")]}, "p"),
        ({"conclusion": "Go to Acme and to Acme."}, "hr + p"),
        ("### Why Acme works\n\nAcme works.", "h3"),
        ("- a jar\n- a jar of Acme\n- Acme", "ul li"),
        ("1. Buy it.\n    - from Acme", "ol ul li"),
        ("| Acme | Price |\n| --- | --- |\n| Acme | 2 |", "th"),
        ("| Maker | Price |\n| --- | --- |\n| Acme | 2 |", "td"),
        ("> Acme works.", "blockquote p"),
        ("Buy **the Acme jar** today.", "p strong"),
        ("Buy **Acme** jars of *Acme*.", "p"),
        ("```\nacme --run\n```\n\nType `acme` or call Acme.", "p"),
    ],
)
def test_a_mention_in_any_block_but_code_is_linked(
    parts: dict[str, Any] | str, selector: str
) -> None:
    post = make_post(**({"bodies": [("Heading", parts)]} if isinstance(parts, str) else parts))
    offers = [Offer(name="Acme", url="https://acme.example/")]
    page = BeautifulSoup(html_of(post, offers), "html.parser")
    (link,) = page.find_all("a")
    assert link.get_text() == "Acme"
    assert any(link in found.find_all("a") for found in page.select(selector))
    other = common_mark(markdown_of(post, offers))
    assert links(other) == [("Acme", "https://acme.example/")]
    assert shape(str(page))[0] == shape(html_of(post))[0] == shape(other)[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("Acme Pro", "**Acme** Pro jars"),
        ("Acme Pro", "Wow!Acme Pro"),
        ("Acme Pro", "The `Acme` Pro"),
        ("Acme", "Acmes, SuperAcme, Acme_x, x\\_Acme and Acme\u0301 are others."),
    ],
)
def test_a_mention_that_can_be_no_link_is_listed(name: str, content: str) -> None:
    post = make_post(bodies=(("Heading", content),))
    html = html_of(post, [Offer(name=name, url="https://acme.example/")])
    assert links(html) == [(name, "https://acme.example/")]
    assert links(without_featured(html)) == []


def test_a_long_page_leaves_little_for_the_collection_of_garbage() -> None:
    """While it looks through the tree of such a page, no other call is answered."""
    offer, page = Offer(name="Acme Pro", url="https://a.example/"), normalise("a|b\n-|-\n" * 600)
    link_offers("A page.", [offer], "en")
    gc.collect()
    gc.disable()
    try:
        before = gc.get_count()[0]
        link_offers(page, [offer], "en")
        assert gc.get_count()[0] < before + 20_000
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("offers", "problem"),
    [
        ([("Acme", "https://a.example/"), ("ACME", "https://b.example/")], "offers[1].name"),
        ([("A Pro", "https://a.example/"), ("A  pro", "https://b.example/")], "offers[1].name"),
        ([("Acme", "https://a.example/"), ("Bolt", "https://a.example/")], "offers[1].url"),
        ([(f"Brand {n}", f"https://{n}.example/") for n in range(21)], "at most 20"),
    ],
)
def test_offers_that_could_not_each_be_linked_once_are_refused(
    offers: list[tuple[str, str]], problem: str
) -> None:
    with pytest.raises(ValidationFailed, match=re.escape(problem)):
        check_offers([Offer(name=name, url=url) for name, url in offers])


@pytest.mark.parametrize(
    ("offer", "field"),
    [
        ({"name": "", "url": "https://a.example/"}, "name"),
        ({"name": "n" * 101, "url": "https://a.example/"}, "name"),
        ({"name": "\ue001x", "url": "https://a.example/"}, "name"),
        ({"name": "Acme", "url": "javascript:alert(1)"}, "url"),
        ({"name": "Acme", "url": "https://a.example/`"}, "url"),
        ({"name": "Acme"}, "url"),
    ],
)
def test_an_offer_that_no_page_can_carry_is_refused(offer: dict[str, str], field: str) -> None:
    with pytest.raises(ValidationFailed, match=f"^{field} "):
        parse(Offer, offer)


@pytest.mark.parametrize(
    "text",
    [
        r"Read \\[this](http://evil.example/)",
        r"Read \\\\[this](http://evil.example/)",
        "| `a | <script>x</script>` | b |\n|---|---|\n| `c | [d](http://evil.example)` | e |",
        "`a\n<b>` [c](http://evil.example)",
        r"\<script>x</script>",
    ],
)
def test_no_spelling_of_a_link_or_of_html_is_alive(text: str) -> None:
    """SPEC: Only configured URLs can appear; the generator never writes links itself."""
    normal = normalise(text)
    for html in (to_html(normal, links=True), common_mark(normal)):
        assert not ALIVE & set(shape(html)[1])
