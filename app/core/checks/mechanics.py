"""What any copy editor marks: spelling, grammar, punctuation, broken characters, capitals."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

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
from app.core.checks.passage import Kind, Passage, paragraphs
from app.core.languages import (
    Articles,
    Grammar,
    GrammarRule,
    Spelling,
    get_language,
    get_section,
)
from app.core.text import (
    WORDS_KEPT,
    Span,
    indexes,
    primary_subtag,
    repeats,
    sentences,
    typed,
    word_spans,
    words,
)
from app.core.text.spelling import WordList, word_list

_MECHANICS = ScorePart.MECHANICS


# Each passage asks for them; `get_section` takes ten times as long.
def _grammar(language: str) -> Grammar | None:
    spoken = get_language(language)
    return spoken.grammar if spoken else None


def _spelling(language: str) -> Spelling | None:
    spoken = get_language(language)
    return spoken.spelling if spoken else None


# A word of letters only: no part of a name, a path, an address or a number.
_WORD = re.compile(
    r"(?<![\w'’@/.\\~#$%&+=_-])[^\W\d_]{1,40}(?:['’][^\W\d_]{1,40}){0,3}(?![\w@/\\&+=~(-]|['’.:]\w)"
)
_SHORTEST_CHECKED = 4
_SHORTEST_PART = 4
_SHORTEST_STEM = 3
_SHORTEST_JOINED = 6
_PLAIN = str.maketrans("áéíóú", "aeiou")


@check(
    "misspelling", _MECHANICS, Scope.DOCUMENT, WARNING, "Correct the spelling.",
    languages=with_section(Spelling), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_misspelling(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Words that are certainly misspelled, and unknown ones that resemble a common word.

    Names and technical terms come more than once, with a capital, or beside others of their kind:
    only a word in lower case that the text uses once is compared with the common words.
    """
    rules = _spelling(language)
    if rules is None:
        return
    speller = _Speller(rules, language)
    spoken = get_language(language)
    nouns = spoken is not None and spoken.capitalises_nouns
    texts = [(passage, passage.text_without_code) for passage in everything if _is_text(passage)]
    counts = Counter(word for _, text in texts for word in words(text))
    suspects = speller.unlisted(
        word for word, count in counts.items() if count == 1 and len(word) >= _SHORTEST_CHECKED
    )
    wrong = rules.misspelled.keys() & counts.keys()
    for passage, text in texts if wrong or suspects else ():
        spans = word_spans(text)
        for index, folded in enumerate(words(text)):
            if folded not in wrong and folded not in suspects:
                continue
            span = spans[index]
            if not (match := _WORD.match(text, span[0])):
                continue
            word = match.group()
            # Other checks find letters of other scripts, and â€ for a quotation mark.
            if _OTHER_LETTER.search(word) or text.startswith("â€", match.end() - 1):
                continue
            is_name = word[0].isupper() and not (nouns or _begins(text, span[0]))
            correct = rules.near_name(folded) if is_name else rules.misspelled.get(folded)
            if (
                correct is None
                and speller.is_unknown(word)
                and not (_begins_clause(text, spans, index, rules) and speller.is_cut(word))
            ):
                near = [spans[at] for at in (index - 1, index + 1) if 0 <= at < len(spans)]
                beside = [text[slice(*place)] for place in near if _adjoin(place, span)]
                if not any(map(speller.is_unknown, beside)):
                    correct = speller.cut(word, text, near) or speller.correction(word)
            if correct is not None:
                if word[0].isupper():
                    correct = correct[0].upper() + correct[1:]
                problem = f"“{word}” is misspelled. Did you mean “{correct}”?"
                yield check_misspelling.found(passage.section, problem, match.span())
    for passage, text in texts:
        for match in _TWO_NOUNS.finditer(text) if nouns else ():
            joined = f"{match[1]}{match[2].lower()}"
            if speller.is_split(match[1].lower(), match[2].lower()):
                problem = f"“{match.group()}” is misspelled. Did you mean “{joined}”?"
                yield check_misspelling.found(passage.section, problem, match.span())
        for span, odd, meant in _odd_words(text, speller):
            problem = f"“{odd}” is misspelled. Did you mean “{meant}”?"
            yield check_misspelling.found(passage.section, problem, span)


# Two nouns in a row behind a small word: der Wasser Hahn.
_TWO_NOUNS = re.compile(
    r"(?<=[a-zßr] )([A-ZÄÖÜ][a-zäöüß]{2,20}) ([A-ZÄÖÜ][a-zäöüß]{2,20})(?![\w-])"
)
_OTHER_LETTER = re.compile(r"[^\W\d_\u0000-\u024f]")
# A word with a digit in place of a letter, one with a sign hit beside a letter, one broken by a
# hyphen, and one with a letter drawn out.
_ODD_WORD = re.compile(
    r"(?<![\w@./\\#$%&+=_-])(?:(?P<digit>[a-z]{1,12}[01345][a-z]{1,12}[013]?[a-z]{0,6}"
    r"|[a-z]{2,20}[2-9;\]][a-z]{2,20})"
    r"|(?P<broken>[^\W\d_]{2,15}-[ \n][^\W\d_A-ZÀ-Þ]{2,15})"
    r"|(?P<drawn>[^\W\d_]{0,15}([^\W\d_])\4{2,20}[^\W\d_]{0,15}))(?![\w@/\\#=_\[-]|\.\w)"
)
_ODD_SIGN = re.compile(r"[0-9;\]](?<=[a-z].)[a-z]")
_STRAY_SIGN = re.compile(r"[0-9;\]]")
_FEWEST_LEFT = 5
# A number with letters for digits.
_NUMBER = re.compile(
    r"(?<![\w.,:$€£'’/+=-])(?:\d{1,4}[OoIl]\d{0,3}|[lIO]\d{1,4})"
    r"(?= (?:minut|hour|da[yi]|week|month|year|percent|lit|g |kg|cm|km|ml|mm|met|square|photo|gram"
    r"|people|euro|dollar|pound|degree|mile|second|time|Minuten|Stunden|Tage|Wochen|Jahre|Prozent))"
)
_DIGIT_SIGN = re.compile(r"\d(?:[OoIl]|(?<=[lIO]\d))")
_AS_DIGITS = str.maketrans("OoIl", "0011")
_THREE = tuple(letter * 3 for letter in "abcdefghijklmnopqrstuvyz")
_DIGITS = (str.maketrans("01345", "oleas"), str.maketrans("01345", "oieas"))


def _odd_words(text: str, speller: "_Speller") -> Iterator[tuple[Span, str, str]]:
    """Yield words such as b0wl, sto3rage, impor- tant, sooo and l5 days, each with what is
    meant."""
    if _DIGIT_SIGN.search(text):
        for match in _NUMBER.finditer(text):
            yield match.span(), match.group(), match.group().translate(_AS_DIGITS)
    has_sign = "- " in text or "-\n" in text or any(three in text for three in _THREE)
    for match in _ODD_WORD.finditer(text) if has_sign or _ODD_SIGN.search(text) else ():
        word = match.group()
        if match.lastgroup == "digit":
            meant = [word.translate(each) for each in _DIGITS]
            left = _STRAY_SIGN.sub("", word)
            if len(left) >= _FEWEST_LEFT:
                meant.append(left)
        elif match["broken"]:
            first, last = re.split(r"-\s", word)
            meant = [] if speller.is_word(last.lower()) else [f"{first}{last}".lower()]
            if not meant and not speller.is_word(first.lower()):
                meant = [f"{first}{last}".lower()]
        else:
            letter = match[4].lower()
            low = word.lower()
            run = re.escape(letter) + "{3,}"
            meant = [re.sub(run, letter * count, low) for count in (1, 2)]
            if letter in "xwi" or len(set(low)) < 2 or speller.is_word(low):
                continue
        correct = next((each for each in meant if speller.is_frequent(each)), None)
        if correct and correct != word.lower():
            yield match.span(), word, correct


def _is_text(passage: Passage) -> bool:
    return passage.kind is not Kind.CODE


def _begins(text: str, at: int) -> bool:
    """Whether a sentence begins there."""
    before = text[max(0, at - 3) : at].rstrip(' \n"“‘«(¿¡')
    return at < 2 or before[-1:] in {"", ".", "!", "?", ":"}


def _begins_clause(text: str, spans: Sequence[Span], index: int, rules: Spelling) -> bool:
    """Whether an imperative can stand there."""
    if not index or not _adjoin(spans[index - 1], spans[index]):
        return True
    return text[slice(*spans[index - 1])].lower() in rules.clause_openers


def _adjoin(one: Span, other: Span) -> bool:
    """Whether only a space can be between two words."""
    return one[1] + 1 == other[0] or other[1] + 1 == one[0]


class _Speller:
    """The known words of a language; in other languages than English, also those of English."""

    def __init__(self, rules: Spelling, language: str) -> None:
        self._rules = rules
        self._english = primary_subtag(language) == "en"
        self._own = word_list(language, rules.letters)
        english = get_section("en", Spelling)
        self._lists: list[WordList] = [self._own] if self._own else []
        if english and not self._english and (more := word_list("en", english.letters)):
            self._lists.append(more)
        self._others = rules.other_words | (english.other_words if english else frozenset())
        self._unknown: dict[str, bool] = {}

    def unlisted(self, words: Iterable[str]) -> frozenset[str]:
        """Return the words that are in no list, or that may be so after their apostrophe."""
        left = [word for word in words if word not in self._others]
        for each in self._lists:
            left = each.unknown(left)
        return frozenset(left)

    def is_unknown(self, word: str) -> bool:
        """Return whether a word is in lower case, and not a form or compound of known words."""
        if word not in self._unknown:
            self._unknown[word] = self._is_unknown(word)
        return self._unknown[word]

    def _is_unknown(self, word: str) -> bool:
        if not self._own or len(word) < _SHORTEST_CHECKED or not word.islower():
            return False
        if "'" in word or "’" in word:
            # In English only the possessive and contractions have one.
            first, _, last = word.replace("’", "'").rpartition("'")
            if self._english or len(last) < _SHORTEST_CHECKED:
                return False
            return len(first) < _SHORTEST_CHECKED and self._is_unknown(last)
        if len(set(word)) < 3:
            return False  # laughter, and x for each character of code
        return not (self._knows(word) or self._is_form(word) or self._is_compound(word))

    def is_cut(self, word: str) -> bool:
        """Return whether a word is a known one without its ending, as some imperatives are."""
        own = self._lists[0]
        return any(own.knows(f"{word}{ending}") for ending in self._rules.cut_endings)

    def _knows(self, word: str) -> bool:
        return word in self._others or any(each.knows(word) for each in self._lists)

    def _is_form(self, word: str) -> bool:
        rules, own = self._rules, self._lists[0]
        return (
            any(
                word.startswith(prefix)
                and len(word) - len(prefix) >= _SHORTEST_PART
                and own.is_frequent(word[len(prefix) :])
                for prefix in rules.prefixes
            )
            or any(
                word.endswith(suffix)
                and len(word) - len(suffix) >= _SHORTEST_STEM
                and own.knows(word[: -len(suffix)])
                for suffix in rules.suffixes
            )
            or any(
                word.endswith(clitic)
                and (first := word[: -len(clitic)]) != first.translate(_PLAIN)
                and len(first) >= _SHORTEST_STEM
                and own.knows(first.translate(_PLAIN))
                for clitic in rules.clitics
            )
        )

    def _is_compound(self, word: str) -> bool:
        own = self._lists[0]
        for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if own.is_frequent(word[at:]):
                for joint in self._rules.joints:
                    first = word[:at].removesuffix(joint)
                    if len(first) >= _SHORTEST_PART - 1 and own.is_frequent(first):
                        return True
        return False

    def is_split(self, one: str, two: str) -> bool:
        """Return whether two known words make a known one together."""
        own = self._lists[0]
        return own.knows(f"{one}{two}") and own.is_frequent(one) and own.knows(two)

    def is_word(self, word: str) -> bool:
        """Return whether a word in lower case is in the list of the language."""
        return not self._own or self._knows(word)

    def is_frequent(self, word: str) -> bool:
        """Return whether a word in lower case is a common one."""
        return self._own is not None and len(word) > 1 and self._own.is_frequent(word)

    def cut(self, word: str, text: str, near: Sequence[Span]) -> str | None:
        """Return the common word that an unknown one is a part of, with the word beside it."""
        own = self._lists[0]
        for place in near:
            beside = text[slice(*place)].lower()
            before = text.find(word, place[1], place[1] + len(word) + 2) >= 0
            joined = f"{beside}{word}" if before else f"{word}{beside}"
            if beside.isalpha() and len(joined) >= _SHORTEST_JOINED and own.is_frequent(joined):
                return joined
        if not self._english:
            return None
        for at in range(2, len(word) - 1):
            one, two = word[:at], word[at:]
            if {one, two} & self._rules.short_words and all(
                each in self._rules.short_words or (len(each) > 2 and own.is_frequent(each))
                for each in (one, two)
            ):
                return f"{one} {two}"
        return None

    def correction(self, word: str) -> str | None:
        """Return the common word that an unknown one stands for, if any."""
        own = self._lists[0]
        before, apostrophe, last = word.rpartition("’" if "’" in word else "'")
        correct = own.correction(last)
        return f"{before}{apostrophe}{correct}" if correct else None


@check(
    "doubled_word", _MECHANICS, Scope.PASSAGE, WARNING, "Delete one of the two.",
    languages=with_section(Grammar), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_doubled_word(passage: Passage, language: str) -> Iterator[Finding]:
    """A word that stands twice in a row by mistake."""
    rules = _grammar(language)
    if rules is None or not _is_text(passage):
        return
    text = passage.text_without_code
    said = words(text)
    doubled = [index for index in repeats(said, 1) if said[index].isalpha()]
    # Read once: a long text is not kept.
    spans = word_spans(text) if doubled else ()
    for index in doubled:
        word, (one, two) = said[index], spans[index : index + 2]
        if text[one[1] : two[0]] not in {" ", "\n"}:
            continue
        first, second = text[slice(*one)], text[slice(*two)]
        # Names such as Bora Bora; x stands for code.
        named = second[0].isupper() and not (first.isupper() and len(first) > 1)
        if named or word in rules.may_double or set(word) == {"x"} or _in_name(text, one, two):
            continue
        if word in rules.relatives and _may_be_relative(_before(text, one[0]), rules):
            continue
        problem = f"“{first} {second}” has the same word twice."
        yield check_doubled_word.found(passage.section, problem, (one[0], two[1]))
    yield from _doubled_phrases(passage, text, rules)


def _doubled_phrases(passage: Passage, text: str, rules: Grammar) -> Iterator[Finding]:
    """Yield two or three words that stand twice in a row: in the in the."""
    said, spans = words(text), tuple[Span, ...]()
    for size in (2, 3):
        for index in repeats(said, size):
            phrase = said[index : index + size]
            if (
                phrase != said[index + size : index + 2 * size]
                or len(set(phrase)) < size
                or not all(map(str.isalpha, phrase))
                or not rules.may_double.isdisjoint(phrase)
                or phrase[-1] in rules.joining
                or phrase[0] in rules.joining
            ):
                continue
            spans = spans or word_spans(text)
            begin, end = spans[index][0], spans[index + 2 * size - 1][1]
            shown = text[begin:end]
            if re.fullmatch(r"[\w'’]+(?: [\w'’]+){3,5}", shown) and not shown.istitle():
                problem = f"“{shown}” has the same words twice."
                yield check_doubled_word.found(passage.section, problem, (begin, end))
                return


def _before(text: str, at: int) -> str:
    """Return the characters before a place, without copying the whole text."""
    return text[max(0, at - _LOOK_BACK) : at]


_LOOK_BACK = 40
_NAME_SIGNS = frozenset("./\\@&-_'’")
_LAST_WORD = re.compile(r"([\w,]{1,40})\s?\Z")


def _in_name(text: str, first: Span, last: Span) -> bool:
    """Whether two words are beside signs of a path, an address or a compound."""
    before, after = _before(text, first[0])[-1:], text[last[1] : last[1] + 2]
    return before in _NAME_SIGNS or (
        after[:1] in _NAME_SIGNS and (after[:1] != "." or after[1:].isalnum())
    )


def _may_be_relative(before: str, rules: Grammar) -> bool:
    last = _LAST_WORD.search(before)
    return last is None or last[1].endswith(",") or last[1].lower() in rules.prepositions


@check(
    "wrong_article", _MECHANICS, Scope.PASSAGE, WARNING, "Correct the article.",
    languages=with_section(Articles), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_wrong_article(passage: Passage, language: str) -> Iterator[Finding]:
    """An article that does not fit the sound of the next word: a hour, an university."""
    rules = get_section(language, Articles)
    if rules is None or not _is_text(passage):
        return
    text = passage.text_without_code
    spans = word_spans(text)
    for index, word in indexes(text, _ARTICLES):
        if index + 1 == len(spans):
            continue
        one, two = spans[index : index + 2]
        if text[one[1] : two[0]] != " ":
            continue
        article, noun = text[slice(*one)], text[slice(*two)]
        before, after = _before(text, one[0])[-2:], text[two[1] : two[1] + 2]
        # A capital A inside a sentence is a name: vitamin A.
        if before.endswith(_BEFORE_NO_ARTICLE) or (
            article[0] == "A" and before[-2:] not in _STARTS
        ):
            continue
        if after and ((after[0] in "'’./_%" and after[1:].isalnum()) or after[:1] in "(/_"):
            continue
        wanted = _article_before(noun, language)
        if wanted and wanted != word:
            problem = f"“{article} {noun}” should be “{_like(wanted, article)} {noun}”."
            yield check_wrong_article.found(passage.section, problem, (one[0], two[1]))


_ARTICLES = frozenset({"a", "an"})
_BEFORE_NO_ARTICLE = (*"./\\@&+=-]'’*", "(a", "[a")
_STARTS = frozenset({"", ". ", "! ", "? ", ": ", "“", '"', " “", ' "', "(", " ("})
_LETTER_WITH_VOWEL = frozenset("AEFHILMNORSX")
_SPOKEN_WITH_VOWEL = frozenset({"8", "11", "18"})
_LONGEST_SPELLED_OUT = 5
# Beside an article they may be letters, grades or parts of a foreign phrase.
_NO_NOUNS = frozenset(
    {"another", "or", "and", "is", "are", "in", "if", "as", "at", "i", "o", "e", "of", "on"}
)


@lru_cache(maxsize=WORDS_KEPT)
def _article_before(word: str, language: str) -> str | None:
    """Return the article that a word takes, or None if that is not certain."""
    rules, lower = get_section(language, Articles), word.lower()
    if rules is None:
        return None
    if word.isdigit():
        if len(word) == 4 and word[:2] in {"11", "18"}:
            return None
        with_vowel = word in _SPOKEN_WITH_VOWEL or (word[0] == "8" and len(word) < 4)
        return "an" if with_vowel else "a"
    if word.isupper():
        # Acronyms with vowels may be read as words.
        if not 1 < len(word) <= _LONGEST_SPELLED_OUT:
            return None
        if not set(word) & set("AEIOU") or word[0] in "BCDGJKPQTVWYZ":
            return "an" if word[0] in _LETTER_WITH_VOWEL else "a"
        return None
    if len(lower) < 2 or lower in _NO_NOUNS or not lower.isascii() or not word[1:].islower():
        return None
    if lower.startswith(rules.vowel_sounds):
        return "an"
    if lower.startswith(rules.consonant_sounds):
        return "a"
    if lower.startswith(rules.either):
        return None
    if word[0].islower() and not _is_in_word_list(lower, language):
        return None  # such as mbox and udeb
    return "an" if lower[0] in "aeiou" else "a" if set(lower) & set("aeiouy") else None


def _is_in_word_list(word: str, language: str) -> bool:
    rules = _spelling(language)
    known = word_list(language, rules.letters) if rules else None
    return known is None or known.knows(word)


def _like(word: str, model: str) -> str:
    return word.capitalize() if model[0].isupper() else word


@check(
    "confused_words", _MECHANICS, Scope.PASSAGE, WARNING, "Correct it.",
    languages=with_section(Grammar), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_confused_words(passage: Passage, language: str) -> Iterator[Finding]:
    """Words that are mixed up: could of, their is, better then."""
    rules = _grammar(language)
    if rules and _is_text(passage):
        yield from _by_rules(check_confused_words, rules.confused_by_word, passage)


@check(
    "disagreement", _MECHANICS, Scope.PASSAGE, WARNING, "Correct it.",
    languages=with_section(Grammar), in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_disagreement(passage: Passage, language: str) -> Iterator[Finding]:
    """Forms that do not agree: they was, these book, have went."""
    rules = _grammar(language)
    if rules and passage.is_prose:
        yield from _by_rules(check_disagreement, rules.disagreeing_by_word, passage)


def _by_rules(
    broken: DeskCheck[[Passage, str]],
    rules: Mapping[str, Sequence[GrammarRule]],
    passage: Passage,
) -> Iterator[Finding]:
    text, end = passage.text_without_code, 0
    spans = word_spans(text)
    for index, word in indexes(text, rules.keys()):
        start = spans[index][0]
        for rule in rules[word]:
            if start >= end and (match := rule.pattern.match(text, start)):
                end = match.end()
                said = " ".join(match.group().split())
                instead = " ".join(match.expand(rule.instead).split())
                shown = instead if "“" in instead else f"“{instead}”"
                problem = f"“{said}” is wrong: use {shown}."
                yield broken.found(passage.section, problem, match.span())
                break


def has_comma_splices(language: str) -> bool:
    rules = _grammar(language)
    return bool(rules and rules.comma_splices)


@check(
    "comma_splice", _MECHANICS, Scope.PASSAGE, WARNING,
    "Put a full stop in its place, or add a word such as “and”.",
    languages=has_comma_splices, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_comma_splice(passage: Passage, language: str) -> Iterator[Finding]:
    """Two short sentences with only a comma between them."""
    rules = _grammar(language)
    if not rules or not passage.is_prose:
        return
    for sentence in sentences(passage.text, language):
        if (
            len(sentence.text) <= _LONGEST_SPLICE
            and sentence.text.count(",") == 1
            and any(each.fullmatch(sentence.text.lower()) for each in rules.comma_splices)
        ):
            problem = f"“{sentence.text}” is two sentences joined by a comma."
            yield check_comma_splice.found(passage.section, problem, sentence.span)


_LONGEST_SPLICE = 120


@check(
    "punctuation", _MECHANICS, Scope.PASSAGE, WARNING, "Correct the punctuation.",
    in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_punctuation(passage: Passage, language: str) -> Iterator[Finding]:
    """A missing or superfluous space, and marks that are doubled: " ,", "..", "!!!"."""
    if not _is_text(passage):
        return
    text = passage.text_without_code
    for match in _near_signs(text):
        kind = match.lastgroup or ""
        if kind == "joined" and not _joins_words(match, language):
            continue
        if kind == "comma" and not _joins_list(match):
            continue
        if kind == "decimal" and primary_subtag(language) != "en":
            continue
        shown = " ".join(match.group().split())
        problem = f"“{shown}”: {_MARK_PROBLEMS[kind]}"
        yield check_punctuation.found(passage.section, problem, match.span())


def _near_signs(text: str) -> Iterator[re.Match[str]]:
    """Yield the wrong marks; only the words around signs of one are searched, and only once."""
    begin = until = 0
    for sign in _MARK_SIGN.finditer(text):
        start = max(0, sign.start() - _MARK_CHARS)
        if start > until:
            yield from _wrong_marks(text, begin, until)
            begin = start
        until = min(len(text), sign.end() + _MARK_CHARS)
    yield from _wrong_marks(text, begin, until)


def _wrong_marks(text: str, begin: int, until: int) -> Iterator[re.Match[str]]:
    for match in _WRONG_MARKS.finditer(text, begin, until):
        if match.end() < until or until == len(text):
            yield match


_MARK_CHARS = 90
_MARK_PROBLEMS = {
    "joined": "there is no space after the full stop.",
    "comma": "there is no space after the comma.",
    "before": "there is a space before the mark.",
    "stops": "the full stop is doubled.",
    "commas": "the comma is doubled.",
    "shouts": "one mark is enough.",
    "two": "two marks stand together, and one of them is wrong.",
    "bracket": "a space is missing beside the bracket.",
    "inside": "there is a space inside the bracket.",
    "semicolon": "there is no space after the mark.",
    "unit": "there is no space between the number and the word.",
    "apostrophe": "there is a space before the apostrophe.",
    "money": "the sign and the word for the money stand together. Keep one.",
    "percent": "the sign and the word for percent stand together. Keep one.",
    "late": "the space stands before the mark, not after it.",
    "dashes": "there are too many dashes.",
    "nothing": "nothing follows the comma.",
    "range": "a space or a mark is wrong between the two words.",
    "empty": "the brackets are empty.",
    "contraction": "the apostrophe stands in the wrong place.",
    "quotes": "these signs are no quotation mark.",
    "share": "there is no space after the sign.",
    "decimal": "English writes a point before the decimals.",
}
# None of them begins inside a word, where most characters stand.
_WRONG_MARKS = re.compile(
    r"(?!(?<=\w)[^\W\d_])(?:"
    r"(?<![\w./\\@:_#-])(?P<joined>[^\W\d_]{2,30}[.!?][^\W\d_]{1,30})(?=[ ,\n]|['’]\w)"
    r"|(?<![\w,./\\@:_#=-])(?P<comma>[^\W\d_]{2,30},(?:[^\W\d_]{2,30}|[aIyéeo]))"
    r"(?=[ .;:!?\n]|\Z)(?!\.\w)"
    r"|(?P<nothing>(?<=[^\W_]) ?, \.(?=\s|\Z))"
    r"|(?P<range>(?<![\w.])[a-z]{3,20}\.\.[a-z]{3,20}(?![\w.]))"
    r"|(?P<empty>(?<=[a-z] )\( ?\)(?=[ .,]))"
    r"|(?P<contraction>(?<!\w)(?:is|does|do|did|was|have|has|are|were|could|would|should|ca|wo)"
    r"['’]nt(?!\w))"
    r"|(?P<quotes>(?<=[a-z] )(?:''|,,|``)(?=[A-Za-z]))"
    r"|(?P<share>\d ?%[a-z]{3,20})"
    r"|(?P<decimal>(?<![\d.,])\d{1,3},\d{1,2}(?= (?:euros?|dollars?|pounds?|lit(?:er|re)s?"
    r"|met(?:er|re)s?|kilos?|kilograms?|grams?|hours?|minutes?|miles?|degrees?|percent|cm|mm|km"
    r"|kg|ml)(?!\w)))"
    r"|(?P<before>(?<=[^\W_]) [,.](?=[ \n]|\Z)(?! [,.]))"
    r"|(?P<stops>(?<=[^\W_])\.\.(?=[\s\"”’')]|\Z))"
    r"|(?P<commas>(?<=[^\W_]),,(?=[\s]|\Z))"
    r"|(?P<two>(?<=[^\W_])(?:[,;:]\.(?!\.)|[;:],|,;|,:|[?!],?\.(?!\.)|(?<=[a-z]{4})\.[,;:]"
    r"|[;:]{2})(?=\s|\Z))"
    r"|(?P<bracket>(?<![\w.])[a-z]{3,20}\((?=[a-z]{2,20} [a-z])[^()\n]{1,80}\)"
    r"|\([^()\n]{1,60} [^()\n]{1,60}\)(?=[a-z]{3})[a-z]{3,20}(?![\w-]))"
    r"|(?P<inside>(?<=[a-z] )\( (?=[A-Za-z])[^()\n]{1,60}\)"
    r"|(?<=[a-z] )\((?=[A-Za-z])[^()\n]{1,60}[a-z] \))"
    r"|(?P<semicolon>(?<![\w&#.])[a-z]{3,20}[;:](?=[a-z]{3})[a-z]{3,20}(?=[ ,.]))"
    r"|(?P<unit>(?<![\w.,/-])\d{1,6}(?:euros?|dollars?|cups?|minutes?|hours?|days?|weeks?"
    r"|months|years?|people|percent"
    r"|grams?|lit(?:er|re)s?|miles|times|pounds|met(?:er|re)s|tablespoons?|teaspoons?|degrees"
    r"|Euro|Minuten|Stunden"
    r"|Tage|Wochen|Monate|Jahre|Prozent|Gramm|Liter)(?![\w-]))"
    r"|(?P<apostrophe>(?<=[a-z]) ['’](?:t|re|ve|ll)(?= [a-z])|(?<=n)['’] t(?= [a-z]))"
    r"|(?P<money>[$€£] ?\d[\d.,]{0,12}(?: (?:million|billion|thousand))? (?:US )?(?:dollars?"
    r"|euros?|pounds?|bucks|Dollar|Euro|Pfund)(?!\w))"
    r"|(?P<percent>\d ?% (?:percent|per cent|Prozent)(?!\w))"
    r"|(?P<late>(?<=[\w%)]) [,;](?=[a-z]{2}))"
    r"|(?P<dashes>(?<=[a-z] )(?:-- ?- ?-*|– ?– ?–*|- - ?-*|— ?—+)(?= [a-z]))"
    r"|(?P<shouts>(?<=[^\W_])(?:!{3,20}|[!?]{0,9}\?\?[!?]{0,20}))(?=[\s\"”’')]|\Z))"
)
# What each of them contains: the pattern above takes a hundred times as long. A search is fast if
# the first character is one of a few.
_MARK_SIGN = re.compile(
    r"[-.!?,;:()'’`$€£%–—\d](?:"
    r"(?<=[.!?,;:])[^\W\d_]|(?<= [,.;])(?=[ \n]|\Z|[a-z])|(?<=\.)\.|(?<=,),|(?<=!)!!|(?<=\?)\?"
    r"|(?<=[,;:?!.])[.,;:](?=\s|\Z)|(?<=[a-z]\()|(?<=\))[a-z]|(?<=\()[ )]|(?<= \))"
    r"|(?<=\d)[a-zA-Z]{3}|(?<=\d),\d{1,2} |(?<= ['’])[trvl]|(?<=['’])(?: t|nt)|(?<=')'|(?<=`)`"
    r"|(?<=[$€£]) ?\d|(?<=%) ?[a-z]|(?<=-) ?-|(?<=–)[ –]|(?<=—)—)"
)
_JOINED = re.compile(r"(\w+)[.!?](\w+)")


def _joins_words(match: re.Match[str], language: str) -> bool:
    """Whether a mark without space is between two sentences, and not in a name such as Node.js."""
    parts = _JOINED.fullmatch(match["joined"])
    if parts is None:
        return False
    last, first = parts[1], parts[2]
    if not (
        last[-2:].islower() and first[0].isupper() and (first[1:].islower() or len(first) == 1)
    ):
        return False
    rules = _spelling(language)
    known = word_list(language, rules.letters) if rules else None
    if known is None:
        return len(last) > 2 and last.islower()
    if len(first) == 1:
        return first in {"I", "A"} and known.is_frequent(last.lower())
    ends = known.is_frequent(last.lower()) or (len(last) == 2 and known.knows(last.lower()))
    return ends and (known.is_frequent(first.lower()) or known.knows(first.lower()))


def _joins_list(match: re.Match[str]) -> bool:
    """Whether a comma without space is in a sentence, and not between the parts of a name."""
    first, _, second = match["comma"].partition(",")
    in_sentence = second[0].islower() or second == "I"
    return first[-1].islower() and in_sentence and "xx" not in match.group()


def has_questions(language: str) -> bool:
    rules = _grammar(language)
    return bool(rules and (rules.questions.pattern != "(?!)" or rules.opening_marks))


@check(
    "question_mark", _MECHANICS, Scope.PASSAGE, WARNING, "Add the mark.",
    languages=has_questions, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_question_mark(passage: Passage, language: str) -> Iterator[Finding]:
    """A question that ends with a full stop; in Spanish, one without its opening mark."""
    rules = _grammar(language)
    if not rules or not passage.is_prose:
        return
    text = passage.text_without_code
    spoken = get_language(language)
    if rules.opening_marks and any(closing in text for closing in rules.opening_marks):
        for sentence in sentences(text, language):
            for closing, opening in rules.opening_marks.items():
                if (
                    sentence.text.endswith(closing)
                    and opening not in text[: sentence.span[1]]
                    and spoken is not None
                    and not spoken.function_words.isdisjoint(words(text))
                ):
                    problem = f"“{sentence.text[:60]}” has no “{opening}” at its start."
                    yield check_question_mark.found(passage.section, problem, sentence.span)
                    return
    if rules.question_words.isdisjoint(words(text)):
        return
    for sentence in sentences(text, language):
        if len(sentence.text) <= _LONGEST_QUESTION and rules.questions.fullmatch(sentence.text):
            problem = f"“{sentence.text}” is a question without a question mark."
            yield check_question_mark.found(passage.section, problem, sentence.span)


_LONGEST_QUESTION = 160


@check(
    "ordinal", _MECHANICS, Scope.PASSAGE, WARNING, "Correct the ending.",
    languages=lambda language: primary_subtag(language) == "en",
    in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_ordinal(passage: Passage, language: str) -> Iterator[Finding]:
    """An ordinal number with the wrong ending: 2th, 11st."""
    for match in _ORDINAL.finditer(passage.text_without_code) if _is_text(passage) else ():
        number, ending = match[1], match[2].lower()
        right = "th"
        if number[-2:] not in {"11", "12", "13"}:
            right = {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
        if ending != right:
            problem = f"“{match.group()}” should be “{number}{right}”."
            yield check_ordinal.found(passage.section, problem, match.span())


_ORDINAL = re.compile(r"(\d(?<![\w.,/:-]\d)\d{0,3})(st|nd|rd|th)(?![\w-])")


@check(
    "emoji_row", _MECHANICS, Scope.PASSAGE, WARNING, "Use one emoji at most, or none.",
    in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_emoji_row(passage: Passage, language: str) -> Iterator[Finding]:
    """Several emoji in a row."""
    if passage.text.isascii() or not _is_text(passage):
        return
    for match in _EMOJI_ROW.finditer(passage.text):
        problem = f"“{match.group().strip()}” is a row of emoji."
        yield check_emoji_row.found(passage.section, problem, match.span())


_EMOJI = (
    "[\u2728\u2764\u2b50\u26a1\u2705\U0001f300-\U0001f3fa\U0001f400-\U0001f5ff\U0001f600-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f900-\U0001f9ff\U0001fa70-\U0001faff]"
)
_MODIFIERS = "[\ufe0f\U0001f3fb-\U0001f3ff]{0,3}"
_ONE_EMOJI = f"{_EMOJI}{_MODIFIERS}(?:\u200d{_EMOJI}{_MODIFIERS}){{0,5}}"
_EMOJI_ROW = re.compile(f"{_ONE_EMOJI}(?: ?{_ONE_EMOJI}){{1,40}}")


@check(
    "missing_capital", _MECHANICS, Scope.PASSAGE, WARNING, "Write a capital letter.",
    languages=with_section(Grammar), in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_missing_capital(passage: Passage, language: str) -> Iterator[Finding]:
    """A small letter at the start of a sentence, in “i” and in the names of days and countries."""
    rules, spoken = _grammar(language), get_language(language)
    spelling = _spelling(language)
    known = word_list(language, spelling.letters) if spelling else None
    if rules is None or spoken is None or known is None or not passage.is_prose:
        return
    text = passage.text_without_code
    if not text[:1].isupper():
        # Notes in lower case throughout have no capital to miss.
        cut = _CUT_START.match(passage.text) if primary_subtag(language) == "en" else None
        if cut and spelling and (whole := _whole(cut[1], known, spelling.letters)):
            problem = f"The paragraph begins with “{cut[1]}”. Did you mean “{whole}”?"
            yield check_missing_capital.found(passage.section, problem, cut.span(1))
        return
    if not rules.proper_names.isdisjoint(words(text)):
        for word, (start, end) in zip(words(text), word_spans(text), strict=True):
            if word in rules.proper_names and text[start:end] == word:
                if _PART_OF_NAME.match(text, end) or _before(text, start)[-1:] in _NAME_SIGNS:
                    continue
                if rules.not_names.match(text, start):
                    continue
                problem = f"“{word}” needs a capital letter: “{word[0].upper()}{word[1:]}”."
                yield check_missing_capital.found(passage.section, problem, (start, end))
    if not _LOWER_SIGN.search(text):
        return
    for match in _LOWER_START.finditer(text):
        last, first = match[1].lower(), match[2]
        if last in rules.abbreviations or not known.is_frequent(last):
            continue
        if first in spoken.function_words or known.knows(first):
            problem = f"“{first}” begins a sentence with a small letter."
            yield check_missing_capital.found(passage.section, problem, match.span(2))


def _whole(end: str, known: WordList, letters: str) -> str | None:
    """Return the common word that lost one or two letters at its beginning, if any."""
    if known.knows(end):
        return None
    starts = [*letters, *(one + two for one in letters for two in letters)]
    found = next((start + end for start in starts if known.is_frequent(start + end)), None)
    return found and found.capitalize()


_PART_OF_NAME = re.compile(r"[./@_\\=:-]\w|[)(]")
_LOWER_SIGN = re.compile(r"\. [a-zà-ÿ]")
# The first word of a paragraph that goes on.
_CUT_START = re.compile(r"([a-zà-ÿ]{2,20}) [a-zà-ÿ]{1,20}[ ,]")
_LOWER_START = re.compile(r"(?<![\w./\\@-])([^\W\d_]{3,30})[.] ([^\W\d_]{1,30})(?![\w./\\@(_-]\w?)")


@check(
    "unbalanced_marks", _MECHANICS, Scope.PASSAGE, WARNING,
    "Add the missing one, or delete this one.",
    in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_unbalanced_marks(passage: Passage, language: str) -> Iterator[Finding]:
    """A bracket or quotation mark without its partner in the paragraph."""
    text = passage.text_without_code
    if not passage.is_prose or (
        all(text.count(one) == text.count(two) for one, two in _PAIRS)
        and (text.count('"') % 2 == 0)
    ):
        return
    for start, paragraph in paragraphs(text):
        for at in _unbalanced(paragraph):
            problem = f"“{paragraph[at : at + 40]}”: {_UNPAIRED.get(paragraph[at], _UNPAIRED[''])}"
            span = (start + at, start + at + 1)
            yield check_unbalanced_marks.found(passage.section, problem, span)
            break


_UNPAIRED = {
    "(": "this bracket is never closed.",
    "[": "this bracket is never closed.",
    ")": "this bracket was never opened.",
    "]": "this bracket was never opened.",
    "": "this quotation mark stands alone.",
}
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("„", "“"), ("«", "»"))
# Labels of a list, smileys and lengths in inches are no brackets or quotation marks.
_NO_PAIR = re.compile(
    r"(?:(?<=\s)|(?<=[,;(])|^)(?:[a-zA-Z]|\d{1,3}|[ivxIVX]{1,5})\)|[:;=8][-^o']?[()\[\]]{1,5}"
    r"|(?<=\d)[\"”]|[()\[\]]{1,3}[-^o']?[:;=](?!\w)|\^_?\^"
)
_CLOSING = {")": "(", "]": "["}


def _unbalanced(paragraph: str) -> Iterator[int]:
    """Yield the place of each bracket or quotation mark without a partner."""
    labels = {at for match in _NO_PAIR.finditer(paragraph) for at in range(*match.span())}
    opened: list[int] = []
    stray: list[int] = []
    for match in _BRACKET.finditer(paragraph):
        at, mark = match.start(), match.group()
        if mark in "([":
            if at not in labels or ")" in paragraph[at:]:
                opened.append(at)
        elif opened and paragraph[opened[-1]] == _CLOSING[mark]:
            opened.pop()
        elif at not in labels:
            stray.append(at)
    yield from (*(at for at in opened if at not in labels), *stray)
    yield from _unbalanced_quotes(paragraph, labels)


_BRACKET = re.compile(r"[()\[\]]")


def _places_of(sign: str, text: str) -> list[int]:
    return [at for at, each in enumerate(text) if each == sign]


def _unbalanced_quotes(paragraph: str, labels: set[int]) -> Iterator[int]:
    """Yield the place of a quotation mark without a partner.

    A quotation of several paragraphs opens each of them and closes the last: one mark more at the
    start or at the end of a paragraph is no fault.
    """
    straight = [match.start() for match in re.finditer('"', paragraph)]
    quotes = [at for at in straight if at not in labels]
    edges = {0, len(paragraph.rstrip(" .!?")) - 1, len(paragraph) - 1}
    if len(quotes) % 2 and len(straight) % 2 and not edges & set(quotes):
        yield quotes[-1]
    for opening, closing in (("“", "”"), ("„", "“”"), ("«", "»")):
        if opening == "“" and opening not in paragraph and "„" not in paragraph:
            stray = [at for at in _places_of("”", paragraph) if at not in labels]
            if len(stray) == 1 and not edges & set(stray):
                yield stray[0]
        if opening not in paragraph or (opening == "“" and "„" in paragraph):
            continue
        opens = [match.start() for match in re.finditer(opening, paragraph)]
        closes = sum(paragraph.count(mark) for mark in closing)
        if opening == "«" and paragraph.index("«") > paragraph.find("»") >= 0:
            continue  # »…«
        inside = [at for at in opens if at]
        # Some write “this“.
        if len(inside) > closes and (len(opens) + closes) % 2:
            yield inside[-1]


@check(
    "mojibake", _MECHANICS, Scope.PASSAGE, BLOCKER, "Type the right characters.",
    in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_mojibake(passage: Passage, language: str) -> Iterator[Finding]:
    """Characters of UTF-8 that were read in another encoding: cafÃ©, donâ€™t."""
    if typed(passage.text).isascii() or not _is_text(passage):
        return
    for match in _MOJIBAKE.finditer(passage.text_without_code):
        meant = _meant(match.group())
        if meant:
            problem = f"“{match.group()}” should probably be “{meant}”."
            yield check_mojibake.found(passage.section, problem, match.span())
            return


_AS_CP1252 = "".join(
    bytes([code]).decode("cp1252", errors="ignore") or chr(code) for code in range(0x80, 0xC0)
)
_TRAIL = f"[{re.escape(_AS_CP1252)}]"
_C1_TRAIL = f"(?:{_TRAIL}|[\u0080-\u009f])"
# In Portuguese, a capital Ã may stand before these.
_MARK = "[“”‘’„‚«»‹›–—…•]"
# Bytes that begin a character of two, three and four bytes, as they look in the wrong encoding.
_MOJIBAKE = re.compile(
    rf"(?:(?<![A-ZÀ-Þ])[ÂÃ](?:{_C1_TRAIL}(?=[a-zà-ÿ])|(?!{_MARK}){_C1_TRAIL})|[âï]{_C1_TRAIL}{{2}}|ð{_C1_TRAIL}{{3}}|(?:[ÐÑÎÏ]{_C1_TRAIL}){{2}}){{1,40}}"
)


def _meant(garbled: str) -> str | None:
    """Return the text that was read in the wrong encoding, or None if it was not."""
    raw = bytearray()
    for letter in garbled:
        try:
            raw += letter.encode("cp1252")
        except UnicodeEncodeError:
            raw += letter.encode("latin-1", errors="replace")
    try:
        meant = raw.decode()
    except UnicodeDecodeError:
        return None
    return "" if meant == garbled else meant


@check(
    "mixed_script", _MECHANICS, Scope.PASSAGE, BLOCKER,
    "Write it in ordinary letters.",
    sometimes=WARNING, languages=lambda language: get_language(language) is not None,
    in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_mixed_script(passage: Passage, language: str) -> Iterator[Finding]:
    """Letters of another script: Chinese in an English sentence, a Cyrillic letter in a word.

    Foreign words in brackets or quotation marks or of a keyword, and Greek letters in formulas, are
    no faults.
    """
    text = passage.text_without_code
    if typed(text).isascii() or not _is_text(passage):
        return
    for match in _FOREIGN.finditer(text):
        within = _in_word(text, match.span())
        is_right = not passage.is_prose or match.group() in passage.asked_for
        if not within and (is_right or _is_set_off(text, match.span())):
            continue
        severity = WARNING if passage.in_file and not within else BLOCKER
        script = _script(match.group()[0])
        problem = f"“{_around(text, match.span())}” has {script} letters: “{match.group()[:20]}”."
        yield check_mixed_script.found(passage.section, problem, match.span(), severity=severity)
        return
    if lookalike := _LOOKALIKE.search(text):
        shown = _around(text, lookalike.span())
        plain = unicodedata.normalize("NFKC", shown)
        meant = f" for “{plain}”" if plain != shown else ""
        problem = f"“{shown}” has signs that only look like letters{meant}."
        span = lookalike.span()
        yield check_mixed_script.found(passage.section, problem, span, severity=WARNING)


_LOOKALIKE = re.compile(
    "[\uff21-\uff3a\uff41-\uff5a]{2,60}|[\U0001d400-\U0001d7ff]{2,60}|[\ufb00-\ufb06]"
    "|[\u24b6-\u24e9]{2,60}|[\U0001f130-\U0001f189]{2,60}"
    "|[ᴀʙᴄᴅᴇғɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢ]{3,60}"
)


def foreign_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of texts that are in another script than Latin letters."""
    return frozenset(word for text in texts for word in _FOREIGN.findall(text))


def _script(letter: str) -> str:
    """Return the name of the script of a letter: Cyrillic, Greek, CJK."""
    name = unicodedata.name(letter, "foreign").split()[0]
    return {
        "CJK": "Chinese",
        "HIRAGANA": "Japanese",
        "KATAKANA": "Japanese",
        "HANGUL": "Korean",
    }.get(name, name.capitalize())


_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_CYRILLIC = "\u0400-\u052f"
_OTHERS = "\u0590-\u05ff\u0600-\u06ff\u0900-\u0d7f\u0e00-\u0e7f"
_FOREIGN = re.compile(
    rf"[{_HAN}]{{1,200}}|[{_CYRILLIC}]{{1,200}}|[{_OTHERS}]{{1,200}}|(?<=[a-z])[α-ωά-ώ]+(?=[a-z])"
)
_LATIN = re.compile("[A-Za-zÀ-ÖØ-öø-ɏ]")
_SET_OFF_BY = frozenset("()[]{}“”„«»\"'’‘‚‹›『』「」《》（）:：/=|*_`→")


def _in_word(text: str, span: Span) -> bool:
    """Whether letters stand in one word with Latin letters."""
    before, after = text[span[0] - 1 : span[0]] if span[0] else "", text[span[1] : span[1] + 1]
    return bool(_LATIN.match(before) or _LATIN.match(after))


def _is_set_off(text: str, span: Span) -> bool:
    """Whether a foreign word is quoted, in brackets, or one of several."""
    around = text[max(0, span[0] - 60) : span[0]], text[span[1] : span[1] + 60]
    line = (around[0].rpartition("\n")[2], around[1].partition("\n")[0])
    return not (set(line[0][-2:]) | set(line[1][:2])).isdisjoint(_SET_OFF_BY) or not (
        # A sentence in Latin letters goes on before and after it.
        re.search(r"[a-zà-ÿ]{2}[ ,]{1,2}\Z", line[0]) and re.match(r"[ ,.]{0,2}[a-zà-ÿ.]", line[1])
    )


def _around(text: str, span: Span) -> str:
    """Return a run of letters with the word it is in."""
    before = re.search(r"\S{0,20}\Z", text[max(0, span[0] - 20) : span[0]])
    after = re.match(r"\S{0,20}", text[span[1] : span[1] + 20])
    return f"{before[0] if before else ''}{text[slice(*span)]}{after[0] if after else ''}"


@check(
    "capitals", _MECHANICS, Scope.PASSAGE, WARNING, "Write it in ordinary letters.",
    in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_capitals(passage: Passage, language: str) -> Iterator[Finding]:
    """A sentence all in capitals, and a capital letter in the wrong place: tHe."""
    if not passage.is_prose:
        return
    if _CAPITAL_RUN.search(passage.text_without_code):
        for sentence in sentences(passage.text_without_code, language):
            if _is_shouted(sentence.text):
                problem = f"“{sentence.text[:60]}” is all in capitals."
                yield check_capitals.found(passage.section, problem, sentence.span)
    spoken = get_language(language)
    if primary_subtag(language) == "en":
        text = passage.text_without_code
        for match in _STRAY_CAPITAL.finditer(text):
            if _AFTER_LOWER.search(text, max(0, match.start() - 3), match.start()):
                problem = f"“{match[1]}” has a capital letter in the middle of a sentence."
                yield check_capitals.found(passage.section, problem, match.span(1))
    if not _INNER_SIGN.search(passage.text_without_code):
        return
    for match in _INNER_CAPITAL.finditer(passage.text_without_code):
        if spoken and match.group().lower() in spoken.function_words:
            problem = f"“{match.group()}” has a capital letter in the wrong place."
            yield check_capitals.found(passage.section, problem, match.span())


_CAPITAL_RUN = re.compile(r"[A-ZÀ-ÖØ-Þ]{2,40}(?:[ ,'’-]{1,3}[A-ZÀ-ÖØ-Þ]{1,40}){2}")
# English small words between words in lower case: “the lid Is too small”.
_STRAY_CAPITAL = re.compile(
    r" (Is|Are|Was|Were|Has|Have|Of|And|But|Or|To|In|On|At|By|For|From|With|As|If|When|Because|So"
    r"|It|They|We|He|She|You|Your|My|This|That|These|Those|Not|Be|Can|Will)(?= [a-z]{2})"
    # “the From address” of a message
    r"(?! (?:address|domain|field|header|line)(?:e?s)?\b)"
)
_AFTER_LOWER = re.compile(r"[a-z]{2},?\Z")
_INNER_SIGN = re.compile(r"[A-Z](?:(?<=[a-z][A-Z])|[A-Z][a-z])")
_INNER_CAPITAL = re.compile(
    r"(?<![\w.@/\\_-])(?:[a-zà-ÿ]{1,20}[A-Z][A-Za-zà-ÿ]{1,20}"
    r"|[A-Z]{2}[a-zà-ÿ]{1,20})(?![\w.@/\\_(-]\w?)"
)
_FEWEST_SHOUTED = 4
_FEWEST_SHOUTED_LETTERS = 15


def _is_shouted(sentence: str) -> bool:
    letters = [letter for letter in sentence if letter.isalpha()]
    return (
        len(letters) >= _FEWEST_SHOUTED_LETTERS
        and len(sentence.split()) >= _FEWEST_SHOUTED
        and not any(letter.islower() for letter in letters)
        and all(unicodedata.category(letter) == "Lu" for letter in letters)
        and set(letters) != {"X"}
        and sentence.rstrip('"”’»)')[-1:] in ".!?…"
    )
