"""The console: pages for operators at /. Server-rendered; they work without scripts."""

from flask import Flask

# Importing a module adds its pages to the blueprint.
from app.console import accounts, feeds, home, jobs, posts, review, settings, setup, sign_in, site  # noqa: F401


def init_app(app: Flask) -> None:
    """Add the console's pages to the application."""
    app.register_blueprint(site.blueprint)
    app.register_blueprint(review.pages)
