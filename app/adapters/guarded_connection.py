"""Connects to where a stranger's URL points, if that is the public internet.

The name is resolved once, every address that comes back is checked, and the connection goes to such
an address, while certificate, SNI and Host header stay those of the name: a name that resolves
differently the next time changes nothing, as there is no next time.
"""

import asyncio
import socket
import ssl
import time
from ipaddress import IPv4Address, IPv6Address, ip_address
from queue import Empty, SimpleQueue
from threading import Thread

from app.core.addresses import WebTarget, refusal

Address = IPv4Address | IPv6Address


class Unreachable(Exception):
    """Why there is no answer: a sentence that names scheme and host of the URL, and no more."""


def resolve(target: WebTarget, deadline: float) -> list[Address]:
    """All addresses of a name. A thread waits for them, as nothing can interrupt a resolver; one
    that is stuck is left behind and ends by the resolver's own time-out.

    Args:
        target: whose host is resolved.
        deadline: on the monotonic clock.

    Raises:
        TimeoutError: there is no answer by the deadline.
        Unreachable: the name has no address.
    """
    answers: SimpleQueue[list[Address]] = SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            # An address may come twice; the resolver's order is worth keeping.
            answers.put(list(dict.fromkeys(ip_address(str(entry[4][0])) for entry in found)))
        except (OSError, ValueError):
            answers.put([])

    Thread(target=ask, name="resolver", daemon=True).start()
    try:
        addresses = answers.get(timeout=max(0.0, deadline - time.monotonic()))
    except Empty:
        raise TimeoutError from None
    if not addresses:
        raise Unreachable(f"The host of {target.site} cannot be resolved.")
    return addresses


def check(target: WebTarget, addresses: list[Address], allow_private: bool, what: str) -> None:
    """One refused address refuses them all: the name of a public server has no such.

    Args:
        target: where the URL points.
        addresses: all that its host resolves to.
        allow_private: let every address through.
        what: what goes to public addresses only, with its verb, such as "webhooks are sent".

    Raises:
        Unreachable: an address is not public.
    """
    for address in addresses:
        kind = refusal(address)
        if kind is not None and not allow_private:
            raise Unreachable(
                f"The host of {target.site} resolves to {kind}; {what} to public addresses only."
            )


async def connect(
    target: WebTarget,
    addresses: list[Address],
    context: ssl.SSLContext | None,
    ends: float,
    limit: int,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Try the addresses in turn, each with its share of the time that is left; where there is a
    context, it is the name that has to be certified.

    Args:
        target: whose port is connected to.
        addresses: those that were checked.
        context: for TLS; None for none.
        ends: the deadline, on the event loop's clock.
        limit: half of how many bytes are read ahead.

    Raises:
        TimeoutError: the last of them did not answer in time.
        Unreachable: none of them can be connected to.
    """
    problem = ""
    for number, address in enumerate(addresses):
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(now + (ends - now) / (len(addresses) - number)):
                return await asyncio.open_connection(
                    str(address),
                    target.port,
                    ssl=context,
                    server_hostname=target.host if context else None,
                    limit=limit,
                )
        except TimeoutError:
            if number + 1 == len(addresses):
                raise
        except ssl.SSLCertVerificationError as refused:
            problem = f"The certificate of {target.site} was not accepted: {refused.verify_message}"
        except ssl.SSLError as failed:
            problem = f"{target.site} does not speak TLS as it should ({failed.reason})"
        except OSError:
            problem = f"{target.site} cannot be connected to"
    raise Unreachable(f"{problem.rstrip('.')}.")
