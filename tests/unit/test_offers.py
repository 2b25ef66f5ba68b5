"""Offers: each configured link exactly once, at the first mention, and nothing else linked."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown import markdown
from markdown_it import MarkdownIt

from app.core.errors import ValidationFailed
from app.core.rendering.offers import Offer, check_offers
from app.core.rendering.render import render
from app.core.schemas.post import Callout, Faq, SEOPost
from app.core.schemas.request import parse

MakePost = Callable[..., SEOPost]

TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["Acme", "ACME", "acme's", "Acme Pro", "Acme\nPro", "C++", "C#", "a.b*c", "ソニーの",
             "café", "<script>x()</script>", "[x](http://y.example)", "[r]: http://r.example",
             "[r]", "<http://a.example>", "# ", "2024. ", "- ", "\n\n", "\n", "`", "**", "_",
             "\\", "!", "&copy;", "&amp;", "http://z.example", "</a>", "1", "(", ")", "is good."]
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
         "https://a.example/case", "https://a.example/cas"]
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


def html_of(post: SEOPost, offers: list[Offer]) -> str:
    html = render(post, [], offers).html
    assert html is not None
    return html


def markdown_of(post: SEOPost, offers: list[Offer]) -> str:
    text = render(post, [], offers).markdown
    assert text is not None
    return text


def links(html: str) -> list[tuple[str, str]]:
    """(visible text, address) of each link, in order."""
    found = BeautifulSoup(html, "html.parser").find_all("a")
    return [(a.get_text(), str(a["href"])) for a in found if isinstance(a, Tag)]


def visible(html: str) -> str:
    return " ".join(BeautifulSoup(html, "html.parser").get_text().split())


def without_featured(html: str) -> str:
    """The page before the list of offers that the text does not mention."""
    return re.split(r"<h2>Featured offers</h2>", html)[0]


@settings(max_examples=75)
@given(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS), offers_of_all_kinds())
def test_each_configured_link_appears_exactly_once(
    make_post: MakePost, texts: tuple[str, ...], offers: list[Offer]
) -> None:
    """SPEC: "an offer not mentioned naturally is added to a short Featured offers list at the end,
    so each configured link appears exactly once. Links appear only in rendered.html and
    rendered.markdown; the structured post stays link-free. […] Only configured URLs can appear."
    """
    post = make_post(
        introduction=texts[0],
        bodies=((texts[1] or "Heading", texts[2]),),
        callout=Callout(label=texts[3], text=texts[4]),
        faqs=(Faq(question=texts[5], answer=texts[6]),),
        conclusion=texts[7],
    )
    before = post.to_wire()
    html, source = html_of(post, offers), markdown_of(post, offers)

    configured = sorted(offer.url for offer in offers)
    assert sorted(url for _, url in links(html)) == configured
    assert sorted(url for _, url in links(markdown(source))) == configured
    assert len(links(MarkdownIt("commonmark").render(source))) == len(offers)

    # "In rendered.html links carry rel=sponsored noopener and open in a new tab."
    for tag in re.findall(r"<a [^>]*>", html):
        assert re.fullmatch(r'<a href="[^"]+" rel="sponsored noopener" target="_blank">', tag)

    # The visible text is otherwise unchanged, and the post is left as it was.
    assert visible(without_featured(html)) == visible(html_of(post, []))
    assert links(html_of(post, [])) == links(markdown(markdown_of(post, []))) == []
    assert post.to_wire() == before


WORDS = ["Acme", "acme", "ACME", "Bolt", "bolts", "Cogs", "cogs", "and", "Acmes", "tools"]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=8, max_size=8))
def test_the_first_mention_is_the_linked_one(make_post: MakePost, words: list[list[str]]) -> None:
    """SPEC: "every generated item mentions each configured offer by name; the first mention is
    hyperlinked to its configured URL".
    """
    parts = [" ".join(part) for part in words]
    post = make_post(
        introduction=parts[0],
        bodies=((parts[1], parts[2]),),
        callout=Callout(label=parts[3], text=parts[4]),
        faqs=(Faq(question=parts[5], answer=parts[6]),),
        conclusion=parts[7],
    )
    offers = [
        Offer(name=name, url=f"https://{name.lower()}.example/")
        for name in ("Acme", "Bolt", "Cogs")
    ]
    soup = BeautifulSoup(without_featured(html_of(post, offers)), "html.parser")
    seen: dict[str, str | None] = {}
    for string in soup.find_all(string=True):
        parent = string.parent
        assert parent is not None
        for word in re.findall(r"\w+", str(string)):
            seen.setdefault(word.casefold(), str(parent["href"]) if parent.name == "a" else None)
    for offer in offers:
        assert seen.get(offer.name.casefold(), offer.url) == offer.url


def linked(make_post: MakePost, offers: dict[str, str], **parts: Any) -> list[tuple[str, str]]:
    post, placed = make_post(**parts), [Offer(name=n, url=u) for n, u in offers.items()]
    found = links(html_of(post, placed))
    assert links(markdown(markdown_of(post, placed))) == found
    return [(text, {url: name for name, url in offers.items()}[url]) for text, url in found]


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
        ("Wow!Acme it is.", ACME, [("Acme", "Acme")]),
        ("私はソニーが好き。", {"ソニー": "https://sony.example/"}, [("ソニー", "ソニー")]),
        ("私はSonyが好き。", {"Sony": "https://sony.example/"}, [("Sony", "Sony")]),
        ("Learn C# and C++.", {"C++": "https://c.example/"}, [("C++", "C++")]),
        ("Write a*b*c here.", {"a*b*c": "https://c.example/"}, [("a*b*c", "a*b*c")]),
        ("Use <b> here.", {"<b>": "https://c.example/"}, [("<b>", "<b>")]),
        ("Use [x](y) here.", {"[x](y)": "https://c.example/"}, [("[x](y)", "[x](y)")]),
        ("AT&T and R&D.", {"AT&T": "https://c.example/"}, [("AT&T", "AT&T")]),
    ],
)
def test_what_counts_as_a_mention(
    make_post: MakePost, text: str, offers: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    assert linked(make_post, offers, introduction=text) == expected


def test_a_mention_inside_another_word_is_none(make_post: MakePost) -> None:
    post = make_post(introduction="Acmes, SuperAcme, Acme_x and Acme\u0301 are others.")
    html = html_of(post, [Offer(name="Acme", url="https://acme.example/")])
    assert links(without_featured(html)) == []
    assert links(html) == [("Acme", "https://acme.example/")]


@pytest.mark.parametrize(
    ("content", "selector"),
    [
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
    make_post: MakePost, content: str, selector: str
) -> None:
    post = make_post(bodies=(("Heading", content),))
    offers = [Offer(name="Acme", url="https://acme.example/")]
    html = html_of(post, offers)
    (link,) = BeautifulSoup(html, "html.parser").find_all("a")
    assert link.get_text() == "Acme"
    assert link.parent in BeautifulSoup(html, "html.parser").select(selector)
    shown = MarkdownIt("commonmark").enable("table").render(markdown_of(post, offers))
    assert links(shown) == [("Acme", "https://acme.example/")]
    assert visible(html) == visible(html_of(post, [])) == visible(shown)


@pytest.mark.parametrize(
    "content",
    ["**Acme** Pro jars", "*the Acme* Pro jar", "Acme **Pro jars**", "**Acme *Pro* jar**"],
)
def test_a_mention_across_styles_is_one_link(make_post: MakePost, content: str) -> None:
    post = make_post(bodies=(("Heading", content),))
    offers = [Offer(name="Acme Pro", url="https://acme.example/")]
    shown = MarkdownIt("commonmark").render(markdown_of(post, offers))
    for html in (html_of(post, offers), shown):
        assert links(html) == [("Acme Pro", "https://acme.example/")]


@pytest.mark.parametrize(
    ("parts", "tag"),
    [
        ({"bodies": (("Why Acme works", "Acme works."),)}, "h2"),
        ({"callout": Callout(label="Acme says", text="Acme works.")}, "strong"),
        ({"callout": Callout(label="Note", text="Acme works. Acme!")}, "p"),
        ({"faqs": (Faq(question="Is Acme good?", answer="Acme is good."),)}, "h3"),
        ({"faqs": (Faq(question="Is it good?", answer="Acme is, Acme is."),)}, "p"),
        ({"conclusion": "Go to Acme and to Acme."}, "p"),
    ],
)
def test_a_mention_anywhere_on_the_page_is_linked(
    make_post: MakePost, parts: dict[str, Any], tag: str
) -> None:
    html = html_of(make_post(**parts), [Offer(name="Acme", url="https://acme.example/")])
    (link,) = BeautifulSoup(html, "html.parser").find_all("a")
    assert link.parent is not None
    assert link.parent.name == tag
    assert "Featured offers" not in html


def test_offers_that_are_not_mentioned_stand_in_a_list_at_the_end(make_post: MakePost) -> None:
    offers = [
        Offer(name=n, url=f"https://{n[0].lower()}.example/") for n in ("Bolt", "Acme*", "Cogs")
    ]
    post = make_post(conclusion="Only Cogs is mentioned.")
    assert markdown_of(post, offers).endswith(
        "Only [Cogs](https://c.example/) is mentioned.\n\n"
        "## Featured offers\n\n"
        "- [Bolt](https://b.example/)\n"
        "- [Acme\\*](https://a.example/)\n"
    )
    html = html_of(post, offers)
    items = BeautifulSoup(html.split("<h2>Featured offers</h2>")[1], "html.parser").find_all("li")
    assert [item.get_text() for item in items] == ["Bolt", "Acme*"]
    assert "Empfohlene Angebote" in str(render(post, [], offers, language="de-AT").html)


def test_the_structured_post_never_holds_an_address(make_post: MakePost) -> None:
    post = make_post(conclusion="Only Acme is mentioned.")
    rendered = render(post, [], [Offer(name="Acme", url="https://acme.example/")])
    assert "acme.example" in str(rendered.html)
    assert "acme.example" not in json.dumps(post.to_wire())


@pytest.mark.parametrize(
    ("offers", "problem"),
    [
        ([("Acme", "https://a.example/"), ("ACME", "https://b.example/")], "offers[1].name"),
        (
            [("Acme Pro", "https://a.example/"), ("Acme  pro", "https://b.example/")],
            "offers[1].name",
        ),
        ([("Acme", "https://a.example/"), ("Bolt", "https://a.example/")], "offers[1].url"),
        ([(f"Brand {n}", f"https://{n}.example/") for n in range(21)], "at most 20"),
    ],
)
def test_offers_that_could_not_each_be_linked_once_are_refused(
    offers: list[tuple[str, str]], problem: str
) -> None:
    with pytest.raises(ValidationFailed, match=re.escape(problem)):
        check_offers([Offer(name=name, url=url) for name, url in offers])


def test_twenty_offers_and_addresses_that_differ_in_case_are_taken() -> None:
    check_offers([Offer(name=f"Brand {n}", url=f"https://{n}.example/") for n in range(20)])
    check_offers([Offer(name=n, url=f"https://a.example/{n}") for n in ("x", "Y")])
    check_offers(
        [Offer(name="a", url="https://s.example/AbC"), Offer(name="b", url="https://s.example/aBc")]
    )


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
