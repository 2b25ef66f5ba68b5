"""copydesk-server: the service. ``create_app`` makes the Flask application."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from app.ports import Model
    from app.settings import Settings

__version__ = "0.1.0"


def create_app(settings: "Settings | None" = None, *, model: "Model | None" = None) -> "Flask":
    """The WSGI application.

    Args:
        settings: read from the environment where it is None.
        model: takes the place of the configured model.

    Raises:
        SettingsError: a setting is wrong.
    """
    # Imported here, so that `import app.core…` and the command's --help stay quick.
    from flask import Flask

    from app import api, wiring
    from app.settings import Settings
    from app.store import database, feed_tables, tables  # noqa: F401 - migrations ask for them

    settings = settings or Settings.from_env()
    flask_app = Flask("copydesk", static_folder=None)
    flask_app.json.sort_keys = False  # type: ignore[attr-defined]
    database.init_app(flask_app, settings.sqlalchemy_url)
    wiring.attach(flask_app, settings, model=model)
    api.init_app(flask_app)
    return flask_app
