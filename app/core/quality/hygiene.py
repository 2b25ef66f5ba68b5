"""Things that must not be in a text at all: links, HTML, placeholders, assistant talk, markup."""

import re
from collections.abc import Iterator

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import Kind, Passage

_LINK = re.compile(
    r"""
      !?\[[^\]\n]*\]\s?\([^)\n]*\)          # [text](url), ![alt](url)
    | !?\[[^\]\n]+\]\[[^\]\n]*\]            # [text][reference]
    | ^\s{0,3}\[[^\]\n]+\]:\s*\S+           # [reference]: url
    | \b[a-z][a-z0-9+.-]{1,20}://\S+        # any scheme
    | \b(?:mailto|tel|javascript|data):\S+
    | \bwww\.\S+
    | \b[\w.+-]+@[\w-]+\.[a-z]{2,}\b        # an e-mail address
    | \b(?:[a-z0-9-]+\.)+(?:com|org|net|io|co|dev|info|biz|app|edu|gov|ly|me|shop|store)\b(?:/\S*)?
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_HTML = re.compile(
    r"<(?:/?[a-z][^<>\n]*|!--.*?--|!doctype[^>]*)>?|&(?:[a-z]{2,8}|#x?[0-9a-f]{2,6});", re.I
)
_PLACEHOLDER = re.compile(
    r"""
      \b(?:TODO|TBD|FIXME|XXX+)\b
    | \blorem\ ipsum\b
    | [\[<{]\s*(?:insert|your|add|enter|company|brand|product|name|link)\b[^\]>}\n]*[\]>}]
    | \{\{[^}\n]*\}\}
    | \[[A-Z][A-Z _-]{2,}\]
    """,
    re.VERBOSE,
)
_PLACEHOLDER_ANY_CASE = re.compile(
    r"\[\s*(?:insert|your|add|enter)\b[^\]\n]*\]|\blorem ipsum\b", re.I
)
_ASSISTANT = re.compile(
    r"""
      \bas\ an?\ (?:ai|artificial\ intelligence|(?:large\ )?language\ model)\b
    | \bI(?:'|’)?\s?a?m\ (?:an?\ )?(?:ai|language\ model|virtual\ assistant)\b
    | ^\s*(?:sure|certainly|absolutely|of\ course)\s*[,!.]\s*(?:here|I\b|let\ me)
    | \bhere(?:'s|’s|\ is|\ are)\ (?:a|an|the|your)\ (?:\w+\ ){0,3}
      (?:paragraph|introduction|conclusion|article|blog\ post|draft|version|meta\ description)\b
    | \bI\ hope\ (?:this|that)\ helps\b
    | \blet\ me\ know\ if\ you\b
    | \b(?:as\ requested|per\ your\ (?:request|instructions))\b
    | \bthe\ phrase\ ["“]
    | \bthis\ paragraph\b
    | \bmy\ (?:training\ data|knowledge\ cutoff)\b
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_MARKUP = re.compile(
    r"^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d{1,2}[.)]\s|>\s?|```|\|)|\*\*|__|`|^\s{0,3}(?:[-*_]\s?){3,}$",
    re.MULTILINE,
)
_SELF_REFERENCE = re.compile(
    r"\b(?:in|throughout) (?:this|the following) (?:blog )?(?:post|article|guide)\b"
    r"|\bthis (?:blog )?(?:post|article) (?:will|explores|discusses|covers|aims)\b",
    re.IGNORECASE,
)
_PRIVATE_USE = re.compile("[\ue000-\uf8ff\u0000-\u0008\u200b\u2028\u2029\ufeff\ufffd]")

_RULES = (
    ("link", _LINK, "Write it without any link, web address or e-mail address."),
    ("html", _HTML, "Write plain text without HTML."),
    ("placeholder", _PLACEHOLDER, "Write the final words; leave nothing to be filled in."),
    ("placeholder", _PLACEHOLDER_ANY_CASE, "Write the final words; leave nothing to be filled in."),
    (
        "assistant_talk",
        _ASSISTANT,
        "Write about the topic alone, never about yourself or the task.",
    ),
    ("control_character", _PRIVATE_USE, "Write ordinary characters only."),
)


def check_hygiene(passage: Passage) -> Iterator[Finding]:
    """Links, HTML, placeholders, assistant talk and invisible characters, in any passage."""
    for check, pattern, remedy in _RULES:
        for match in pattern.finditer(passage.text):
            found = " ".join(match.group().split())[:60]
            yield blocker(check, passage.section, f"Contains “{found}”. {remedy}", match.span())
            break


def check_self_reference(passage: Passage) -> Iterator[Finding]:
    """A text that speaks of itself: idle in prose, and lost characters in a search result."""
    if match := _SELF_REFERENCE.search(passage.text):
        severity = blocker if passage.kind is Kind.DESCRIPTION else warning
        reason = f"Says “{match.group()}”. Speak of the subject, not of the text."
        yield severity("self_reference", passage.section, reason, match.span())


def check_markup(passage: Passage) -> Iterator[Finding]:
    """Markdown where plain words belong: prose is written as paragraphs, headings as text."""
    if match := _MARKUP.search(passage.text):
        remedy = (
            "Write running sentences: no headings, lists, bold or code."
            if passage.kind is Kind.PROSE
            else "Write plain words without Markdown."
        )
        yield blocker("markup", passage.section, f"Contains Markdown. {remedy}", match.span())
