"""A transport that hands each request of a client to the fake service, without a socket."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import httpx2

if TYPE_CHECKING:
    from copydesk.testing._service import Reply

Respond = Callable[[str, str, Mapping[str, str], bytes], "Reply"]


class FakeTransport:
    """For the option ``transport`` of Copydesk, AsyncCopydesk, Feed and AsyncFeed, and for the
    clients of httpx2.
    """

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def handle_request(self, request: Any) -> Any:
        """Answer an ``httpx2.Request`` with an ``httpx2.Response``.

        Raises:
            httpx2.RemoteProtocolError: the service was told to break the connection.
        """
        return self._answer(request, request.read())

    async def handle_async_request(self, request: Any) -> Any:
        """Do the same for an async client."""
        return self._answer(request, await request.aread())

    def close(self) -> None:
        """Do nothing: there are no connections."""

    async def aclose(self) -> None:
        """Do nothing: there are no connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def _answer(self, request: httpx2.Request, content: bytes) -> httpx2.Response:
        target = request.url.raw_path.decode("ascii")
        reply = self._respond(request.method, target, request.headers, content)
        if reply.lost:
            raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")
        headers = {"Content-Type": "application/json", **reply.headers}
        return httpx2.Response(reply.status, headers=headers, content=reply.content)
