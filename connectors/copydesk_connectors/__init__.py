"""Puts the posts of a Copydesk feed on sites, each exactly once."""

__version__ = "0.1.0"
