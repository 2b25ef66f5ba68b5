"""The contract suite, run on each built-in target."""

from copydesk_connectors.suite import TargetContract


class TestContract(TargetContract):
    """On each site of ``conftest.py``."""
