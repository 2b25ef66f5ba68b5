"""Which addresses an untrusted URL may lead to (only public ones), and what identifies a client.

The ranges are those of IANA's special-purpose registries, because ``ipaddress.is_global`` differs
between Python 3.11, 3.12 and 3.13. If a registry calls a few addresses inside a special block
reachable, the whole block is refused all the same; it has no web servers.

Hosts are read by the parser behind pydantic's URLs, which follows the WHATWG standard as browsers
do: IDNA, percent-encoding, full-width digits, and decimal, octal, hex and short IPv4. The parsed
host is the one that is resolved, connected to and named in the request, so no second parser can
read the URL differently from the one that checked it.
"""

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from pydantic import AnyHttpUrl, TypeAdapter, ValidationError

_UNKNOWN_CLIENT = "unknown"
_SPECIAL = [
    ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
        # A public address, but in a virtual machine of Azure it is the platform's agent.
        "168.63.129.16/32",
        # All IPv6 outside of 2000::/3, with every form that has an IPv4 address inside.
        *("::/3", "4000::/2", "8000::/1"),
        *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
]

_URL = TypeAdapter(AnyHttpUrl)
# The parser repairs typing errors and would accept `https:example.com` and `https:///example.com`.
_WRITTEN_OUT = re.compile(r"https?://[^/?#\\]+(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
_NEVER_IN_A_URL = re.compile(r"[\s\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_AFTER_AUTHORITY = re.compile(r"[/?#]")
_ORIGIN = re.compile(r"https?://([^/?#@\s]+)", re.IGNORECASE)
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
# Names that no public resolver answers for: RFC 6761, RFC 6762, RFC 8375, and ICANN's .internal.
_LOCAL_NAME = re.compile(r"(?:.*\.)?(?:localhost|local|internal|home\.arpa)|[^.]+")
_DEFAULT_PORTS = {"https": 443, "http": 80}
_FIRST_FREE_PORT = 1024
_EXAMPLE = "such as https://example.com"


@dataclass(frozen=True)
class WebTarget:
    """The parts of a URL, parsed once.

    ``host`` is in ASCII and lower case, without brackets or a final dot. ``path`` includes the
    query; it can hold a secret and is in no repr. ``allow_private``: the host may have private
    addresses.
    """

    scheme: str
    host: str
    port: int
    path: str = field(repr=False)
    allow_private: bool = False

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def site(self) -> str:
        """The part of the URL that logs and errors may show."""
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}"


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether something may be sent to an address."""
    has_zone = isinstance(address, IPv6Address) and address.scope_id is not None
    return not has_zone and not any(address in network for network in _SPECIAL)


def web_target(url: str, allow_private: bool, *, https_only: bool = False) -> WebTarget:
    """Return the parts of the URL of a page or a webhook.

    Args:
        url: as its owner wrote it.
        allow_private: accept http, private addresses, local names and every port.
        https_only: what is sent is for one receiver alone, as with webhooks.

    Raises:
        ValueError: nothing may be sent there, as far as the URL shows without resolving its host.
            The message is a sentence beginning with "must" that repeats nothing of the URL.
    """
    parsed = http_url(url)
    if "@" in _AFTER_AUTHORITY.split(url.partition("://")[2], maxsplit=1)[0]:
        # The parser drops an empty user name.
        raise ValueError("must not hold a user name or password")
    host = str(parsed.host).strip("[]").removesuffix(".")
    default_port = _DEFAULT_PORTS[parsed.scheme]
    port = default_port if parsed.port is None else parsed.port
    address: IPv4Address | IPv6Address | None
    try:
        address = IPv6Address(host) if ":" in host else IPv4Address(host)
    except ValueError:
        address = None
    if address is None and not _NAME.fullmatch(host):
        raise ValueError("must name a host of letters, digits, hyphens and dots")
    if port == 0:
        raise ValueError("must have a port from 1 to 65535")
    if not allow_private:
        if https_only and parsed.scheme != "https":
            raise ValueError("must begin with https://")
        if address is None and _LOCAL_NAME.fullmatch(host):
            raise ValueError(f"must name a public host, {_EXAMPLE}; this name is a local one")
        if address is not None and not is_public(address):
            raise ValueError(f"must name a public host, {_EXAMPLE}; this address is not public")
        if port != default_port and port < _FIRST_FREE_PORT:
            raise ValueError(f"must have port {default_port}, or one from 1024 to 65535")
    path = (parsed.path or "/") + (f"?{parsed.query}" if parsed.query else "")
    return WebTarget(parsed.scheme, host, port, path, allow_private)


def http_url(url: str) -> AnyHttpUrl:
    """Return a complete http or https URL, parsed.

    Raises:
        ValueError: it is not one. The message is a sentence beginning with "must" that repeats
            nothing of the URL.
    """
    if _NEVER_IN_A_URL.search(url):
        raise ValueError("must not contain white space, control characters or backslashes")
    try:
        parsed = _URL.validate_python(url) if _WRITTEN_OUT.fullmatch(url) else None
    except ValidationError:
        parsed = None
    if parsed is None:
        raise ValueError("must be a complete http or https URL, such as https://example.com/page")
    return parsed


def origin_host(origin: str) -> str:
    """Return host and port of an ``Origin`` header; "" if it is not one of a page."""
    found = _ORIGIN.fullmatch(origin)
    return found[1] if found else ""


def client_network(address: str | None) -> str:
    """Return what identifies a client: its IPv4 address, or the /64 network of its IPv6 address,
    which has one owner.

    A port after the address, which some proxies add, is ignored. The result is ``unknown`` for
    anything that is not an address.
    """
    text = (address or "").strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        ip: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        return _UNKNOWN_CLIENT
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is None:
            return str(ip_network((int(ip), 64), strict=False))
        ip = ip.ipv4_mapped
    return str(ip)
