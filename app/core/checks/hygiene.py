"""What must not appear in a text: links, HTML, placeholders, assistant talk, markup.

A pattern with many branches is searched for only in a text that has one of its signs.
"""

import re
from collections.abc import Iterator
from html.entities import html5

from app.core.checks.broken_blocks import broken
from app.core.checks.check import (
    BLOCKER,
    WARNING,
    DeskCheck,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    Severity,
    check,
    with_section,
)
from app.core.checks.passage import Kind, Passage
from app.core.checks.wording import level, without_quotations
from app.core.languages import SelfReference, get_section, with_english
from app.core.text import Span

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
_UNWRITTEN_SIGNS = ("todo", "tbd", "fixme", "{{", "lorem ipsum")
_VARIABLE_SIGNS = ("{", "%", "$", "<%", "[[", "__", "##", "@@", "|", "<", "[")
# Variables of templates. Posts have none; in a file about software they may be the subject.
_VARIABLE = re.compile(
    r"""
      \{%-?\s?(?:if|for|else|elif|end|set|block|unless)[^%}\n]{0,200}%\} | <%[^%>\n]{1,200}%>
    | [\$\#]\{[\w.\[\]]{1,80}\} | \{[A-Za-z_]\w{0,40}(?:[._-]\w{1,40}){0,4}\}
    | (?<![\w}])\{\d{0,2}\}
    | (?<![\w%])%(?:\(\w{1,40}\))?[sd](?!\w) | %\(\w{1,40}\)[a-z]
    | %%[A-Za-z_]{2,40}%% | \#\#[A-Z][A-Z_]{1,40}\#\# | @@\w{2,40}@@ | \*?\|[A-Z_:]{2,40}\|\*?
    | \[\[[^\[\]\n]{1,80}\]\] | (?<!\w)__[A-Z][A-Z_]{1,40}__(?!\w) | \$[A-Z][A-Z_]{2,40}\$
    | <(?:[A-Z]{3,20}[ _]?){1,4}>
    | \[X{1,4}\] | \[[A-Z]{2,20}(?:\ [A-Z]{1,20}){1,5}\]
    """,
    re.VERBOSE,
)
_UNIT = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|euros?|dollars?|pounds?|percent|people"
    r"|times|kg|km|cm|grams?|miles|items|per\ |of\ them|Minuten|Stunden|Tage|Wochen|Jahre|Prozent"
    r"|minut[eo]s?|heures?|jours?|horas?|d[ií]as?|ore|giorni|uren|dagen|%|€|\$)"
)
# Values that a program writes when it has none, where a value stands.
_NO_VALUE = re.compile(
    rf"""
      \[object\ [A-Z]\w{{2,20}}\]
    | \b(?:undefined|NaN|null|None|Infinity)\s(?={_UNIT})
    | [$€£]\s?(?:undefined|NaN|null|None)\b | (?<=\d)(?:undefined|NaN|null)\b
    | \b(?:about|costs?|around|only|takes|allow|for|from|than|under|over|at|kostet|etwa|rund|nur
      |environ|coûte|cuesta|unos|costa|circa|kost|ongeveer)
      \s(?:undefined|NaN|null)\b(?!\s(?:behaviou?r|values?|pointers?|references?|variables?|and|or
      |checks?|results?|terms?|hypothesis|symbols?|bytes?|if|safety|functions?|as|in\ the)|-)
    | \b(?:time|price|cost|total|date|name|rate|fee|average|sum|amount|length|width|height|weight
      |temperature|distance|size|number|score)(?:\sis|\swas|\sof|:)\s(?:undefined|NaN|null|None)\b
    | (?<!\w)\#(?:REF!|N/A|VALUE!|DIV/0!|NAME\?|NUM!|NULL!)(?!\s(?:error|Fehler))
    """,
    re.VERBOSE,
)
_NO_VALUE_SIGNS = ("undefined", "NaN", "null", "None", "Infinity", "[object", "#")
# Marks for a value that is still to come: 20XX, XX%, TK.
_TO_COME = re.compile(
    r"""
      \b(?:19|20)XX\b | \bX{2,4}\s?% | [$€£]\s?X{1,4}(?:\.X{1,2})?(?![\w-]) | \b\d{3}-X{3,4}\b
    | \b[Xx][Xx]\s(?=(?:minutes?|hours?|days?|euros?|dollars?|percent|people|years?)\b)
    | \bXXX+\b | \b(?:TK){2,4}\b | (?:^|[.(\[]\s?)TK(?=[\])]|\s[a-z])
    | \bTK\s(?=(?:more|number|figure|quote|name|date|source|link|here|words)s?\b)
    | (?<=\bis\ )(?:TBD|TBA|TBC)\b | (?<=\bare\ )(?:TBD|TBA|TBC)\b
    | \bINSERT(?:\ [A-Z]{2,20}){1,4}\b
    | \b(?:asdf|qwerty)(?:\s(?:asdf|qwerty)){1,9}\b | (?i:\bdolor\ sit\ amet\b)
    """,
    re.VERBOSE | re.MULTILINE,
)
_TO_COME_SIGNS = ("XX", "xx ", "X", "TK", "TB", "INSERT", "asdf", "qwerty", "olor sit")
_MARKUP_SIGNS = ("**", "__", "`", "~~", "](", "#", "|", "[")
# In a file, what is left of Markdown when it was read. Software has **kwargs and **/*.js.
_MARKUP_IN_FILE = re.compile(
    r"""
      (?<![\w*/\\.])\*\*(?=["“(]?[A-Za-zÀ-ÿ]{2})(?!kwargs|args|opts|options|kw)
    | (?<=[A-Za-zÀ-ÿ.,!?:;])\*\*(?![\w*/.])
    | (?<![\w_])__(?=[A-Za-z]{2,20}\ ) | (?<=[a-z.]\ )__(?=[a-z])
    | (?<![^\s(])`(?=[A-Za-z])(?![^`]{0,200}['’`]) | ```
    | (?<=\s)~~(?=\w)(?![^~\n]{1,200}~~) | \]\((?=\w)(?![^()\n]{0,300}\))
    | ^\#{2,6}\s?\w | ^\#\s\w | ^\#[A-Z][a-z]{2,20}(?:\s[a-z]{1,20}){2}
    | ^-{3,}[a-z]{2,20}-{3,} | ^\|[^|\n]{1,80}\|[^|\n]{1,80}\|
    | \[/(?:b|i|u|url|img|quote|size|color|center)\]
    """,
    re.VERBOSE | re.MULTILINE,
)
_MARKUP_ELSEWHERE = re.compile(
    r"^#{1,6}[A-Z][a-z]{2,20}(?:\s[a-z]{1,20}){2}|(?<!\S)~~\w|\w~~(?!\w)|\[/(?:b|i|u|url|img|quote|size|color|center)\]"
    r"|(?<=\S)\]\(\w(?![^()\n]{0,300}\))"
)
_MARKUP = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}\s|[-*+]\s|\d{1,2}[.)]\s|>\s?|```|\|)|\*\*|__|`"
    r"|^[ \t]{0,3}(?:[-*_][ \t]?){3,80}$",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"^\d{1,2}[.)](?=\s)")
# Control, private use and replacement characters.
_UNPRINTABLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028\u2029\ue000-\uf8ff\ufeff\ufffd-\uffff"
    "\U000f0000-\U0010ffff]"
)


@check(
    "link", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Remove it, or name the site or the person in words.",
    removable=True,
)  # fmt: skip
def check_link(passage: Passage, language: str) -> Iterator[Finding]:
    """Links, web addresses and e-mail addresses."""
    if _LINK_SIGN.search(passage.text):
        yield from _first(check_link, _LINK, passage, passage.text, "is a link or an address.")


@check(
    "html", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER, "Remove the HTML and keep the words.",
    in_files=FilePart.FILE, removable=True,
)  # fmt: skip
def check_html(passage: Passage, language: str) -> Iterator[Finding]:
    """HTML tags, comments and character references outside of code."""
    text = passage.text_without_code
    yield from _first(check_html, _HTML, passage, text, "is HTML code.")


@check(
    "placeholder", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Replace it with the real text, or delete it.",
    sometimes=WARNING, in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_placeholder(passage: Passage, language: str) -> Iterator[Finding]:
    """Text that was never filled in: [Your Name], TODO, %s, lorem ipsum.

    What a file about software may have as its subject is a warning there.
    """
    text = passage.text_without_code
    if passage.in_file and "“" in text:
        text = without_quotations(text)
    unwritten = _UNWRITTEN if passage.in_file else _PLACEHOLDER
    known = [each.placeholders for each in with_english(language) if each.placeholders]
    patterns = []
    if not passage.in_file or any(sign in level(text) for sign in _UNWRITTEN_SIGNS):
        patterns.append(unwritten)
    if any(sign in text for sign in _NO_VALUE_SIGNS):
        patterns.append(_NO_VALUE)
    if any(sign in text for sign in _TO_COME_SIGNS):
        patterns.append(_TO_COME)
    if any(sign in text for sign in _VARIABLE_SIGNS):
        patterns.append(_VARIABLE)
    if "[" in text or "{" in text or "<" in text or "(" in text:
        patterns += [each.patterns for each in known]
    for pattern in patterns:
        for match in pattern.finditer(text):
            if passage.in_file and _belongs_to_code(text, match):
                continue
            may_be_subject = passage.in_file and pattern is not unwritten
            severity = WARNING if may_be_subject and not _INSERTED.match(match.group()) else BLOCKER
            what = "is a placeholder that nobody filled in."
            yield quoting(check_placeholder, passage, match.span(), what, severity)
            return


# "[Your Name]" and "(insert example here)" are never a subject.
_INSERTED = re.compile(
    r"[\[(](?:[A-Z][a-z]{1,30} (?:[a-zA-Z]{1,30} ?){1,4}\]"
    r"|[^\])\n]{0,60}(?i:inser|einfügen|einsetzen|insér|invoegen))|\[object "
)


def _belongs_to_code(text: str, match: re.Match[str]) -> bool:
    """Return whether a bracket follows another sign of code, as in `#[link]` or `a[name]`, or
    is part of a link: `[Product Owner]({{ "/about" | url }})`."""
    begin = match.start()
    before = text[max(0, begin - 2) : begin]
    if match.group().startswith("{{"):
        return '"' in match.group() or "<" in match.group() or before == "]("
    if text[match.end() : match.end() + 1] in {"(", "["}:
        return True
    return text[begin] in "[{<" and (before[-1:].isalnum() or before[-1:] in {*"#]_@\\/"})


@check(
    "assistant_talk", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Delete it, and write only about the subject.",
    sometimes=WARNING, in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_assistant_talk(passage: Passage, language: str) -> Iterator[Finding]:
    """What a chatbot says about itself, to its user or, in posts, about its task.

    In a file, what people tell their readers as well is a warning.
    """
    text = level(passage.text)
    known = [each.assistant_talk for each in with_english(language) if each.assistant_talk]
    patterns = [(talk.of_itself, BLOCKER) for talk in known]
    patterns += [(talk.to_its_user, WARNING if passage.in_file else BLOCKER) for talk in known]
    if not passage.in_file:
        patterns += [(talk.of_the_task, BLOCKER) for talk in known]
    for pattern, severity in patterns:
        if match := pattern.search(text):
            what = "is how a chatbot talks to its user."
            yield quoting(check_assistant_talk, passage, match.span(), what, severity)
            return


@check(
    "control_character", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Delete it, or type the character that belongs there.",
    sometimes=WARNING, in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_control_character(passage: Passage, language: str) -> Iterator[Finding]:
    """Invisible and broken characters; a space of no width is a warning in a file."""
    if passage.text.isascii() and passage.text.isprintable():
        return
    if match := _UNPRINTABLE.search(passage.text):
        is_blank = passage.in_file and match.group() in {"\u200b", "\ufeff", "\u2028"}
        severity = WARNING if is_blank else BLOCKER
        before = passage.text[max(0, match.start() - _SHOWN_BEFORE) : match.start()]
        code = f"U+{ord(match.group()):04X}"
        problem = f"The character {code} after “{' '.join(before.split())}” is invisible or broken."
        yield check_control_character.found(
            passage.section, problem, match.span(), severity=severity
        )


_SHOWN_BEFORE = 20


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
    pattern: re.Pattern[str],
    passage: Passage,
    text: str,
    what: str,
) -> Iterator[Finding]:
    """Yield a finding for the first match in a text of the passage's length."""
    if match := pattern.search(text):
        yield quoting(broken, passage, match.span(), what)


def quoting(
    broken: DeskCheck[[Passage, str]],
    passage: Passage,
    span: Span,
    what: str,
    severity: Severity | None = None,
) -> Finding:
    """Return a finding that quotes a span of its passage and says what it is."""
    shown = " ".join(passage.text[slice(*span)].split())[:60]
    return broken.found(passage.section, f"“{shown}” {what}", span, severity=severity)


@check(
    "markup", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Remove the sign, or add the one that is missing.",
    sometimes=WARNING, in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_markup(passage: Passage, language: str) -> Iterator[Finding]:
    """Formatting signs that readers would see: ** without a partner, # in a paragraph.

    In a file it is a warning, because software has such signs.
    """
    text = passage.text_without_code
    if passage.in_file:
        has_sign = any(sign in text for sign in _MARKUP_SIGNS)
        # Of these the check of broken blocks says what they are.
        if has_sign and passage.is_prose and text[:1] in {"#", "|"} and broken(text):
            return
        if has_sign and (match := _MARKUP_IN_FILE.search(text)):
            yield quoting(check_markup, passage, match.span(), _SHOWN_MARKUP, WARNING)
        return
    if passage.kind in {Kind.ITEM, Kind.CELL}:
        # An item whose name has a number (**5. Showerhead**); one of a list would be no text.
        text = _NUMBERED.sub(lambda match: "x" * len(match.group()), text)
    if match := _MARKUP.search(text) or _MARKUP_ELSEWHERE.search(text):
        yield quoting(check_markup, passage, match.span(), _SHOWN_MARKUP)


_SHOWN_MARKUP = "is a formatting sign that readers would see."


@check(
    "self_reference", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Write about the subject instead.",
    sometimes=BLOCKER, languages=with_section(SelfReference), in_files=FilePart.PROSE,
    removable=True, fixable=True,
)  # fmt: skip
def check_self_reference(passage: Passage, language: str) -> Iterator[Finding]:
    """Sentences about the text itself: “in this article”; a blocker in an English description.

    In other languages it is a warning even there: small models can hardly avoid it.
    """
    rules = get_section(language, SelfReference)
    if rules and (match := rules.patterns.search(level(passage.text))):
        refused = passage.kind is Kind.DESCRIPTION and rules.blocks_description
        severity = BLOCKER if refused else WARNING
        shown = passage.text[slice(*match.span())]
        problem = f"“{shown}” is about the text, not about its subject."
        yield check_self_reference.found(passage.section, problem, match.span(), severity=severity)
