"""The command ``init``."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import click

from copydesk import ConfigurationError, Feed
from copydesk_connectors.command import config_option, errors_as_sentences, loaded, look
from copydesk_connectors.errors import ConfigError
from copydesk_connectors.findings import as_lines, has_problem
from copydesk_connectors.init_file import Plan, Value
from copydesk_connectors.questions import Question, questions
from copydesk_connectors.targets import TARGETS

_EXAMPLE = (
    "copydesk-connect init --non-interactive --feed-url-env COPYDESK_FEED_URL "
    "--target html --set path=public"
)


@click.command()
@config_option
@click.option("--feed-url-env", metavar="NAME", help="The variable that holds the pull URL.")
@click.option("--feed-url-file", metavar="FILE", help="The file that holds the pull URL.")
@click.option("--target", "kind", metavar="TYPE", help="The type of the target.")
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="A setting of the target; true, false and [lists] as in the file, the rest is text.",
)
@click.option("--non-interactive", is_flag=True, help="Ask nothing; take what the options say.")
@click.option("--replace", is_flag=True, help="Replace files that are there.")
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
    """Ask for the feed and the targets, write the configuration, and check it.

    Secrets are kept in files beside it that only you can read.
    """
    if not non_interactive and not sys.stdin.isatty():
        raise click.ClickException(
            f"there is no terminal to ask on; say all of it by options, such as: {_EXAMPLE}"
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
                click.echo(f"would be written: {path}", err=True)
            return
        taken = [path for path in plan.paths() if path.exists()]
        if taken and not replace:
            if non_interactive:
                raise ConfigError(f"{taken[0]} is there already; --replace replaces it")
            # The file itself was asked for at the beginning.
            _may_replace([path for path in taken if path != file])
        plan.write()
    for path in plan.paths():
        click.echo(f"written: {path}", err=True)
    _check(file)


def _check(file: Path) -> None:
    with loaded(file) as session:
        found = look(session)
        for line in as_lines(found):
            click.echo(session.redact(line))
    more = "" if file == Path("copydesk.toml") else f" --config {file}"
    if has_problem(found):
        click.echo(f"mend what is wrong, then: copydesk-connect check{more}", err=True)
        sys.exit(1)
    click.echo(f"all is well; the first pass: copydesk-connect once{more}", err=True)


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
        url = _prompt("Pull URL of the feed (it is not shown)", hide_input=True)
        try:
            Feed(url).close()
        except ConfigurationError as error:
            click.echo(f"That is no pull URL: {error}", err=True)
        else:
            return url


def _ask_targets(plan: Plan, kind: str | None, given: dict[str, Value]) -> None:
    while True:
        _ask_target(plan, kind or _ask_kind(), given)
        kind, given = None, {}
        if not click.confirm("Another target?", default=False, err=True):
            return


def _ask_kind() -> str:
    return _prompt("Where do the posts go", type=click.Choice(sorted(TARGETS)))


def _ask_target(plan: Plan, kind: str, given: dict[str, Value]) -> None:
    """Ask until the answers are a target."""
    same = sum(target["type"] == kind for target in plan.targets)
    name = f"{kind}-{same + 1}" if same else kind
    answers: dict[str, Value] = {}
    while True:
        target: dict[str, Value] = {"type": kind} | ({"name": name} if same else {}) | given
        for question in questions(kind):
            if {question.key, f"{question.key}_env", f"{question.key}_file"} & given.keys():
                continue
            answer = _ask(question, answers.get(question.key))
            if question.secret:
                plan.add_secret(target, question.key, f"copydesk-{name}-{question.key}", answer)
            elif answer:
                target[question.key] = answers[question.key] = answer
        plan.targets.append(target)
        try:
            plan.try_out()
        except ConfigError as error:
            click.echo(f"That does not work: {error}", err=True)
            if not questions(kind):
                raise
            plan.targets.pop()
        else:
            return


def _ask(question: Question, before: Value | None) -> str:
    default = before if isinstance(before, str) else question.default
    if question.choices:
        return _prompt(question.text, type=click.Choice(question.choices), default=default)
    if question.secret:
        return _prompt(f"{question.text} (it is not shown)", hide_input=True)
    return _prompt(question.text, default=default, show_default=bool(default))


def _prompt(text: str, **options: Any) -> str:
    return str(click.prompt(text, err=True, **options)).strip()


def _may_replace(paths: list[Path]) -> None:
    for path in paths:
        if path.exists() and not click.confirm(f"{path} is there already. Replace it?", err=True):
            raise ConfigError(f"{path} was kept; --config writes another file")
