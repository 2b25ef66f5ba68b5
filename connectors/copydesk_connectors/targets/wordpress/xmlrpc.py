"""WordPress's XML-RPC as calls of python-wordpress-xmlrpc, with answers sorted by what to do.

What an answer may do to us is bounded: entities and document types are refused (defusedxml; expat
alone would expand them), its size and its times have limits, and it cannot lead elsewhere.
"""

import collections.abc
import re
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit
from xml.parsers.expat import ExpatError
from xmlrpc.client import Error, Fault, Unmarshaller

import requests
import wordpress_xmlrpc.base
from defusedxml.xmlrpc import DefusedExpatParser
from wordpress_xmlrpc import Client
from wordpress_xmlrpc.exceptions import (
    FieldConversionError,
    InvalidCredentialsError,
    UnsupportedXmlrpcMethodError,
    XmlrpcDisabledError,
)

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.http_answer import NO_ANSWER, retry_after_s
from copydesk_connectors.secret import Secret
from copydesk_connectors.targets.site_calls import Refusal

# The library, whose maker is gone, asks collections for Iterable, which Python 3.10 took from it.
wordpress_xmlrpc.base.collections = collections.abc

# Seconds to connect, and between two bytes of the answer.
_TIMEOUT_S = (10.0, 45.0)
_LARGEST_ANSWER = 64 * 1024 * 1024  # bytes; a hundred long posts are a tenth of it
_HEADERS = {
    "User-Agent": "copydesk-connect",
    "Content-Type": "text/xml; charset=utf-8",
    "Accept": "text/xml",
}
# What XML cannot hold, not even as a reference.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLOCKED = (
    "see whether the address is right and whether a plugin, firewall or host blocks xmlrpc.php; "
    'where the REST API answers, protocol = "rest" is the better choice'
)


class XmlRpc:
    """Calls to one site. Each is sent once; ``Unavailable`` does not tell whether it arrived."""

    def __init__(self, site: str, username: str, password: Secret) -> None:
        self._url = f"{site}/xmlrpc.php"
        self._username = username
        self._password = password

    def call(self, method: Any) -> Any:
        """What a method of ``wordpress_xmlrpc.methods`` gives.

        Raises:
            Unavailable: no usable answer.
            Misconfigured: XML-RPC does not work there.
            Refusal: a fault; its status is the fault's code, which is an HTTP status where
                WordPress made it and negative where its XML-RPC server did.
        """
        try:
            return self._client.call(method)
        except Fault as fault:
            raise Refusal(int(fault.faultCode), str(fault.faultString)) from None
        except InvalidCredentialsError as error:
            # Every fault of that code is one to the library, wrong ids as well.
            raise Refusal(403, str(error)) from None
        except XmlrpcDisabledError as error:
            raise Misconfigured(f"XML-RPC is switched off on the site: {error}", _BLOCKED) from None
        except UnsupportedXmlrpcMethodError as error:
            raise Misconfigured(f"the site's XML-RPC lacks {error}", _BLOCKED) from None
        except FieldConversionError as error:
            raise Unavailable(f"the site's answer has an unreadable {error}") from None

    @cached_property
    def _client(self) -> Any:
        # Asks the site for its methods, so it is made when it is needed.
        return Client(
            self._url, self._username, self._password.reveal(), transport=_Transport(self._url)
        )


def text(value: str) -> str:
    """A text without the control characters that XML cannot hold."""
    return _NO_XML.sub("", value)


class _Transport:
    """Takes the place of ``xmlrpc.client.Transport``, which has no time-outs and no limits."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._host = urlsplit(url).netloc
        self._session = requests.Session()

    def request(self, _host: str, _handler: str, body: bytes, verbose: bool = False) -> Any:
        """Send a call; the values of its answer, which is one.

        Raises:
            Fault, Unavailable, Misconfigured
        """
        try:
            with self._session.post(
                self._url,
                data=body,
                headers=_HEADERS,
                # Nothing of ~/.netrc.
                auth=lambda request: request,
                timeout=_TIMEOUT_S,
                # A redirect would turn the POST into a GET, or carry the password elsewhere.
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = self._content(answer)
        except NO_ANSWER as error:
            raise Unavailable(f"{self._host} gave no answer ({type(error).__name__})") from None
        start = content.find(b"<?xml")
        if b"<methodResponse" in content and start >= 0:
            # What a noisy plugin printed stands before it.
            return self._values(content[start:])
        raise self._error(answer)

    def _content(self, answer: requests.Response) -> bytes:
        content = bytearray()
        for part in answer.iter_content(65536):
            content += part
            if len(content) > _LARGEST_ANSWER:
                raise Unavailable(f"{self._host} answered with more than an answer can be long")
        return bytes(content)

    def _values(self, content: bytes) -> Any:
        target = Unmarshaller()
        try:
            parser = DefusedExpatParser(target, forbid_dtd=True)
            parser.feed(content)
            parser.close()
            return target.close()
        except Fault:
            raise
        except (ExpatError, Error, ValueError, LookupError, TypeError) as error:
            raise Unavailable(
                f"{self._host} answered with a web page or a broken answer in place of XML "
                f"({type(error).__name__})"
            ) from None

    def _error(self, answer: requests.Response) -> Exception:
        status = answer.status_code
        if 300 <= status < 400:
            place = answer.headers.get("Location", "another address").split("?")[0]
            return Misconfigured(
                f"{self._host} redirects to {place}",
                "set url to the address that the site itself uses",
            )
        if status in {408, 425, 429} or status >= 500:
            return Unavailable(f"{self._host} answered {status}", retry_after_s(answer.headers))
        if status >= 400:
            return Misconfigured(f"{self._host} answered {status} in place of XML-RPC", _BLOCKED)
        return Unavailable(
            f"{self._host} answered with a web page or a broken answer in place of XML "
            "(a login wall, a firewall, a security plugin, maintenance, or a PHP error)"
        )
