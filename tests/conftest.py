"""What holds for all tests: how pytest-xdist spreads them, that no settings file is read, and where
their servers live."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from tests.support.process_group import ProcessGroup

# Their archives take longer to fill than their tests to run.
_ARCHIVES = "test_query_plans.py::"
# Files whose tests share a service or a program that takes long to start.
_TOGETHER = (
    "test_batches.py", "test_distributions.py", "test_health_commands.py",
    "test_rq_worker.py", "test_watched_service.py", "test_webhook_receivers.py",
)  # fmt: skip
_DEPLOYMENTS = ("one-process", "many-processes")
# Programs that take long to start: the first name in the parameters of a test counts.
_SITES = ("multisite", "sqlite", "trixie", "ghost-mariadb", "ghost", "bookworm", "forky")


def pytest_configure() -> None:
    if (file := Path("var/copydesk.toml")).exists():
        raise pytest.UsageError(f"Services that tests start would use {file}: move it away first.")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Three processes for each processor: half of the time a test waits for what it started."""
    return 3 * (os.cpu_count() or 1)


class SharingScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Gives all tests of one deployment, archive, site or service to one process of pytest-xdist,
    so that each is created once. Any other test goes to the next free process.

    xdist's own loadgroup would do this, but has no effect with pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        if _ARCHIVES in nodeid:
            return _ARCHIVES + ("sqlite" if "[sqlite" in nodeid else "postgresql")
        if nodeid.partition("::")[0].endswith(_TOGETHER):
            return nodeid.partition("::")[0]
        if "tests/sites/" in nodeid:
            file, _, parameters = nodeid.partition("[")
            site = next((name for name in _SITES if name in parameters), "")
            # The files about the plugin have sites of their own.
            file = file.partition("::")[0] if "test_plugin_" in file else ""
            return file + site or nodeid
        deployment = next((name for name in _DEPLOYMENTS if f"[{name}" in nodeid), "")
        # Two services of one process share what would otherwise take longer than all other tests.
        half = " 1" if deployment == "one-process" and nodeid < "tests/acceptance/test_g" else ""
        return deployment + half or nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SharingScheduling:
    return SharingScheduling(config, log)


@pytest.fixture(scope="session")
def group() -> Iterator[ProcessGroup]:
    """Processes that end with this test run."""
    with ProcessGroup() as running:
        yield running
