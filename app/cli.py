"""The copydesk-server command."""

import atexit
import gc

import click

from app import __version__
from app.commands import (
    accounts,
    check,
    demo,
    evidence,
    model,
    replay,
    rules,
    serving,
    webhooks,
)

# Modules consist of objects that are never garbage. Searching them takes an eighth of a command's
# time while they load, and a quarter when the interpreter exits.
gc.set_threshold(20_000, 20, 20)
atexit.register(gc.freeze)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="copydesk-server")
def main() -> None:
    """Copydesk writes blog posts from keywords, checks each one, and publishes it exactly once.

    Settings are environment variables; docs/operations.md lists them.

    Exit codes: 0 success, including an empty list; 1 failure, including an unknown id or name
    (reason on stderr); 2 usage error.
    """


for _command in (
    serving.run,
    serving.web,
    serving.worker,
    serving.scheduler,
    serving.migrate,
    model.model,
    demo.demo,
    check.check,
    evidence.evidence,
    replay.replay,
    accounts.plan,
    accounts.account,
    accounts.key,
    accounts.token,
    rules.rule,
    rules.offer,
    webhooks.webhook,
):
    main.add_command(_command)

if __name__ == "__main__":
    main()
