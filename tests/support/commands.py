"""copydesk-server, called in the process of a test."""

import json
from typing import Any

from click.testing import CliRunner, Result

from app.cli import main


class Commands:
    """The commands, with these variables of the environment. One that is called as a function
    returns its JSON."""

    def __init__(self, **env: str) -> None:
        self.env = env

    def __call__(self, *arguments: str, **env: str) -> Any:
        return json.loads(self.run(*arguments, "--json", **env).stdout)

    def run(self, *arguments: str, code: int = 0, typed: str = "", **env: str) -> Result:
        """What a command prints that ends with this code, and never with a traceback."""
        done = CliRunner().invoke(main, arguments, env={**self.env, **env}, input=typed)
        assert done.exit_code == code, done.output
        assert "Traceback" not in done.output
        return done

    def fails(self, *arguments: str, code: int = 1, **env: str) -> str:
        """Why a command ends with this code."""
        return self.run(*arguments, code=code, **env).stderr
