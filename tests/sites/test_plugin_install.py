"""The WordPress plugin is installed, deactivated and uninstalled."""

import pytest

from connectors.tests.items import make_item
from tests.support.sites.plugin_feed import faulty_feed
from tests.support.sites.plugin_site import PluginSite
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites

TIMERS = (
    "return array_values( array_filter( array( 'copydesk_run', 'copydesk_clean' ), "
    "'wp_next_scheduled' ) );"
)
LEFT = (
    "SELECT option_name FROM wp_options WHERE option_name LIKE '%copydesk%' UNION ALL "
    "SELECT meta_key FROM wp_postmeta WHERE meta_key LIKE '%copydesk%' UNION ALL "
    "SELECT table_name FROM information_schema.tables WHERE table_name LIKE '%copydesk%'"
)


def test_uninstalling_leaves_nothing_but_posts() -> None:
    """uninstall that leaves nothing but posts"""
    with start_or_skip(lambda: WordPressSite("bookworm")) as site, faulty_feed() as feed:
        plugin = PluginSite(site)
        plugin.install()
        plugin.set_options(feed_url=feed.url, status="publish", author=1)
        feed.add(make_item("a"))
        plugin.run()
        assert plugin.php(TIMERS) == ["copydesk_run", "copydesk_clean"]
        plugin.deactivate()
        assert plugin.php(TIMERS) == []
        assert len(plugin.rows()) == 1, "what was received is kept until it is uninstalled"
        plugin.activate()
        assert plugin.run()["problems"] == []
        before = site.posts()
        assert plugin.sql(LEFT) != []
        plugin.uninstall()
        assert plugin.sql(LEFT) == []
        assert "copydesk" not in str(plugin.php("return _get_cron_array();"))
        assert site.posts() == before
        assert len(before) == 1
