"""Whether a text is in its language."""

from collections.abc import Iterator, Sequence

from app.rules.finding import Finding, Severity
from app.rules.identify import foreign_language
from app.rules.languages import primary_subtag
from app.rules.passages import QUOTED, Kind, Passage
from app.rules.words import shortened

# Names and technical terms mislead the identification of shorter paragraphs.
_LEAST_CHARS = 200
# More of a text says no more about its language.
_MOST_CHARS = 20_000


def check_language(
    texts: Sequence[Passage], language: str, *, in_file: bool = False
) -> Iterator[Finding]:
    """Yield a finding if the texts, or paragraphs of them, are certainly in another language.

    Args:
        in_file: the texts are of any file, where a paragraph may be in another language on purpose.
    """
    prose = [each for each in texts if each.kind in {Kind.PROSE, Kind.ITEM}]
    plain = [QUOTED.sub(" ", each.text_without_code) for each in prose]
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
            severity = Severity.WARNING if in_file else Severity.BLOCKER
            yield Finding("language", severity, passage.section, reason, passage.text)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
