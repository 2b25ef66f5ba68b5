"""What must not appear in a text: links, HTML, placeholders, assistant talk, markup."""

import re
from collections.abc import Iterable, Iterator
from html.entities import html5

from app.core.checks.check import (
    BLOCKER,
    WARNING,
    DeskCheck,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Kind, Passage
from app.core.languages import SelfReference, get_section, with_english

# Every link contains one of these, so a text without them needs no search by the pattern below.
_LINK_SIGN = re.compile(r"\[|[.:]\S")
# Every repetition is bounded, so that no text makes a search quadratic.
_LINK = re.compile(
    r"""
      !?\[[^\]\n]{0,500}\]\s?\([^)\n]{0,500}\)      # [text](url), ![alt](url)
    | !?\[[^\]\n]{1,500}\]\[[^\]\n]{0,500}\]        # [text][reference]
    | ^[ \t]{0,3}\[[^\]\n]{1,500}\]:\s{0,20}\S+     # [reference]: url
    | \b[a-z][a-z0-9+.-]{1,20}://\S+                # any scheme
    | \b(?:mailto|tel|javascript|data):\S+
    | \bwww\.\S+
    | \b[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b       # an e-mail address
    # Bare domains. ASP.NET and the like are names; addresses are lower case.
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
    """,
    re.VERBOSE,
)
# In documentation `[CEO]` and `${X}` are names, and a text may discuss TODO comments.
_UNWRITTEN = re.compile(
    r"(?:^[ \t]{0,20}|\[)(?:TODO|TBD|FIXME)\b|\b(?:TODO|TBD|FIXME)(?:\s?[:\]]|\s[–—-])"
    r"|\{\{[^}\n]{0,200}\}\}|(?i:\blorem\ ipsum\b)",
    re.MULTILINE,
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


@check(
    "link", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Write it without any link, web address or e-mail address.",
    removable=True,
)  # fmt: skip
def check_link(passage: Passage, language: str) -> Iterator[Finding]:
    """Links, web addresses and e-mail addresses."""
    if _LINK_SIGN.search(passage.text):
        yield from _first(check_link, [_LINK], passage, passage.text)


@check(
    "html", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER, "Remove the HTML and write plain text.",
    in_files=FilePart.FILE, removable=True,
)  # fmt: skip
def check_html(passage: Passage, language: str) -> Iterator[Finding]:
    """HTML tags, comments and character references outside of code."""
    yield from _first(check_html, [_HTML], passage, passage.text_without_code)


@check(
    "placeholder", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Write the final text; leave nothing to fill in.",
    in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_placeholder(passage: Passage, language: str) -> Iterator[Finding]:
    """Text that was never filled in, outside of code, in the language of the text and English."""
    unwritten = _UNWRITTEN if passage.in_file else _PLACEHOLDER
    known = [each.placeholders for each in with_english(language) if each.placeholders]
    patterns = [unwritten, *(each.patterns for each in known)]
    yield from _first(check_placeholder, patterns, passage, passage.text_without_code)


@check(
    "assistant_talk", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Write only about the topic, never about yourself or the task.", in_files=FilePart.TEXT,
    removable=True,
)  # fmt: skip
def check_assistant_talk(passage: Passage, language: str) -> Iterator[Finding]:
    """An assistant that talks about itself or, outside files, about its task."""
    known = [each.assistant_talk for each in with_english(language) if each.assistant_talk]
    yield from _first(
        check_assistant_talk, [talk.of_itself for talk in known], passage, passage.text
    )
    if not passage.in_file:
        of_the_task = [talk.of_the_task for talk in known]
        yield from _first(check_assistant_talk, of_the_task, passage, passage.text)


@check(
    "control_character", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Use ordinary characters only.",
    in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_control_character(passage: Passage, language: str) -> Iterator[Finding]:
    """Characters without a printed form."""
    yield from _first(check_control_character, [_UNPRINTABLE], passage, passage.text)


def is_clean(passage: Passage, language: str) -> bool:
    """Whether a passage has no link, HTML, placeholder, assistant talk or control character."""
    return not any(
        finding
        for unwanted in (
            check_link, check_html, check_placeholder, check_assistant_talk,
            check_control_character,
        )
        for finding in unwanted(passage, language)
    )  # fmt: skip


def _first(
    broken: DeskCheck[[Passage, str]],
    patterns: Iterable[re.Pattern[str]],
    passage: Passage,
    text: str,
) -> Iterator[Finding]:
    """Yield a finding for the first match in a text of the passage's length."""
    for pattern in patterns:
        if match := pattern.search(text):
            shown = " ".join(passage.text[slice(*match.span())].split())[:60]
            yield broken.found(passage.section, f"Contains “{shown}”.", match.span())
            return


@check(
    "markup", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Write plain sentences there: no heading, list mark or other sign of Markdown.",
    removable=True,
)  # fmt: skip
def check_markup(passage: Passage, language: str) -> Iterator[Finding]:
    """Markdown that readers would see: headings of level 1 and 2, marks without a partner."""
    if match := _MARKUP.search(passage.text_without_code):
        yield check_markup.found(passage.section, "Contains Markdown.", match.span())


@check(
    "self_reference", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Write about the subject, not about the text.",
    sometimes=BLOCKER, languages=with_section(SelfReference), in_files=FilePart.PROSE,
    removable=True, fixable=True,
)  # fmt: skip
def check_self_reference(passage: Passage, language: str) -> Iterator[Finding]:
    """A text that talks about itself; a blocker in an English description.

    In other languages it is a warning even there: small models can hardly avoid it.
    """
    rules = get_section(language, SelfReference)
    if rules and (match := rules.patterns.search(passage.text)):
        refused = passage.kind is Kind.DESCRIPTION and rules.blocks_description
        severity = BLOCKER if refused else WARNING
        problem = f"Says “{match.group()}”."
        yield check_self_reference.found(passage.section, problem, match.span(), severity=severity)
