"""Test code that uses Copydesk, without the service.

``FakeService`` is Copydesk in memory, ``serve`` the same as a server on loopback. ``make_post`` and
the other factories return objects as the service does. ``sign_webhook`` returns the request that a
webhook receiver gets. The pytest plug-in of this package adds the fixtures ``copydesk_service`` and
``copydesk_url``.
"""

from copydesk.testing._factories import (
    make_check_report,
    make_generation,
    make_item,
    make_job,
    make_post,
    make_usage,
)
from copydesk.testing._server import serve
from copydesk.testing._service import FakeService, Request
from copydesk.testing._transport import FakeTransport
from copydesk.testing._webhooks import SignedWebhook, make_event, sign_webhook

__all__ = [
    "FakeService",
    "FakeTransport",
    "Request",
    "SignedWebhook",
    "make_check_report",
    "make_event",
    "make_generation",
    "make_item",
    "make_job",
    "make_post",
    "make_usage",
    "serve",
    "sign_webhook",
]
