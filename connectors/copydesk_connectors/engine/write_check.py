"""``check --write``: whether a site accepts a post with markup, which firewalls inspect."""

import secrets
from datetime import UTC, datetime

from copydesk_connectors.target.base import Finding, Level, Target
from copydesk_connectors.target.errors import LeftBehind, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.post import Post

# Markup that the rules of firewalls look at: links, rel=, quotes, tables, code, dashes.
_HTML = """\
<p>This draft was written by <strong>copydesk-connect check --write</strong>. It can be deleted.</p>
<p>Ask <a href="https://example.com/?a=1&amp;b=2" rel="sponsored noopener" \
target="_blank">Example</a>: what&#8217;s next &mdash; &lt;b&gt; or <em>nothing</em>?</p>
<h2>How do you select one from many?</h2>
<table><thead><tr><th>Water</th><th>Acid</th></tr></thead>
<tbody><tr><td>1 l</td><td>20 g</td></tr></tbody></table>
<blockquote><p>Mind the steam.</p></blockquote>
<ul><li>Once warm.</li><li>Once cold.</li></ul>
<pre><code>acid = 20 * litres
</code></pre>
"""
_MARKDOWN = """\
This draft was written by **copydesk-connect check --write**. It can be deleted.

Ask [Example](https://example.com/?a=1&b=2): what's next — or *nothing*?
"""


def sample() -> Post:
    """Return a post that no feed has, with a new id and slug each time."""
    name = f"copydesk-check-{secrets.token_hex(6)}"
    return Post(
        id=name,
        title=f"Draft of a check ({name})",
        slug=name,
        description="This draft can be deleted.",
        keywords=(),
        html=_HTML.strip(),
        markdown=_MARKDOWN.strip(),
        generated_at=datetime.now(UTC),
    )


def try_writing(target: Target) -> Finding:
    """Write a draft to the target, remove it, and return what the site said. Never raises."""
    post = sample()
    try:
        tried = target.try_writing(post)
    except LeftBehind as error:
        problem, fix = f"a draft was written, and is left: {error}", f'delete "{post.title}" there'
    except Misconfigured as error:
        problem, fix = f"no draft: {error.args[0]}", error.fix
    except Refused as error:
        problem = f"no draft: {error}"
        fix = "see whether a security plugin or a firewall refuses links and markup in posts"
    except Unavailable as error:
        problem, fix = f"no draft: {error}", "see whether the site is up, then check again"
    except Exception as error:  # noqa: BLE001 - one target's bug must not hide the others
        problem = f"no draft: internal error ({type(error).__name__})"
        fix = "report it to the makers of this target"
    else:
        done = "a draft with a link and markup was written and removed"
        untested = "no draft was written: this kind of target has no such test"
        return Finding(Level.OK, target.name, done if tried else untested)
    return Finding(Level.PROBLEM, target.name, problem, fix)
