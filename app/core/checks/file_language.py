"""The language of a Markdown file, where its author did not say which one it is."""

from app.core.checks.document import prose, read_document
from app.core.checks.prose import LANGUAGE_FROM_WORDS
from app.core.languages.identify import foreign_language
from app.core.text import word_count

_READ_CHARS = 6_000
_MOST = 0.8


def other_language(text: str, expected: str) -> str:
    """Return the primary subtag of the language of a file if it is certainly not the expected one,
    else "".

    Reads the first few thousand characters. Certain means: all of their text, and most of their
    paragraphs; a file may quote another language, or have its headings in one.
    """
    passages = [located.passage for located in prose(read_document(text[:_READ_CHARS]))]
    long = [each.text for each in passages if word_count(each.text) >= LANGUAGE_FROM_WORDS]
    if not long:
        return ""
    found = foreign_language("\n".join(each.text for each in passages), expected)
    if not found:
        return ""
    foreign = [each for each in long if foreign_language(each, expected) == found]
    words = sum(map(word_count, long))
    return found if sum(map(word_count, foreign)) >= _MOST * words else ""
