"""What each further way to reach a WordPress passes of ``test_site_faults``: a connection that ends
at any request. The other faults are read by what all ways share."""

from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from tests.sites import test_site_faults as faults
from tests.support.sites.live_sites import LiveSite


@pytest.mark.parametrize(
    "fault",
    [
        "no connection",
        "cut in the middle",
        "cut before the work",
        "cut after the work",
        "an answer cut off",
        "half an answer",
        "500 after the work",
    ],
)
def test_broken_at_every_request_each_post_appears_once(
    feeds: FeedServer,
    site: LiveSite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    """with the connection cut before, during and after each request, on each target: after the
    restart exactly one published post, item `used`, nothing lost"""
    faults.test_whatever_the_site_does_at_whatever_request(
        feeds, site, tmp_path, monkeypatch, fault, 1
    )
