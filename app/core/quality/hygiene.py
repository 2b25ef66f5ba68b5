"""Things that must not be in a text at all: links, HTML, placeholders, assistant talk, markup."""

import re
from collections.abc import Iterator
from html.entities import html5

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import Kind, Passage

# Every repetition has a bound, so that no text can make a search quadratic.
_LINK = re.compile(
    r"""
      !?\[[^\]\n]{0,500}\]\s?\([^)\n]{0,500}\)      # [text](url), ![alt](url)
    | !?\[[^\]\n]{1,500}\]\[[^\]\n]{0,500}\]        # [text][reference]
    | ^[ \t]{0,3}\[[^\]\n]{1,500}\]:\s{0,20}\S+     # [reference]: url
    | \b[a-z][a-z0-9+.-]{1,20}://\S+                # any scheme
    | \b(?:mailto|tel|javascript|data):\S+
    | \bwww\.\S+
    | \b[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b       # an e-mail address
    # Bare domains. ASP.NET and its like are names; an address is written in small letters.
    | \b(?!(?-i:ADO|ASP|VB)\.NET\b)(?:[a-z0-9-]{1,63}\.){1,8}
      (?:com|org|net|io|ai|co|dev|info|biz|app|edu|gov|ly|me|uk|eu|xyz|shop|store|online|site|website
        |tech|blog|cloud)\b(?:/\S*)?
    | (?-i:\b(?:[a-z0-9-]{1,63}\.){0,8}[a-z0-9-]{3,63}
      \.(?:at|au|be|br|ca|cc|ch|cn|de|dk|es|fi|fr|ie|it|jp|mx|nl|nz|pl|pt|ru|se|tv)\b)(?:/\S*)?
    | \b(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?<!\.js)(?<!\.py)(?<!\.ts)/\w\S*
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_ENTITIES = "|".join(sorted(name for name in html5 if name.endswith(";")))
_HTML = re.compile(
    rf"<(?:/?[a-z][^<>\n]{{0,500}}|!--|!doctype[^>]{{0,500}})>?"
    rf"|&(?:(?-i:{_ENTITIES})|\#(?:x[0-9a-f]{{1,6}}|[0-9]{{1,7}});)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"""
      \b(?:TODO|TBD|FIXME|XXX+)\b       # todo is a Spanish word
    | \[[A-Z][A-Z _-]{2,80}\]
    | \{\{[^}\n]{0,200}\}\} | \$\{\w{1,80}\} | %[A-Z][A-Z_]{2,80}%
    | (?i:\blorem\ ipsum\b)
    | (?i:[\[<{]\s*(?:insert|your|add|enter|company|brand|product|business|client|name|link|keyword
        |topic|date|city|author|phone)\b[^\]>}\n]{0,200}[\]>}])
    """,
    re.VERBOSE,
)
_ASSISTANT = re.compile(
    r"""
      # "As an AI, I …", "as an AI language model."; not "as an AI tool for editors"
      \bas\ an?\ (?:ai|artificial\ intelligence)(?:\ (?:language\ )?(?:model|assistant|chatbot))?
      (?:\s*[,.;:!?]|\ (?:i|my|we)\b|[^.!?\n]{0,80},\s*I\b)
    | \bas\ an?\ (?:ai\ )?(?:large\ )?language\ model\b
    | \bI(?:'|’)?\s?a?m\ (?:an?\ )?(?:ai|language\ model|virtual\ assistant)\b
    | ^[ \t]{0,20}(?:sure|certainly|absolutely|of\ course)\s*[,!.]\s*(?:here|I\b|let\ me)
    | \bhere(?:'s|’s|\ is|\ are)\ (?:a|an|the|your)\ (?:\w{1,40}\ ){0,3}
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
    r"^[ \t]{0,3}(?:#{1,6}\s|[-*+]\s|\d{1,2}[.)]\s|>\s?|```|\|)|\*\*|__|`"
    r"|^[ \t]{0,3}(?:[-*_][ \t]?){3,80}$",
    re.MULTILINE,
)
_SELF_REFERENCE = re.compile(
    r"\b(?:in|throughout) (?:this|the following) (?:blog )?(?:post|article|guide)\b"
    r"|\bthis (?:blog )?(?:post|article) (?:will|explores|discusses|covers|aims)\b",
    re.IGNORECASE,
)
# Control, private use and replacement characters.
_UNPRINTABLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028\u2029\ue000-\uf8ff\ufeff\ufffd-\uffff"
    "\U000f0000-\U0010ffff]"
)

_RULES = (
    ("link", _LINK, "Write it without any link, web address or e-mail address."),
    ("html", _HTML, "Write plain text without HTML."),
    ("placeholder", _PLACEHOLDER, "Write the final words; leave nothing to be filled in."),
    (
        "assistant_talk",
        _ASSISTANT,
        "Write about the topic alone, never about yourself or the task.",
    ),
    ("control_character", _UNPRINTABLE, "Write ordinary characters only."),
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
