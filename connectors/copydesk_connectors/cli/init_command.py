"""The command ``init``."""

import dataclasses
import json
import os
import sys
import tomllib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, get_args

import click
from pydantic.fields import FieldInfo

from copydesk_connectors.cli import config
from copydesk_connectors.cli.reports import finding_lines, findings, has_problem, summary
from copydesk_connectors.cli.session import (
    config_option,
    courier_of,
    errors_as_sentences,
    loaded,
)
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.feed import DEFAULT_NAME, FeedClient, FeedSettings, pull_url
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.poller import Stop
from copydesk_connectors.target.base import Finding, Level
from copydesk_connectors.target.errors import ConfigError, Misconfigured, Unavailable
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import is_secret, keys_of, more_of, words_of
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.generators import Preset

FEED_URL = "COPYDESK_FEED_URL"
"""The environment variable that the service's console names."""

Value = str | bool | list[str]
_HEAD = "# Made by `copydesk-connect init`. `copydesk-connect check` says what is wrong with it.\n"
_EXAMPLE = (
    f"copydesk-connect init --non-interactive --feed-url-env {FEED_URL} "
    "--target html --set path=public"
)
_FEED_FILE = "copydesk-feed-url"
_GENERATORS = tuple(preset for preset in get_args(Preset) if preset != "plain")
_LOOPBACK = ("localhost", "127.", "[::1]")


@dataclass
class Plan:
    """The files to write. ``secrets`` has the values of secrets by their file names."""

    file: Path
    feed: dict[str, Value] = dataclasses.field(default_factory=dict)
    target: dict[str, Value] = dataclasses.field(default_factory=dict)
    secrets: dict[str, str] = dataclasses.field(default_factory=dict, repr=False)

    def keep_secret(self, table: dict[str, Value], key: str, name: str, value: str) -> None:
        """Store a secret in its own file, and the name of the file in a table."""
        table[f"{key}_file"] = name
        self.secrets[name] = value

    def paths(self) -> list[Path]:
        """Return the files to write."""
        return [*(self.file.parent / name for name in self.secrets), self.file]

    def problem(self) -> ConfigError | None:
        """Return the first thing that is wrong, if anything is. Nothing is written for that."""
        try:
            config.read_document(
                {"feed": self.feed, "target": [self.target]}, self.file, self.secrets
            )
        except ConfigError as error:
            return error
        return None

    @classmethod
    def of(cls, file: Path) -> Self | None:
        """Return the plan of a file as ``init`` wrote it; None if it was edited or is another's."""
        try:
            text = file.read_text(encoding="utf-8")
            data = tomllib.loads(text)
            plan = cls(file, data["feed"], *data["target"])
            return plan if plan.text() == text else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def text(self) -> str:
        """Return the configuration."""
        # JSON texts, lists and booleans are valid TOML, except for one character.
        text = _HEAD
        for head, table in (("[feed]", self.feed), ("[[target]]", self.target)):
            text += f"\n{head}\n"
            for key, value in table.items():
                text += f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        return text.replace("\x7f", "\\u007f")

    def write(self) -> None:
        """Write all files, readable by their owner alone; the configuration last."""
        for path in self.paths():
            try:
                path.unlink(missing_ok=True)
                number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(number, "w", encoding="utf-8") as file:
                    file.write(self.text() if path == self.file else f"{self.secrets[path.name]}\n")
            except OSError as error:
                problem = f"{path.parent}: cannot be written to: {error.strerror}"
                raise ConfigError(problem) from None
            click.echo(f"written: {path}", err=True)


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
def init(
    file: Path,
    *,
    feed_url_env: str | None,
    feed_url_file: str | None,
    kind: str | None,
    settings: tuple[str, ...],
    non_interactive: bool,
    replace: bool,
) -> None:
    """Ask for the feed and a target, write the configuration, check it, and publish one post.

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
    plan = Plan(file)
    with errors_as_sentences():
        if not (replace or non_interactive):
            earlier = Plan.of(file)
            question = f"{file} is there, from an earlier init. Go on with it?"
            if earlier is not None and click.confirm(question, default=True, err=True):
                _finish(earlier, interactive=True)
                return
            _may_replace(file)
        _feed(plan, feed_url_env, feed_url_file, non_interactive=non_interactive)
        if non_interactive and not kind:
            raise click.UsageError(
                f"--target is missing; one of {', '.join(_kinds())}, as in: {_EXAMPLE}"
            )
        question = "Where should the posts be published"
        plan.target |= _target_of(kind or _prompt(question, type=click.Choice(_kinds()))) | given
        if not non_interactive:
            _ask_all(plan, known=plan.target.keys())
        if (error := plan.problem()) is not None:
            raise error
        for path in () if replace else plan.paths():
            if non_interactive and path.exists():
                raise ConfigError(f"{path} exists already; use --replace to replace it")
            if path != file:  # about that one it asked at the beginning
                _may_replace(path)
        plan.write()
        _finish(plan, interactive=not non_interactive)


def _finish(plan: Plan, *, interactive: bool) -> None:
    """Check what was written, ask again for what is wrong, and publish the first post."""
    more = "" if plan.file == Path("copydesk.toml") else f" --config {plan.file}"
    while has_problem(found := _check(plan.file)):
        wrong = [finding.subject for finding in found if finding.level is Level.PROBLEM]
        about = " and ".join(dict.fromkeys(wrong))
        if not interactive or not click.confirm(
            f"Answer the questions about {about} again?", default=True, err=True
        ):
            click.echo(f"fix the problems, then run: copydesk-connect check{more}", err=True)
            sys.exit(1)
        if DEFAULT_NAME in wrong:
            _ask_feed(plan)
        if set(wrong) - {DEFAULT_NAME}:
            _ask_all(plan)
        plan.write()
    if interactive and click.confirm(
        "Everything works that can be tried without publishing. Publish the first post of the feed "
        "now?",
        default=True,
        err=True,
    ):
        _publish_first(plan.file)
        click.echo(f"to publish the others: copydesk-connect once{more}", err=True)
    else:
        said = f"everything works; run the first pass: copydesk-connect once{more}"
        click.echo(said, err=True)
    if plan.target.get("status") == "draft":
        click.echo(f'posts stay drafts until {plan.file} has status = "publish"', err=True)
    click.echo(f"to keep it running: copydesk-connect run{more}", err=True)


def _publish_first(file: Path) -> None:
    with loaded(file) as session, Ledger.open(session.config.ledger) as ledger:
        stop = Stop()
        stop.listen()
        outcome = courier_of(session.config, ledger, stop).once(first_only=True)
        lines = summary(outcome)
        if outcome == Outcome():
            lines = ["the feed has no post yet; a pass publishes it once it is written"]
        click.echo(session.redact("\n".join(lines)))
    if outcome.problems:
        sys.exit(1)


def _check(file: Path) -> list[Finding]:
    with loaded(file) as session:
        found = findings(session.config)
        for line in finding_lines(found):
            click.echo(session.redact(line))
    return found


def _given(settings: tuple[str, ...]) -> dict[str, Value]:
    given: dict[str, Value] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.isidentifier():
            raise click.UsageError(f'--set {setting!r}: must be KEY=VALUE, such as "path=public"')
        given[key] = text
        if text in {"true", "false"} or text.startswith("["):
            with suppress(tomllib.TOMLDecodeError):
                given[key] = tomllib.loads(f"value = {text}")["value"]
    return given


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
        plan.keep_secret(plan.feed, "url", _FEED_FILE, there)
    else:
        _ask_feed(plan)


def _ask_feed(plan: Plan) -> None:
    url = ""
    while not _is_feed(url):
        url = _with_scheme(_prompt("Feed URL (it is not shown)", hide_input=True))
    plan.feed.clear()
    plan.keep_secret(plan.feed, "url", _FEED_FILE, url)


def _is_feed(url: str) -> bool:
    """Return whether a feed answers at a URL, or the owner wants it all the same; say if not."""
    if not url:
        return False
    try:
        FeedClient(FeedSettings.model_construct(url=pull_url(Secret(url)))).ready()
    except (ValueError, Misconfigured) as error:
        click.echo(f"That is not a feed URL: {error}", err=True)
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


def questions(kind: str) -> dict[str, FieldInfo]:
    """Return the settings that ``init`` asks for: a built-in target's or another package's."""
    fields = TARGETS.settings(kind).model_fields
    return {name: field for name, field in fields.items() if more_of(field).get("ask")}


def _ask_all(plan: Plan, known: Collection[str] = ()) -> None:
    """Ask for the settings of the target that are not known, each until its answer is right."""
    asked = questions(str(plan.target["type"]))
    by_key = {key: name for name, field in asked.items() for key in (name, *keys_of(name, field))}
    answered = {by_key[key] for key in known if key in by_key}

    def ask_again(error: ConfigError) -> None:
        click.echo(f"This does not work: {error}", err=True)
        _ask(plan, by_key[error.key], asked[by_key[error.key]])

    for name, field in asked.items():
        if name in answered:
            continue
        _ask(plan, name, field)
        while (error := plan.problem()) and by_key.get(error.key) == name:
            ask_again(error)
    while error := plan.problem():
        if error.key not in by_key:
            raise error
        ask_again(error)
    above = (plan.file.parent / str(plan.target.get("path", ""))).parent
    if not above.is_dir() and click.confirm(
        f"{above} does not exist. Make it?", default=True, err=True
    ):
        above.mkdir(parents=True)


def _ask(plan: Plan, key: str, field: FieldInfo) -> None:
    """Put the answer to one question into the table of the target."""
    target, more = plan.target, more_of(field)
    if is_secret(field):
        answer = _prompt(f"{more['ask']} (it is not shown)", hide_input=True)
        plan.keep_secret(target, key, f"copydesk-{target['type']}-{key}", answer)
        return
    words = more["offered"] or words_of(field)
    default = target.get(key) or more["suggestion"]
    if not default and not field.is_required():
        # The owner sees the first posts before readers do.
        default = "draft" if key == "status" and "draft" in words else field.default or ""
    choices = click.Choice(words) if words else None
    default = None if default == "" and field.is_required() else default
    answer = _prompt(more["ask"], type=choices, default=default, show_default=bool(default))
    target.pop(key, None)
    if answer:
        target[key] = _with_scheme(answer) if key.endswith("url") else answer


def _prompt(text: str, **options: Any) -> str:
    return str(click.prompt(text, err=True, **options)).strip()


def _may_replace(path: Path) -> None:
    if path.exists() and not click.confirm(f"{path} exists already. Replace it?", err=True):
        raise ConfigError(f"{path} was kept; use --config to write another file")
