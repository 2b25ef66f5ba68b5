"""Secrets, addresses and settings' names that are planted, and an endpoint that repeats them."""

import json
import logging
from dataclasses import dataclass, field

from tests.support.scripted_model.server import ScriptedServer, _Handler

KEY = "sk-planted-key-0123456789"
REDIS_PASSWORD = "planted-redis-password"
FEED_KEY = "planted-feed-key"
SEARCH_KEY = "planted-search-key"
ORGANISATION = "org-plantedOrganisation77"
EXCEPTION = "planted-exception"
SECRETS = (KEY, REDIS_PASSWORD, FEED_KEY, SEARCH_KEY)
SETTINGS = ("COPYDESK_", "OPENAI_")


class _Repeating(_Handler):
    """Whatever goes wrong, the endpoint tells all that it knows."""

    server: "Endpoint"

    def get(self) -> None:
        if not self._as_told():
            super().get()

    def post(self) -> None:
        if self.path == "/control" or self.server.told is None:
            super().post()
        else:
            self.read_body()
            self._as_told()

    def _as_told(self) -> bool:
        if self.server.told is None:
            return False
        status, content_type, body = self.server.told
        self._send_bytes(status, body.encode(), content_type)
        return True

    def _error(self, status: int, message: str) -> None:
        super()._error(status, f"{message} {self.server.words}")


class Endpoint(ScriptedServer):
    """A scripted model that answers as ``told``, where it is: a status, a type and a body."""

    told: tuple[int, str, str] | None = None

    def __init__(self) -> None:
        super().__init__(0, retry_after=0.0)
        self.RequestHandlerClass = _Repeating

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def words(self) -> str:
        return (
            f"planted upstream words: {ORGANISATION} with the key {KEY} at {self.base_url},"
            " check OPENAI_API_KEY, OPENAI_BASE_URL and COPYDESK_MODEL"
        )

    def fail(self, status: int, code: str | None = None) -> None:
        """Answer every call with that status, in the words of an OpenAI-compatible endpoint."""
        error = {"message": self.words, "type": "planted", "param": None, "code": code}
        self.told = (status, "application/json", json.dumps({"error": error}))

    def say(self, text: str, content_type: str) -> None:
        """Answer every call with 200 and a text that is no completion; %s stands for the words."""
        self.told = (200, content_type, text.replace("%s", self.words))


@dataclass
class Outlets:
    """All that leaves the service, by where it does, and what must not be in it."""

    markers: list[str]
    texts: list[tuple[str, str]] = field(default_factory=list)

    def add(self, where: str, text: str) -> None:
        self.texts.append((where, text))

    def leaks(self) -> list[tuple[str, str]]:
        """Every marker that was found, with its outlet."""
        return [
            (where, marker)
            for where, text in self.texts
            for marker in self.markers
            if marker in text
        ]


class Lines(logging.Handler):
    """Every line of the log, as a formatter that knows nothing of secrets writes it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))
