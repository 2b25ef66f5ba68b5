"""The first page of a service that has no model yet."""

import dataclasses
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path

import pytest
import requests
from rich.console import Console

from app.adapters.weights import QWEN_CODER_1_5B, Url, WeightsUnavailable, pull
from tests.support.consoles import PASSWORD
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService
from tests.support.startup import wait_until

MB = 1_000_000
SECONDS = 30.0


def test_the_first_page_follows_the_download_of_the_local_model(tmp_path: Path) -> None:
    """“first run: model key (or local model, with its progress)”"""
    cache = tmp_path / "cache"
    file = cache / "models" / QWEN_CODER_1_5B.filename
    settings = {"OPENAI_BASE_URL": "", "OPENAI_API_KEY": "", "COPYDESK_MODEL_CACHE": str(cache)}
    with ProcessGroup() as group:
        service = CopydeskService(group, "", **settings)
        service.cli("operator", "create", "ada", typed=f"{PASSWORD}\n")
        ada = requests.Session()
        ada.post(f"{service.url}/sign-in", {"name": "ada", "password": PASSWORD}, timeout=SECONDS)

        def home(query: str = "") -> str:
            return ada.get(f"{service.url}/{query}", timeout=SECONDS).text

        page = home("?follow")
        assert "copydesk-server model pull" in page
        assert "of the local model" not in page
        assert 'http-equiv="refresh"' not in page
        with mirror() as server, pulling(server, cache):
            server.send(34 * MB)
            wait_until(lambda: "34 of 1,117 MB" in home(), SECONDS, "34 MB on the page")
            assert "3 % of the local model" in home()
            assert 'http-equiv="refresh"' not in home()
            assert 'http-equiv="refresh"' in home("?follow")
            server.send(10 * MB)
            wait_until(lambda: "44 of 1,117 MB" in home(), SECONDS, "44 MB on the page")
        assert "44 of 1,117 MB" in home(), "what was received before the transfer broke"
        file.with_name(f"{file.name}.part").rename(file)
        os.truncate(file, QWEN_CODER_1_5B.size)
        assert "The local model is downloaded. Restart the service." in home()


class Mirror(ThreadingHTTPServer):
    """Announces the weights and sends zeros, as many as ``send`` says; it breaks off at the end of
    the block."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.more = threading.Semaphore(0)
        self.sizes: list[int] = []

    def send(self, size: int) -> None:
        self.sizes.append(size)
        self.more.release()


class _Handler(BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        size = QWEN_CODER_1_5B.size
        self.send_response(206)
        self.send_header("Content-Range", f"bytes 0-{size - 1}/{size}")
        self.send_header("Content-Length", str(size))
        self.end_headers()
        while self.server.more.acquire(timeout=SECONDS) and self.server.sizes:
            for _ in range(self.server.sizes.pop() // MB):
                self.wfile.write(bytes(MB))

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def mirror() -> Iterator[Mirror]:
    with Mirror() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def pulling(server: Mirror, cache: Path) -> Iterator[None]:
    """Pull from that mirror beside the block; at its end the mirror breaks off."""
    source = Url(f"http://127.0.0.1:{server.server_port}/")
    weights = dataclasses.replace(QWEN_CODER_1_5B, sources=(source,))

    def run() -> None:
        with pytest.raises(WeightsUnavailable):
            pull(cache, console=Console(file=StringIO()), weights=weights)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        server.more.release()
        thread.join()
