"""Links, addresses and HTML, none of which a post may have."""

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5

from app.rules.finding import Checked, Finding, Severity

HTML_ELEMENTS = frozenset(
    """a abbr address article aside audio b blockquote body br button canvas caption center cite
    code col dd del details dfn div dl dt em embed fieldset figcaption figure font footer form h1 h2
    h3 h4 h5 h6 head header hr html i iframe img input ins kbd label li link main mark meta nav
    noscript object ol optgroup option p param picture pre q s samp script section select small
    source span strike strong style sub summary sup svg table tbody td template textarea tfoot th
    thead title tr u ul var video""".split()  # noqa: SIM905
)
# Every repetition is bounded, so that no text makes a search quadratic.
_ADDRESS = re.compile(
    r"(?<![\w+.-])[a-z][a-z0-9+.-]{1,20}://[^\s<>|)\]\"”]{1,2000}"
    r"|(?<![\w.@-])www\.[\w-]{1,63}\.\w[^\s<>|)\]\"”]{0,2000}",
    re.IGNORECASE,
)
# What nobody can follow: an example or one's own machine.
_OWN_HOST = re.compile(
    r"[a-z+.-]{2,20}://(?:[\w.-]{1,100}@)?(?:localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|\[::1?\]|[<{$]"
    r"|(?:[\w-]{1,63}\.){0,5}example\b|[\w-]{1,63}(?:[:/]|$))",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"""
      !?\[[^\[\]\n]{0,500}\]\([^()\s][^()\n]{0,1000}\)        # [text](address), ![alt](address)
    | ^[ ]{0,3}\[[^\]\n]{1,200}\]:[ \t]{0,20}\S{1,1000}[./]\S{0,1000}$    # [reference]: address
    | \bmailto:\S{1,200}
    | (?<![\w.+-])[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,24}\b     # an e-mail address
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
# Every link and address has one of these, and hardly any other text.
_SIGN = re.compile(r"[@\]]|://|www\.|mailto:", re.IGNORECASE)
_TAG = re.compile(
    r"</?([a-z][a-z0-9]{0,15})(?:[\s/][^<>]{0,1000})?>|<!--|<!doctype\b", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:([a-z][a-z0-9]{1,30};)|\#(?:x[0-9a-f]{1,6}|[0-9]{1,7});)", re.IGNORECASE)


def check_links(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each text of a post that has a link, a web or an e-mail address."""
    for text in checked.texts:
        prose = unescape(text.written)
        if not _SIGN.search(prose) and not _SIGN.search(text.text):
            continue
        # In code, an address of one's own machine is no link, and user@host is a command.
        addresses = (
            each.group()
            for each in _ADDRESS.finditer(text.text)
            if each.group() in prose or not _OWN_HOST.match(each.group())
        )
        link = _LINK.search(prose)
        found = link.group() if link else next(addresses, None)
        if found:
            reason = (
                f"“{found[:100]}” is a link or an address; a post has none. Name the site or the"
                " person in words, or remove it."
            )
            yield Finding("link", Severity.BLOCKER, text.section, reason, found)


def check_html(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each text of a post that has HTML outside of code."""
    for text in checked.texts:
        tags = (
            match.group()
            for match in _TAG.finditer(unescape(text.written))
            if not match[1] or match[1].lower() in HTML_ELEMENTS
        )
        entities = (
            match.group()
            for match in _ENTITY.finditer(text.written)
            if not match[1] or match[1] in html5
        )
        found = next(tags, None) or next(entities, None)
        if found:
            reason = (
                f"“{found[:100]}” is HTML; a post has none. Write it in Markdown, or in a code span"
                " if readers should see it."
            )
            yield Finding("html", Severity.BLOCKER, text.section, reason, found)
