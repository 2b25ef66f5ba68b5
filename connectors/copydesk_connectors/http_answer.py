"""What the feed and the sites share in reading an HTTP answer."""

from collections.abc import Mapping

from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import Retry


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
