"""A WordPress site by the protocol that its settings name."""

from importlib import import_module

from copydesk_connectors.publisher import Publisher
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.site import WordPressSite
from copydesk_connectors.toml_table import Table


def open_site(name: str, table: Table) -> Publisher:
    """Make the target ``name`` of its table.

    Raises:
        ConfigError
    """
    settings = Settings.from_table(table)
    if settings.protocol == "rest":
        return WordPressSite(name, settings)
    # Its library is imported only where it is used.
    module = import_module("copydesk_connectors.targets.wordpress.xmlrpc_site")
    site: Publisher = module.XmlRpcSite(name, settings)
    return site
