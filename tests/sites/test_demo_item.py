"""The main job on real parts: service, connector and site, each its own process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from bs4 import BeautifulSoup

from tests.support.feeds import ordered_feed
from tests.support.process_group import ProcessGroup
from tests.support.service import ROOT, CopydeskService, ScriptedModel
from tests.support.sites.live_sites import LiveSite, write_config

pytestmark = pytest.mark.sites

KEYWORD = "raised garden beds"
OFFER_URL = "https://example.com/greenhouse-kit?ref=demo&plan=basic"


@pytest.fixture(scope="module")
def service() -> Iterator[CopydeskService]:
    with ProcessGroup() as group:
        yield CopydeskService(group, ScriptedModel(group).url)


def test_the_demos_item_is_received_once(
    site: LiveSite, service: CopydeskService, tmp_path: Path
) -> None:
    """A fresh real site receives the demo's item once; rel="sponsored noopener" target="_blank" is
    on the offer link in the page that it serves; no raw # or **"""
    feed = ordered_feed(
        service, "--keyword", KEYWORD, "--every", "1h", "--max-words", "350",
        "--offer", f"Greenhouse Kit={OFFER_URL}",
    )  # fmt: skip
    feed.wait_for_item()
    file = write_config(tmp_path / "owner", site, site.url, 'url_env = "FEED_URL"')
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "copydesk_connectors", "once", "--config", str(file)],
            cwd=ROOT,
            env={**os.environ, "FEED_URL": f"{feed.url}/latest"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        for secret in (site.secret(), feed.token):
            assert secret not in done.stdout + done.stderr
        ((status, slug),) = site.stored()
        assert status.startswith("publish")
        assert [status for status, _ in feed.states()] == ["used"]
    page = BeautifulSoup(requests.get(f"{site.url}/{slug}/", timeout=60).text, "html.parser")
    (link,) = page.find_all("a", href=OFFER_URL)
    assert (link["rel"], link["target"]) == (["sponsored", "noopener"], "_blank")
    content = page.select_one(".gh-content, .entry-content")
    assert content is not None
    text = content.get_text("\n")
    assert KEYWORD in text.casefold()
    assert "**" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("#")]
