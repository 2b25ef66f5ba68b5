"""The contract suite: pytest tests that every target must pass, ours or a third party's.

Derive a class from ``Site`` that shows the suite what readers and the owner see of your site, and
return a new one, without posts, from a fixture::

    from copydesk_connectors.suite import Site, TargetContract

    class TestMySite(TargetContract):
        @pytest.fixture
        def site(self, tmp_path):
            return MySite(tmp_path)

If ``Site.address`` names your site's server, the suite also breaks each request of a publication.
It needs pytest, which the package itself does not install. ``FaultProxy`` is the HTTP proxy that
cuts connections and breaks answers; the fixture ``copydesk_fault_proxy`` starts one.
"""

import pytest

# Before the tests are imported, so that pytest shows the values of a failed assertion.
pytest.register_assert_rewrite(f"{__name__}.contract", f"{__name__}.site")

from copydesk_connectors.suite.contract import TargetContract  # noqa: E402
from copydesk_connectors.suite.fault_proxy import Cut, FaultProxy, Replace, Rule  # noqa: E402
from copydesk_connectors.suite.site import Site, open_target, put, put_until_done  # noqa: E402

__all__ = [
    "Cut",
    "FaultProxy",
    "Replace",
    "Rule",
    "Site",
    "TargetContract",
    "open_target",
    "put",
    "put_until_done",
]
