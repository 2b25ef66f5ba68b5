"""The WordPress plugin on a network of sites, each with a feed of its own."""

from copy import copy

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from tests.support.sites.multisite_wordpress import MultisiteWordPress
from tests.support.sites.plugin_site import MAIN_FILE, PluginSite
from tests.support.sites.programs import start_or_skip

pytestmark = pytest.mark.sites

POSTS = (
    "return array_map( static function ( $post ) { return $post->post_title; }, "
    "get_posts( array( 'numberposts' => -1 ) ) );"
)
STATES = 'global $wpdb; return $wpdb->get_col( "SELECT state FROM {$wpdb->prefix}copydesk_items" );'
TABLES = "global $wpdb; return $wpdb->get_col( \"SHOW TABLES LIKE '%copydesk%'\" );"


def test_each_site_of_a_network_has_its_own_feed_and_items(feeds: FeedServer) -> None:
    """multisite; uninstall that leaves nothing but posts"""
    one, other = feeds.new(), feeds.new()
    with start_or_skip(MultisiteWordPress) as network:
        main = copy(network)
        main.url = network.main_url
        first, second = PluginSite(main), PluginSite(network)
        first.install()
        first.php(f"activate_plugin( '{MAIN_FILE}', '', true );")
        # A new site has sample posts.
        for place in (first, second):
            place.php("foreach ( get_posts() as $post ) { wp_delete_post( $post->ID, true ); }")
        for place, feed, title in ((first, one, "To the first"), (second, other, "To the second")):
            place.set_options(feed_url=feed.url, status="publish", author=1)
            feed.add(make_item("itm_1", title=title, slug="same-slug"))
        for place, title in ((first, "To the first"), (second, "To the second")):
            assert place.run()["problems"] == []
            assert place.php(POSTS) == [title]
            assert place.php(STATES) == ["live"]
        assert one.states() == other.states() == {"itm_1": "used"}
        assert len(first.php(TABLES)) == 2

        first.php(f"deactivate_plugins( '{MAIN_FILE}', false, true );")
        first.uninstall()
        assert first.php(TABLES) == []
        for place, title in ((first, "To the first"), (second, "To the second")):
            assert place.php(POSTS) == [title]
            assert place.php("return get_option( 'copydesk_settings' );") is False
            assert "copydesk" not in str(place.php("return _get_cron_array();"))
