"""The end of a post, and its questions: a conclusion concludes, a question asks."""

import re
from collections.abc import Iterator, Sequence

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import Kind, Passage
from app.core.text import find_phrase, fold, primary_subtag, word_count

# Numbers of one digit count ordinary things ("two jars", "step 3").
_NUMBER = re.compile(r"(?<![\w.,])\d(?:[\d.,]*\d)+")
# A capital inside a sentence: what is not capitalised for its place is a name.
_NAME = re.compile(r"(?<=[a-zà-ÿ,;] )(?:[A-ZÀ-Þ][\w’'-]+)(?: [A-ZÀ-Þ][\w’'-]+)*")
_QUESTION_MARKS = ("?", "？", "؟", ";", "՞", "፧")
_ANSWER_MIN_WORDS = 5
# In German every noun has a capital.
_NAMES_HAVE_CAPITALS = frozenset({"en", "fr", "es", "it", "pt", "nl"})


def check_conclusion(
    conclusion: str, section: str, before: Sequence[str], keywords: Sequence[str], language: str
) -> Iterator[Finding]:
    """A conclusion that brings up what ``before``, all the texts above it, never said.

    New is a keyword, a number of two digits and more, or a name of which no word was used.
    """
    for keyword in keywords:
        found = find_phrase(conclusion, keyword, language)
        if found and not _says(before, keyword, language):
            yield _introduces(section, keyword, found[0])
    # Most conclusions have neither numbers nor names, and need no look at the rest.
    if written := list(_NUMBER.finditer(conclusion)):
        numbers = {number for text in before for number in _NUMBER.findall(text)}
        for match in written:
            if match.group() not in numbers:
                yield _introduces(section, match.group(), match.span())
    if primary_subtag(language) in _NAMES_HAVE_CAPITALS and (
        names := list(_NAME.finditer(conclusion))
    ):
        known = {word for text in before for word in fold(text).split()}
        for match in names:
            if match.group().isupper() or len(match.group()) > 2:
                words = fold(match.group()).split()
                if words and not known.intersection(words) and words != ["i"]:
                    yield _introduces(section, match.group(), match.span())


def _says(texts: Sequence[str], phrase: str, language: str) -> bool:
    """Whether the texts one after the other have a phrase; most often one of them has it."""
    if any(find_phrase(text, phrase, language) for text in texts):
        return True
    return bool(find_phrase("\n".join(texts), phrase, language))


def _introduces(section: str, what: str, span: tuple[int, int]) -> Finding:
    reason = f"Brings up “{what}”, which the post has not spoken of. Conclude what was said."
    return warning("conclusion_introduces", section, reason, span)


def check_questions(everything: Sequence[Passage]) -> Iterator[Finding]:
    """Each question is asked once, with its mark, and is answered."""
    asked: set[str] = set()
    for passage in everything:
        if passage.kind is Kind.QUESTION:
            folded = fold(passage.text)
            if folded in asked:
                reason = f"“{passage.text}” is asked twice. Ask something else."
                yield blocker("faq_shape", passage.section, reason)
            elif not passage.text.rstrip(" \"'”»’)").endswith(_QUESTION_MARKS):
                reason = f"“{passage.text}” is not a question. Write one that ends with its mark."
                yield warning("faq_shape", passage.section, reason)
            asked.add(folded)
        elif passage.kind is Kind.ANSWER and word_count(passage.text) < _ANSWER_MIN_WORDS:
            reason = "The answer is hardly one. Answer in one to three sentences."
            yield warning("faq_shape", passage.section, reason)
