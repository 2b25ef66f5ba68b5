"""URLs of pages: which are one page, and how they are shown."""

from urllib.parse import parse_qsl, urlencode, urlsplit

_TRACKING = ("utm_", "fbclid", "gclid", "mc_cid", "mc_eid", "igshid")


def canonical(url: str) -> str:
    """A URL without its fragment and the parameters by which visitors are followed: two that are
    the same then are one page.

    Raises:
        ValueError: it cannot be read.
    """
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    kept = [pair for pair in given if not pair[0].lower().startswith(_TRACKING)]
    # Written anew only where something is left out: servers differ in what they take for the same.
    query = parts.query if kept == given else urlencode(kept)
    return parts._replace(netloc=parts.netloc.lower(), query=query, fragment="").geturl()


def shown(url: str) -> str:
    """A URL as logs may have it: without user, query and fragment."""
    return urlsplit(without_user(url))._replace(query="", fragment="").geturl()


def without_user(url: str) -> str:
    """A URL that still leads to its page: only a user name and a password are taken out."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
