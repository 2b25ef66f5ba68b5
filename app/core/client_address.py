"""Who a call comes from, as far as its address tells."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_UNKNOWN = "unknown"


def client_network(address: str | None) -> str:
    """What one client can be told by: its IPv4 address, or the /64 of its IPv6 address, as whoever
    has one address of those has them all.

    A port after the address, which some proxies add, does not count. What is no address is
    ``unknown``.
    """
    text = (address or "").strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        ip: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        return _UNKNOWN
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is None:
            return str(ip_network((int(ip), 64), strict=False))
        ip = ip.ipv4_mapped
    return str(ip)
