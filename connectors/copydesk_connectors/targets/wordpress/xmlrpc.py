"""WordPress's XML-RPC by python-wordpress-xmlrpc, with answers sorted by what to do about them.

Hostile answers are bounded: entities and document types are rejected (defusedxml; expat alone would
expand them), size and time are limited, and redirects are not followed.
"""

import collections.abc
import re
from functools import cached_property
from typing import Any
from xml.parsers.expat import ExpatError
from xmlrpc.client import Error, Fault, Unmarshaller

import wordpress_xmlrpc.base
from defusedxml.xmlrpc import DefusedExpatParser
from wordpress_xmlrpc import Client
from wordpress_xmlrpc.exceptions import (
    FieldConversionError,
    InvalidCredentialsError,
    UnsupportedXmlrpcMethodError,
    XmlrpcDisabledError,
)

from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Unavailable
from copydesk_connectors.target.http_api import HttpApi, Refusal
from copydesk_connectors.target.http_client import Answer
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.targets.wordpress.posts import in_three_bytes

# The unmaintained library uses collections.Iterable, which Python 3.10 removed.
wordpress_xmlrpc.base.collections = collections.abc

_HEADERS = {"Content-Type": "text/xml; charset=utf-8", "Accept": "text/xml"}
_OTHER_ENCODING = re.compile(rb"<\?xml[^>]*encoding=[\"'](?!utf-8)", re.IGNORECASE)
_END = b"</methodResponse>"
# Characters that XML cannot contain, not even as a reference. Old posts have some.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLOCKED = (
    "see whether the address is right and whether a plugin, firewall or host blocks xmlrpc.php; "
    'where the REST API answers, protocol = "rest" is the better choice'
)


class XmlRpc:
    """Calls to one site. Each is sent once; ``Unavailable`` does not tell whether it arrived."""

    def __init__(
        self, site: str, username: str, password: Secret, proxy: Secret | None = None
    ) -> None:
        self._url = f"{site}/xmlrpc.php"
        self._username = username
        self._password = password
        self._proxy = proxy

    def call(self, method: Any, form: type = object) -> Any:
        """Return the result of a method of ``wordpress_xmlrpc.methods``, which is a ``form``.

        Raises:
            Unavailable, Misconfigured
            Refusal: a fault. Its status is the fault's code: an HTTP status from WordPress, or a
                negative number from its XML-RPC server.
        """
        try:
            result = self._client.call(method)
        except Fault as fault:
            raise Refusal(int(fault.faultCode), str(fault.faultString)) from None
        except InvalidCredentialsError as error:
            # The library raises it for every fault of that code, such as a wrong id.
            raise Refusal(403, str(error)) from None
        except XmlrpcDisabledError as error:
            raise Misconfigured(f"XML-RPC is switched off on the site: {error}", _BLOCKED) from None
        except UnsupportedXmlrpcMethodError as error:
            raise Misconfigured(f"the site's XML-RPC lacks {error}", _BLOCKED) from None
        except FieldConversionError as error:
            raise Unavailable(f"the site's answer has an unreadable {error}") from None
        if not isinstance(result, form):
            raise Unavailable("the site answered with something else than what was asked for")
        return result

    @cached_property
    def _client(self) -> Any:
        # Made when it is needed, because it asks the site for its methods.
        transport = _Transport(self._url, self._proxy)
        return Client(self._url, self._username, self._password.reveal(), transport=transport)


def text(value: str) -> str:
    """Return HTML without the characters that XML cannot contain.

    Characters of four bytes become references: if a site's tables cannot hold them, each try would
    leave an empty draft behind.
    """
    return str(in_three_bytes(_NO_XML.sub("", value)))


def _valid(content: bytes) -> bytes:
    """Return XML in UTF-8 without what it cannot contain; XML in another encoding unchanged."""
    if _OTHER_ENCODING.match(content):
        return content
    return _NO_XML.sub("", content.decode("utf-8", "replace")).encode()


class _Transport(HttpApi):
    """Takes the place of ``xmlrpc.client.Transport``, which has no time-outs and no limits."""

    def request(self, _host: str, _handler: str, body: bytes, verbose: bool = False) -> Any:
        """Send a call and return the values of the answer."""
        answer = self.send("POST", self.url, data=body, headers=_HEADERS)
        # PHP or a plugin may have printed something before it or behind it.
        start, end = answer.content.find(b"<?xml"), answer.content.rfind(_END)
        if b"<methodResponse" in answer.content and start >= 0:
            stop = end + len(_END) if end > start else None
            return self._values(answer.content[start:stop])
        self.raise_for_status(answer)
        raise self._broken(
            "a login wall, a firewall, a security plugin, maintenance, or a PHP error"
        )

    def refusal(self, answer: Answer) -> ConnectorError:
        """Return that something else answers there."""
        problem = f"{self.host} answered {answer.status_code} instead of XML-RPC"
        return Misconfigured(problem, _BLOCKED)

    def _broken(self, detail: str) -> Unavailable:
        return Unavailable(
            f"{self.host} answered with a web page or a broken answer instead of XML ({detail})"
        )

    def _values(self, content: bytes) -> Any:
        target = Unmarshaller()
        try:
            parser = DefusedExpatParser(target, forbid_dtd=True)
            parser.feed(_valid(content))
            parser.close()
            return target.close()
        except Fault:
            raise
        except (ExpatError, Error, ValueError, LookupError, TypeError) as error:
            raise self._broken(type(error).__name__) from None
