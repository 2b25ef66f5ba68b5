"""The types of target that posts can be published to.

A new type is a subclass of ``target.base.Target``, a line here, and an entry in the contract
suite. Another package adds one by an entry point; see registry.py.
"""

from copydesk_connectors.targets.registry import Registry

TARGETS = Registry(
    {
        "wordpress": f"{__name__}.wordpress.site:WordPressSite",
        "ghost": f"{__name__}.ghost.site:GhostSite",
        "markdown": f"{__name__}.markdown:MarkdownFolder",
        "webhook": f"{__name__}.webhook:Webhook",
    }
)
