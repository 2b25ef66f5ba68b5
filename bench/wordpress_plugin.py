"""How fast the WordPress plugin publishes, against bare wp_insert_post() in the same process.

    python -m bench.wordpress_plugin [--posts 40] [--rounds 5] [--sqlite]

Prints posts per second of both, and their ratio: the median of rounds in which both take turns. The
plugin's part holds all that it does: pulling, its table, draft, tags, publishing, confirming.
"""

import argparse
import statistics

from connectors.tests.items import make_item
from tests.support.sites.plugin_feed import faulty_feed
from tests.support.sites.plugin_site import PluginSite, encoded
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite

ROUND = """
$items = json_decode( base64_decode( '%s' ), true );
$bare  = -microtime( true );
foreach ( $items as $item ) {
    $fields = Copydesk_Post::fields( $item, Copydesk_Settings::route( $item ) );
    $fields['post_name'] .= '-bare';
    $fields += array( 'post_status' => 'publish', 'tags_input' => array( 'alpha', 'beta' ) );
    wp_insert_post( wp_slash( $fields ) );
}
$bare += microtime( true );
$ours  = -microtime( true );
$done  = Copydesk_Runner::run( 'cli' );
$ours += microtime( true );
return array( $bare, $ours, $done['published'] );
"""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--posts", type=int, default=40, help="posts of a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sqlite", action="store_true", help="SQLite in place of MariaDB")
    options = parser.parse_args()
    made = SqliteWordPressSite() if options.sqlite else WordPressSite()
    bare, ours = [], []
    with made as site, faulty_feed() as feed:
        plugin = PluginSite(site)
        plugin.install()
        plugin.set_options(feed_url=feed.url, status="publish", author=1)
        for number in range(options.rounds):
            items = [
                make_item(f"i{number}-{n}", title=f"Post {number}-{n}", slug=f"post-{number}-{n}")
                for n in range(options.posts)
            ]
            for item in items:
                feed.add(item)
            bare_s, ours_s, published = plugin.php(ROUND % encoded(items))
            assert published == options.posts
            bare.append(options.posts / bare_s)
            ours.append(options.posts / ours_s)
    ratio = statistics.median(o / b for o, b in zip(ours, bare, strict=True))
    print(f"wp_insert_post: {statistics.median(bare):.0f} posts/s")
    print(f"the plugin:     {statistics.median(ours):.0f} posts/s")
    print(f"ratio:          {ratio:.2f}")


if __name__ == "__main__":
    main()
