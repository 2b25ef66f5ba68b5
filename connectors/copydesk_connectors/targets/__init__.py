"""The kinds of site that posts can be put on.

A new kind is a class that follows ``publisher.Publisher``, a line here, and an entry in the
contract suite. Another package brings one by an entry point; see registry.py.
"""

from collections.abc import Mapping

from copydesk_connectors.targets.ghost.site import GhostSite
from copydesk_connectors.targets.html import HtmlSite
from copydesk_connectors.targets.markdown import MarkdownFolder
from copydesk_connectors.targets.micropub import Micropub
from copydesk_connectors.targets.registry import Factory, Registry
from copydesk_connectors.targets.webhook import Webhook
from copydesk_connectors.targets.wordpress.opening import open_site

TARGETS: Mapping[str, Factory] = Registry(
    {
        "ghost": GhostSite.from_table,
        "html": HtmlSite.from_table,
        "markdown": MarkdownFolder.from_table,
        "micropub": Micropub.from_table,
        "webhook": Webhook.from_table,
        "wordpress": open_site,
    }
)
