"""The command ``init``."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from copydesk import ConfigurationError, Feed
from copydesk_connectors.cli.init_file import Plan, Value
from copydesk_connectors.cli.reports import finding_lines, findings, has_problem
from copydesk_connectors.cli.session import config_option, errors_as_sentences, loaded
from copydesk_connectors.target.base import Finding
from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.settings import REQUIRED, Setting, declared
from copydesk_connectors.targets import TARGETS

_EXAMPLE = (
    "copydesk-connect init --non-interactive --feed-url-env COPYDESK_FEED_URL "
    "--target html --set path=public"
)
# What a finding tells to do if a site blocks REST.
_XMLRPC = 'protocol = "xmlrpc"'


@click.command()
@config_option
@click.option("--feed-url-env", metavar="NAME", help="The variable that holds the feed URL.")
@click.option("--feed-url-file", metavar="FILE", help="The file that holds the feed URL.")
@click.option("--target", "kind", metavar="TYPE", help="The type of the target.")
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="A setting of the target. Write true, false and [lists] as in the file; the rest is text.",
)
@click.option("--non-interactive", is_flag=True, help="Do not ask; use the options only.")
@click.option("--replace", is_flag=True, help="Replace existing files.")
@click.option("--dry-run", is_flag=True, help="Show the file; write nothing.")
def init(
    file: Path,
    *,
    feed_url_env: str | None,
    feed_url_file: str | None,
    kind: str | None,
    settings: tuple[str, ...],
    non_interactive: bool,
    replace: bool,
    dry_run: bool,
) -> None:
    """Ask for the feed and the targets, write the configuration, check it, and publish.

    Stores secrets in files beside it that only you can read. Publishes only if you say so.
    """
    if not non_interactive and not sys.stdin.isatty():
        raise click.ClickException(
            f"there is no terminal; pass the answers as options, for example: {_EXAMPLE}"
        )
    if feed_url_env and feed_url_file:
        raise click.UsageError("give only one of --feed-url-env and --feed-url-file")
    plan, given = Plan(file), _given(settings)
    with errors_as_sentences():
        if not (dry_run or replace or non_interactive):
            _may_replace([file])
        _feed(plan, feed_url_env, feed_url_file, non_interactive=non_interactive)
        if non_interactive:
            if not kind:
                raise click.UsageError(
                    f"--target is missing; one of {', '.join(sorted(TARGETS))}, as in: {_EXAMPLE}"
                )
            plan.targets.append({"type": kind, **given})
            plan.try_out()
        else:
            _ask_targets(plan, kind, given)
        if dry_run:
            click.echo(plan.text(), nl=False)
            for path in plan.paths():
                click.echo(f"would write: {path}", err=True)
            return
        taken = [path for path in plan.paths() if path.exists()]
        if taken and not replace:
            if non_interactive:
                raise ConfigError(f"{taken[0]} exists already; use --replace to replace it")
            # It asked about the configuration file at the beginning.
            _may_replace([path for path in taken if path != file])
        plan.write()
    for path in plan.paths():
        click.echo(f"written: {path}", err=True)
    _check(file, plan, interactive=not non_interactive)


def _check(file: Path, plan: Plan, *, interactive: bool) -> None:
    found = _look(file)
    if interactive and _offer_xmlrpc(plan, found):
        plan.write()
        found = _look(file)
    more = "" if file == Path("copydesk.toml") else f" --config {file}"
    if has_problem(found):
        click.echo(f"fix the problems, then run: copydesk-connect check{more}", err=True)
        sys.exit(1)
    if interactive and click.confirm(
        "Everything works. Publish the posts that wait in the feed now?", default=True, err=True
    ):
        # Imported here: that module imports this one.
        from copydesk_connectors.cli.commands import once

        click.get_current_context().invoke(once, file=file, dry_run=False, json_logs=False)
    else:
        said = f"everything works; run the first pass: copydesk-connect once{more}"
        click.echo(said, err=True)
    click.echo(f"to keep it running: copydesk-connect run{more}", err=True)


def _look(file: Path) -> list[Finding]:
    with loaded(file) as session:
        found = findings(session.config)
        for line in finding_lines(found):
            click.echo(session.redact(line))
    return found


def _offer_xmlrpc(plan: Plan, found: Sequence[Finding]) -> bool:
    """Set the other protocol for WordPress sites that block REST; return whether any was set."""
    blocked = {finding.subject for finding in found if _XMLRPC in finding.fix}
    changed = False
    for target in plan.targets:
        name = target.get("name", target["type"])
        if name not in blocked or not click.confirm(
            f"{name}: the REST API is blocked. Use XML-RPC instead?", default=True, err=True
        ):
            continue
        target["protocol"] = "xmlrpc"
        try:
            plan.try_out()
        except ConfigError as error:
            click.echo(f"This does not work: {error}", err=True)
            del target["protocol"]
        else:
            changed = True
    return changed


def _given(settings: tuple[str, ...]) -> dict[str, Value]:
    given: dict[str, Value] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.isidentifier():
            raise click.UsageError(f'--set {setting!r}: must be KEY=VALUE, such as "path=public"')
        given[key] = text
        if text in {"true", "false"} or text.startswith("["):
            try:
                given[key] = tomllib.loads(f"value = {text}")["value"]
            except tomllib.TOMLDecodeError:
                raise click.UsageError(
                    f'--set {setting!r}: a list is written as ["a", "b"]'
                ) from None
    return given


def _feed(plan: Plan, env: str | None, file: str | None, *, non_interactive: bool) -> None:
    if env:
        plan.feed["url_env"] = env
    elif file:
        plan.feed["url_file"] = file
    elif non_interactive:
        raise click.UsageError(f"--feed-url-env or --feed-url-file is missing, as in: {_EXAMPLE}")
    else:
        plan.add_secret(plan.feed, "url", "copydesk-feed-url", _ask_feed())


def _ask_feed() -> str:
    while True:
        url = _prompt("Feed URL (it is not shown)", hide_input=True)
        try:
            Feed(url).close()
        except ConfigurationError as error:
            click.echo(f"That is not a feed URL: {error}", err=True)
        else:
            return url


def _ask_targets(plan: Plan, kind: str | None, given: dict[str, Value]) -> None:
    while True:
        _ask_target(plan, kind or _ask_kind(), given)
        kind, given = None, {}
        if not click.confirm("Another target?", default=False, err=True):
            return


def _ask_kind() -> str:
    return _prompt("Where should the posts be published", type=click.Choice(sorted(TARGETS)))


def _ask_target(plan: Plan, kind: str, given: dict[str, Value]) -> None:
    """Ask until the answers make a valid target."""
    same = sum(target["type"] == kind for target in plan.targets)
    name = f"{kind}-{same + 1}" if same else kind
    answers: dict[str, Value] = {}
    asked = questions(kind)
    while True:
        target: dict[str, Value] = {"type": kind} | ({"name": name} if same else {}) | given
        for key, setting in asked:
            if given.keys() & set(setting.keys):
                continue
            answer = _ask(setting, answers.get(key))
            if setting.secret:
                plan.add_secret(target, key, f"copydesk-{name}-{key}", answer)
            elif answer:
                target[key] = answers[key] = answer
        plan.targets.append(target)
        try:
            plan.try_out()
        except ConfigError as error:
            click.echo(f"This does not work: {error}", err=True)
            if not asked:
                raise
            plan.targets.pop()
        else:
            return


def questions(kind: str) -> list[tuple[str, Setting]]:
    """Return the settings that ``init`` asks for: a built-in target's or another package's."""
    return [(key, each) for key, each in declared(TARGETS.settings(kind)) if each.ask]


def _ask(setting: Setting, before: Value | None) -> str:
    if setting.secret:
        return _prompt(f"{setting.ask} (it is not shown)", hide_input=True)
    default = before or setting.suggestion or setting.default
    default = None if default is REQUIRED else default or ""
    if setting.choices:
        return _prompt(setting.ask, type=click.Choice(setting.choices), default=default)
    return _prompt(setting.ask, default=default, show_default=bool(default))


def _prompt(text: str, **options: Any) -> str:
    return str(click.prompt(text, err=True, **options)).strip()


def _may_replace(paths: list[Path]) -> None:
    for path in paths:
        if path.exists() and not click.confirm(f"{path} exists already. Replace it?", err=True):
            raise ConfigError(f"{path} was kept; use --config to write another file")
