"""The command ``init``."""

import dataclasses
import json
import os
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, get_args

import click
from pydantic.fields import FieldInfo

from copydesk_connectors.cli import config
from copydesk_connectors.cli.reports import has_problem, summary
from copydesk_connectors.cli.session import checked, config_option, errors_as_sentences, passes
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.feed import DEFAULT_NAME, FeedClient, FeedSettings, pull_url
from copydesk_connectors.target.base import Level
from copydesk_connectors.target.errors import ConfigError, Misconfigured, Unavailable
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import is_secret, keys_of, more_of, words_of
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.generators import Preset

FEED_URL = "COPYDESK_FEED_URL"
"""The environment variable that the service's console names."""

_HEAD = "# Made by `copydesk-connect init`. `copydesk-connect check` says what is wrong with it.\n"
_FEED_FILE = "copydesk-feed-url"
_GENERATORS = tuple(preset for preset in get_args(Preset) if preset != "plain")
_LOOPBACK = ("localhost", "127.", "[::1]")


@dataclass
class Plan:
    """The files to write. ``secrets`` has the values of secrets by their file names."""

    file: Path
    feed: dict[str, str] = dataclasses.field(default_factory=dict)
    target: dict[str, str] = dataclasses.field(default_factory=dict)
    secrets: dict[str, str] = dataclasses.field(default_factory=dict, repr=False)

    def keep_secret(self, table: dict[str, str], key: str, name: str, value: str) -> None:
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
        # JSON texts are valid TOML, except for one character.
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
def init(file: Path) -> None:
    """Write the configuration and publish a first post.

    Asks for the feed and a target, and checks both. Stores secrets in files that only you can read,
    beside it. Publishes only if you say so. Run it again to go on after a problem.
    """
    if not sys.stdin.isatty():
        raise click.ClickException(
            f"there is no terminal to ask on; write {file} yourself, as the README shows"
        )
    with errors_as_sentences():
        plan = Plan.of(file)
        question = f"{file} is there, from an earlier init. Go on with it?"
        if plan is None or not click.confirm(question, default=True, err=True):
            _may_replace(file)
            plan = Plan(file)
            _ask_feed(plan, os.environ.get(FEED_URL, "").strip())
            kinds = click.Choice(sorted([*TARGETS, *_GENERATORS]))
            kind = _prompt("Where should the posts be published", type=kinds)
            is_generator = kind in _GENERATORS
            plan.target |= {"type": "markdown", "preset": kind} if is_generator else {"type": kind}
            _ask_all(plan)
            for path in plan.paths():
                if path != file:  # about that one it asked at the beginning
                    _may_replace(path)
            plan.write()
        _finish(plan)


def _finish(plan: Plan) -> None:
    """Check what was written, ask again for what is wrong, and publish the first post."""
    more = "" if plan.file == Path("copydesk.toml") else f" --config {plan.file}"
    while has_problem(found := checked(plan.file)):
        wrong = [finding.subject for finding in found if finding.level is Level.PROBLEM]
        about = " and ".join(dict.fromkeys(wrong))
        question = f"Answer the questions about {about} again?"
        if not click.confirm(question, default=True, err=True):
            click.echo(f"fix the problems, then run: copydesk-connect check{more}", err=True)
            sys.exit(1)
        if DEFAULT_NAME in wrong:
            _ask_feed(plan)
        if set(wrong) - {DEFAULT_NAME}:
            _ask_all(plan)
        plan.write()
    said = "everything works that can be tried without publishing"
    if click.confirm(f"{said}. Publish the first post of the feed now?", default=True, err=True):
        _publish_first(plan.file)
    click.echo(f"to publish the others: copydesk-connect once{more}", err=True)
    if plan.target.get("status") == "draft":
        click.echo(f'posts stay drafts until {plan.file} has status = "publish"', err=True)
    click.echo(f"to keep it running: copydesk-connect run{more}", err=True)


def _publish_first(file: Path) -> None:
    with passes(file) as (loaded_config, _, one_pass):
        outcome = one_pass(first_only=True)
        lines = summary(outcome)
        if outcome == Outcome():
            told = (
                "the feed offers no post yet: the first one is being written, or waits for review"
            )
            lines = [f"{told}. A later pass publishes it"]
        click.echo(loaded_config.redact("\n".join(lines)))
    if outcome.problems:
        sys.exit(1)


def _ask_feed(plan: Plan, url: str = "") -> None:
    """Ask for the feed's URL until a feed answers there; ``url`` is one that may be right."""
    if url:
        click.echo(f"the feed URL is that of {FEED_URL}; it is kept in {_FEED_FILE}", err=True)
    while not _is_feed(url):
        url = _with_scheme(_prompt("Feed URL (it is not shown)", hide_input=True))
    plan.feed.clear()
    # A file, because a service or cron does not have the variables of this shell.
    plan.keep_secret(plan.feed, "url", _FEED_FILE, url)


def _is_feed(url: str) -> bool:
    """Return whether a feed answers at a URL, or the owner wants it all the same; say if not."""
    if not url:
        return False
    try:
        FeedClient(FeedSettings.model_construct(url=pull_url(Secret(url)))).ready()
    except ValueError as error:
        click.echo(f"That is not a feed URL: {error}", err=True)
        return False
    except Misconfigured as error:
        why = f"{error.args[0]}; its operator knows the current one"
        click.echo(f"The feed refuses this URL: {why}", err=True)
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


def questions(kind: str) -> dict[str, FieldInfo]:
    """Return the settings that ``init`` asks for: a built-in target's or another package's."""
    fields = TARGETS.settings(kind).model_fields
    return {name: field for name, field in fields.items() if more_of(field).get("ask")}


def _ask_all(plan: Plan) -> None:
    """Ask for the settings of the target, each until its answer is right."""
    asked = questions(plan.target["type"])
    by_key = {key: name for name, field in asked.items() for key in (name, *keys_of(name, field))}

    def ask_again(error: ConfigError) -> None:
        click.echo(f"This does not work: {error}", err=True)
        name = by_key[error.key]
        plan.target.pop(f"{name}_file", None)  # a wrong secret is not kept
        _ask(plan, name, asked[name])

    for name, field in asked.items():
        if name == "preset" and plan.target.get(name):  # its name was the answer before
            continue
        _ask(plan, name, field)
        while (error := plan.problem()) and by_key.get(error.key) == name:
            ask_again(error)
    while error := plan.problem():
        if error.key not in by_key:
            raise error
        ask_again(error)
    above = (plan.file.parent / plan.target.get("path", "")).parent
    if not above.is_dir() and click.confirm(
        f"{above} does not exist. Make it?", default=True, err=True
    ):
        above.mkdir(parents=True)


def _ask(plan: Plan, key: str, field: FieldInfo) -> None:
    """Put the answer to one question into the table of the target."""
    target, more = plan.target, more_of(field)
    if is_secret(field):
        # Sites show a secret once: who corrects another answer need not make a new one.
        is_there = f"{key}_file" in target
        note = "it is not shown; Enter keeps it" if is_there else "it is not shown"
        default = "" if is_there else None
        answer = _prompt(
            f"{more['ask']} ({note})", hide_input=True, default=default, show_default=False
        )
        if answer:
            plan.keep_secret(target, key, f"copydesk-{target['type']}-{key}", answer)
        return
    words = more["offered"] or words_of(field)
    default = target.get(key) or None
    if default is None and not field.is_required():
        # The owner sees the first posts before readers do.
        default = "draft" if key == "status" and "draft" in words else field.default or ""
    choices = click.Choice(words) if words else None
    answer = _prompt(more["ask"], type=choices, default=default, show_default=bool(default))
    target.pop(key, None)
    if answer:
        target[key] = _with_scheme(answer) if key.endswith("url") else answer


def _prompt(text: str, **options: Any) -> str:
    return str(click.prompt(text, err=True, **options)).strip()


def _may_replace(path: Path) -> None:
    if path.exists() and not click.confirm(f"{path} exists already. Replace it?", err=True):
        raise ConfigError(f"{path} was kept; use --config to write another file")
