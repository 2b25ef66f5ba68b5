"""Nothing that the program says holds a secret."""

import logging
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_connectors.engine.log import Formatter, Redactor
from copydesk_connectors.target.secret import Secret

from .feed_server import FakeFeed
from .items import PAGES

TOKEN = "tok_0000_secretsecretsecret"
FEED = f"https://feed.example/v1/content-tokens/{TOKEN}/latest"
PASSWORD = "abcd efgh/ijkl"


@pytest.mark.parametrize(
    "text",
    [
        FEED,
        f"HTTPSConnectionPool(host='feed.example'): /v1/content-tokens/{TOKEN}/items/itm_1/confirm",
        f"the password is {PASSWORD}",
        "https://jo:abcd%20efgh%2Fijkl@blog.example",
    ],
)
def test_a_secret_is_struck_out_whatever_brought_it(text: str) -> None:
    """The feed token and passwords never appear in any output."""
    clean = Redactor([Secret(FEED), Secret(PASSWORD)])(text)
    assert "secretsecret" not in clean
    assert "abcd" not in clean
    assert "***" in clean


def test_what_is_no_secret_stays_readable() -> None:
    """Words of the address that everybody knows are no secret"""
    redact = Redactor([Secret(FEED), Secret("")])
    text = "POST /v1/content-tokens/other/items: the latest item of feed.example is in v1"
    assert redact(text) == text


def test_log_lines_of_any_library_are_clean() -> None:
    """Secrets never reach a log"""
    try:
        raise ValueError(f"cannot open {FEED}")
    except ValueError:
        caught = sys.exc_info()
    record = logging.LogRecord("urllib3", logging.ERROR, "", 1, "GET %s", (FEED,), caught)
    record.reason = f"the password {PASSWORD} is wrong"
    redact = Redactor([Secret(FEED), Secret(PASSWORD)])
    line = Formatter(redact).format(record)
    assert "secretsecret" not in line
    assert "abcd" not in line
    assert "ValueError: cannot open ***" in line


BROKEN = """
import sys
from copydesk_connectors import cli
from copydesk_connectors.engine import courier
def broken(self):
    raise RuntimeError(f"unforeseen, with {self._feeds[0]._feed._address.url} in it")
courier.Courier.once = broken
sys.argv[1:] = ["once", "--config", sys.argv[1]]
cli.main()
"""


def test_even_a_fault_of_the_program_shows_none(
    write_config: Callable[..., Path], feed: FakeFeed
) -> None:
    """Secrets never reach a log, an error, a printed URL or a repr"""
    file = write_config(PAGES)
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, str(file)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "internal error; please report it" in done.stderr
    assert re.search(r"RuntimeError: unforeseen, with \S*\*\*\* in it", done.stderr)
    assert "secretsecret" not in done.stdout + done.stderr
