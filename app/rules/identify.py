"""Whether a text is in its language, by `py3langid`.

It takes a fraction of a millisecond a paragraph; loading takes half a second and keeps 54 MB.
"""

from collections.abc import Iterator
from functools import cache
from threading import Lock
from typing import Any

from app.rules.finding import Checked, Finding, Severity
from app.rules.languages import primary_subtag
from app.rules.passages import QUOTED, Kind
from app.rules.words import shortened

# The least probability; a page has more words than a paragraph.
_CERTAIN = 0.99
_CERTAIN_OF_PAGE = 0.9
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
# The model also has rarer languages, and mistakes plain prose for them.
_KNOWN = frozenset(
    """ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nb nl no pl pt ro ru sk
    sl sr sv th tr uk vi zh""".split()  # noqa: SIM905
)
# Names and technical terms mislead the identification of shorter paragraphs.
_LEAST_CHARS = 200
# More of a text says no more about its language.
_MOST_CHARS = 20_000
_loading = Lock()


def load() -> Any:
    """Load the model once; processes forked later share it."""
    with _loading:
        return _load()


@cache
def _load() -> Any:
    # Imported on first use: most commands never need it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages(sorted(_KNOWN & set(model.labels)))
    # The library keeps the tables of all languages, 27 MB, to return to them later.
    model._full_model = model.nb_ptc, model.nb_pc, model.nb_classes
    return model


def is_known(language: str) -> bool:
    """Return whether the language is one that can be identified."""
    return primary_subtag(language) in _KNOWN


def foreign_language(text: str, expected: str) -> str:
    """Return the primary subtag of the language of a text if it is certainly not the expected one,
    else ""."""
    if not is_known(expected):
        return ""
    found, certainty = _classified(text, primary_subtag(expected))
    return "" if certainty < _CERTAIN or found == primary_subtag(expected) else found


def page_language(text: str, declared: str) -> str:
    """Return the primary subtag of a page's language, or "" if in doubt.

    A page often declares only its template's language. The declaration counts if the text may be in
    that language, or if the language cannot be identified.
    """
    if not is_known(declared) and declared:
        return primary_subtag(declared)
    found, certainty = _classified(text[:_JUDGED_CHARS], primary_subtag(declared))
    return found if certainty >= _CERTAIN_OF_PAGE or found == primary_subtag(declared) else ""


def _classified(text: str, expected: str) -> tuple[str, float]:
    """Return the language, or the expected one if the two are near, and its probability."""
    found, certainty = load().classify(text)
    near = any({expected, found} <= group for group in _NEAR)
    return expected if near else str(found), float(certainty)


def check_language(checked: Checked) -> Iterator[Finding]:
    """Yield a finding if the texts, or paragraphs of them, are certainly in another language."""
    language = checked.language
    prose = [each for each in checked.texts if each.kind in {Kind.PROSE, Kind.ITEM}]
    plain = [QUOTED.sub(" ", each.without_code) for each in prose]
    whole = " ".join(plain)[:_MOST_CHARS]
    expected = primary_subtag(language)
    if _letters(whole) >= _LEAST_CHARS and (found := foreign_language(whole, language)):
        reason = f"The text is in another language ({found}) than it should be ({expected})."
        yield Finding("language", Severity.BLOCKER, "post", f"{reason} Write it in {expected}.")
        return
    for passage, text in zip(prose, plain, strict=True):
        if len(text) < _LEAST_CHARS or _letters(text) < _LEAST_CHARS:
            continue
        if found := foreign_language(text[:_MOST_CHARS], language):
            reason = (
                f"The paragraph “{shortened(passage.text, 60)}” is in another language ({found})"
                f" than the text ({expected}). Translate it, or quote it."
            )
            severity = Severity.WARNING if checked.in_file else Severity.BLOCKER
            yield Finding("language", severity, passage.section, reason, passage.text)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
