"""The copydesk-server command."""

import atexit
import gc
from importlib import import_module
from typing import Any

import click

from app import __version__
from app.commands.output import Failed
from app.core.errors import OperatorError, ServiceError

# Modules consist of objects that are never garbage. Searching them takes an eighth of a command's
# time while they load, and a quarter when the interpreter exits.
gc.set_threshold(20_000, 20, 20)
atexit.register(gc.freeze)

# The commands: the module in app.commands that each is defined in, and what --help says of it.
# Only the module of the command that runs is imported.
_COMMANDS = {
    "account": ("accounts", "Manage accounts. Each account has a plan."),
    "backup": ("backup", "Write a copy of the database to FILE while the service runs."),
    "check": ("check", "Check a Markdown file against the rules for posts."),
    "costs": ("costs", "Show the tokens and the money of calls to models."),
    "doctor": ("status", "Check the installation."),
    "evidence": ("lists", "Show the source of each statement in a post."),
    "feed": ("accounts", "Manage feeds. Each feed has an id and a secret feed URL."),
    "health": ("health", "Exit with 1 if the worker or scheduler that runs here is stuck."),
    "init": ("settings", "Write the settings file."),
    "item": ("lists", "List items, the posts that rules write for feeds."),
    "job": ("lists", "List jobs, which programs create with POST /v1/jobs."),
    "key": ("accounts", "Manage the API keys of an account."),
    "migrate": ("serving", "Create or upgrade the database for this version."),
    "model": ("model", "Manage the local model, used if no endpoint is configured."),
    "offer": ("rules", "Manage the offers of a rule. Each item links to each offer once."),
    "operator": ("operators", "Manage operators, who sign in to the console."),
    "plan": ("accounts", "Manage plans: limits on words and requests."),
    "restore": ("backup", "Replace the database with the backup FILE."),
    "review": ("lists", "Let somebody without an account review the posts of a feed."),
    "rule": ("rules", "Manage rules, which generate posts for a feed on a schedule."),
    "run": ("serving", "Run the whole service: web application, workers and scheduler."),
    "scheduler": ("serving", "Run only the scheduler, which queues due rules."),
    "settings": ("settings", "Show each setting with its value and its origin."),
    "status": ("status", "Show health, waiting work, and what needs you."),
    "web": ("serving", "Run only the web application."),
    "webhook": ("webhooks", "List and replay webhook deliveries."),
    "webhook-secret": ("webhooks", "Show and rotate the root secret of an account."),
    "worker": ("serving", "Run only workers, which generate posts and deliver webhooks."),
}


class _Commands(click.Group):
    """A group that imports only the command that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # The names of all commands are needed to suggest one for a misspelled name.
        for name in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
            module = import_module(f"app.commands.{_COMMANDS[name][0]}")
            self.add_command(getattr(module, name.replace("-", "_")))
        return self.commands.get(cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. End it with a sentence if it met what its operator can repair."""
        try:
            return super().invoke(ctx)
        except OperatorError as error:
            raise Failed(str(error), error.exit_code) from None
        except ServiceError as error:
            raise Failed(error.operator) from None


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
