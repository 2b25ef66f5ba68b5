"""How fast the WordPress plugin publishes, against bare wp_insert_post() in the same process.

    python -m bench.wordpress_plugin [--posts 40] [--rounds 5] [--sqlite]

Prints posts per second and processor time per post (PHP and MariaDB) of both, and the ratios: the
medians of rounds in which both take turns. The bare part stores posts that are made already, with
the same two tags, and nothing else. The plugin's part holds all that it does: pulling, its table,
making the post of the item, tags, publishing, confirming. On a busy machine only the ratio of the
processor times counts: the plugin also waits for the feed, a process of its own.
"""

import argparse
import os
import statistics
from collections.abc import Sequence

from connectors.tests.items import make_item
from tests.support.sites.plugin_feed import faulty_feed
from tests.support.sites.plugin_site import PluginSite, encoded
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite

ROUND = """
$items = json_decode( base64_decode( '%s' ), true );
$used  = static function () {
    $own  = getrusage();
    $used = $own['ru_utime.tv_sec'] + $own['ru_stime.tv_sec'];
    $used += ( $own['ru_utime.tv_usec'] + $own['ru_stime.tv_usec'] ) / 1e6;
    $file = @file_get_contents( '%s' ); // There is none with SQLite.
    if ( $file ) {
        $stat  = explode( ' ', substr( $file, strrpos( $file, ')' ) + 2 ) );
        $used += ( $stat[11] + $stat[12] ) / %d;
    }
    return $used;
};
$posts = array();
foreach ( $items as $item ) {
    $fields = Copydesk_Post::fields( $item, Copydesk_Settings::route( $item ) );
    $fields['post_name'] .= '-bare';
    $posts[] = $fields + array(
        'post_status' => 'publish',
        'tags_input'  => array( 'alpha', 'beta' ),
    );
}
$bare_used = -$used();
$bare = -microtime( true );
foreach ( $posts as $post ) {
    wp_insert_post( wp_slash( $post ) );
}
$bare += microtime( true );
$bare_used += $used();
$ours_used = -$used();
$ours = -microtime( true );
$done  = Copydesk_Runner::run( 'cli' );
$ours += microtime( true );
$ours_used += $used();
return array( $bare, $ours, $bare_used, $ours_used, $done['published'] );
"""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--posts", type=int, default=40, help="posts of a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sqlite", action="store_true", help="SQLite in place of MariaDB")
    options = parser.parse_args()
    made = SqliteWordPressSite() if options.sqlite else WordPressSite()
    rounds = []
    with made as site, faulty_feed() as feed:
        plugin = PluginSite(site)
        plugin.install()
        route = {"match": "keyword", "value": "*", "tags": ["alpha", "beta"]}
        plugin.set_options(feed_url=feed.url, status="publish", author=1, routes=[route])
        pid = site._group.folder / "mariadb.pid"
        stat = f"/proc/{pid.read_text().strip()}/stat" if pid.exists() else ""
        for number in range(options.rounds):
            items = [
                make_item(f"i{number}-{n}", title=f"Post {number}-{n}", slug=f"post-{number}-{n}")
                for n in range(options.posts)
            ]
            for item in items:
                feed.add(item)
            script = ROUND % (encoded(items), stat, os.sysconf("SC_CLK_TCK"))
            *found, published = plugin.php(script)
            assert published == options.posts
            tagged = plugin.sql("SELECT COUNT(*) FROM wp_term_relationships")
            assert int(tagged[0]) == 2 * 3 * options.posts * (number + 1)
            rounds.append([seconds / options.posts for seconds in found])
    bare, ours, bare_used, ours_used = zip(*rounds, strict=True)
    print("                posts/s  processor ms a post")
    for name, seconds, used in (
        ("wp_insert_post", bare, bare_used),
        ("the plugin", ours, ours_used),
    ):
        rate, milliseconds = 1 / statistics.median(seconds), 1000 * statistics.median(used)
        print(f"{name:14}  {rate:7.0f}  {milliseconds:19.1f}")
    print(f"ratio           {ratio(bare, ours):7.2f}  {ratio(bare_used, ours_used):19.2f}")


def ratio(bare: Sequence[float], ours: Sequence[float]) -> float:
    """Return how fast ours is in comparison, in the median of the rounds."""
    return statistics.median(b / o for b, o in zip(bare, ours, strict=True))


if __name__ == "__main__":
    main()
