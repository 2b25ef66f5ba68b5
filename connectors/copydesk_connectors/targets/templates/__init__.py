"""The pages of a plain HTML site, each with places for what differs."""

from functools import cache
from importlib import resources
from string import Template


@cache
def template(name: str) -> Template:
    """A page of this folder."""
    return Template((resources.files(__package__) / name).read_text("utf-8"))
