"""copydesk-server: the service. ``create_app`` makes the Flask application."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from app.ports import Model
    from app.settings import Settings

__version__ = "0.1.0"


def create_app(settings: "Settings | None" = None, *, model: "Model | None" = None) -> "Flask":
    """Return the WSGI application.

    Args:
        settings: read from the environment if None.
        model: replaces the configured model.

    Raises:
        SettingsError: a setting is invalid.
    """
    # Imported here, so that `import app.core` and the command's --help stay fast.
    from flask import Flask

    from app import api, console, container
    from app.settings import Settings

    settings = settings or Settings.load()
    flask_app = Flask("copydesk", static_folder=None)
    flask_app.json.sort_keys = False  # type: ignore[attr-defined]
    flask_app.extensions["copydesk"] = container.build(settings, flask_app, model=model)
    api.init_app(flask_app)
    console.init_app(flask_app)
    return flask_app
