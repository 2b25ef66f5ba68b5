"""The command ``copydesk``. Exit codes: 0 success, 1 failure, 2 usage error."""

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from copydesk import errors
from copydesk._address import redact_tokens
from copydesk._calls import Progress, key_or_new
from copydesk._version import __version__
from copydesk.client import AsyncCopydesk, Copydesk
from copydesk.consume import Outcome, Reject
from copydesk.errors import ConfigurationError, CopydeskError
from copydesk.feed import AsyncFeed, Feed
from copydesk.models import FeedItem, Generation

# EX_DATAERR of sysexits.h: the input is not as it must be.
REJECTED = 65
# Remove control characters: text from elsewhere must not control the terminal.
_CONTROLS = dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")})


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Do not lose a post because the terminal cannot show one of its characters.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int | None = commands.main(argv, "copydesk", standalone_mode=False)
        sys.stdout.flush()  # here, so that a reader who has gone is noticed here
    except click.ClickException as error:
        # click quotes what it does not understand, and that may be a feed URL.
        shown = io.StringIO()
        error.show(shown)
        click.echo(redact_tokens(shown.getvalue()), nl=False, err=True)
        return error.exit_code
    except BrokenPipeError:
        # Python flushes once more at exit, and would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except click.Abort:
        return 130
    return code or 0


class _Command(click.Command):
    """Reports errors with the options of the command instead of the SDK's parameters."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ConfigurationError as error:
            raise click.UsageError(self._as_typed(str(error)), ctx) from None
        except CopydeskError as error:
            said = f"{self._as_typed(str(error))}{_advice(error)}"
            raise click.ClickException(said.translate(_CONTROLS)) from None

    def _as_typed(self, text: str) -> str:
        names = {str(each.name): each.opts[0] for each in self.params} | {"pull_url": "--feed-url"}
        # A word such as title is a name at the beginning only.
        first, _, rest = text.removesuffix(" or pass api_key").partition(" ")
        rest = re.sub(r"[a-z]+_[a-z_]+", lambda found: names.get(found[0], found[0]), rest)
        return f"{names.get(first, first)} {rest}"


class _Group(click.Group):
    command_class = _Command
    group_class = type


def _advice(error: CopydeskError) -> str:
    """Return what to do next with this command, or ""."""
    if isinstance(error, errors.JobPendingError):
        return f"; run `copydesk jobs wait {error.job.job_id}`"
    if error.idempotency_key and (error.transient or isinstance(error, errors.ServerError)):
        return f"; run it again with --idempotency-key {error.idempotency_key}: it is billed once"
    return ""


def _say(text: str, *, err: bool = False) -> None:
    click.echo(text.translate(_CONTROLS), err=err)


def _say_either(as_json: bool, value: Any, text: str) -> None:
    click.echo(json.dumps(value, indent=2)) if as_json else _say(text)


def _options(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


_json = click.option("--json", "as_json", is_flag=True, help="Print the response as JSON.")
_base_url = click.option("--base-url", metavar="URL", help="Default: COPYDESK_BASE_URL.")
_shape = click.option(
    "--format",
    "shape",
    type=click.Choice(["markdown", "html"]),
    help="Print only the post; figures go to stderr.",
)
_feed_options = _options(
    click.option(
        "--feed-url",
        envvar="COPYDESK_FEED_URL",
        required=True,
        show_envvar=True,
        metavar="URL",
        help="Prefer the variable: process lists show options.",
    ),
    _json,
)
_request_options = _options(
    click.option("--keyword", "keywords", multiple=True, required=True, help="Repeatable."),
    click.option("--topic", help="What the post is about, beyond the keywords."),
    click.option("--tone", help="professional, friendly or bold."),
    click.option("--language", help="Such as en or pt-BR."),
    click.option("--min-words", type=int, help="Minimum words of the post."),
    click.option("--max-words", type=int, help="Maximum words of the post."),
    click.option("--faqs", "include_faqs", is_flag=True, default=None, help="Add questions."),
    click.option("--idempotency-key", help="Continue an earlier attempt, billed once."),
    _base_url,
    _json,
)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="The API key is read from COPYDESK_API_KEY, the address of the service from"
    " COPYDESK_BASE_URL. Exit codes: 0 success, 1 failure (reason on stderr), 2 usage error.",
)
@click.version_option(__version__, message="copydesk %(version)s")
def commands() -> None:
    """Write blog posts with Copydesk."""


@commands.command()
@_request_options
@_shape
def generate(
    base_url: str, as_json: bool, shape: str | None, idempotency_key: str | None, **request: Any
) -> None:
    """Write one post from keywords."""
    key = key_or_new(idempotency_key)
    try:
        _say("writing the post ...", err=True)
        with Copydesk(base_url=base_url) as client:
            made = client.generate(idempotency_key=key, on_progress=_note, **request)
    except KeyboardInterrupt:
        _say(f"stopped; to get this post, add --idempotency-key {key}", err=True)
        raise
    _say_post(as_json, made.raw, made, shape)


def _note(progress: Progress) -> None:
    _say(
        f"{progress.elapsed:.0f} s: {progress.reason or progress.stage or progress.status}",
        err=True,
    )


def _say_post(as_json: bool, value: Any, made: Generation, shape: str | None) -> None:
    figures = (
        f"title:      {made.post.title}\n"
        f"words:      {made.post.word_count}\n"
        f"score:      {_figure(made.quality.score)}\n"
        f"revisions:  {_figure(made.quality.revision_count)}\n"
    )
    if not as_json:
        _say(figures, err=shape is not None)
    _say_either(as_json, value, getattr(made.rendered, shape or "markdown") or "")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,}"


@commands.group()
def jobs() -> None:
    """Write posts in the background."""


@jobs.command()
@_request_options
def create(base_url: str, as_json: bool, idempotency_key: str | None, **request: Any) -> None:
    """Create a job and return at once."""
    with Copydesk(base_url=base_url) as client:
        job = client.jobs.create(idempotency_key=idempotency_key, **request)
    _say_either(as_json, job.raw, f"{job.job_id}: {job.status}")


@jobs.command()
@click.argument("job_id")
@click.option("--timeout", type=float, default=600.0, show_default=True, metavar="SECONDS")
@_options(_shape, _base_url, _json)
def wait(job_id: str, timeout: float, shape: str | None, base_url: str, as_json: bool) -> None:
    """Wait for a job and print its post."""
    with Copydesk(base_url=base_url) as client:
        job = client.jobs.wait(job_id, timeout=timeout, on_progress=_note)
    _say_post(as_json, job.raw, job.generation(), shape)


@commands.command()
@click.argument("file", type=click.File(encoding="utf-8-sig"))
@click.option("--title", help="Title of the text, if FILE does not contain it.")
@click.option("--language", help="Such as en or pt-BR; default: that of the text.")
@click.option("--keyword", "keywords", multiple=True, help="The text must use it; repeatable.")
@_options(_base_url, _json)
def check(file: io.TextIOWrapper, base_url: str, as_json: bool, **options: Any) -> int:
    """Check a Markdown file; - reads standard input.

    Prints one finding per line, and the score on stderr. Exit code 1: a finding is a blocker.
    """
    try:
        text = file.read()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name} is not UTF-8 (at byte {error.start})") from None
    with Copydesk(base_url=base_url) as client:
        report = client.check(text, **options)
    lines = (
        f"{file.name}:{_figure(each.line)}:{_figure(each.column)}: {each.severity} {each.check}:"
        f" {' '.join(each.reason.split())}"
        for each in report.findings
    )
    _say_either(as_json, report.raw, "\n".join(lines))
    _say(f"findings: {report.finding_count or 0}; score: {_figure(report.score)} of 100", err=True)
    return 0 if report.passes else 1


@commands.command()
@_options(_base_url, _json)
def usage(base_url: str, as_json: bool) -> None:
    """Show the plan and its usage."""
    with Copydesk(base_url=base_url) as client:
        found = client.usage()
    used, daily = found.consumed, found.daily
    days = [f"{day:%Y-%m-%d}" for day in (found.period_start, found.period_end) if day]
    words = f"{_figure(used.words)} used, {_figure(found.remaining.words)} left"
    text = (
        f"plan:       {found.plan.name or found.plan.id}\n"
        f"period:     {' to '.join(days) or '-'}\n"
        f"words:      {words} of {_figure(found.limits.monthly_words)}\n"
        f"posts:      {_figure(used.posts)}\n"
        f"requests:   {_figure(used.requests)} billed\n"
        f"today:      {_figure(daily.used)} of {_figure(daily.limit)} calls with this key"
    )
    _say_either(as_json, found.raw, text)


@commands.group()
def feed() -> None:
    """Pull posts from a feed, confirm or reject them."""


@feed.command()
@_feed_options
def ready(feed_url: str, as_json: bool) -> None:
    """Check the feed URL; reserves nothing."""
    with Feed(feed_url) as source:
        source.ready()
    _say_either(as_json, {"ready": True}, "ready")


@feed.command()
@click.option("--rule", help="Only the posts of this rule (name or id).")
@_feed_options
def items(feed_url: str, rule: str | None, as_json: bool) -> None:
    """Pull all available posts, up to 100 (each pull counts as one of 3 sends)."""
    with Feed(feed_url) as source:
        found = source.items(rule=rule)
    lines = (
        f"{item.id}  send {_figure(item.delivery_count)} of 3  {item.post.title}" for item in found
    )
    _say_either(as_json, [item.raw for item in found], "\n".join(lines) or "nothing new")


@feed.command()
@click.argument("item_id")
@click.option("--url", help="Where the post appeared; the service shows it to its owners.")
@_feed_options
def confirm(feed_url: str, item_id: str, url: str | None, as_json: bool) -> None:
    """Mark a post as published."""
    with Feed(feed_url) as source:
        done = source.confirm(item_id, url=url)
    _say_either(as_json, done.raw, f"{done.id}: {done.status}")


@feed.command()
@click.argument("item_id")
@_feed_options
def reject(feed_url: str, item_id: str, as_json: bool) -> None:
    """Mark a post as not going to be published."""
    with Feed(feed_url) as source:
        done = source.reject(item_id)
    _say_either(as_json, done.raw, f"{done.id}: {done.status}")


@feed.command()
@click.option(
    "--exec",
    "command",
    required=True,
    help="Publishes the post, which it reads as JSON from its input. Exit code 0: published,"
    f" {REJECTED}: reject the post, any other: not published, send it again.",
)
@click.option(
    "--find",
    help="Tells whether a post is published already, so that none is published twice."
    " Exit code 0: yes, 1: no.",
)
@click.option("--limit", type=int, help="End after this number of posts.")
@_feed_options
def consume(
    feed_url: str, command: str, find: str | None, limit: int | None, as_json: bool
) -> None:
    """Publish each post with a shell command of yours, and confirm it.

    Ends when the feed is empty or a post fails.
    """

    def publish(item: FeedItem) -> None:
        _say(f"publishing {item.id}: {item.post.title}", err=True)
        if _status(command, item, {0, REJECTED}) == REJECTED:
            raise Reject(f"the command rejected it (exit code {REJECTED})")

    def is_published(item: FeedItem) -> bool:
        return _status(find or "", item, {0, 1}) == 0

    def report(done: Iterable[Outcome]) -> None:
        outcomes = [vars(each) for each in done]
        lines = ("  ".join(filter(None, each.values())) for each in outcomes)
        _say_either(as_json, outcomes, "\n".join(lines) or "nothing new")

    try:
        with Feed(feed_url) as source:
            report(source.consume(publish, find=is_published if find else None, limit=limit))
    except CopydeskError as error:
        if error.outcomes:
            report(error.outcomes)
        raise


def _status(command: str, item: FeedItem, expected: set[int]) -> int:
    """Run a command of the user with the item as its input, and return its exit code.

    Raises:
        CalledProcessError: it is another code than those that are expected.
    """
    import subprocess  # not at the start of every command

    sys.stderr.flush()
    done = subprocess.run(  # noqa: S602 - the user's own command; the item is only its input
        command,
        shell=True,
        input=json.dumps(item.raw).encode(),
        stdout=2,  # stderr: what goes to stdout are the outcomes
        check=False,
    )
    if done.returncode not in expected:
        done.check_returncode()
    return done.returncode


@commands.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Other machines need COPYDESK_MCP_TOKEN, as Authorization: Bearer TOKEN.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=8765, show_default=True)
@_base_url
def mcp(http: bool, host: str, port: int, base_url: str) -> None:
    """Serve the API as tools for AI agents (Model Context Protocol).

    COPYDESK_API_KEY enables the tools for posts, jobs and usage, COPYDESK_FEED_URL those of the
    feed.
    """
    try:
        from copydesk import _mcp_server
    except ModuleNotFoundError as missing:
        problem = f"it needs the module {missing.name}: pip install './sdk[mcp]' in a clone"
        raise click.UsageError(problem) from None
    names = ("COPYDESK_API_KEY", "COPYDESK_FEED_URL", "COPYDESK_MCP_TOKEN")
    key, feed_url, token = (os.environ.get(name, "").strip() for name in names)
    if not key and not feed_url:
        raise click.UsageError("no API key and no feed: set COPYDESK_API_KEY or COPYDESK_FEED_URL")
    if http and not token and host not in {"127.0.0.1", "localhost", "::1"}:
        raise click.UsageError(
            f"--host {host} lets other machines use your API key: set COPYDESK_MCP_TOKEN"
        )
    server = _mcp_server.make_server(
        AsyncCopydesk(base_url=base_url) if key else None,
        AsyncFeed(feed_url) if feed_url else None,
        token if http else "",
    )
    if http:
        # Without sessions, a client goes on after a restart of this server.
        server.run("streamable-http", host=host, port=port, stateless_http=True)
    else:
        server.run("stdio")
