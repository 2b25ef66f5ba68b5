"""The command copydesk-server."""

import click

from app import __version__
from app.commands import (
    accounts,
    check,
    demo,
    evidence,
    plans,
    rule_plan,
    rules,
    serving,
    webhooks,
    weights,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="copydesk-server")
def main() -> None:
    """Copydesk turns keywords into blog posts that passed a copy desk.

    Settings are environment variables; docs/operations.md lists them.
    """


for _command in (
    serving.run,
    serving.web,
    serving.worker,
    serving.scheduler,
    serving.migrate,
    weights.model,
    demo.demo,
    check.check,
    evidence.evidence,
    plans.plan,
    accounts.account,
    accounts.key,
    accounts.token,
    rules.rule,
    rules.offer,
    webhooks.webhook,
):
    main.add_command(_command)
rules.rule.add_command(rule_plan.rule_plan)

if __name__ == "__main__":
    main()
