"""The command ``init``."""

import os
import sys
import tomllib
from collections import deque
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any, get_args

import click

from copydesk_connectors.cli.init_file import Plan, Value
from copydesk_connectors.cli.reports import finding_lines, findings, has_problem
from copydesk_connectors.cli.session import config_option, errors_as_sentences, loaded
from copydesk_connectors.engine.feed import DEFAULT_NAME, FeedClient, FeedSettings, pull_url
from copydesk_connectors.target.base import Finding, Level
from copydesk_connectors.target.errors import ConfigError, Misconfigured, Unavailable
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import REQUIRED, Setting, declared
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.generators import Preset

FEED_URL = "COPYDESK_FEED_URL"
"""The environment variable that the service's console names."""

_EXAMPLE = (
    f"copydesk-connect init --non-interactive --feed-url-env {FEED_URL} "
    "--target html --set path=public"
)
# What a finding tells to do if a site blocks REST.
_XMLRPC = 'protocol = "xmlrpc"'
_GENERATORS = tuple(preset for preset in get_args(Preset) if preset != "plain")
_LOOPBACK = ("localhost", "127.", "[::1]")


@click.command()
@config_option
@click.option(
    "--feed-url-env",
    metavar="NAME",
    help="The variable that holds the feed URL; by default COPYDESK_FEED_URL if set.",
)
@click.option("--feed-url-file", metavar="FILE", help="The file that holds the feed URL.")
@click.option(
    "--target",
    "kind",
    metavar="TYPE",
    help="The type of the target, or the name of a generator, such as hugo.",
)
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

    Stores secrets in files beside it that only you can read. Publishes only if you say so. Run it
    again to go on after a problem.
    """
    if not non_interactive and not sys.stdin.isatty():
        raise click.ClickException(
            f"there is no terminal; pass the answers as options, for example: {_EXAMPLE}"
        )
    if feed_url_env and feed_url_file:
        raise click.UsageError("give only one of --feed-url-env and --feed-url-file")
    given = _given(settings)
    with errors_as_sentences():
        if not non_interactive and not replace and not dry_run and (plan := _to_go_on(file)):
            _finish(plan, interactive=True)
            return
        plan = Plan(file)
        if not (dry_run or replace or non_interactive):
            _may_replace([file])
        _feed(plan, feed_url_env, feed_url_file, non_interactive=non_interactive)
        if non_interactive:
            if not kind:
                raise click.UsageError(
                    f"--target is missing; one of {', '.join(_kinds())}, as in: {_EXAMPLE}"
                )
            plan.targets.append(_target_of(kind) | given)
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
        _write(plan)
        _finish(plan, interactive=not non_interactive)


def _to_go_on(file: Path) -> Plan | None:
    """Return the plan of a file that an earlier ``init`` wrote, if the owner wants to go on."""
    plan = Plan.of(file)
    if plan is None or not click.confirm(
        f"{file} is there, from an earlier init. Go on with it?", default=True, err=True
    ):
        return None
    return plan


def _write(plan: Plan) -> None:
    plan.write()
    for path in plan.paths():
        click.echo(f"written: {path}", err=True)


def _finish(plan: Plan, *, interactive: bool) -> None:
    """Check what was written, ask again for what is wrong, and publish the first posts."""
    file = plan.file
    found = _look(file)
    while interactive and has_problem(found) and _mended(plan, found):
        _write(plan)
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
    if any(target.get("status") == "draft" for target in plan.targets):
        click.echo(f'posts stay drafts until {file} has status = "publish"', err=True)
    click.echo(f"to keep it running: copydesk-connect run{more}", err=True)


def _look(file: Path) -> list[Finding]:
    with loaded(file) as session:
        found = findings(session.config)
        for line in finding_lines(found):
            click.echo(session.redact(line))
    return found


def _mended(plan: Plan, found: Sequence[Finding]) -> bool:
    """Ask again what a problem is about; return whether anything may be right now."""
    wrong = {finding.subject for finding in found if finding.level is Level.PROBLEM}
    if _offer_xmlrpc(plan, found):
        return True
    targets = [target for target in plan.targets if _name(target) in wrong]
    about = [*(["the feed"] if DEFAULT_NAME in wrong else []), *map(_name, targets)]
    if not about or not click.confirm(
        f"Answer the questions about {' and '.join(about)} again?", default=True, err=True
    ):
        return False
    if DEFAULT_NAME in wrong:
        plan.feed.clear()
        plan.add_secret(plan.feed, "url", _FEED_FILE, _ask_feed())
    for target in targets:
        _answer(plan, target, set())
    return True


def _offer_xmlrpc(plan: Plan, found: Sequence[Finding]) -> bool:
    """Set the other protocol for WordPress sites that block REST; return whether any was set."""
    blocked = {finding.subject for finding in found if _XMLRPC in finding.fix}
    changed = False
    for target in plan.targets:
        name = _name(target)
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


_FEED_FILE = "copydesk-feed-url"


def _feed(plan: Plan, env: str | None, file: str | None, *, non_interactive: bool) -> None:
    there = os.environ.get(FEED_URL, "").strip()
    if env or file:
        plan.feed["url_env" if env else "url_file"] = env or file or ""
    elif there and non_interactive:
        plan.feed["url_env"] = FEED_URL
    elif non_interactive:
        raise click.UsageError(f"--feed-url-env or --feed-url-file is missing, as in: {_EXAMPLE}")
    elif there and _is_feed(there):
        # A file, because a service or cron does not have the variables of this shell.
        click.echo(f"the feed URL is that of {FEED_URL}; it is kept in {_FEED_FILE}", err=True)
        plan.add_secret(plan.feed, "url", _FEED_FILE, there)
    else:
        plan.add_secret(plan.feed, "url", _FEED_FILE, _ask_feed())


def _ask_feed() -> str:
    while True:
        url = _with_scheme(_prompt("Feed URL (it is not shown)", hide_input=True))
        if _is_feed(url):
            return url


def _is_feed(url: str) -> bool:
    """Return whether a feed answers at a URL, or the owner wants it all the same; say if not."""
    try:
        feed_url = pull_url(Secret(url))
    except ValueError as error:
        click.echo(f"That is not a feed URL: {error}", err=True)
        return False
    try:
        FeedClient(FeedSettings.model_construct(url=feed_url)).ready()
    except Misconfigured as error:
        click.echo(f"That is not the URL of a feed: {error}", err=True)
        return False
    except Unavailable as error:
        click.echo(f"The feed does not answer: {error}", err=True)
        return click.confirm("Use this URL all the same?", default=False, err=True)
    return True


def _with_scheme(address: str) -> str:
    """Return an address as people type it with its scheme."""
    host = address.partition("/")[0]
    if "://" in address or " " in address or not ("." in host or host.startswith(_LOOPBACK)):
        return address
    return f"{'http' if host.startswith(_LOOPBACK) else 'https'}://{address}"


def _kinds() -> list[str]:
    return sorted([*TARGETS, *_GENERATORS])


def _target_of(kind: str) -> dict[str, Value]:
    """Return the table of a target by its type, or by the name of a generator."""
    if kind in _GENERATORS:
        return {"type": "markdown", "preset": kind}
    return {"type": kind}


def _name(target: Mapping[str, Value]) -> str:
    return str(target.get("name", target["type"]))


def _ask_targets(plan: Plan, kind: str | None, given: dict[str, Value]) -> None:
    while True:
        question = "Where should the posts be published"
        target = _target_of(kind or _prompt(question, type=click.Choice(_kinds())))
        same = sum(other["type"] == target["type"] for other in plan.targets)
        target |= ({"name": f"{target['type']}-{same + 1}"} if same else {}) | given
        plan.targets.append(target)
        _answer(plan, target, {*given, *target})
        kind, given = None, {}
        if not click.confirm("Another target?", default=False, err=True):
            return


def _answer(plan: Plan, target: dict[str, Value], known: Set[str]) -> None:
    """Ask for the settings of a target that are not known, each until its answer is right."""
    asked = questions(str(target["type"]))
    left = deque(each for each in asked if not known & set(each[1].keys))
    while left:
        key, setting = left[0]
        _ask(plan, target, key, setting)
        error = plan.problem()
        wrong = next((one for one in asked if error and error.key in {one[0], *one[1].keys}), None)
        if error is None or wrong in list(left)[1:]:
            left.popleft()
            continue
        if wrong is None:
            raise error
        click.echo(f"This does not work: {error}", err=True)
        if wrong != left[0]:
            left.appendleft(wrong)
    if (error := plan.problem()) is not None:
        raise error
    _offer_folder(plan.file.parent / str(target.get("path", "")))


def _offer_folder(path: Path) -> None:
    """Offer to make the folder above a target's; the target makes its own."""
    if not path.parent.is_dir() and click.confirm(
        f"{path.parent} does not exist. Make it?", default=True, err=True
    ):
        path.parent.mkdir(parents=True)


def questions(kind: str) -> list[tuple[str, Setting]]:
    """Return the settings that ``init`` asks for: a built-in target's or another package's."""
    return [(key, each) for key, each in declared(TARGETS.settings(kind)) if each.ask]


def _ask(plan: Plan, target: dict[str, Value], key: str, setting: Setting) -> None:
    """Put the answer to one question into the table of a target."""
    if setting.secret:
        answer = _prompt(f"{setting.ask} (it is not shown)", hide_input=True)
        plan.add_secret(target, key, f"copydesk-{_name(target)}-{key}", answer)
        return
    default = target.get(key) or setting.suggestion or setting.default
    if key == "status" and key not in target and "draft" in setting.choices:
        default = "draft"  # the owner sees the first posts before readers do
    default = None if default is REQUIRED else default or ""
    choices = click.Choice(setting.choices) if setting.choices else None
    answer = _prompt(setting.ask, type=choices, default=default, show_default=bool(default))
    target.pop(key, None)
    if answer:
        target[key] = _with_scheme(answer) if key.endswith("url") else answer


def _prompt(text: str, **options: Any) -> str:
    return str(click.prompt(text, err=True, **options)).strip()


def _may_replace(paths: list[Path]) -> None:
    for path in paths:
        if path.exists() and not click.confirm(f"{path} exists already. Replace it?", err=True):
            raise ConfigError(f"{path} was kept; use --config to write another file")
