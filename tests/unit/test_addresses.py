"""Where a webhook may go: every refused range at both of its edges, every spelling of a host. And
where a call comes from, as throttles tell clients apart."""

import traceback
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.addresses import client_network, is_public, web_target

webhook_target = partial(web_target, https_only=True)
# Every range of the registries. The neighbours of a range that are public are in NEIGHBOURS.
RANGES = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
    192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24
    203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    ::/128 ::1/128 ::2/127 ::7f00:1/128 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48
    100::/64 2001::/32 2001:1::/32 2001:2::/48 2001:2:1::/48 2001:10::/28 2001:20::/28 2001:1ff::/32
    2001:db8::/32 2002::/16 3fff::/20 4000::/2 5f00::/16 8000::/2 fc00::/7 fe00::/9 fe80::/10
    fec0::/10 ff00::/8
""".split()  # noqa: SIM905
NEIGHBOURS = [
    *("1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17"),
    *("169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"),
    *("191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.88.98.255", "192.88.100.0"),
    *("192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0"),
    *("198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"),
    *("2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
    *("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"),
    *("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
    *("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
    "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    *("8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1"),
]


@pytest.mark.parametrize("network", RANGES)
def test_a_range_is_refused_from_its_first_to_its_last_address(network: str) -> None:
    addresses = ip_network(network)
    middle = addresses[addresses.num_addresses // 2]
    assert not any(map(is_public, (addresses[0], middle, addresses[-1])))


def test_the_neighbours_of_the_ranges_are_public() -> None:
    """The address before and after each range is either refused by another or a neighbour here."""
    known = {ip_address(address) for address in NEIGHBOURS}
    assert all(map(is_public, known))
    for network in map(ip_network, RANGES):
        kind = IPv4Address if network.version == 4 else IPv6Address
        last = 2**network.max_prefixlen - 1
        for number in (int(network[0]) - 1, int(network[-1]) + 1):
            if 0 <= number <= last:
                assert not is_public(kind(number)) or kind(number) in known, kind(number)


@given(st.ip_addresses())
def test_what_the_standard_library_calls_special_is_never_public(
    address: IPv4Address | IPv6Address,
) -> None:
    """Its answers differ from version to version; none of them refuses more than this one."""
    special = (
        *(address.is_loopback, address.is_link_local, address.is_multicast, address.is_private),
        *(address.is_reserved, address.is_unspecified, not address.is_global),
    )
    if any(special) or (isinstance(address, IPv6Address) and address.is_site_local):
        assert not is_public(address)


@pytest.mark.parametrize("address", ["fe80::1%eth0", "2606:4700:4700::1111%1"])
def test_an_address_with_a_zone_is_refused(address: str) -> None:
    assert not is_public(IPv6Address(address))


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "8.8.8.8"])
def test_ipv4_inside_ipv6_is_refused_whatever_it_is(inner: str) -> None:
    number = int(IPv4Address(inner))
    for prefix, shift in [
        *(("::ffff:0:0", 0), ("::ffff:0:0:0", 0), ("::", 0), ("64:ff9b::", 0)),
        *(("64:ff9b:1::", 0), ("2002::", 80), ("2001::", 64)),
    ]:
        assert not is_public(IPv6Address(int(IPv6Address(prefix)) | number << shift)), prefix


# One loopback, one private and one metadata address, in each way that some program understands.
SPELLINGS = [
    "127.0.0.1", "2130706433", "017700000001", "0x7f000001", "0X7F000001", "0177.0.0.1",
    "0x7f.0.0.1", "0x7f.1", "127.1", "127.0.1", "127.0.0.1.", "00000177.0x0.0.01",
    "%31%32%37.0.0.1", "%31%32%37%2e%30%2e%30%2e%31", "127%2E1", "１２７.0.0.1", "①②⑦.⓪.⓪.①",
    "127。0。0。1", "127．0｡0.1", "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1", "127.0.0.1\u00ad", "0", "0x",
    "0.0.0.0", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]",
    "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
    "[2001:0:7f00:1::]", "[fe80::1]", "[fec0::1]", "[fd00:ec2::254]", "10.0.0.1", "10.1",
    "167772161", "169.254.169.254", "169.254.43518", "2852039166", "0xA9FEA9FE",
    "0251.0376.0251.0376", "0251.0xfe.43518", "[::ffff:a9fe:a9fe]", "168.63.129.16", "100.64.0.1",
    "224.0.0.1", "255.255.255.255", "localhost", "LOCALHOST", "localhost.", "ｌｏｃａｌｈｏｓｔ",
    "%6cocalhost", "ⓛocalhost", "a.localhost", "printer.local", "metadata.google.internal",
    "router.home.arpa", "intranet",
]  # fmt: skip


@pytest.mark.parametrize("suffix", ["/hooks", ":8443/hooks", "", "?a=b", "#c"])
@pytest.mark.parametrize("host", SPELLINGS)
def test_a_private_target_is_refused_in_every_spelling(host: str, suffix: str) -> None:
    with pytest.raises(ValueError, match=r"^must name a public host, "):
        webhook_target(f"https://{host}{suffix}", allow_private=False)


@pytest.mark.parametrize("host", SPELLINGS)
def test_in_development_every_one_of_them_is_let_through(host: str) -> None:
    webhook_target(f"http://{host}:8080/hooks", allow_private=True)
    webhook_target(f"https://{host}/hooks", allow_private=True)


@pytest.mark.parametrize("allow_private", [False, True])
@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "complete http"),
        ("hooks", "complete http"),
        ("https:", "complete http"),
        ("https://", "complete http"),
        ("https:///hooks", "complete http"),
        ("https:example.com", "complete http"),
        ("https:/example.com", "complete http"),
        ("//example.com/hooks", "complete http"),
        ("ftp://example.com/", "complete http"),
        ("file:///etc/passwd", "complete http"),
        ("gopher://example.com/", "complete http"),
        ("javascript://example.com/%0aalert(1)", "complete http"),
        ("https://?a", "complete http"),
        ("https://#a", "complete http"),
        ("https://:443/", "complete http"),
        ("https://user:password@example.com/", "user name or password"),
        ("https://user@example.com/", "user name or password"),
        ("https://:password@example.com/", "user name or password"),
        ("https://@example.com/", "user name or password"),
        ("https://:@example.com/", "user name or password"),
        ("https://example.com@127.0.0.1/", "user name or password"),
        ("https://example.com:x@127.0.0.1:1/", "user name or password"),
        ("https://example.com\\@127.0.0.1/", "backslashes"),
        ("https:\\\\example.com/", "backslashes"),
        ("https://exam\tple.com/", "white space"),
        ("https://exam\nple.com/", "white space"),
        ("https://example.com/\r\nx: y", "white space"),
        (" https://example.com/", "white space"),
        ("https://example.com/a b", "white space"),
        ("https://example.com/\u2003", "white space"),
        ("https://example.com/\x00", "control characters"),
        ("https://example.com/\x7f", "control characters"),
        ("https://example.com/\udc80", "control characters"),
        ("https://[fe80::1%25eth0]/", "complete http"),
        ("https://[fe80::1%eth0]/", "complete http"),
        ("https://[::1", "complete http"),
        ("https://[127.0.0.1]/", "complete http"),
        ("https://[1::2::3]/", "complete http"),
        ("https://%5B::1%5D/", "complete http"),
        ("https://::1/", "complete http"),
        ("https://127.0.0.1%2f.example.com/", "complete http"),
        ("https://127.0.0.1%23.example.com/", "complete http"),
        ("https://example.com%00.example.org/", "complete http"),
        ("https://256.1.1.1/", "complete http"),
        ("https://1.2.3.4.5/", "complete http"),
        ("https://08.1.1.1/", "complete http"),
        ("https://4294967296/", "complete http"),
        ("https://example.0x7f/", "complete http"),
        ("https://xn--a/", "complete http"),
        ("https://\u202eexample.com/", "complete http"),
        ("https://example.com:65536/", "complete http"),
        ("https://example.com:-1/", "complete http"),
        ("https://example.com:port/", "complete http"),
        ("https://example.com:0/", "port from 1 to 65535"),
        ("https://*.example.com/", "letters, digits"),
        ("https://example..com/", "letters, digits"),
        ("https://.example.com/", "letters, digits"),
        ("https://example.com../", "letters, digits"),
        ("https://-example.com/", "letters, digits"),
        ("https://exa$mple.com/", "letters, digits"),
        (f"https://{'a' * 64}.com/", "letters, digits"),
        (f"https://{'a.' * 126}com/", "letters, digits"),
    ],
)
def test_what_is_no_url_of_a_receiver_is_refused_everywhere(
    url: str, problem: str, allow_private: bool
) -> None:
    with pytest.raises(ValueError, match=rf"^must .*{problem}"):
        webhook_target(url, allow_private)


def test_only_https_outside_of_development() -> None:
    with pytest.raises(ValueError, match=r"^must begin with https://$"):
        webhook_target("http://example.com/hooks", allow_private=False)
    webhook_target("http://example.com/hooks", allow_private=True)


@pytest.mark.parametrize("port", [1, 22, 25, 80, 442, 444, 1023])
def test_ports_of_other_services_are_refused_outside_of_development(port: int) -> None:
    with pytest.raises(ValueError, match=r"^must have port 443, or one from 1024 to 65535$"):
        webhook_target(f"https://example.com:{port}/", allow_private=False)
    webhook_target(f"https://example.com:{port}/", allow_private=True)


@pytest.mark.parametrize("port", [443, 1024, 8443, 65535])
def test_the_ports_of_receivers_are_taken(port: int) -> None:
    target = webhook_target(f"https://example.com:{port}/", allow_private=False)
    assert target.port == port


@pytest.mark.parametrize(
    ("url", "host", "authority", "path"),
    [
        ("https://example.com", "example.com", "example.com", "/"),
        ("HTTPS://Example.COM/Hooks", "example.com", "example.com", "/Hooks"),
        ("https://example.com./a", "example.com", "example.com", "/a"),
        ("https://example.com:443/a", "example.com", "example.com", "/a"),
        ("https://example.com:8443/a", "example.com", "example.com:8443", "/a"),
        ("https://example.com?a=b&c=%20", "example.com", "example.com", "/?a=b&c=%20"),
        ("https://example.com/a#b", "example.com", "example.com", "/a"),
        ("https://example.com/a@b:c", "example.com", "example.com", "/a@b:c"),
        ("https://example.com/ä?ö=€", "example.com", "example.com", "/%C3%A4?%C3%B6=%E2%82%AC"),
        ("https://_hooks.a-b.example.com/", "_hooks.a-b.example.com", None, "/"),
        ("https://bücher.example/", "xn--bcher-kva.example", "xn--bcher-kva.example", "/"),
        ("https://faß.de/", "xn--fa-hia.de", "xn--fa-hia.de", "/"),
        ("https://例え.jp/", "xn--r8jz45g.jp", "xn--r8jz45g.jp", "/"),
        ("https://localhost.example.com/", "localhost.example.com", None, "/"),
        ("https://my-local.com/", "my-local.com", None, "/"),
        ("https://8.8.8.8/", "8.8.8.8", "8.8.8.8", "/"),
        ("https://134744072/", "8.8.8.8", "8.8.8.8", "/"),
        ("https://[2606:4700::1111]/", "2606:4700::1111", "[2606:4700::1111]", "/"),
        ("https://[2606:4700::1111]:8443/", "2606:4700::1111", "[2606:4700::1111]:8443", "/"),
    ],
)
def test_a_public_url_is_read_once_for_all(
    url: str, host: str, authority: str | None, path: str
) -> None:
    target = webhook_target(url, allow_private=False)
    assert (target.scheme, target.host, target.path) == ("https", host, path)
    assert target.authority == (host if authority is None else authority)


def test_plain_http_has_port_80() -> None:
    target = webhook_target("http://localhost/a", allow_private=True)
    assert (target.port, target.authority, target.site) == (80, "localhost", "http://localhost")


@pytest.mark.parametrize("allow_private", [False, True])
@pytest.mark.parametrize(
    "url",
    [
        "https://user:Secr3t@example.com/Secr3t?Secr3t#Secr3t",
        "https://10.0.0.1/Secr3t?Secr3t",
        "http://example.com/Secr3t?k=Secr3t",
        "https://example.com:0/Secr3t",
        "https://example.com/Secr3t here",
        "https://exa$mple.com/Secr3t",
        "https://[::1/Secr3t",
        "https://256.1.1.1/Secr3t",
        "https:Secr3t",
        "Secr3t",
    ],
)
def test_nothing_of_a_url_is_in_an_error_or_a_repr(url: str, allow_private: bool) -> None:
    """A webhook's URL can hold a secret in its path, its query or its password."""
    try:
        shown = repr(webhook_target(url, allow_private))
    except ValueError as refused:
        shown = "".join(traceback.format_exception(refused))
    assert "Secr3t" not in shown


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
