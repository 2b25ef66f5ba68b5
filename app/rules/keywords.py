"""Whether a text uses its keywords, and where.

A keyword is missing only if nobody would find it: its words may be inflected, joined or apart, in
any order, and its small words may be missing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate

from app.core.schemas.post import KeywordCoverage, SEOPost
from app.core.schemas.request import KeywordUsageStrategy
from app.rules.finding import Checked, Finding, Severity
from app.rules.languages import primary_subtag, small_words
from app.rules.passages import Kind, Passage, passages
from app.rules.words import UNSPACED, fold, kept_if_short, sentences, stem, word_count
from app.writing.brief import Brief

# Of a hundred words. Fewer than four uses are never too many.
_MOST_USES = 2.5
_FREE_USES = 3
# The length of a short word, which is compared whole, and of a long one.
_SHORT, _LONG = 3, 6
# The shortest part of a compound that may stand apart.
_PART = 4
# Numbers up to twelve may be written in words.
_SMALL_NUMBER = re.compile(r"[0-9]|1[0-2]")
# “don't” may be “do not”, and “l'eau” is “eau”.
_CONTRACTED = re.compile(r"\b[^\W\d_]{1,2}['’](?=\w)|(?<=\w)['’][^\W\d_]{1,2}\b")
_UMLAUT = re.compile("(?<=[aou])e")
# “100km” is two words.
_RUN = re.compile(r"\d+|[^\W\d_]+")


class Words:
    """The words of texts, for looking keywords up."""

    def __init__(self, texts: Iterable[str], language: str) -> None:
        found = [key for text in texts for key in _keys(text, language)]
        self._language = language
        self._different = frozenset(found)
        self._lines = "\n".join(found)
        self._joined = "".join(found)
        self._starts = frozenset(accumulate(map(len, found), initial=0))

    def missing(self, keyword: str) -> tuple[str, ...]:
        """Return the words of a keyword of which the text has no form."""
        return tuple(word for word in _needed(keyword, self._language) if not self._has(word))

    def share(self, keyword: str) -> int:
        """Return how many words of a keyword the text has."""
        needed = _needed(keyword, self._language)
        return len(needed) - len(self.missing(keyword))

    def _has(self, word: str) -> bool:
        if self._contains(word) or (
            len(word) > _SHORT and any(map(is_form_of(word), self._different))
        ):
            return True
        root = stem(word, self._language)
        return (len(root) >= _PART and self._contains(root)) or any(
            self._contains(word[:at]) and self._contains(word[at:])
            for at in range(_PART, len(word) - _PART + 1)
        )

    def _contains(self, word: str) -> bool:
        """Return whether the word stands in the text, in a compound (a short one at its beginning)
        or in parts: “e-mail” is “email”, and “bookcase” may be “book case”."""
        if len(word) == _SHORT and any(each.startswith(word) for each in self._different):
            return True
        if len(word) > _SHORT and not word.isdigit() and word in self._lines:
            return True
        at = self._joined.find(word)
        while at >= 0:
            end = at + len(word)
            # A number goes on with its digits: 14 is not in 140.
            goes_on = word[-1:].isdigit() and self._joined[end : end + 1].isdigit()
            if (
                at in self._starts
                and not goes_on
                and (len(word) > _SHORT or end in self._starts or word.isdigit())
            ):
                return True
            at = self._joined.find(word, at + 1)
        return False


def is_form_of(word: str) -> Callable[[str], bool]:
    """Return a function that tells whether another word begins like this one and is about as long:
    knife and knives, miasto and miasta, install and installation."""
    same = max(5, len(word) * 3 // 5) if len(word) > _LONG else max(3, len(word) - 2)
    begin, most = word[:same], same + (4 if len(word) <= _LONG else 7)
    return lambda other: other.startswith(begin) and len(other) <= most


@kept_if_short
def _keys(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text without case, accents and signs; in German, ae is ä."""
    folded = _CONTRACTED.sub(" ", fold(text))
    if primary_subtag(language) == "de":
        folded = _UMLAUT.sub("", folded)
    return tuple(_RUN.findall(folded))


@lru_cache(maxsize=256)
def _needed(keyword: str, language: str) -> tuple[str, ...]:
    """Return the words of a keyword without its small words, unless it has no others."""
    small = {key for each in small_words(language) for key in _keys(each, language)}
    found = ["".join(_keys(each, language)) for each in keyword.split()]
    found = [each for each in found if each]
    needed = [each for each in found if each not in small and not _SMALL_NUMBER.fullmatch(each)]
    return tuple(needed or found)


@lru_cache(maxsize=64)
def exact_form(keyword: str) -> re.Pattern[str]:
    """Return a pattern of the keyword as it is written; case and kinds of white space, apostrophes
    and hyphens do not matter."""
    form = r"\s+".join(map(re.escape, keyword.split()))
    form = re.sub("['’]", "['’]", form).replace(r"\-", "[-\u2010\u2011]")
    before, after = (
        r"\w" if each.isalnum() and not re.match(f"[{UNSPACED}]", each) else "^"
        for each in (keyword[:1], keyword[-1:])
    )
    return re.compile(rf"(?<!{before}){form}(?!{after})" if keyword else r"(?!)", re.IGNORECASE)


def keyword_coverage(post: SEOPost, brief: Brief) -> tuple[KeywordCoverage, ...]:
    """Return for each keyword whether the post uses it, and the sentence that uses most of it."""
    texts = [each for each in passages(post) if each.section != "meta.description"]
    # Prose is better evidence than a heading, and any text than the title.
    texts.sort(key=lambda each: (each.section == "title", each.kind is Kind.HEADING))
    found = [said for each in texts for said in sentences(each.text, brief.language)]
    words_of = cache(lambda text: Words([text], brief.language))
    is_exact = brief.strategy is KeywordUsageStrategy.EXACT
    missing = missing_words(texts, brief)
    covered = []
    for keyword, words in zip(brief.keywords, missing, strict=True):
        evidence = ""
        if not words and is_exact:
            form = exact_form(keyword)
            evidence = next((text for text in found if form.search(text)), keyword)
        elif not words and found:
            # The first sentence that uses all of it, which is near the beginning of most posts.
            whole = (text for text in found if not words_of(text).missing(keyword))
            evidence = next(whole, "")
            if not evidence:
                evidence = max(found, key=lambda text: words_of(text).share(keyword))
        covered.append(KeywordCoverage(keyword=keyword, covered=not words, evidence=evidence))
    return tuple(covered)


def missing_words(texts: Sequence[Passage], brief: Brief) -> list[tuple[str, ...]]:
    """Return for each keyword the words that the texts lack; none if they use it.

    By the exact strategy, a keyword must stand somewhere as it is spelled, case aside.
    """
    if not brief.keywords:
        return []
    if brief.strategy is KeywordUsageStrategy.EXACT:
        return [
            () if any(exact_form(keyword).search(each.text) for each in texts) else (keyword,)
            for keyword in brief.keywords
        ]
    everything = Words((each.text for each in texts), brief.language)
    return [everything.missing(keyword) for keyword in brief.keywords]


def check_keywords(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each keyword that is missing, or used too often for the strategy."""
    brief = checked.brief
    missing = missing_words(checked.spoken, brief)
    for keyword, words in zip(brief.keywords, missing, strict=True):
        if not words:
            continue
        if brief.strategy is KeywordUsageStrategy.EXACT:
            reason = (
                f"The keyword “{keyword}” does not stand in the text in exactly this spelling. Use"
                " it once where it reads best."
            )
        else:
            shown = ", ".join(f"“{word}”" for word in words)
            reason = (
                f"The text does not use the keyword “{keyword}”: it has no form of {shown}. Use its"
                " words once where they read best, in any form and order."
            )
        yield Finding("keyword_missing", Severity.BLOCKER, "post", reason)
    if brief.strategy is not KeywordUsageStrategy.BALANCED:
        return
    below = [each.text for each in checked.spoken if each.kind is not Kind.HEADING]
    total = sum(map(word_count, below))
    said = [key for text in below for key in _keys(text, brief.language)]
    needed = map(is_form_of, _needed(brief.primary_keyword, brief.language))
    uses = min((sum(map(form, said)) for form in needed), default=0)
    most = max(_FREE_USES, int(_MOST_USES * total / 100))
    if uses > most:
        yield Finding(
            "keyword_overused",
            Severity.WARNING,
            "post",
            f"The post uses “{brief.primary_keyword}” {uses} times in {total} words; at most {most}"
            f" times read well. Replace {uses - most} of them by “it” or another word.",
        )
