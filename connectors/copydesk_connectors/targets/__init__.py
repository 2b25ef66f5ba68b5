"""The kinds of site that posts can be put on.

A new kind is a class that follows ``publisher.Publisher``, a line here, and an entry in the
contract suite.
"""

from collections.abc import Callable, Mapping

from copydesk_connectors.publisher import Publisher
from copydesk_connectors.targets.html import HtmlSite
from copydesk_connectors.targets.markdown import MarkdownFolder
from copydesk_connectors.targets.wordpress.site import WordPressSite
from copydesk_connectors.toml_table import Table

TARGETS: Mapping[str, Callable[[str, Table], Publisher]] = {
    "html": HtmlSite.from_table,
    "markdown": MarkdownFolder.from_table,
    "wordpress": WordPressSite.from_table,
}
