"""Ghost: wrong settings, the key, and what check says."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.target.base import Level
from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.targets.ghost import settings as ghost_settings

from .fake_ghost import KEY, FakeGhost
from .items import Open, TargetTable, Write

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
    (finding,) = ghost('status = "draft"').check()
    assert finding.level is Level.OK
    assert finding.message == "Ghost 6.65, Jo's blog: the key may leave drafts"


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
