"""The copydesk-server command."""

import atexit
import gc
from importlib import import_module

import click

from app import __version__

# Modules consist of objects that are never garbage. Searching them takes an eighth of a command's
# time while they load, and a quarter when the interpreter exits.
gc.set_threshold(20_000, 20, 20)
atexit.register(gc.freeze)

# The commands, and the module in app.commands that each is defined in.
_MODULES = {
    "run": "serving",
    "web": "serving",
    "worker": "serving",
    "scheduler": "serving",
    "migrate": "serving",
    "backup": "backup",
    "restore": "backup",
    "init": "settings",
    "settings": "settings",
    "model": "model",
    "check": "check",
    "evidence": "evidence",
    "plan": "accounts",
    "account": "accounts",
    "key": "accounts",
    "feed": "accounts",
    "rule": "rules",
    "offer": "rules",
    "job": "lists",
    "item": "lists",
    "webhook": "webhooks",
    "webhook-secret": "webhooks",
    "operator": "operators",
    "status": "health",
    "health": "health",
    "doctor": "doctor",
    "costs": "costs",
}
# Earlier names of commands, which still work.
_ALIASES = {"token": "feed"}


class _Commands(click.Group):
    """A group that imports only the command that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = _ALIASES.get(cmd_name, cmd_name)
        # The names of all commands are needed to suggest one for a misspelled name.
        for name in [cmd_name] if cmd_name in _MODULES else _MODULES:
            module = import_module(f"app.commands.{_MODULES[name]}")
            self.add_command(getattr(module, name.replace("-", "_")))
        return self.commands.get(cmd_name)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="copydesk-server %(version)s")
def main() -> None:
    """Copydesk writes blog posts from keywords, checks each one, and publishes it exactly once.

    Settings are in copydesk.toml in the data folder, which `init` writes; environment variables
    override them. docs/settings.md lists them.

    Exit codes: 0 success, including an empty list; 1 failure, including an unknown id or name
    (reason on stderr); 2 usage error.
    """


if __name__ == "__main__":
    main()
