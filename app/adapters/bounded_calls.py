"""Limits on the time of a call to a model and on the bytes of its answer."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2
import openai

from app.adapters.bounded_network import BoundedBackend, Limits, TooLarge
from app.adapters.openai_errors import CallTimeout, NoCompletion
from app.deadline import Deadline

# A post of 200,000 characters, each of them escaped, with thoughts before it.
MAX_BYTES = 4 * 1024 * 1024
_CONNECT_SECONDS = 10.0


class _CallLimits(Limits):
    """The remaining limits of one call."""

    def __init__(self, deadline: Deadline, seconds: float) -> None:
        super().__init__(time.monotonic() + seconds, MAX_BYTES, _CONNECT_SECONDS)
        self._deadline = deadline

    def left(self, most: float = math.inf) -> float:
        most = min(most, self._deadline.left())
        try:
            return super().left(most)
        except TimeoutError:
            raise CallTimeout from None


_limits: ContextVar[_CallLimits] = ContextVar("limits of the model call in this thread")


@contextmanager
def limited(deadline: Deadline, seconds: float) -> Iterator[None]:
    """Limit the calls of a bounded client in the block to ``seconds`` and MAX_BYTES in total.

    The block raises CallTimeout, NoCompletion for too many bytes, or the deadline's own error.
    """
    limits = _CallLimits(deadline, seconds)
    token = _limits.set(limits)
    try:
        yield
    except TooLarge:
        why = f"sent an answer of more than {MAX_BYTES:,} bytes."
        raise NoCompletion(why, is_final=True) from None
    except openai.APIConnectionError:
        limits.left()  # raises if the time is the cause
        raise
    finally:
        _limits.reset(token)


def bound(client: httpx2.Client) -> None:
    """Make a client keep the limits; from then on it works only inside ``limited()``."""
    # httpx2 has no option for the network backend. All of its transports, proxies included, have
    # one of httpcore2's pools, which has one.
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):
            pool = transport._pool
            pool._network_backend = BoundedBackend(_limits.get, pool._network_backend)
    client.headers["Accept-Encoding"] = "identity"
    client.event_hooks["response"].append(_refuse_encoded)


def _refuse_encoded(response: httpx2.Response) -> None:
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        # A few bytes can stand for any number of them.
        why = "sent a compressed answer, although none was requested."
        raise NoCompletion(why, is_final=True)
