"""The output of the command ``copydesk``: texts, progress and advice."""

import json
import os
import threading
import time
from typing import Any, Self, TextIO

from copydesk import errors
from copydesk._calls import Progress
from copydesk.consume import Outcome
from copydesk.models import CheckFinding, CheckReport, FeedItem, Generation, Job, Usage
from copydesk.webhooks import JobFailed, JobSucceeded, WebhookEvent

# Remove control characters: text from elsewhere must not control the terminal.
_CONTROLS = dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")})

LIVE_EVERY_S = 1.0
PLAIN_EVERY_S = 30.0
_BAR = 40
_COLUMNS = 80


def say(text: str, stream: TextIO) -> None:
    """Write the text without control characters, and a line feed."""
    stream.write(text.translate(_CONTROLS) + "\n")


def say_json(value: Any, stream: TextIO) -> None:
    """Write the value as ASCII JSON, which any terminal and pipe accepts."""
    stream.write(json.dumps(value, indent=2) + "\n")


def figures(generation: Generation, seconds: float) -> str:
    quality = generation.quality
    return (
        f"title:      {generation.post.title}\n"
        f"words:      {generation.post.word_count}\n"
        f"score:      {_figure(quality.score)}\n"
        f"revisions:  {_figure(quality.revision_count)}\n"
        f"seconds:    {seconds:.1f}\n"
    )


def usage_table(usage: Usage) -> str:
    consumed, remaining, daily = usage.consumed, usage.remaining, usage.daily
    period = " to ".join(f"{day:%Y-%m-%d}" for day in (usage.period_start, usage.period_end) if day)
    reset = f", resets at {daily.reset_at:%Y-%m-%d %H:%M %Z}" if daily.reset_at else ""
    return (
        f"plan:       {usage.plan.name or usage.plan.id}\n"
        f"period:     {period or '-'}\n"
        f"words:      {_figure(consumed.words)} used, {_figure(remaining.words)} left"
        f" of {_figure(usage.limits.monthly_words)}\n"
        f"posts:      {_figure(consumed.posts)}\n"
        f"requests:   {_figure(consumed.requests)} billed\n"
        f"today:      {_figure(daily.used)} of {_figure(daily.limit)} calls with this key{reset}"
    )


def usage_bars(usage: Usage) -> str:
    """Return the table with a bar below each amount that has a limit; no line exceeds 80 columns,
    unless the plan has such a name."""
    bars = {
        "words:": _bar(usage.consumed.words, usage.limits.monthly_words),
        "today:": _bar(usage.daily.used, usage.daily.limit),
    }
    lines = []
    for line in usage_table(usage).split("\n"):
        lines.append(line)
        if bar := bars.get(line.partition(" ")[0]):
            lines.append(f"{'':12}{bar}")
    return "\n".join(lines)


def _bar(used: int | None, limit: int | None) -> str:
    if used is None or not limit or limit < 0:
        return ""
    share = max(0.0, used / limit)
    # Rounded down: only what is used up is full.
    filled = min(_BAR, int(share * _BAR))
    return f"[{'#' * filled}{'.' * (_BAR - filled)}] {int(share * 100):,} %"


def job_lines(job: Job) -> str:
    lines = [f"{job.job_id}: {job.status}"]
    if job.post:
        lines.append(f"title:   {job.post.title}")
    if job.error:
        lines.append(f"error:   {job.error.code}: {job.error.message}")
    if job.webhook_signing_secret:
        lines.append(f"secret:  {job.webhook_signing_secret} (of its webhook; not shown again)")
    return "\n".join(lines)


def finding_line(file: str, finding: CheckFinding) -> str:
    place = f"{file}:{_figure(finding.line)}:{_figure(finding.column)}"
    return f"{place}: {finding.severity} {finding.check}: {' '.join(finding.reason.split())}"


def check_summary(report: CheckReport) -> str:
    if report.score is None:
        return "There is no text to check, so it has no score."
    blockers = sum(finding.severity == "blocker" for finding in report.findings)
    total = max(report.finding_count or 0, len(report.findings))
    counts = ((blockers, "blocker"), (total - blockers, "warning"))
    numbers = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    left = total - len(report.findings)
    return f"{numbers}{f' ({left} not shown)' if left else ''}; score {report.score} of 100"


def item_line(item: FeedItem) -> str:
    rule = f"  [{item.rule_name}]" if item.rule_name else ""
    return f"{item.id}  send {_figure(item.delivery_count)} of 3  {item.post.title}{rule}"


def outcome_line(outcome: Outcome) -> str:
    reason = f": {outcome.reason}" if outcome.reason else ""
    return f"{outcome.item_id}  {outcome.status}  {outcome.title}{reason}"


def event_line(event: WebhookEvent) -> str:
    match event:
        case JobSucceeded():
            said = f"{event.post.title} ({event.post.word_count:,} words)"
        case JobFailed():
            said = f"{event.error.code}: {event.error.message}"
        case _:
            said = ""
    return "  ".join(filter(None, (event.event, event.job_id, said)))


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,}"


def advice(error: errors.CopydeskError) -> str:
    """Return what to do next, as the second half of a sentence."""
    key = error.idempotency_key
    again = f"run it again with --idempotency-key {key}, so that it is billed once" if key else ""
    match error:
        case errors.APIConnectionError():
            advice = "check the address and that the service is running"
            return f"{advice}, then {again}" if again else advice
        case errors.WebhookVerificationError(reason="timestamp"):
            return "correct the clock, or pass --tolerance for a webhook that is older"
        case errors.WebhookVerificationError():
            return "check the body, the header and COPYDESK_WEBHOOK_SECRET"
        case errors.LedgerError():
            return "then run it again"
        case errors.PublishError():
            if error.consumed is not None and error.consumed.unclear:
                item_id = error.consumed.unclear[0].item_id
                return f"see `copydesk feed confirm {item_id}`, or add --retry {item_id} here"
            return "when that is corrected, run it again"
        case errors.JobPendingError():
            return f"run `copydesk jobs wait {error.job.job_id}`"
        case errors.AuthenticationError():
            return "set COPYDESK_API_KEY to a key that the service knows"
        case errors.PermissionDeniedError():
            return "ask the service's operator about this API key"
        case errors.NotFoundError():
            return "check the id and the address"
        case errors.QualityError():
            return "try other keywords, a --topic, or a wider range of words"
        case errors.ProhibitedInputError():
            return "ask for something else"
        case errors.RateLimitError():
            return f"try again in {error.retry_after or 60:.0f} s"
        case errors.QuotaExceededError():
            reset = error.details.get("resetAt")
            return f"wait until {reset}" if reset else "see `copydesk usage` for when it resets"
        case errors.ConflictError():
            return again or "pull again to see which items are reserved"
        case errors.ValidationError():
            return "correct it and run it again"
    return again or "try again later, or tell the service's operator"


class Elapsed:
    """Show progress during the block: a live line on a terminal, occasional lines elsewhere.

    ``seconds`` is the time since the block was entered.
    """

    def __init__(self, what: str, stream: TextIO) -> None:
        self._what = what
        self._stream = stream
        self._live = stream.isatty()
        self._noted = ""
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    def note(self, progress: Progress) -> None:
        """Show how far a call is, from now on."""
        self._noted = progress.reason or progress.status

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        # Not by the thread, which may start late and then say that seconds have passed.
        self._show()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        if self._live:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def _run(self) -> None:
        while not self._done.wait(LIVE_EVERY_S if self._live else PLAIN_EVERY_S):
            self._show()

    def _show(self) -> None:
        noted = f" ({self._noted})" if self._noted else ""
        line = f"{self._what} … {self.seconds:.0f} s{noted}".translate(_CONTROLS)
        if self._live:
            line = "\r\033[K" + line.replace("\n", " ")[: self._columns() - 1]
        self._stream.write(line if self._live else f"{line}\n")
        self._stream.flush()

    def _columns(self) -> int:
        """Return the width of the terminal: a longer line would not be erased."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        except (OSError, ValueError):
            return _COLUMNS
