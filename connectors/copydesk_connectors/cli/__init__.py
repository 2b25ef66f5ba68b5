"""The command line: ``copydesk-connect``."""

from copydesk_connectors.cli.commands import cli, main

__all__ = ["cli", "main"]
