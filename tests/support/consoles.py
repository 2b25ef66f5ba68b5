"""The console as a signed-in operator uses it, without a browser."""

import re
from typing import Any

from flask.testing import FlaskClient

from app.services import operators
from app.services.context import Context

PASSWORD = "correct horse battery"
_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


class ConsoleOperator:
    """An operator of a service, signed in."""

    def __init__(self, client: FlaskClient, name: str = "Ada", role: str = "write") -> None:
        self.client = client
        operators.create_operator(self.context, name, PASSWORD, role)
        answer = client.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303
        found = _CSRF.search(client.get("/").text)
        assert found
        self.csrf = found[1]

    @property
    def context(self) -> Context:
        found: Context = self.client.application.extensions["copydesk"].context
        return found

    def page(self, path: str) -> str:
        """The text of a page, which must be there."""
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(self, path: str, **fields: Any) -> Any:
        """Send a form with the secret of the session."""
        return self.client.post(path, data={"csrf": self.csrf, **fields})

    def done(self, path: str, **fields: Any) -> str:
        """Send a form that works; return the page that it leads to."""
        answer = self.send(path, **fields)
        assert answer.status_code == 303, answer.text
        return self.page(answer.headers["Location"])
