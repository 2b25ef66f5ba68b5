"""The kinds of site that posts can be put on.

A new kind is a class that follows ``publisher.Publisher``, a line here, and an entry in the
contract suite. Another package brings one by an entry point; see registry.py.
"""

from collections.abc import Mapping
from importlib import import_module
from operator import attrgetter

from copydesk_connectors.publisher import Publisher
from copydesk_connectors.targets.registry import Factory, Registry
from copydesk_connectors.toml_table import Table


def _factory(module: str, name: str) -> Factory:
    """Imported by the first target of its kind: all kinds take a third of a command's start."""

    def make(target: str, table: Table) -> Publisher:
        made: Publisher = attrgetter(name)(import_module(f"{__name__}.{module}"))(target, table)
        return made

    return make


TARGETS: Mapping[str, Factory] = Registry(
    {
        "ghost": _factory("ghost.site", "GhostSite.from_table"),
        "html": _factory("html", "HtmlSite.from_table"),
        "markdown": _factory("markdown", "MarkdownFolder.from_table"),
        "micropub": _factory("micropub", "Micropub.from_table"),
        "webhook": _factory("webhook", "Webhook.from_table"),
        "wordpress": _factory("wordpress.opening", "open_site"),
    }
)
