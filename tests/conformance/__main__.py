"""Run the acceptance tests and write docs/proofs/conformance.md.

    python -m tests.conformance

Further arguments go to pytest. Ends with pytest's own exit status.
"""

import os
import re
import sys

import pytest

from tests.conformance.page import PAGE, write
from tests.conformance.quotes import ACCEPTANCE
from tests.support.service import DEPLOYMENTS

_WORSE = ("passed", "skipped", "failed")
_TEST = re.compile(r"(?P<file>[^/]+)::(?P<name>\w+)(?:\[(?P<parameters>.*)\])?$", re.DOTALL)


class Outcomes:
    """A pytest plugin that notes how each test went, its worst parameter counting."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = _TEST.search(report.nodeid)
        if test is None or (report.when != "call" and report.outcome == "passed"):
            return
        parameters = test["parameters"] or ""
        # A test that starts a service of its own starts it as one process.
        deployment = next(
            (name for name in DEPLOYMENTS if parameters.startswith(name)), next(iter(DEPLOYMENTS))
        )
        key = (f"{test['file']}::{test['name']}", deployment)
        outcomes = (self.found.get(key, "passed"), str(report.outcome))
        self.found[key] = max(outcomes, key=_WORSE.index)


def main() -> int:
    os.environ["TESTS"] = "all"
    outcomes = Outcomes()
    arguments = [str(ACCEPTANCE), "-m", "clause", "-q", "-n", "auto", *sys.argv[1:]]
    status = pytest.main(arguments, plugins=[outcomes])
    write(outcomes.found)
    print(f"wrote {PAGE}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
