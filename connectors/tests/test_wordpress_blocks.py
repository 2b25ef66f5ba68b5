"""HTML as the blocks of WordPress's editor."""

import pytest

from copydesk_connectors.targets.wordpress.blocks import as_blocks


@pytest.mark.parametrize(
    ("markup", "blocks"),
    [
        (
            '<ol start="3">\n<li>Rinse <em>it</em>.</li>\n</ol>',
            '<!-- wp:list {"ordered":true,"start":3} -->\n'
            '<ol start="3" class="wp-block-list"><!-- wp:list-item -->\n'
            "<li>Rinse <em>it</em>.</li>\n<!-- /wp:list-item --></ol>\n<!-- /wp:list -->",
        ),
        (
            '<ol start="x"><li>Rinse.</li></ol>',
            '<!-- wp:list {"ordered":true} -->\n'
            '<ol class="wp-block-list"><!-- wp:list-item -->\n'
            "<li>Rinse.</li>\n<!-- /wp:list-item --></ol>\n<!-- /wp:list -->",
        ),
        (
            "<h3>Rinse</h3>",
            '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">Rinse</h3>\n'
            "<!-- /wp:heading -->",
        ),
        (
            "<blockquote>\n<p>Rinse.</p>\n</blockquote>",
            '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><!-- wp:paragraph -->\n'
            "<p>Rinse.</p>\n<!-- /wp:paragraph --></blockquote>\n<!-- /wp:quote -->",
        ),
        (
            "<pre><code>a &lt; b [c]\n</code></pre>",
            '<!-- wp:code -->\n<pre class="wp-block-code"><code>a &lt; b &#91;c]</code></pre>\n'
            "<!-- /wp:code -->",
        ),
        (
            "<table><thead><tr><th>A</th></tr></thead><tbody><tr><td></td></tr></tbody></table>",
            '<!-- wp:table {"hasFixedLayout":false} -->\n'
            '<figure class="wp-block-table"><table><thead><tr><th>A</th></tr></thead>'
            "<tbody><tr><td></td></tr></tbody></table></figure>\n<!-- /wp:table -->",
        ),
    ],
)
def test_each_element_is_its_own_block(markup: str, blocks: str) -> None:
    assert as_blocks(markup) == blocks
