"""What the environment says of proxies and passwords reaches no call of the service but those for
which docs/operations.md says so."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from app.adapters.http_webhooks import send_webhook
from app.adapters.openai_model import OpenAIModel
from app.adapters.pages import HttpPageReader
from app.adapters.rss_sources import RssSources
from app.adapters.web_search import BraveSources, SearxngSources, TavilySources
from app.commands.serving import _announce
from app.core.errors import ServiceError
from app.ports import PageRefused, SourcesUnavailable
from connectors.tests.planted import VARIABLES, planted, seeing
from tests.support.endpoints import model_at
from tests.support.startup import wait_until

KEY = "key-of-the-operator"
SENT = f"Bearer {KEY}"
QUERY = ("a", "en", 5)
READER = HttpPageReader(allow_private=True)


def model(url: str) -> OpenAIModel:
    return model_at(f"{url}/v1", KEY)


# What is called, and the Authorization that arrives.
CALLS: dict[str, tuple[Callable[[str], Any], str | None]] = {
    "SearXNG": (lambda url: SearxngSources(url).search(*QUERY), None),
    "Brave": (lambda url: BraveSources(KEY, api=url, allow_private=True).search(*QUERY), None),
    "Tavily": (lambda url: TavilySources(KEY, api=url, allow_private=True).search(*QUERY), SENT),
    "feeds": (lambda url: RssSources([f"{url}/feed"], READER).search(*QUERY), None),
    "a page": (lambda url: READER.read(f"{url}/a", 60.0), None),
    "webhooks": (lambda url: send_webhook(url, {}, b"{}", allow_private=True), None),
    "a model on this machine": (lambda url: model(url).ping(), SENT),
}


@pytest.mark.parametrize("where", ["NETRC", "HOME"])
@pytest.mark.parametrize("call", CALLS)
def test_no_netrc_and_no_proxy_of_the_environment_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, where: str
) -> None:
    """Webhooks, pages and searches never go through a proxy. The service never reads `~/.netrc`."""
    make, expected = CALLS[call]
    with planted(monkeypatch, tmp_path / "home", where) as proxy, seeing(404) as server:
        with suppress(ServiceError, PageRefused, SourcesUnavailable):
            make(server.url)
        assert proxy.opened == 0
        assert server.requests
        assert server.sent("Authorization") == {expected}


@pytest.mark.parametrize("where", ["NETRC", "HOME"])
def test_a_model_elsewhere_is_asked_through_the_proxy_and_without_netrc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """`HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` apply to the model endpoint, unless it is on this
    machine"""
    with planted(monkeypatch, tmp_path / "home", where), seeing(404) as proxy:
        for name in VARIABLES:
            monkeypatch.setenv(name, proxy.url)
            monkeypatch.setenv(name.lower(), proxy.url)
        with suppress(ServiceError):
            model("http://model.invalid").ping()
        assert [path for _, path, _ in proxy.requests][:1] == ["http://model.invalid/v1/models"]
        assert proxy.sent("Authorization") == {f"Bearer {KEY}"}


def test_a_service_finds_itself_without_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with planted(monkeypatch, tmp_path / "home", "HOME") as proxy, seeing() as server:
        _announce(server.url, "")
        wait_until(lambda: bool(proxy.opened or server.requests))
        assert proxy.opened == 0
