"""Posts published by the connector and by the plugin while everything on the way breaks.

    KILLS=full pytest -s tests/sites/test_trials.py     (make test-kills)

The full form publishes some 80 items on each of six ways, in 24 rounds of faults. TRIAL_ROUNDS and
TRIAL_SEED change the number and the course.
"""

import os
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.kill_driver import driver
from tests.support.sites.programs import start_or_skip
from tests.support.sites.trial_sites import Account, TrialWordPress, trial_site
from tests.support.sites.trials import ConnectorTrial, PluginTrial, Trial

pytestmark = pytest.mark.sites

FULL = os.environ.get("KILLS") == "full"
ROUNDS = int(os.environ.get("TRIAL_ROUNDS", "24" if FULL else "12"))
SEED = int(os.environ.get("TRIAL_SEED", "20261129"))
# The oldest and the newest WordPress, and the databases that differ.
WAYS = (
    "connector-bookworm",
    "connector-forky",
    "connector-ghost",
    "plugin-bookworm",
    "plugin-forky",
    "plugin-sqlite",
)


@pytest.fixture(scope="module")
def accounts() -> Iterator[dict[str, Account]]:
    """What became of the items of each way, printed at the end."""
    found: dict[str, Account] = {}
    yield found
    print("\n" + "\n".join(f"{way}: {account}" for way, account in found.items()))


@pytest.mark.parametrize("way", WAYS if FULL else ("connector-forky", "plugin-bookworm"))
def test_whatever_breaks_each_post_appears_once(
    way: str, accounts: dict[str, Account], feeds: FeedServer, tmp_path: Path
) -> None:
    """Publish the posts of a Copydesk feed to your site, each exactly once"""
    how, _, kind = way.partition("-")
    chance = random.Random(f"{SEED} {way}")
    with ExitStack() as stack:
        site = stack.enter_context(start_or_skip(lambda: trial_site(kind)))
        feed = feeds.new()
        trial: Trial
        if how == "plugin":
            assert isinstance(site, TrialWordPress)
            trial = PluginTrial(feed, site, stack, chance)
        else:
            process = stack.enter_context(driver())
            trial = ConnectorTrial(feed, site, stack, chance, driver=process, folder=tmp_path)
        trial.work(ROUNDS)
        accounts[way] = account = trial.account()
        assert not any(account.wrong.values()), f"{account.wrong}\n{trial.log()}"
