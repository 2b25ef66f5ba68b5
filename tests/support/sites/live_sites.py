"""The real sites that tests know by name."""

from tests.support.sites.ghost_site import GhostSite
from tests.support.sites.live_site import LiveSite
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite


def live_site(name: str) -> LiveSite:
    """Ghost or a WordPress, not started yet: ghost, ghost-mariadb, wordpress-sqlite or, on MariaDB,
    wordpress- and a suite of Debian."""
    kind, _, variant = name.partition("-")
    if kind == "ghost":
        return GhostSite(mariadb=variant == "mariadb")
    return SqliteWordPressSite() if variant == "sqlite" else WordPressSite(variant)
