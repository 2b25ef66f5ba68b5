"""Posts that the WordPress plugin writes, on real WordPress and in its own editor."""

import json
import random
import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import requests
from bs4 import BeautifulSoup, Comment, Tag

from connectors.tests.items import make_item
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.wordpress.blocks import as_blocks
from copydesk_connectors.targets.wordpress.posts import content_of
from tests.support.chromium import Browser
from tests.support.sites.example_posts import CONTENTS, example_item
from tests.support.sites.plugin_site import PluginPosts, route
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import SCRIPTS, WordPressSite, log_in
from tests.support.sites.wordpress_target import BODY, picture

pytestmark = pytest.mark.sites

# What the block editor makes of a post, once it has opened it.
EDITED = """new Promise(done => { const wait = () => {
    const editor = wp.data.select('core/block-editor');
    if (!wp.data.select('core/editor').getCurrentPostId() || !editor.getBlocks().length)
        return setTimeout(wait, 50);
    const flat = blocks => blocks.flatMap(block => [block, ...flat(block.innerBlocks)]);
    const blocks = flat(editor.getBlocks());
    done({
        names: blocks.map(block => block.name),
        invalid: blocks.filter(block => !block.isValid).map(block => block.originalContent),
        saved: wp.blocks.serialize(editor.getBlocks()),
    });
}; wait(); })"""
SEO_PLUGINS = f"require '{SCRIPTS / 'active-seo-plugins.php'}';"
SCRIPT = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
TAGS = frozenset(
    re.findall(
        r"\S+",
        "a b blockquote br code div em figure h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong sub sup "
        "table tbody td tfoot th thead tr ul",
    )
)
CLASSED = TAGS & {"blockquote", "figure", "hr", "ol", "pre", "ul", *(f"h{n}" for n in range(1, 7))}
# Every form that a rendered post takes, and some that only other writers make.
FORMS = (
    BODY,
    *(example_item(name)["rendered"]["html"] for name in sorted(CONTENTS)),
    make_item()["rendered"]["html"],
    "<ul>\n<li>One\n<ol>\n<li>Two <em>three</em></li>\n<li>Four</li>\n</ol>\n</li>\n</ul>",
    '<ol start="7">\n<li>Seven</li>\n<li>Eight</li>\n</ol>',
    '<ol start="0">\n<li>None</li>\n<li>One</li>\n</ol>',
    "<h2>A &amp; B</h2>\n<h3>C &lt; D</h3>\n<p>E [caption] &quot;F&quot; &#8217;</p>\n<hr>",
    "<pre><code>if (a &lt; b) {\n    c[0] = 1;\n}\n</code></pre>",
    "<pre>plain\n  lines</pre>",
    "<table>\n<tbody>\n<tr>\n<td>1</td>\n<td></td>\n</tr>\n</tbody>\n</table>",
    "<blockquote>\n<p><strong>Note:</strong> mind it.</p>\n<ul>\n<li>Twice</li>\n</ul>\n"
    "</blockquote>",
    "<p>Line<br>break, H<sub>2</sub>O, x<sup>2</sup>, <s>gone</s>, <b>bold</b> <i>tone</i></p>",
    "Loose <em>text</em> between <p>paragraphs</p> and after",
)
HOSTILE = (
    "<script>alert(1)</script><p>Text</p>",
    "<p>Text</p><ScRiPt src=//evil.example/x.js></sCrIpT foo>tail",
    "<p onclick=alert(1) style='x' class=c id=i data-x=y>Text</p>",
    '<a href="javascript:alert(1)">Text</a>',
    '<a href="&#106;ava&#x0A;script:alert(1)">Text</a>',
    '<a href=" \x01javascript:alert(1)">Text</a>',
    '<a href="data:text/html,x">Text</a><a href="//evil.example">Text</a>',
    '<a href="https://good.example/&quot; onmouseover=&quot;alert(1)">Text</a>',
    "<a href='https://good.example/\" x'>Text</a>",
    "<iframe src='https://evil.example'><p>hidden</p></iframe><p>Text</p>",
    "<svg><script>alert(1)</script><p>hidden</p></svg><p>Text</p>",
    "<math><mi xlink:href='javascript:1'>x</mi></math><p>Text</p>",
    "<img src=x onerror=alert(1)><p>Text</p>",
    "<p>Text<!-- wp:html --><script>alert(1)</script><!-- /wp:html --></p>",
    "<!-- wp:shortcode -->[gallery]<!-- /wp:shortcode --><p>Text &lt;!-- wp:html --&gt;</p>",
    "<!--><p>Text</p>--><!----><!--- x",
    "<style>p{}</style><p>Text</p><title>t</title><textarea><p>u</textarea>",
    "<p>Text <form action=//evil.example><input name=a><button>Send</button></form>",
    "<object data=x><embed src=y></object><p>Text",
    "<p>Text <b><i>bold</b> both</i> <em>open",
    "<p>Text</div></td></ul></blockquote></li><li>item<td>cell<tr>row",
    "<ul>loose<p>Text</p><li>item<ul>deep</ul></ul>",
    "<table>loose<p>Text</p><tr>row<td>cell<table><tr><td>inner</table></table>after",
    "<ol start='-1'><li>Text</ol><ol start='9999999999999'><li>Text</ol>",
    "<ol start='\"><script>'><li>Text</li></ol>",
    "<p>Text<plaintext><p>never</p>",
    "<p title='unclosed><p>never</p>",
    "<p>Text<",
    "<p>Text</",
    "<p>Text<!",
    "<p>Text\x00\x08\ufffe &#0; &#xD800; &notit; &amp;lt;script&gt;</p>",
    "<p>[gallery ids=1] [[x]] https://[evil] Text</p>",
    "<details><summary>Text</summary>more</details><dl><dt>a<dd>b</dl>",
    "<p>Text</p>" + "<blockquote>" * 500 + "deep" + "</blockquote>" * 400,
    "<p>Text</p>" + "<ul><li>" * 500 + "deep",
    "<p>Text</p>" + "<b><i>" * 500 + "deep",
    "<p>Text</p>" + "<table><tr><td>" * 200 + "deep",
)


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def plugin_server(request: pytest.FixtureRequest) -> Iterator[PluginPosts]:
    with start_or_skip(lambda: WordPressSite(request.param)) as site:
        there = PluginPosts(site)
        there.install()
        yield there


@pytest.fixture
def plugin(plugin_server: PluginPosts) -> Iterator[PluginPosts]:
    """The plugin on a site without posts; afterwards PHP has complained of nothing."""
    plugin_server.site.clear()
    with plugin_server.without_complaints():
        yield plugin_server


def item_of(html: str, item_id: str = "itm_1", **changes: Any) -> dict[str, Any]:
    return make_item(item_id, rendered={"html": html, "markdown": "x"}, **changes)


def problems(markup: str) -> list[str]:
    """Everything in a text that the allow-list does not have."""
    soup = BeautifulSoup(markup, "html.parser")
    found = [
        str(comment)
        for comment in soup.find_all(string=lambda text: isinstance(text, Comment))
        if not re.fullmatch(r" /?wp:[a-z-]+( \{[^<>]*\})? | copydesk:\S+ ", comment)
    ]
    for tag in soup.find_all(True):
        assert isinstance(tag, Tag)
        if tag.name not in TAGS:
            found.append(tag.name)
        known = {"a": {"href", "rel", "target"}, "ol": {"start"}}.get(tag.name, set())
        known |= {"class"} if tag.name in CLASSED else set()
        found += [f"{tag.name} {name}" for name in tag.attrs if name not in known]
        href = tag.get("href")
        if href is not None and not re.match(r"https?://[^\s\"'<>]+\Z", str(href)):
            found.append(str(href))
    found += re.findall(r"\[[\w/]", markup)
    opened = re.findall(r"<!-- wp:([a-z-]+)", markup)
    closed = re.findall(r"<!-- /wp:([a-z-]+)", markup)
    if sorted(opened) != sorted(closed):
        found.append("unbalanced blocks")
    return found


def random_html(number: int) -> list[str]:
    """Texts of known and unknown tags in any order; each word is in them once."""
    chance = random.Random(7)
    words = (f"w{n}" for n in count())
    names = [*sorted(TAGS), "x"]
    return [
        "".join(
            chance.choice([f"<{name}>", f"</{name}>", f" {next(words)} ", f"<{name} b='>'>"])
            for name in (chance.choice(names) for _ in range(chance.randrange(2, 60)))
        )
        for _ in range(number)
    ]


# --- the text


def test_the_blocks_are_those_of_the_connector(plugin: PluginPosts) -> None:
    """The blocks made by PHP from rendered.html must be those that blocks.py makes"""
    for markup, made in zip(FORMS, plugin.convert(*FORMS), strict=True):
        assert made["blocks"] == as_blocks(markup)


@pytest.mark.parametrize("format_name", ["blocks", "html"])
def test_readers_are_told_that_offers_are_paid_where_there_are_some(
    plugin: PluginPosts, format_name: str
) -> None:
    """a line that offers are paid, by setting"""
    wanted = route(offers=True, format=format_name)
    items = (item_of(BODY), item_of("<p>It is sponsored by nobody.</p>"))
    done = plugin.do(*({"do": "fields", "item": item, "route": wanted} for item in items))
    assert ["We are paid for links" in fields["post_content"] for fields in done] == [True, False]


@pytest.mark.parametrize("format_name", ["blocks", "html"])
def test_the_fields_are_those_of_the_connector(plugin: PluginPosts, format_name: str) -> None:
    """title, slug, excerpt and content with the marker, as copydesk-connect sends them"""
    items = [make_item(), *(example_item(name) for name in sorted(CONTENTS)), item_of(BODY)]
    wanted = route(format=format_name)
    done = plugin.do(*({"do": "fields", "item": item, "route": wanted} for item in items))
    for item, fields in zip(items, done, strict=True):
        sent = content_of(Post.from_item(item), format_name)
        if format_name == "html":  # white space between elements, which nobody sees, may differ
            for texts, key in ((sent, "content"), (fields, "post_content")):
                soup = BeautifulSoup(re.sub(r">\s+<", "><", texts[key]), "html.parser")
                texts[key] = str(soup)
        assert {
            "title": fields["post_title"],
            "slug": fields["post_name"],
            "excerpt": fields["post_excerpt"],
            "content": fields["post_content"],
        } == sent


def test_nobody_and_an_administrator_store_the_same(plugin: PluginPosts) -> None:
    """cron runs as nobody: always filter. WordPress's own filter for such users finds nothing, and
    writes only "[" and an hr in another way."""
    items = [item_of(BODY, f"itm_{n}") for n in (1, 2)]
    nobody = plugin.put(items[0], disclosure=True)
    admin = plugin.put(items[1], disclosure=True, login="administrator")
    texts = {post.id: post.content for post in plugin.site.posts()}
    text = texts[nobody].replace("&#091;", "&#91;").replace(" />", "/>")
    assert text.replace("itm_1", "itm_2") == texts[admin]
    (fields,) = plugin.do({"do": "fields", "item": items[1], "route": route(disclosure=True)})
    assert fields["post_content"] == texts[admin]


def test_hostile_html_comes_out_harmless(plugin: PluginPosts) -> None:
    """Hostile html (scripts, iframes, on*, javascript: links, unbalanced tags, deep nesting) must
    come out harmless"""
    for markup, made in zip(HOSTILE, plugin.convert(*HOSTILE), strict=True):
        assert problems(made["blocks"]) == [], markup[:200]
        assert problems(made["html"]) == [], markup[:200]
        shown = BeautifulSoup(made["blocks"], "html.parser").get_text()
        assert "Text" in shown or "Text" not in markup or "title='unclosed" in markup
        assert "hidden" not in shown
        assert "deep" in shown or "deep" not in markup


def test_random_html_comes_out_harmless_and_keeps_its_words(plugin: PluginPosts) -> None:
    """unbalanced tags in any order"""
    samples = random_html(400)
    for markup, made in zip(samples, plugin.convert(*samples), strict=True):
        assert problems(made["blocks"]) == [], markup
        shown = BeautifulSoup(made["blocks"], "html.parser").get_text(" ")
        assert sorted(re.findall(r"w\d+", shown)) == sorted(re.findall(r"w\d+", markup))


@pytest.mark.parametrize(
    "markup",
    [
        "<p>" + "a" * 16_000_000 + "</p>",
        "<p>a" * 100_000,
        "<b></b>" * 100_000,
        "<br>" * 100_000,
        "<table>" + "<td>" * 100_000,
    ],
    ids=["long", "paragraphs", "styles", "breaks", "cells"],
)
def test_a_text_that_is_too_large_is_refused_with_a_sentence(
    plugin: PluginPosts, markup: str
) -> None:
    """16 MB … bounded: one clear error (what, where, what would be right)"""
    (post,) = plugin.do({"do": "begin"})
    (refused,) = plugin.do(
        {"do": "fill", "post": post, "item": item_of(markup), "route": route()}, memory="128M"
    )
    assert refused["error"] == "copydesk_bad_item"
    assert re.search(r"longer than 1,000,000 bytes|more than 20,000 HTML", refused["message"])
    assert [stored.content for stored in plugin.site.posts()] == [""]


def test_the_worst_texts_of_the_largest_size_take_linear_time(plugin: PluginPosts) -> None:
    """in linear time: a host stops PHP after 30 seconds of work, and gives it 128 MB"""
    pieces = (
        "<", "<!--", "<!-", "<a href='", "<a b='c' ", "&", "&amp;", "</p>", "[[", "<script>",
        "</script>", "<svg>", "<style", "<p ", "<x>", "<?", '"', "\n", "<li></ul>",
    )  # fmt: skip
    samples = [piece * (999_000 // len(piece)) for piece in pieces]
    samples += ["<blockquote>" * 19_000 + "a" * 700_000, "<p>a</p>" * 19_900, "<li>a" * 19_000]
    for sample in samples:
        plugin.do({"do": "convert", "html": sample}, memory="128M", seconds=30)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": ""}, "no usable id"),
        ({"id": 7}, "no usable id"),
        ({"post": None}, "no title"),
        ({"post": {"title": ["x"]}}, "no title"),
        ({"post": {"title": "x" * 3000}}, "longer than 2,000 bytes"),
        ({"rendered": {}}, "no text"),
        ({"rendered": {"html": " \n"}}, "no text"),
        ({"rendered": {"html": "<script>x</script><p> </p>"}}, "no text"),
        ({"rendered": "x"}, "no text"),
    ],
)
def test_an_item_that_can_be_no_post_is_one_clear_error(
    plugin: PluginPosts, changes: Mapping[str, Any], said: str
) -> None:
    (post,) = plugin.do({"do": "begin"})
    item = {**make_item(), **changes}
    refused, problem, none = plugin.do(
        {"do": "fill", "post": post, "item": item, "route": route()},
        {"do": "problem", "item": item},
        {"do": "problem", "item": make_item()},
    )
    assert (refused["error"], said in refused["message"]) == ("copydesk_bad_item", True)
    assert (problem, none) == (refused["message"], "")
    assert plugin.site.meta(post) == {}


def test_strange_fields_are_bounded_and_plain(plugin: PluginPosts) -> None:
    """texts of strangers are bounded before anything looks at them"""
    item = make_item(title="A <b>&amp; \x01B</b> [gallery]", slug="Ünï/../cödé  " + "x-" * 80)
    item["post"]["meta"] = {"description": "é" * 4000, "primaryKeyword": ["x"]}
    item["post"]["coverageNotes"] = {"keywordCoverage": [{"keyword": "Tea"}, 3, {"keyword": "tea"}]}
    (fields,) = plugin.do({"do": "fields", "item": item, "route": route()})
    assert fields["post_title"] == "A &lt;b&gt;&amp;amp; B&lt;/b&gt; [gallery]"
    assert re.fullmatch(r"uni-code(-x)+", fields["post_name"])
    assert len(fields["post_name"]) <= 100
    assert fields["post_excerpt"] == "é" * 4000
    (read,) = plugin.do({"do": "read", "item": item})
    assert read["keywords"] == ["Tea"]


# --- the post


def test_what_the_owner_edited_is_known(plugin: PluginPosts) -> None:
    """An owner's edits are respected"""
    item = make_item()
    post = plugin.put(item, status="draft")
    known = {"do": "unedited", "post": post, "item": item, "route": route(links=False)}
    assert plugin.do(known) == [True]
    (stored,) = plugin.site.posts()
    # Only markup: the editor wrote it again in another form.
    plugin.site.rest(
        "POST", f"posts/{post}", json={"content": re.sub(r"<!--.*?-->\n?", "", stored.content)}
    )
    assert plugin.do(known) == [True]
    plugin.site.rest(
        "POST", f"posts/{post}", json={"content": stored.content.replace("warm", "hot")}
    )
    assert plugin.do(known) == [False]
    plugin.site.rest("POST", f"posts/{post}", json={"content": stored.content, "title": "Mine"})
    assert plugin.do(known) == [False]


def test_terms_are_those_of_the_route(plugin: PluginPosts) -> None:
    """routes (rule or keyword → category, tags, author)"""
    name = f"Tips & Tricks {plugin.site.suite}"
    category = plugin.site.rest("POST", "categories", json={"name": name})["id"]
    author = plugin.site.rest("GET", "users", params={"slug": "author"})[0]["id"]
    plugin.put(
        make_item(),
        categories=[category, 99_999],
        tags=["Coffee & Tea", "2026"],
        author=author,
    )
    (stored,) = plugin.site.posts()
    assert stored.categories == (name.replace("&", "&amp;"),)
    assert set(stored.tags) == {"Coffee &amp; Tea", "2026"}
    assert stored.author == "author"


LOSES_TERMS = """
add_filter('query', function ($sql) {
    return preg_match('/^INSERT.*term_relationships/i', $sql) ? 'SELECT 1 WHERE 1 = 0' : $sql;
});
"""


def test_nothing_is_shown_without_the_terms_that_were_chosen(plugin: PluginPosts) -> None:
    """The plugin reads terms and picture back before it publishes"""
    (post,) = plugin.do({"do": "begin"})
    fill = {"do": "fill", "post": post, "item": make_item(), "route": route(tags=["Spade"])}
    with plugin.site.with_plugin(LOSES_TERMS):
        (done,) = plugin.do(fill)
    assert done["error"] == "copydesk_not_stored"
    assert "post_tag" in done["message"]
    assert [stored.status for stored in plugin.site.posts()] == ["auto-draft"]
    assert plugin.do(fill) == [True]
    assert [stored.tags for stored in plugin.site.posts()] == [("Spade",)]


def test_characters_of_four_bytes_are_references_in_old_tables(plugin: PluginPosts) -> None:
    """The plugin encodes by what the column's charset really is"""
    item = item_of("<p>Sow 🥕 in 𠮷野.</p>", title="Carrots 🥕")
    (post,) = plugin.do({"do": "begin"})
    fill = {"do": "fill", "post": post, "item": item, "route": route(tags=["Bed 🥕"])}
    with plugin.site.with_old_tables():
        assert plugin.do(fill, {**fill, "do": "unedited"}) == [True, True]
        (stored,) = plugin.site.posts()
        assert (stored.title, stored.tags) == ("Carrots &#x1f955;", ("Bed &#x1f955;",))
        assert "Sow &#x1f955; in &#x20bb7;野." in stored.content


PRINTS_A_DESCRIPTION = """
add_action('wp_head', function () { echo "<meta property='og:title' content='Theirs'/>\n"; }, 1);
"""


def test_the_head_has_a_description_and_open_graph_once(
    plugin: PluginPosts, tmp_path: Path
) -> None:
    """Without an SEO plugin the description and Open Graph are in the head"""
    post = plugin.put(make_item(), json_ld=False)
    photo = plugin.site.upload(picture(tmp_path / "photo.png"))
    fields = {"featured_media": photo["id"], "excerpt": 'Say "why" & how.'}
    link = plugin.site.rest("POST", f"posts/{post}", json=fields)["link"]

    def metas() -> dict[str, str]:
        page = BeautifulSoup(plugin.site.page_html(link), "html.parser")
        found = [
            (tag.get("property") or tag.get("name"), tag["content"])
            for tag in page("meta")
            if tag.get("content") and (tag.get("property") or tag.get("name"))
        ]
        assert len(dict(found)) == len(found)
        return dict(found)

    said = metas()
    assert said["description"] == said["og:description"] == 'Say "why" & how.'
    assert said["og:title"] == make_item()["post"]["title"]
    assert (said["og:type"], said["og:url"], said["og:image"]) == (
        "article",
        link,
        photo["source_url"],
    )
    with plugin.site.with_plugin(PRINTS_A_DESCRIPTION):
        assert metas()["og:title"] == "Theirs"
    assert '<meta name="description"' not in plugin.site.page_html(plugin.site.url + "/")


def test_seo_plugins_get_their_fields_and_the_owner_keeps_his(plugin: PluginPosts) -> None:
    """SEO fields for Yoast and Rank Math"""
    site = plugin.site
    item = make_item(title="Save 50%% of %%sitename%% and %title% \\ today")
    assert not any("yoast" in key for key in site.meta(plugin.put(item)))
    with site.with_plugin(SEO_PLUGINS):
        (post,) = plugin.do({"do": "begin"})
        fill = {"do": "fill", "post": post, "item": item, "route": route()}
        assert plugin.do(fill) == [True]
        meta = site.meta(post)
        assert meta["_yoast_wpseo_title"] == "Save 50% of %sitename% and %title% \\ today"
        assert meta["rank_math_title"] == "Save 50%% of %% sitename%% and % title% \\ today"
        for key in ("_yoast_wpseo_metadesc", "rank_math_description"):
            assert meta[key] == "Descale it in an hour: what to buy & what to avoid."
        for key in ("_yoast_wpseo_focuskw", "rank_math_focus_keyword"):
            assert meta[key] == "descale espresso machine"
        plugin.site._database.execute(
            f"UPDATE wp_postmeta SET meta_value = 'Mine' WHERE post_id = {post} "
            "AND meta_key = 'rank_math_title'",
            "wordpress",
        )
        assert plugin.do(fill) == [True]
        assert site.meta(post)["rank_math_title"] == "Mine"
        other = plugin.put(make_item("itm_2"), seo="none")
        assert not any("rank_math" in key for key in site.meta(other))


def test_only_those_who_edit_a_post_see_its_fields(plugin: PluginPosts) -> None:
    """meta in context `edit` only: visitors do not see focus keywords"""
    site = plugin.site
    fields = {
        "_yoast_wpseo_focuskw": "a secret plan",
        "rank_math_focus_keyword": "a secret plan",
        "_copydesk_json_ld": "{}",
    }
    with site.with_plugin(SEO_PLUGINS):
        body = {"title": "T", "content": "C", "status": "publish", "meta": fields}
        made = site.rest("POST", "posts", "author", json=body)["id"]
        assert site.meta(made).items() >= fields.items()
        anonymous = requests.get(f"{site.url}/wp-json/wp/v2/posts/{made}", timeout=30).json()
        for shown in (anonymous, site.rest("GET", f"posts/{made}", "subscriber")):
            assert not [key for key in fields if key in str(shown)]
        edited = site.rest("GET", f"posts/{made}", "author", params={"context": "edit"})
        assert edited["meta"].items() >= fields.items()


# --- pictures


def test_a_post_gets_the_picture_that_fits_it_once(plugin: PluginPosts, tmp_path: Path) -> None:
    """image once"""
    site = plugin.site
    names = ("citric-acid-and-espresso-machine.png", "espresso_cup.png", "garden-chairs.png")
    fitting, *_ = [site.upload(picture(tmp_path / name))["id"] for name in names]
    post = plugin.put(make_item(), image="library")
    thumbnail = site.meta(post)["_thumbnail_id"]
    assert thumbnail == str(fitting)
    fill = {"do": "fill", "post": post, "item": make_item(), "route": route(image="library")}
    assert plugin.do(fill) == [True]
    assert site.meta(post)["_thumbnail_id"] == thumbnail
    assert len(site.rest("GET", "media")) == 3
    page = site.page_html(f"{site.url}/?p={post}")
    assert page_data(page)["image"].endswith(names[0])
    other = plugin.put(make_item("itm_2", title="Winter hats"), image="library")
    assert "_thumbnail_id" in site.meta(other)  # its keywords fit
    item = make_item("itm_3", title="Winter hats")
    item["post"]["coverageNotes"] = item["post"]["meta"] = {}
    assert "_thumbnail_id" not in site.meta(plugin.put(item, image="library"))


# --- internal links

SECTION = (
    "<p>Intro.</p>\n<h2>Rinse</h2>\n<p>First <strong>read</strong> on. {}</p>\n"
    "<p>[[internal-link: {}]]</p>\n<h2>Dry</h2>\n<p>That is all.</p>"
)


def links_of(plugin: PluginPosts, html: str, **changes: Any) -> list[tuple[str, str]]:
    """The links of a text by their addresses, with the paragraphs that they are in."""
    (fields,) = plugin.do(
        {"do": "fields", "item": item_of(html, "itm_new"), "route": route(**changes)}
    )
    assert "internal-link" not in fields["post_content"]
    soup = BeautifulSoup(fields["post_content"], "html.parser")
    return [(str(a["href"]), a.parent.get_text() if a.parent else "") for a in soup.find_all("a")]


def test_internal_links_stand_inside_sentences(plugin: PluginPosts) -> None:
    """Internal links inside sentences rather than as a paragraph of their own"""
    site = plugin.site
    for number, title in enumerate(
        ["Choosing citric acid", "How hard water & scale form", "Secret citric acid", "A kettle"]
    ):
        plugin.put(make_item(f"itm_{number}", title=title, slug=f"post-{number}"))
    secret = next(post.id for post in site.posts() if post.slug == "post-2")
    site.rest("POST", f"posts/{secret}", json={"password": "x"})
    acid, water = (f"{site.url}/post-{number}/" for number in (0, 1))

    sentence = "Take a spoon of Citric Acid for it."
    found = links_of(plugin, SECTION.format(sentence, "Where citric acid helps"))
    assert found == [(acid, f"First read on. {sentence}")]
    (fields,) = plugin.do(
        {
            "do": "fields",
            "item": item_of(SECTION.format(sentence, "Where citric acid helps")),
            "route": route(),
        }
    )
    assert f'spoon of <a href="{acid}">Citric Acid</a> for it.' in fields["post_content"]

    # Where no phrase names the post, a sentence at the end of a paragraph does.
    found = links_of(plugin, SECTION.format("It is easy.", "What hard water does to scale"))
    assert found == [(water, "First read on. It is easy. Read more: How hard water & scale form.")]

    # No link where no post fits, where only a short word is shared, or where it is not wanted.
    for subject in ("Garden chairs", "", "%_%", "acid", "Secret"):
        assert links_of(plugin, SECTION.format("It is easy.", subject)) == []
    unwanted = SECTION.format(sentence, "Where citric acid helps")
    assert links_of(plugin, unwanted, links=False) == []

    # Each post once, and never in a link, in code or in another section.
    twice = SECTION.format(sentence, "Where citric acid helps") * 2
    assert [url for url, _ in links_of(plugin, twice)] == [acid]
    taken = '<a href="https://x.example/">citric acid</a> and <code>citric acid</code>.'
    assert links_of(plugin, SECTION.format(taken, "Where citric acid helps"))[1] == (
        acid,
        "First read on. citric acid and citric acid. Read more: Choosing citric acid.",
    )


def test_a_filled_post_does_not_link_to_itself(plugin: PluginPosts) -> None:
    html = SECTION.format("It is easy.", "Descale an espresso machine")
    post = plugin.put(item_of(html))
    fill = {"do": "fill", "post": post, "item": item_of(html), "route": route()}
    assert plugin.do(fill) == [True]
    (stored,) = plugin.site.posts()
    assert "<a " not in stored.content


# --- the head of the page


def page_data(page: str) -> dict[str, Any]:
    """The only JSON-LD of a page."""
    (found,) = SCRIPT.findall(page)
    return dict(json.loads(found))


def test_the_page_says_what_the_post_is(plugin: PluginPosts) -> None:
    """JSON-LD valid (no </script> escape), Organization (the site) as author by default, IPTC
    digitalSourceType"""
    site = plugin.site
    title = 'Why </script><script>alert("x")</script> & <!-- tea \\u003c [gallery]'
    post = plugin.put(make_item(title=title))
    data = page_data(site.page_html(f"{site.url}/?p={post}"))
    url = f"{site.url}/descale-espresso-machine/"
    organization = {"@type": "Organization", "name": "A test site", "url": f"{site.url}/"}
    (stored,) = site.posts()
    when = stored.date_gmt.replace(" ", "T") + "+00:00"
    assert data == {
        "@context": "https://schema.org",
        "@type": "BlogPosting",
        "headline": title,
        "description": "Descale it in an hour: what to buy & what to avoid.",
        "keywords": ["descale espresso machine", "citric acid"],
        "author": organization,
        "publisher": organization,
        "url": url,
        "mainEntityOfPage": {"@type": "WebPage", "@id": url},
        "datePublished": when,
        "dateModified": stored.modified_gmt.replace(" ", "T") + "+00:00",
        "digitalSourceType": "https://schema.org/TrainedAlgorithmicMediaDigitalSource",
    }
    # The page follows what the owner changes.
    site.rest("POST", f"posts/{post}", json={"title": "Mine"})
    assert page_data(site.page_html(url))["headline"] == "Mine"
    site.rest("POST", f"posts/{post}", json={"password": "x"})
    assert SCRIPT.findall(site.page_html(url)) == []
    assert SCRIPT.findall(site.page_html(site.url)) == []


def test_the_author_is_a_person_where_the_owner_chose_one(plugin: PluginPosts) -> None:
    """Organization (site) as author unless the owner set one"""
    site = plugin.site
    author = site.rest("GET", "users", params={"slug": "author"})[0]["id"]
    post = plugin.put(make_item(), author=author)
    data = page_data(site.page_html(f"{site.url}/?p={post}"))
    assert (data["author"]["@type"], data["author"]["name"]) == ("Person", "Author")
    other = plugin.put(make_item("itm_2"), json_ld=False)
    assert SCRIPT.findall(site.page_html(f"{site.url}/?p={other}")) == []


@pytest.mark.parametrize("name", ["yoast", "rank_math"])
def test_an_seo_plugin_describes_the_post_alone(plugin: PluginPosts, name: str) -> None:
    """one description of a page, which says how the text was made"""
    site = plugin.site
    post = plugin.put(make_item())
    with site.with_plugin(SEO_PLUGINS):
        data = page_data(site.page_html(f"{site.url}/?p={post}&copydesk_seo={name}"))
    assert data["theirs"] == name
    assert data["digitalSourceType"].endswith("/TrainedAlgorithmicMediaDigitalSource")


# --- the editor and the page


def test_the_editor_knows_every_block(plugin: PluginPosts, chromium: Browser) -> None:
    """valid in the block editor (no “invalid block” — checked in Chromium)"""
    log_in(chromium, plugin.site)
    plugin.put(make_item("itm_0", title="Choosing citric acid", slug="citric"))
    link = SECTION.format("A spoon of citric acid.", "Citric acid")
    more = SECTION.format("It is easy.", "Choosing citric acid")
    # Texts that leave nothing open, so that one post can have them all.
    (fields,) = plugin.do({"do": "fields", "item": item_of(link), "route": route()})
    assert "<a " in fields["post_content"]
    ours = "".join((*FORMS, link, more))
    hostile = [made["html"] for made in plugin.convert(*HOSTILE, *random_html(100))]
    for number, body in enumerate((ours, "\n".join(hostile)), start=1):
        post = plugin.put(item_of(body, f"itm_{number}"), status="draft", disclosure=True)
        chromium.open(f"{plugin.site.url}/wp-admin/post.php?action=edit&post={post}")
        report = chromium.evaluate(EDITED)
        assert report["invalid"] == []
        assert {"core/html", "core/freeform", "core/missing"}.isdisjoint(report["names"])
        assert f"<!-- copydesk:itm_{number} -->" in report["saved"]
