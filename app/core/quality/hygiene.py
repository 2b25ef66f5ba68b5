"""Things that must not be in a text at all: links, HTML, placeholders, assistant talk, markup."""

import re
from collections.abc import Iterator, Sequence
from html.entities import html5

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.languages import rules_for
from app.core.quality.languages.rules import Marked, Rules
from app.core.quality.passage import Kind, Passage
from app.core.text import primary_subtag

# What every link has in it: without one of these, the patterns below need not be asked.
_LINK_SIGN = re.compile(r"\[|[.:]\S")
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
_PLACEHOLDER = Marked(
    ("todo", "tbd", "fixme", "xxx", "[", "{", "%", "lorem"),
    re.compile(
        r"""
          \b(?:TODO|TBD|FIXME|XXX+)\b       # todo is a Spanish word
        | \[[A-Z][A-Z _-]{2,80}\]
        | \{\{[^}\n]{0,200}\}\} | \$\{\w{1,80}\} | %[A-Z][A-Z_]{2,80}%
        | (?i:\blorem\ ipsum\b)
        """,
        re.VERBOSE,
    ),
)
# In documentation `[CEO]` and `${X}` are names, and so is a TODO that is spoken of.
_UNWRITTEN = Marked(
    ("todo", "tbd", "fixme", "{{", "lorem"),
    re.compile(
        r"(?:^[ \t]{0,20}|\[)(?:TODO|TBD|FIXME)\b|\b(?:TODO|TBD|FIXME)(?:\s?[:\]]|\s[–—-])"
        r"|\{\{[^}\n]{0,200}\}\}|(?i:\blorem\ ipsum\b)",
        re.MULTILINE,
    ),
)
_MARKUP = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}\s|[-*+]\s|\d{1,2}[.)]\s|>\s?|```|\|)|\*\*|__|`"
    r"|^[ \t]{0,3}(?:[-*_][ \t]?){3,80}$",
    re.MULTILINE,
)
# Control, private use and replacement characters.
_UNPRINTABLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028\u2029\ue000-\uf8ff\ufeff\ufffd-\uffff"
    "\U000f0000-\U0010ffff]"
)

_NO_LINK = "Write it without any link, web address or e-mail address."
_NO_HTML = "Write plain text without HTML."
_NO_PLACEHOLDER = "Write the final words; leave nothing to be filled in."
_NO_ASSISTANT = "Write about the topic alone, never about yourself or the task."
_ORDINARY = "Write ordinary characters only."


def check_hygiene(passage: Passage, language: str) -> Iterator[Finding]:
    """Links, HTML, placeholders, assistant talk and invisible characters, in any passage."""
    if _LINK_SIGN.search(passage.text):
        yield from _first("link", [_LINK], passage, _NO_LINK)
    yield from _first("html", [_HTML], passage, _NO_HTML)
    yield from _wording(passage, language, _PLACEHOLDER)
    task_talk = [rules.task_talk for rules in _rules(language)]
    yield from _first("assistant_talk", task_talk, passage, _NO_ASSISTANT)


def check_file_wording(passage: Passage, language: str) -> Iterator[Finding]:
    """The same for a file that anybody wrote: links are its own, and so are `[CEO]` and `${X}`."""
    yield from _wording(passage, language, _UNWRITTEN)


def _wording(passage: Passage, language: str, unwritten: Marked) -> Iterator[Finding]:
    # Models fall back into English, whatever they write.
    known = _rules(language)
    placeholders = [unwritten, *(rules.placeholder for rules in known)]
    yield from _first("placeholder", placeholders, passage, _NO_PLACEHOLDER)
    assistants = [rules.assistant for rules in known]
    yield from _first("assistant_talk", assistants, passage, _NO_ASSISTANT)
    yield from _first("control_character", [_UNPRINTABLE], passage, _ORDINARY)


def _rules(language: str) -> list[Rules]:
    codes = dict.fromkeys([primary_subtag(language), "en"])
    return [rules for code in codes if (rules := rules_for(code))]


def _first(
    check: str, patterns: Sequence[re.Pattern[str] | Marked], passage: Passage, remedy: str
) -> Iterator[Finding]:
    for pattern in patterns:
        if match := pattern.search(passage.text):
            found = " ".join(match.group().split())[:60]
            yield blocker(check, passage.section, f"Contains “{found}”. {remedy}", match.span())
            return


def check_self_reference(passage: Passage, language: str) -> Iterator[Finding]:
    """A text that speaks of itself: idle in prose, and lost characters in a search result.

    In English a description that does so is refused; small models can hardly do without it in
    other languages.
    """
    rules = rules_for(language)
    if rules and (match := rules.self_reference.search(passage.text)):
        refused = passage.kind is Kind.DESCRIPTION and primary_subtag(language) == "en"
        reason = f"Says “{match.group()}”. Speak of the subject, not of the text."
        severity = blocker if refused else warning
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
