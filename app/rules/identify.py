"""Whether a text is in its language, by CLD2 (`pycld2`): 20 microseconds a paragraph."""

from collections.abc import Iterator
from itertools import islice

import pycld2

from app.rules.finding import Checked, Finding, Severity
from app.rules.languages import primary_subtag
from app.rules.passages import QUOTED, Kind
from app.rules.words import kept_if_short, shortened

# The least share of a text that must be in the language which is found, in percent: names and terms
# are in others.
_MOSTLY = 80
# Only the start of a page is classified.
_JUDGED_CHARS = 4_800
# Languages that are hardly told apart.
_NEAR = tuple(
    frozenset(group.split())
    for group in (
        "no nb nn da", "hr sr bs sl", "id ms jv", "cs sk", "pt gl", "es gl an ca", "de lb nds",
        "nl af", "fr oc wa", "it co", "ru uk be bg mk", "hi mr ne", "ar fa ur ps",
    )
)  # fmt: skip
# CLD2 also has rarer languages, and may mistake plain prose for them.
_KNOWN = frozenset(
    """ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nb nl no pl pt ro ru sk
    sl sr sv th tr uk vi zh""".split()  # noqa: SIM905
)
# Names and technical terms mislead the identification of shorter paragraphs.
_LEAST_CHARS = 200
# More of a text says no more about its language.
_MOST_CHARS = 20_000
# Older codes that CLD2 answers with.
_CODES = {"iw": "he", "nn": "no"}


def is_known(language: str) -> bool:
    """Return whether the language is one that can be identified."""
    return primary_subtag(language) in _KNOWN


@kept_if_short
def foreign_language(text: str, expected: str) -> str:
    """Return the primary subtag of the language of a text if it is certainly not the expected one,
    else ""."""
    if not is_known(expected):
        return ""
    found, certain = _classified(text, primary_subtag(expected))
    return found if certain and found != primary_subtag(expected) else ""


def page_language(text: str, declared: str) -> str:
    """Return the primary subtag of a page's language, or "" if in doubt.

    A page often declares only its template's language. The declaration counts if the text may be in
    that language, or if the language cannot be identified.
    """
    if not is_known(declared) and declared:
        return primary_subtag(declared)
    found, certain = _classified(text[:_JUDGED_CHARS], primary_subtag(declared))
    return found if certain or found == primary_subtag(declared) else ""


def _classified(text: str, expected: str) -> tuple[str, bool]:
    """Return the language, or the expected one if the two are near, and whether it is certain."""
    # CLD2 refuses control characters.
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    reliable, _, languages = pycld2.detect(text)
    _, code, percent, _ = languages[0]
    found = primary_subtag(_CODES.get(code, code))
    near = any({expected, found} <= group for group in _NEAR)
    certain = reliable and percent >= _MOSTLY and found in _KNOWN
    return expected if near else found, certain


def check_language(checked: Checked) -> Iterator[Finding]:
    """Yield a finding if the texts, or paragraphs of them, are certainly in another language."""
    language = checked.language
    prose = [each for each in checked.texts if each.kind in {Kind.PROSE, Kind.ITEM}]
    plain = [QUOTED.sub(" ", each.without_code) for each in prose]
    whole = " ".join(plain)[:_MOST_CHARS]
    expected = primary_subtag(language)
    if _has_letters(whole) and (found := foreign_language(whole, language)):
        reason = f"The text is in another language ({found}) than it should be ({expected})."
        yield Finding("language", Severity.BLOCKER, "post", f"{reason} Write it in {expected}.")
        return
    for passage, text in zip(prose, plain, strict=True):
        if not _has_letters(text):
            continue
        if found := foreign_language(text[:_MOST_CHARS], language):
            reason = (
                f"The paragraph “{shortened(passage.text, 60)}” is in another language ({found})"
                f" than the text ({expected}). Translate it, or quote it."
            )
            severity = Severity.WARNING if checked.in_file else Severity.BLOCKER
            yield Finding("language", severity, passage.section, reason, passage.text)


def _has_letters(text: str) -> bool:
    """Return whether a text has enough letters to be judged."""
    return next(islice(filter(str.isalpha, text), _LEAST_CHARS - 1, None), None) is not None
