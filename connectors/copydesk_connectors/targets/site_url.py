"""The address of a site that is called with a secret."""

from copydesk_connectors.toml_table import Table, is_loopback


def site_url(table: Table, secret: str) -> str:
    """``url`` without a slash at its end; ``secret`` is what travels there, in a word.

    Raises:
        ConfigError: it is no address, or others could read the secret on the way.
    """
    url = table.url("url").rstrip("/")
    allow_http = table.flag("allow_http", default=False)
    if url.startswith("http://") and not is_loopback(url) and not allow_http:
        table.fail(
            "url",
            f"must begin with https://, because a {secret} travels with every request; "
            "set allow_http = true if this network is yours alone",
        )
    return url
