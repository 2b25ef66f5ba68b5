"""The WordPress target as its owner configures it, on a real site."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from copydesk_connectors.target.base import Copy, Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from tests.support.sites.wordpress_site import WordPressSite

# All that a rendered post can hold: a callout, lists in a list, a table, an offer, a FAQ, code.
BODY = """\
<p>Scale &amp; hard water are a pair; [gallery] is no shortcode here, nor is 1 &lt; 2.</p>
<p>Ask <a href="https://acme.example/?a=1&amp;b=2" rel="sponsored noopener" \
target="_blank">Acme</a> for <strong>citric</strong> <em>acid</em>.</p>
<h2>Rinse twice</h2>
<blockquote>
<p><strong>Mind:</strong> the steam is hot.</p>
</blockquote>
<ul>
<li>Once warm.
<ul>
<li>Slowly.</li>
</ul>
</li>
<li>
<p>Once cold.</p>
<p>Then wipe.</p>
</li>
</ul>
<ol>
<li>Empty it.</li>
<li>Dry it.</li>
</ol>
<h3>How much?</h3>
<table>
<thead>
<tr>
<th>Water</th>
<th>Acid</th>
</tr>
</thead>
<tbody>
<tr>
<td>1 l</td>
<td>20 g</td>
</tr>
</tbody>
</table>
<pre><code>acid = 20 * litres
if litres &lt; 1: pass
</code></pre>
<h2>Frequently asked questions</h2>
<h3>How often?</h3>
<p>Once a month — more often with hard water.</p>
<hr>
<p>That is all — enjoy.</p>
<h2>Featured offers</h2>
<ul>
<li><a href="https://shop.example/kit" rel="sponsored noopener" target="_blank">The Kit</a></li>
</ul>
"""


def a_post(item_id: str = "itm_1", **changes: Any) -> Post:
    """A post with BODY; ``changes`` replace what its item says, by the names of Post's fields."""
    title = changes.get("title", "How to descale an espresso machine")
    raw = {
        "id": item_id,
        "post": {
            "title": title,
            "slugSuggestion": changes.get("slug", "descale-espresso-machine"),
            "meta": {
                "description": "Descale it in an hour: what to buy & what to avoid.",
                "primaryKeyword": "descale espresso machine",
            },
        },
        "rendered": {"html": changes.get("html", BODY), "markdown": "A text."},
        "generatedAt": changes.get("generated_at", "2026-05-01T10:00:00Z"),
    }
    return Post.from_item(raw)


def target(site: WordPressSite, folder: Path, role: str = "author", **settings: Any) -> Target:
    """The target with a role's application password and more settings."""
    password = folder / f"{role}-password"
    password.write_text(site.app_password(role))
    password.chmod(0o600)
    user = {"username": site.users[role].login, "password_file": str(password)}
    table = {"url": site.url, **user, **settings}
    return TARGETS["wordpress"]("blog", Table(table, "[[target]] 1", folder / "copydesk.toml"))


def put(publisher: Target, post: Post) -> Copy:
    """Find or draft, then publish, with the notes of both."""
    copy = publisher.find(post) or publisher.draft(post)
    shown = publisher.publish(post, copy.remote_id)
    return replace(shown, notes=(*copy.notes, *shown.notes))


def picture(file: Path, width: int = 40, height: int = 30) -> Path:
    """Write a real PNG of one colour."""
    Image.new("RGB", (width, height), (180, 90, 40)).save(file)
    return file
