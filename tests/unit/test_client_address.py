"""Where a call comes from, as throttles tell clients apart."""

import pytest

from app.core.addresses import client_network


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:51234", "203.0.113.7"),
        (" 203.0.113.7 ", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        (None, "unknown"),
        ("", "unknown"),
        ("unix:", "unknown"),
        ("203.0.113.7, 198.51.100.1", "unknown"),
        ("x" * 10_000, "unknown"),
    ],
)
def test_a_client_is_told_by_its_address_or_its_network(address: str | None, network: str) -> None:
    assert client_network(address) == network
