"""A Copydesk target for Micropub servers."""

from copydesk_micropub.target import Micropub

__all__ = ["Micropub"]
