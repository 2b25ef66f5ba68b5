"""What the feed and the sites share in reading an HTTP answer."""

from collections.abc import Mapping

import requests
from urllib3.exceptions import HTTPError, InvalidHeader
from urllib3.util.retry import Retry

NO_ANSWER = (requests.RequestException, HTTPError)
"""What ``requests`` raises in place of an answer; some errors of urllib3 it passes on, such as that
a redirect leads to a host that cannot exist."""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The wait in seconds that Retry-After asks for, as a number or as a date; None where it asks
    for none, or cannot be read."""
    value = headers.get("Retry-After")
    if value is None:
        return None
    try:
        return Retry().parse_retry_after(value)
    except (InvalidHeader, ValueError, OverflowError):  # a date in no calendar, too many digits
        return None
