"""What went wrong at a model endpoint, in a sentence that says what to do about it."""

import httpx2
import openai

from app.core.errors import GenerationTimeout, ModelUnavailable

_MAX_CHARS = 300
_FLAGS = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})


def flagged(error: openai.APIStatusError) -> str | None:
    """The endpoint's words when it refused the prompt on grounds of safety; else None."""
    return (_sentence(error) or "The prompt was flagged.") if error.code in _FLAGS else None


def explain(
    problem: object,
    *,
    endpoint: str,
    model: str,
    timeout_seconds: float,
    api_key: str,
) -> ModelUnavailable | GenerationTimeout:
    """The error to raise for an error of the client's, or for an answer that is none.

    ``api_key`` is blotted out of what the endpoint says.
    """
    if isinstance(problem, openai.APITimeoutError) and not _never_connected(problem):
        return GenerationTimeout(
            f"The model at {endpoint} gave no answer within {timeout_seconds:g} seconds."
        )
    return ModelUnavailable(_situation(problem, endpoint, model) + quoted(problem, api_key))


def quoted(problem: object, api_key: str) -> str:
    """What the endpoint itself says, as a sentence to go on with; empty where it says nothing."""
    said = _sentence(problem)
    if len(api_key) > len("none"):  # which stands for no key
        said = said.replace(api_key, "…")
    return f" It said: {said[:_MAX_CHARS]}" if said else ""


def _never_connected(error: openai.APITimeoutError) -> bool:
    return isinstance(error.__cause__, httpx2.ConnectTimeout)


def _situation(problem: object, endpoint: str, model: str) -> str:
    at = f"The model endpoint {endpoint}"
    if isinstance(problem, openai.APIConnectionError):
        return f"{at} cannot be reached. Check OPENAI_BASE_URL and that it is running."
    if isinstance(problem, openai.AuthenticationError | openai.PermissionDeniedError):
        return f"{at} does not accept the API key. Check OPENAI_API_KEY."
    if isinstance(problem, openai.NotFoundError):
        return (
            f"{at} does not know the model {model!r}, or the path. Check COPYDESK_MODEL, and that"
            " OPENAI_BASE_URL ends as the endpoint wants it (often /v1)."
        )
    if isinstance(problem, openai.RateLimitError):
        if problem.code == "insufficient_quota":
            return f"{at} says that the account's credit is used up. Check its billing."
        return (
            f"{at} limits the rate of calls. Try again later or lower COPYDESK_MODEL_CONCURRENCY."
        )
    if isinstance(problem, openai.APIStatusError):
        again = " Try again later." if problem.status_code >= 500 else ""
        return f"{at} answered with status {problem.status_code}.{again}"
    return (
        f"{at} answered with something that is no chat completion. Check that OPENAI_BASE_URL is"
        " the address of an OpenAI-compatible endpoint (it often ends in /v1)."
    )


def _sentence(problem: object) -> str:
    """What the endpoint itself says; empty where it says nothing or nothing fit to be read."""
    body: object = None
    if isinstance(problem, openai.APIStatusError):
        body = problem.body
    elif not isinstance(problem, Exception):
        body = getattr(problem, "error", None)  # status 200 with an error in it
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail") or body.get("error")
    if isinstance(body, dict):
        body = body.get("message")
    text = " ".join(str(body).split()) if body else ""
    return "" if text.startswith("<") else text
