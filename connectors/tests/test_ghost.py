"""Ghost: the mapping by each choice of its owner, wrong settings, the key, and what check says."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.suite import put
from copydesk_connectors.target.base import CopyState, Level
from copydesk_connectors.target.errors import ConfigError, Misconfigured, Refused
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.ghost import settings as ghost_settings
from copydesk_connectors.targets.ghost.posts import marker

from .fake_ghost import KEY, FakeGhost
from .fake_site import Broken
from .items import Open, TargetTable, Write


def tags(stored: dict[str, Any]) -> list[str]:
    return [tag["name"] for tag in stored["tags"]]


def test_the_mapping(fake_ghost: FakeGhost, ghost: Open, post: Post) -> None:
    """lexical HTML card …, internal tag as key, tags, excerpt, meta"""
    put(ghost(), post)
    (stored,) = fake_ghost.public()
    assert stored["title"] == stored["meta_title"] == "How to descale an espresso machine"
    assert stored["slug"] == "descale-espresso-machine"
    assert stored["html"] == post.html
    assert tags(stored) == [*post.keywords, "#copydesk-69746d5f31"]
    assert stored["custom_excerpt"] == "Descale it in an hour: what to buy & what to avoid."
    assert stored["meta_description"] == stored["custom_excerpt"]
    for absent in ("authors", "canonical_url", "feature_image", "codeinjection_head"):
        assert absent == "authors" or absent not in stored
    assert fake_ghost.writes() == ["POST posts/", "PUT posts/000000000000000000000001/"]


def test_the_choices(fake_ghost: FakeGhost, ghost: Open, post: Post) -> None:
    """tags in place of the keywords, category, author, canonical_url by choice, json_ld"""
    fake_ghost.people["ann"] = "ann@blog.example"
    publisher = ghost(
        'tags = ["Coffee", "#internal"]',
        'category = "Guides"',
        'author = "ann@blog.example"',
        'canonical_base_url = "https://main.example/posts"',
        "json_ld = true",
    )
    publisher.ready()
    put(publisher, post)
    (stored,) = fake_ghost.public()
    assert tags(stored) == ["Guides", "Coffee", "#internal", "#copydesk-69746d5f31"]
    assert stored["authors"] == [{"email": "ann@blog.example"}]
    assert stored["canonical_url"] == "https://main.example/posts/descale-espresso-machine/"
    head = stored["codeinjection_head"]
    assert head.startswith('<script type="application/ld+json">{')
    assert head.endswith("}</script>")
    assert '"publisher": {"@type": "Organization", "name": "Jo\'s blog"}' in head


def test_ghosts_own_blocks_keep_the_paragraphs_of_a_list_item_apart(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """an item of Ghost's lists has one text"""
    items = "<ul>\n<li>\n<p>Rinse it.</p>\n<p>Dry it.</p>\n</li>\n<li>Once.</li>\n</ul>"
    put(ghost('format = "html"'), replace(post, html=items))
    (stored,) = fake_ghost.public()
    assert "".join(stored["html"].split("\n")) == (
        "<ul><li>Rinse it.<br/>Dry it.</li><li>Once.</li></ul>"
    )


def test_a_picture_is_sent_once_a_process(
    fake_ghost: FakeGhost, ghost: Open, post: Post, tmp_path: Path
) -> None:
    """feature image"""
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "beans.png").write_bytes(b"\x89PNG")
    (folder / "notes.txt").write_text("not a picture")
    publisher = ghost(f'image = "{folder}"')
    for number in range(3):
        put(publisher, replace(post, id=f"itm_{number}", title="A title"))
    assert fake_ghost.files == ["beans.png"]
    for stored in fake_ghost.public():
        assert stored["feature_image"] == "https://blog.example/content/images/beans.png"
        assert stored["feature_image_alt"] == "A title"
    (folder / "beans.png").unlink()
    with pytest.raises(Misconfigured, match="there is no picture at"):
        publisher.draft(replace(post, id="itm_9"))


def test_a_picture_that_ghost_does_not_take_is_the_owners_to_replace(
    fake_ghost: FakeGhost, ghost: Open, post: Post, tmp_path: Path
) -> None:
    """each finding with how to fix it; nothing is rejected for it"""
    picture = tmp_path / "huge.png"
    picture.write_bytes(b"\x89PNG")
    fake_ghost.fault = lambda _, path: Broken(False, 413) if "images" in path else None
    with pytest.raises(Misconfigured, match=r"does not take the picture huge\.png: .* \(413\)"):
        ghost(f'image = "{picture}"').draft(post)


@pytest.mark.parametrize(
    ("after", "status", "due"),
    [
        ("2h", "scheduled", "2026-05-01T12:00:00.250Z"),
        ("3d", "scheduled", "2026-05-04T10:00:00.250Z"),
        ("90m", "scheduled", "2026-05-01T11:30:00.250Z"),
        # Past or nearly past: Ghost rejects a date that is past when the request arrives.
        ("30m", "published", None),
        ("31m", "published", None),
    ],
)
def test_scheduled(
    fake_ghost: FakeGhost,
    ghost: Open,
    post: Post,
    today: None,
    after: str,
    status: str,
    due: str | None,
) -> None:
    """ "scheduled" with publish_after = "2h"|"3d" after the time of generation"""
    publisher = ghost('status = "scheduled"', f'publish_after = "{after}"')
    copy = publisher.draft(post)
    shown = publisher.publish(post, copy.remote_id)
    (stored,) = fake_ghost.posts.values()
    assert stored["status"] == status
    assert due in {None, stored["published_at"]}
    assert shown.state is (CopyState.SCHEDULED if due else CopyState.PUBLIC)
    assert shown.due == (datetime.fromisoformat(due) if due else None)
    assert bool(shown.url) == (status == "published")
    before = fake_ghost.writes()
    assert publisher.publish(post, copy.remote_id) == shown
    assert fake_ghost.writes() == before


@pytest.mark.parametrize("author", ["nobody", "nobody@blog.example"])
def test_an_author_whom_ghost_does_not_know_is_found_before_anything_is_sent(
    fake_ghost: FakeGhost, ghost: Open, author: str
) -> None:
    """author (by slug or e-mail …): Ghost would give the post to its owner without a word"""
    with pytest.raises(Misconfigured, match=f'has no author "{author}". To fix it: set author to'):
        ghost(f'author = "{author}"').ready()
    ghost('author = "jo"').ready()
    ghost('author = "jo@blog.example"').ready()
    assert fake_ghost.writes() == []


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            Broken(False, 301, "", {"Location": "https://x.ghost.io/ghost/?a=1"}),
            "redirects to http",
        ),
        (Broken(False, 404, "<h1>404</h1>"), "Ghost's Admin API does not answer there"),
        (Broken(False, 403, '{"errors": [{"message": "No."}]}'), "lets the key do nothing: No."),
    ],
)
def test_a_wrong_host_is_named(
    fake_ghost: FakeGhost, ghost: Open, broken: Broken, message: str
) -> None:
    """that the host is right (admin domain)"""
    fake_ghost.fault = lambda *_: broken
    with pytest.raises(Misconfigured, match=message) as caught:
        ghost().ready()
    assert caught.value.fix


def test_what_ghost_will_never_take_is_refused(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """permanent refusals (validation, forbidden) reject with a reason in the ledger"""
    with pytest.raises(Refused, match=r"Ghost refused the post: .*255 characters\. \(422\)"):
        ghost().draft(replace(post, title="x" * 256))
    # What the plan forbids is no fault of the post.
    limit = Broken(False, 403, '{"errors": [{"message": "Host limit", "context": "Upgrade."}]}')
    fake_ghost.fault = lambda *_: limit
    with pytest.raises(Misconfigured, match=r"Host limit Upgrade\. \(403\)"):
        ghost().draft(post)


def test_long_texts_fit_into_ghosts_fields(fake_ghost: FakeGhost, ghost: Open, post: Post) -> None:
    """excerpt from the meta description (<= 300)"""
    put(ghost(), replace(post, title="word " * 50 + "end", description="word " * 200))
    (stored,) = fake_ghost.public()
    assert 290 < len(stored["custom_excerpt"]) <= 300
    assert stored["custom_excerpt"].endswith("word…")
    assert 490 < len(stored["meta_description"]) <= 500
    assert len(stored["meta_title"]) == len(stored["title"]) == 253


def test_keywords_that_mean_something_to_ghost(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """tags: Ghost hides one that begins with #, and refuses one that begins with a comma"""
    put(ghost(), replace(post, keywords=("#1 tip", ", comma", "#", "plain")))
    assert tags(fake_ghost.public()[0]) == ["1 tip", "comma", "plain", "#copydesk-69746d5f31"]


def test_an_id_of_any_length_is_a_tag_of_its_own(post: Post) -> None:
    """Internal tag #copydesk-<hex of the id>; Ghost cuts the slug of a tag at 185 characters"""
    names = {marker(replace(post, id=item_id)) for item_id in ("a" * 99, "a" * 98, "ä/b")}
    assert len(names) == 3
    assert max(map(len, names)) < 185
    assert "#copydesk-c3a42f62" in names


NOW = datetime(2026, 5, 1, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("https://blog.example/ghost/", "https://blog.example"),
        ("https://blog.example/news/ghost/#/dashboard", "https://blog.example/news"),
        ("https://ghost/", "https://ghost"),
        ("https://blog.example/ghosts", "https://blog.example/ghosts"),
    ],
)
def test_the_address_of_the_admin_is_that_of_the_site(written: str, read: str) -> None:
    """`init` trims /ghost: it is what the browser shows"""
    assert ghost_settings._url(written) == read


@pytest.mark.parametrize("key", ["22444f78447824223cefc48062", KEY.upper(), KEY[:-1], f"{KEY}0"])
def test_what_is_no_admin_key_is_refused_and_not_shown(
    write_config: Write, ghost_target: TargetTable, tmp_path: Path, key: str
) -> None:
    """Secrets never reach a log, an error, a printed URL or a repr"""
    table = ghost_target()
    (tmp_path / "key").write_text(key)
    with pytest.raises(ConfigError, match="copy the Admin API key, not the Content API") as caught:
        config.load(write_config(table))
    assert key not in str(caught.value)


def test_check_says_what_is_fine(ghost: Open) -> None:
    """check: the key works, the version"""
    (finding,) = ghost().check()
    assert finding.level is Level.OK
    assert finding.message == "Ghost 6.65, Jo's blog: the key is accepted"


def test_check_warns_of_what_changes_posts(fake_ghost: FakeGhost, ghost: Open) -> None:
    """outbound link tagging is on (it adds ?ref= to sponsored links …); https"""
    fake_ghost.settings["outbound_link_tagging"] = True
    fake_ghost.own_url = "http://blog.example/"
    fake_ghost.clock_s = 180
    links, clock, address, fine = ghost().check()
    assert [f.level for f in (links, clock, address)] == [Level.WARNING] * 3
    assert "?ref=" in links.message
    assert links.fix == "switch off Settings > Analytics > Outbound link tagging in Ghost"
    assert clock.message.startswith("this machine's clock is 3 minutes behind the site's")
    assert "http://blog.example/" in address.message
    assert fine.level is Level.OK


def test_check_refuses_a_ghost_that_is_too_old(fake_ghost: FakeGhost, ghost: Open) -> None:
    """check: … the version"""
    fake_ghost.version = "4.48"
    (finding,) = ghost().check()
    assert (finding.level, finding.message) == (Level.PROBLEM, "the site runs Ghost 4.48")
    assert finding.fix


@pytest.mark.parametrize(("clock_s", "said"), [(900, "15 minutes behind"), (-900, "15 minutes")])
def test_clocks_that_differ_are_named(
    fake_ghost: FakeGhost, ghost: Open, clock_s: float, said: str
) -> None:
    """iat within 5 minutes; clock skew seen from the Date header … gets a clear finding"""
    fake_ghost.clock_s = clock_s
    (finding, *_) = ghost().check()
    assert f"clock is {said}" in finding.message
    assert "clock" in finding.fix
    # Ghost refuses what is old; what comes from the future it takes.
    assert finding.level is (Level.PROBLEM if clock_s > 0 else Level.WARNING)
