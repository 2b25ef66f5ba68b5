"""Whether a paragraph is in the language that was asked for.

By `py3langid`: 0.4 ms a paragraph and 14 of 14 short sentences in seven languages right, as
`lingua` has them (96 MB, and seconds to load) and `langdetect` (ten times slower, its last release
in 2021).
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from app.core.quality.finding import Finding, blocker
from app.core.quality.passage import Passage, paragraphs
from app.core.text import primary_subtag, word_count

# A dozen words decide; names and terms of art can mislead with less.
MIN_WORDS = 12
_CERTAIN = 0.99
# Told apart by single words, or not at all: who asks for one of them has not got a wrong one.
_NEAR = (
    frozenset({"no", "nb", "nn", "da"}),
    frozenset({"hr", "sr", "bs", "sl"}),
    frozenset({"id", "ms", "jv"}),
    frozenset({"cs", "sk"}),
    frozenset({"pt", "gl"}),
    frozenset({"es", "gl", "an", "ca"}),
    frozenset({"de", "lb", "nds"}),
    frozenset({"nl", "af"}),
    frozenset({"fr", "oc", "wa"}),
    frozenset({"it", "co"}),
    frozenset({"ru", "uk", "be", "bg", "mk"}),
    frozenset({"hi", "mr", "ne"}),
    frozenset({"ar", "fa", "ur", "ps"}),
)
# The model knows rarer ones too, and finds them in plain prose of these.
_TOLD = frozenset(
    {
        "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi",
        "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "nb", "nl", "no", "pl", "pt", "ro", "ru",
        "sk", "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh",
    }
)  # fmt: skip


@cache
def _identifier() -> Any:
    # Imported when it is first needed: it takes half a second, and most commands never ask.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(sorted(_TOLD & set(identifier.labels)))
    # Picking columns leaves the table column by column in memory, while each paragraph takes
    # whole rows of it.
    identifier.nb_ptc = identifier.nb_ptc.copy(order="C")
    return identifier


def load() -> None:
    """Have the model in memory, as a process does that forks others."""
    _identifier()


def knows(language: str) -> bool:
    return primary_subtag(language) in _TOLD


@lru_cache(maxsize=1024)
def _told(paragraph: str) -> tuple[str, float]:
    """Its language and how certain that is. A draft is asked again as a part of its post."""
    language, certainty = _identifier().classify(paragraph)
    return str(language), float(certainty)


def check_language(passage: Passage, language: str) -> Iterator[Finding]:
    """Paragraphs that are in another language beyond doubt."""
    if not passage.is_prose or not knows(language):
        return
    expected = primary_subtag(language)
    for start, paragraph in paragraphs(passage.text):
        if word_count(paragraph) < MIN_WORDS:
            continue
        found, certainty = _told(paragraph)
        near = any({expected, found} <= group for group in _NEAR)
        if found != expected and certainty >= _CERTAIN and not near:
            yield blocker(
                "language",
                passage.section,
                f"This paragraph is in another language ({found}). Write it in the language of the"
                f" post ({expected}).",
                (start, start + len(paragraph)),
            )
