"""Parts of planned posts: what the bank has for the section, as long and in the form as asked.

All calls for a post draw by the same seed. A part that is asked for again is therefore the same,
and no sentence comes twice.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

from tests.support.scripted_model import bank
from tests.support.scripted_model.bank import Theme
from tests.support.scripted_model.phrases import (
    capital,
    count_words,
    pattern,
    says,
    width,
)
from tests.support.scripted_model.planner import title_about
from tests.support.scripted_model.post_prompts import AskedPart, PartsRequest

# A paragraph is not made longer than this by what is left over from the next.
_PARAGRAPH_WORDS = 130
# The last paragraph is chosen once about this much is left.
_LAST_WORDS = 85
_NEAR_WORDS = 12
_ITEMS = (2, 8)
# With less room, the shortest items are taken.
_TIGHT_WORDS = 30
# A list is at most this share of its section; the rest is prose.
_LIST_SHARE = 0.7


@dataclass
class _Paragraph:
    sentences: list[str]

    @property
    def words(self) -> int:
        return sum(count_words(sentence) for sentence in self.sentences)

    def __str__(self) -> str:
        return " ".join(self.sentences)


# Phrases of more words go into short sentences.
_LONG_PHRASE = 6


class PartWriter:
    """Writes the parts of one answer.

    Args:
        factor: how many times the words that are asked for are written.
        without_phrases: leaves out the phrases that are asked for.
    """

    def __init__(
        self, request: PartsRequest, *, factor: int = 1, without_phrases: bool = False
    ) -> None:
        self._request = request
        self._factor = factor
        self._without_phrases = without_phrases
        self._avoid = {phrase: pattern(phrase) for phrase in request.keywords}
        self._written: set[str] = set()
        self._before = ""
        self._wordings: dict[str, str] = {}

    def write(self, part: AskedPart) -> str:
        """Return the text of a part."""
        self._before = self._request.written_outside(part) if part.kind == "SECTION" else ""
        words = part.words * self._factor
        phrases = () if self._without_phrases else part.phrases
        random = Random(f"{self._request.key}\n{part.kind}{part.section}{part.tells}")
        if part.kind == "SECTION":
            return self._section(part, words, phrases, random)
        if part.kind == "INTRODUCTION":
            openings, rest = bank.parts()["introduction"], bank.parts()["introduction_rest"]
            return self._fitted(openings, rest, words, phrases, random)
        if part.kind == "CONCLUSION":
            return self._fitted([], bank.parts()["conclusion"], words, phrases, random)
        if part.kind == "CALLOUT":
            return self._worded(random.choice(self._preferred(bank.parts()["callout"])))
        if part.kind == "FAQS":
            return self._faqs(part, random)
        if part.kind == "TITLE":
            # A title that was sent back is replaced by another one.
            seed = Random(f"{self._request.key}\n{self._request.title}")
            keyword = (part.phrases or tuple(self._request.keywords) or ("The work",))[0]
            return title_about(keyword, *part.characters, seed, {self._request.title.lower()})
        if part.kind == "HEADING":
            phrase = next(iter(part.phrases), "")
            headings = [
                heading.replace("{k}", phrase)
                for theme in bank.themes()
                for heading in theme.headings
                if ("{k}" in heading) == bool(phrase)
            ]
            return random.choice([each for each in headings if each not in self._request.headings])
        return self._description(part, phrases, random)

    def _section(self, part: AskedPart, words: int, phrases: Sequence[str], random: Random) -> str:
        opening = self._about(phrases, words, 2 * part.section, random)
        themes = self._themes(part, random)
        blocks: list[str] = []
        form = part.form
        if form != "prose":
            blocks = self._block(form, opening, words, random)
            opening = []
        blocks += self._prose(part, themes, words - sum(map(count_words, blocks)), opening, random)
        return "\n\n".join(blocks)

    def _about(self, phrases: Sequence[str], words: int, at: int, random: Random) -> list[str]:
        """Return sentences with the phrases: one each if there is room, else some together."""
        texts = bank.parts()
        rest = list(phrases)
        sentences = []
        # A phrase that contains another one says both.
        while rest and (len(rest) == 1 or len(rest) * 12 < words * 0.6):
            sentences.append(self._with_phrase(texts["keyword"], rest.pop(0), at))
        if rest:
            listed = ", ".join(rest[:-1]) + f" and {rest[-1]}"
            template = random.choice(self._preferred(texts["several"]))
            sentences.append(template.replace("{list}", listed))
        return sentences

    def _with_phrase(self, templates: Sequence[str], phrase: str, at: int) -> str:
        # A prompt may be without the text so far: each section begins at another place.
        order = Random(self._request.key).sample(list(templates), len(templates))
        order = order[at % len(order) :] + order[: at % len(order)]
        if len(phrase.split()) > _LONG_PHRASE:
            # Sentences of a short post are counted as long otherwise.
            order.sort(key=len)
        fresh = [each for each in self._allowed(order) if not self._is_used(each)]
        template = fresh[0] if fresh else order[0]
        self._written.add(template)
        return capital(self._worded(template).replace("{k}", phrase))

    def _themes(self, part: AskedPart, random: Random) -> list[Theme]:
        """Return the theme of a section, then those that no section of the post has."""
        everything = list(bank.themes())
        taken = [self._theme_of(heading) for heading in self._request.headings]
        own = self._theme_of(part.heading)
        if own is None:
            told = [theme for theme in everything if part.tells.startswith(theme.purpose)]
            own = random.choice(told or everything)
        others = [theme for theme in everything if theme not in taken and theme is not own]
        random.shuffle(others)
        return [own, *others]

    def _theme_of(self, heading: str) -> Theme | None:
        for theme in bank.themes():
            for known in theme.headings:
                before, _, after = known.partition("{k}")
                if heading == known or (
                    "{k}" in known and heading.startswith(before) and heading.endswith(after)
                ):
                    return theme
        return None

    def _prose(
        self,
        part: AskedPart,
        themes: Sequence[Theme],
        words: int,
        opening: Sequence[str],
        random: Random,
    ) -> list[str]:
        """Return paragraphs: the opening sentences, the claims, and what the themes say."""
        claims = [self._keep(claim) for claim in part.states if not self._stated(claim)]
        left = words - sum(map(count_words, [*opening, *claims]))
        paragraphs: list[_Paragraph] = []
        own, *others = themes
        supply = list(self._supply(part, [own], random))
        rest = list(self._supply(part, others, random))
        while left > _LAST_WORDS + (supply[0].words // 2 if supply else 0):
            if not supply:
                supply, rest = rest, []
            if not supply:
                break
            paragraphs.append(supply.pop(0))
            left -= paragraphs[-1].words
        while left > 4 and (end := _nearest(supply, left) or _nearest(rest, left)):
            chosen, count = end
            (supply if chosen in supply else rest).remove(chosen)
            paragraphs.append(_Paragraph(chosen.sentences[:count]))
            left -= paragraphs[-1].words
        for paragraph in paragraphs:
            self._written.update(paragraph.sentences)
        if not paragraphs:
            paragraphs = [_Paragraph([])]
        for number, sentence in enumerate(opening):
            paragraphs[number % len(paragraphs)].sentences.insert(0, sentence)
        for number, claim in enumerate(claims, start=1):
            paragraphs[number % len(paragraphs)].sentences.append(claim)
        texts = self._joined(paragraphs, one=part.is_block)
        return [str(part) for each in texts if each.sentences for part in _split(each)]

    def _joined(self, paragraphs: list[_Paragraph], *, one: bool) -> list[_Paragraph]:
        """Join what is short to the paragraph before it."""
        texts: list[_Paragraph] = []
        for paragraph in paragraphs:
            short = texts and len(paragraph.sentences) < 3
            if texts and (one or short) and texts[-1].words + paragraph.words <= _PARAGRAPH_WORDS:
                texts[-1].sentences += paragraph.sentences
            else:
                texts.append(paragraph)
        return texts

    def _supply(
        self, part: AskedPart, themes: Sequence[Theme], random: Random
    ) -> Iterator[_Paragraph]:
        """Yield paragraphs whose sentences are not written yet: those of the point first."""
        for theme in themes:
            start = random.randrange(len(theme.paragraphs))
            turned = [*theme.paragraphs[start:], *theme.paragraphs[:start]]
            if part.is_block:
                # What other blocks of the section tell comes last.
                turned.sort(key=lambda each: each.point != part.tells)
            for paragraph in turned:
                fresh = [
                    self._worded(sentence)
                    for sentence in self._allowed(paragraph.sentences)
                    if not self._is_used(sentence)
                ]
                if fresh:
                    yield _Paragraph(fresh)

    def _block(self, form: str, opening: Sequence[str], words: int, random: Random) -> list[str]:
        """Return a sentence, then a list, steps or a table of what the bank has left."""
        texts = bank.parts()
        leads = [each for each in self._allowed(texts[f"{form}_lead"]) if not self._is_used(each)]
        lead = [] if opening and words < 60 else random.sample(leads, min(1, len(leads)))
        self._written.update(lead)
        first = "\n\n".join(map(str, _split(_Paragraph([*opening, *map(self._worded, lead)]))))
        room = int(words * _LIST_SHARE) - count_words(first)
        if form == "table":
            rows = self._table(room, random)
            if rows:
                lines = [f"| {' | '.join(row)} |" for row in rows]
                lines.insert(1, f"|{' --- |' * len(rows[0])}")
                return [first, "\n".join(lines)]
        items = self._items("steps" if form == "steps" else "list_items", room, random)
        numbered = [f"{number}. {item}" for number, item in enumerate(items, 1)]
        lines = numbered if form == "steps" else [f"- {item}" for item in items]
        return [each for each in (first, "\n".join(lines)) if each]

    def _items(self, name: str, room: int, random: Random) -> list[str]:
        """Return items in the order of the bank."""
        everything: list[str] = bank.parts()[name]
        fresh = [each for each in self._preferred(everything) if not self._is_used(each)]
        fresh = fresh or everything
        least, most = _ITEMS
        chosen: list[str] = []
        order = random.sample(fresh, len(fresh))
        if room < _TIGHT_WORDS:
            order.sort(key=count_words)
        for item in order:
            if len(chosen) >= most:
                break
            if len(chosen) >= least and room < count_words(item):
                continue
            chosen.append(item)
            room -= count_words(item)
        self._written.update(chosen)
        return [self._worded(item) for item in sorted(chosen, key=everything.index)]

    def _table(self, room: int, random: Random) -> list[list[str]]:
        for table in random.sample(bank.parts()["table"], len(bank.parts()["table"])):
            head, *rows = table["rows"]
            text = " ".join(" ".join(row) for row in table["rows"])
            mark = rows[0][-1]
            if mark in self._before or mark in self._written or says(text, self._avoid.values()):
                continue
            self._written.add(mark)
            while len(rows) > 2 and room < sum(count_words(" ".join(row)) for row in rows):
                rows = rows[:-1]
            return [head, *rows]
        return []

    def _fitted(
        self,
        openings: Sequence[str],
        rest: Sequence[str],
        words: int,
        phrases: Sequence[str],
        random: Random,
    ) -> str:
        """Return one of the openings, then those sentences of the rest that fit the length best."""
        fresh = self._preferred(rest)
        numbers = range(min(len(fresh), 8))
        sizes = [count_words(each) for each in fresh]
        first = ""
        if phrases:
            first = self._with_phrase(openings or bank.parts()["keyword"], phrases[0], 0)
        room = words - count_words(first)
        least = 0 if first else 1
        fits = [
            chosen
            for count in range(least, len(numbers) + 1)
            for chosen in combinations(numbers, count)
        ]
        random.shuffle(fits)
        best = min(fits, key=lambda chosen: abs(room - sum(sizes[at] for at in chosen)) // 3)
        return " ".join([*([first] if first else []), *(self._worded(fresh[at]) for at in best)])

    def _faqs(self, part: AskedPart, random: Random) -> str:
        entries: Sequence[dict[str, str]] = bank.parts()["faq"]
        asked = part.questions or [
            entry["question"] for entry in random.sample(entries, min(6, len(entries)))
        ]
        count = part.question_count
        answers = {entry["question"]: entry["answer"] for entry in entries}
        spare = [entry["answer"] for entry in entries if entry["question"] not in asked]
        texts = []
        for question in asked[:count]:
            answer = answers.get(question) or (spare.pop() if spare else entries[0]["answer"])
            texts.append(f"### {question}\n\n{self._worded(answer)}")
        return "\n\n".join(texts)

    def _description(self, part: AskedPart, phrases: Sequence[str], random: Random) -> str:
        texts = bank.parts()
        low, high = part.characters
        phrase = phrases[0] if phrases else "it"
        firsts = self._preferred(texts["description"])
        rests = self._preferred(texts["description_rest"])
        made = [
            f"{capital(first.replace('{k}', phrase))} {' '.join(more)}".strip()
            for first in firsts
            for count in (0, 1, 2)
            for more in combinations(rests, count)
        ]
        random.shuffle(made)
        fitting = [each for each in made if low <= width(each) <= high]
        if self._factor > 1:
            return max(made, key=len)
        if fitting:
            return min(fitting, key=lambda each: each.count(". "))
        # A keyword that leaves no room for a sentence of the bank.
        text = min(made, key=width)
        while width(text) > high and " " in text:
            text = text.rpartition(" ")[0].rstrip(",.:") + "."
        return text

    def _allowed(self, texts: Sequence[str]) -> list[str]:
        """Return the texts that say no keyword by accident."""
        patterns = self._avoid.values()
        return [each for each in texts if not says(each.replace("{k}", ""), patterns)]

    def _preferred(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts that say no keyword by accident; all of them if each says one."""
        return self._allowed(texts) or texts

    def _is_used(self, text: str) -> bool:
        """Return whether a text stands in the post already, whatever its keyword is."""
        if text in self._written:
            return True
        longest = max(self._worded(text).split("{k}"), key=len).strip()
        return longest in self._before or longest in self._written

    def _stated(self, claim: str) -> bool:
        return claim in self._before or claim in self._written

    def _keep(self, text: str) -> str:
        self._written.add(text)
        return text

    def _worded(self, text: str) -> str:
        """Return a sentence in the words that this post chooses for it."""
        if text not in self._wordings:
            random = Random(f"{self._request.key}\n{text}")

            def exchange(found: re.Match[str]) -> str:
                return _same_case(random.choice(bank.wording()[found[0].lower()]), found[0])

            self._wordings[text] = _exchangeable().sub(exchange, text)
        return self._wordings[text]


def _split(paragraph: _Paragraph) -> list[_Paragraph]:
    """Return a paragraph in parts that are not too long: several phrases take many sentences."""
    parts = [_Paragraph([])]
    most = paragraph.words if paragraph.words <= _PARAGRAPH_WORDS else _PARAGRAPH_WORDS * 2 // 3
    for sentence in paragraph.sentences:
        if parts[-1].sentences and parts[-1].words + count_words(sentence) > most:
            parts.append(_Paragraph([]))
        parts[-1].sentences.append(sentence)
    return parts


def _nearest(supply: Sequence[_Paragraph], words: int) -> tuple[_Paragraph, int] | None:
    """Return the paragraph, and the number of its sentences, that come nearest to a length, or a
    whole paragraph that leaves room for more; None if nothing helps."""
    ends = [
        (abs(words - sum(map(count_words, each.sentences[:count]))), at, count)
        for at, each in enumerate(supply)
        for count in range(1, len(each.sentences) + 1)
    ]
    if not ends:
        return None
    # Longer ends come first, unless another is clearly nearer.
    missed, at, count = min(ends, key=lambda end: (end[0] // 4, -end[2]))
    if missed >= _NEAR_WORDS:
        for paragraph in supply:
            if paragraph.words < words:
                return paragraph, len(paragraph.sentences)
    return (supply[at], count) if missed < words else None


@cache
def _exchangeable() -> re.Pattern[str]:
    longest_first = sorted(bank.wording(), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\b(?! (?:as|of)\b)", re.IGNORECASE)


def _same_case(word: str, like: str) -> str:
    return capital(word) if like[0].isupper() else word


def part_texts(request: PartsRequest, writer: PartWriter) -> list[tuple[AskedPart, str]]:
    """Return the parts that are asked for, with their texts."""
    return [(part, writer.write(part)) for part in request.parts]


def as_answer(texts: Sequence[tuple[AskedPart, str]], *, markers: bool = True) -> str:
    """Return the parts as a model sends them."""
    blocks: list[Any] = [
        f"{part.marker}\n{text}" if part.marker and markers else text for part, text in texts
    ]
    return "\n\n".join(blocks)
