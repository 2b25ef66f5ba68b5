"""The console: pages for operators at /. Server-rendered, without scripts."""

from flask import Flask

from app.console import pages


def init_app(app: Flask) -> None:
    """Add the console's pages to the application."""
    app.register_blueprint(pages.blueprint)
