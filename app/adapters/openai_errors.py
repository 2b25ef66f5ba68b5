"""What an endpoint's error means: its cause, its own sentence, and the pause that it asks for.

Endpoints agree on little: errors are objects, lists of objects or plain texts, with status 200 as
well, and a pause can stand in a header or in a member.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx2
import openai

from app.adapters.stated_times import retry_after

# An error is a few sentences; more of a body is not read.
_MAX_DEPTH, _MAX_MEMBERS, _MAX_CHARS = 6, 300, 4_000
_DAY_SECONDS = 86_400.0
_SENTENCES = ("message", "msg", "error_message", "error_msg", "detail", "error", "title", "")
# What people copy behind the address of an endpoint.
_PATHS = ("/chat/completions", "/models", "/moderations")
_PAUSES = frozenset({"retrydelay", "retry_delay", "retryafter", "retry_after"})
# Causes with their statuses, and with the codes and words that mean them with any other status.
_CAUSES = (
    (
        "says that the account's credit is used up. Check its billing.",
        {402},
        r"insufficient[_ ](?:quota|balance|credits?|funds)|arrearage|exceeded_current_quota"
        r"|billing_(?:hard_limit|not_active)|payment_required",
    ),
    (
        "does not accept the API key. Check {names.key}.",
        {401, 403},
        r"api[_ -]?key|unauthenticated|authentication_?error|invalid_authentication",
    ),
    (
        "does not know the model {model!r}, or the path. Check {names.model}, and that {names.url}"
        " ends as the endpoint expects (often /v1).",
        {404},
        r"(?:unknown|invalid|no such)[_ ]model|not a valid model|deploymentnotfound"
        r"|model\b.{0,80}\bnot (?:exist|found|available)|model_not_(?:found|available|supported)",
    ),
    (
        "limits the rate of calls. Try again later or lower COPYDESK_MODEL_CONCURRENCY.",
        {429},
        r"rate_?limit",
    ),
)
# The error codes of a prompt that was rejected as unsafe.
_FLAGS = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})
_CREDIT = re.compile(_CAUSES[0][2], re.IGNORECASE)
# What Python puts around the reason of a failed connection.
_NUMBERS = re.compile(r"^\[[^\]]*\]\s*|\s*\(_ssl\.c:\d+\)$")
_JUNK = (
    "answered with something other than a chat completion. Check that {names.url} is the address of"
    " an OpenAI-compatible endpoint (it often ends in /v1)."
)


REFUSED = openai.BadRequestError | openai.UnprocessableEntityError
"""What an endpoint answers to a call that it does not take."""


@dataclass(frozen=True)
class SettingNames:
    """What an endpoint and its settings are called in error messages."""

    url: str = "OPENAI_BASE_URL"
    key: str = "OPENAI_API_KEY"
    model: str = "COPYDESK_MODEL"
    endpoint: str = "The model endpoint"


class CallTimeout(openai.OpenAIError):
    """The call took too long."""


class NoCompletion(openai.OpenAIError):
    """An answer that is not what was asked for, with status 200.

    Args:
        why: what it is, to follow the endpoint's name; "" if ``body`` says it.
        body: the error object that it holds, if any.
        is_final: another attempt would end in the same way.
    """

    def __init__(self, why: str = "", body: object = None, *, is_final: bool = False) -> None:
        super().__init__(why or "an error with status 200")
        self.why, self.body, self.is_final = why, body, is_final


def status_of(error: Exception) -> int | None:
    """Return the HTTP status of an error, or the one that an error with status 200 names."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code
    named = (int(value) for key, value in _members(error) if key in {"code", "status"}
             and re.fullmatch(r"[45]\d\d", value))  # fmt: skip
    return next(named, None)


def words_of(error: Exception) -> str:
    """Return every text and number of an error's body, to search for names and values."""
    return "\n".join(value for _, value in _members(error))


def sentence_of(error: Exception) -> str:
    """Return the endpoint's own sentence; "" if it has none that is fit to show."""
    members = list(_members(error))
    said = next((value for name in _SENTENCES for key, value in members if key == name), "")
    place = ".".join(value for key, value in members if key == "loc")  # of FastAPI
    behind = next((value for key, value in members if key == "raw"), "")  # of OpenRouter
    text = " ".join(f"{place and f'{place}:'} {said} {behind}".split())
    return "" if text.startswith("<") else "".join(filter(str.isprintable, text))


def is_out_of_credit(error: Exception) -> bool:
    """Return whether an account's credit is used up, which no pause changes."""
    return status_of(error) == 402 or bool(_CREDIT.search(words_of(error)))


def is_final(error: Exception) -> bool:
    """Return whether another attempt would end in the same way, whatever the status."""
    if isinstance(error, NoCompletion) and error.is_final:
        return True
    return is_about_roles(error) or is_out_of_credit(error)


def is_about_roles(error: Exception) -> bool:
    """Return whether an error is a chat template's, which would fail in the same way again, also
    with a status 5xx."""
    words = (
        words_of(error).lower() if isinstance(error, REFUSED | openai.InternalServerError) else ""
    )
    return "role" in words or "template" in words


def is_flag(error: Exception) -> bool:
    """Return whether the endpoint rejected a prompt as unsafe."""
    is_refused = isinstance(error, openai.APIStatusError) and error.status_code < 500
    return is_refused and not _FLAGS.isdisjoint(words_of(error).splitlines())


def cause_of(error: Exception, model: str, names: SettingNames) -> str:
    """Return what is wrong, as a sentence behind the endpoint's name."""
    if isinstance(error, NoCompletion) and error.why:
        return error.why
    if isinstance(error, openai.APIStatusError) and error.response.has_redirect_location:
        return f"redirects to {_target(error.response)}; set {names.url} to that address."
    if isinstance(error, openai.APIConnectionError):
        why = _NUMBERS.sub("", str(error.__cause__ or ""))[:100].rstrip(".")
        quoted = f" ({why})" if why else ""
        return f"cannot be reached{quoted}. Check {names.url} and that it is running."
    status, words = status_of(error), words_of(error)
    if status in {405, 501} or (status is None and not words):
        found = _JUNK  # a web server that does not know the method of a call, among others
    else:
        page = " and a web page" if words.lstrip().startswith("<") else ""
        later = " Try again later." if status and status >= 500 else ""
        found = f"answered with {f'status {status}' if status else 'an error'}{page}.{later}"
        named = (why for why, statuses, _ in _CAUSES if status in statuses)
        if status is None or status < 500:
            said = (why for why, _, said in _CAUSES if re.search(said, words, re.IGNORECASE))
            found = _CAUSES[0][0] if is_out_of_credit(error) else next(named, next(said, found))
    return found.format(model=model, names=names)


def pause_of(error: Exception) -> float | None:
    """Return how many seconds the endpoint asks to wait, more than 0 and at most a day; None if it
    does not say."""
    found: list[float | None] = []
    if isinstance(error, openai.APIStatusError):
        headers = error.response.headers
        found.append((retry_after(headers.get("retry-after-ms", "")) or 0) / 1000)
        found.append(retry_after(headers.get("retry-after", "")))
    for key, value in _members(error):
        if key in _PAUSES:
            found.append(retry_after(value.removesuffix("s")))
    return next((min(each, _DAY_SECONDS) for each in found if each), None)


def address_of(url: str) -> str:
    """Return the address of an endpoint without its query, and without the path of a call."""
    path = url.partition("#")[0].partition("?")[0].rstrip("/")
    return next((path.removesuffix(end) for end in _PATHS if path.endswith(end)), path)


def _target(response: httpx2.Response) -> str:
    """Return where a redirect leads, as an address to set: without user and query."""
    parts = urlsplit(urljoin(str(response.url), response.headers["location"]))
    return address_of(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")[:200]


def _members(error: object) -> Iterator[tuple[str, str]]:
    """Yield each text and number of an error's body with the name of its member, in lower case."""
    waiting = deque([("", getattr(error, "body", None), 0)])
    for _ in range(_MAX_MEMBERS):
        if not waiting:
            return
        key, value, depth = waiting.popleft()
        if isinstance(value, str | int | float):
            yield key, str(value)[:_MAX_CHARS]
        elif depth < _MAX_DEPTH and isinstance(value, Mapping):
            waiting.extend((str(name).lower(), each, depth + 1) for name, each in value.items())
        elif depth < _MAX_DEPTH and isinstance(value, list):
            waiting.extend((key, each, depth + 1) for each in value)
