"""Revise a draft by the cheapest remedy: remove what can go, then name what to rewrite."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import islice, pairwise, takewhile

from app.core.checks import (
    COPIED_FROM_SOURCE,
    DESCRIPTION_HARD_CHARS,
    EDITOR_PREFIX,
    Finding,
    Severity,
    block_place,
    check_flesch,
    check_keyword_density,
    check_keyword_heading,
    check_keyword_missing,
    check_keyword_rare,
    check_post,
    check_too_long,
    check_too_short,
    missing_uses,
    place_findings,
    post_words,
    reading_text,
    width,
)
from app.core.languages import Verification, get_language, get_section
from app.core.planning.brief import Brief
from app.core.rendering.block_edits import Leaf, cut, edit_text, leaves
from app.core.rendering.blocks import (
    BulletList,
    Code,
    NumberedList,
    Paragraph,
    Table,
    parse,
    to_markdown,
)
from app.core.text import Sentence, Span, find_phrase, fold, sentences, word_count, words
from app.core.writing.draft import (
    DESCRIPTION,
    FAQS,
    INTRODUCTION,
    TITLE,
    Draft,
    Part,
    PartKind,
    assemble,
    section_part,
)
from app.core.writing.faithful import is_limiting, repeats, required_of, share_of
from app.core.writing.prompts import most_words

_TRIMMED = frozenset({PartKind.SECTION, PartKind.INTRODUCTION, PartKind.CONCLUSION})
_NUMBER = re.compile(r"\d+")
_ROW = re.compile(r"blocks\[\d+\]\.rows\[\d+\]")
# The sentences that a trimmed paragraph keeps, whether it is one of a section, and whether only
# what the plan calls optional goes; by turns.
_TURNS = ((1, True, True), (2, True, False), (1, True, False), (1, False, False))
# A sentence that refers to the one before it has such a word among its first ones.
_FIRST_WORDS = 3
# The most sentences and items that one revision removes; each is checked with the whole post.
_MOST_REMOVED = 40
# A sentence with this share of the words of another is a form of it.
_SAME = 0.6
# A sentence is a part of a form that has this share of its words, if it has that of the form's.
_HALF, _LEAST_HALF = 0.8, 0.2
# The most sentences that are compared with each other: a post of 4,000 words has half as many.
_MOST_COMPARED = 600
# A rewrite that is asked for fewer words more would not come out longer.
_LEAST_GAIN = 30
_LEAST_MISSED = "Leave out what readers miss least, never a step or a caution; clip no sentence."
# How many words more than needed a draft is tightened by: nobody counts exactly.
_SPARE = 4
# About how many words a finding adds that asks for more text, and another one: a guess from three
# rewrites.
_ADDED, _CHANGED = 15, 3
_INSERTS = re.compile(r"\AInsert after ")
# The share of its words that a part may lose in one revision, and the most sentences that one names
# to save words.
_MOST_LOST, _MOST_NAMED = 0.2, 3
# Up to this share of its highest number of words, a post is only tightened.
SLIGHTLY = 0.03


@dataclass
class Rewrites:
    """What to rewrite: for each part what is wrong with it, and about how many words it has.

    Args:
        names_rules: the writer may decline a note, so blockers of the desk are named as rules.
    """

    names_rules: bool = False
    feedback: dict[Part, list[str]] = field(default_factory=dict)
    words: dict[Part, int] = field(default_factory=dict)
    blocked: set[Part] = field(default_factory=set)

    def add(self, part: Part, finding: Finding, reason: str = "") -> None:
        reasons = self.feedback.setdefault(part, [])
        is_rule = self.names_rules and finding.blocks
        is_rule = is_rule and not finding.check.startswith(EDITOR_PREFIX)
        told = f"{'A rule: ' if is_rule else ''}{reason or finding.reason}"
        if told not in reasons:
            reasons.append(told)
        if finding.blocks:
            self.blocked.add(part)

    def most_urgent(self, count: int) -> "Rewrites":
        """Return the parts with blockers, then those with most findings, at most ``count``."""
        order = sorted(
            self.feedback, key=lambda part: (part not in self.blocked, -len(self.feedback[part]))
        )
        kept = set(order[:count])
        feedback = {part: told for part, told in self.feedback.items() if part in kept}
        return Rewrites(self.names_rules, feedback, self.words, self.blocked & kept)


@dataclass(frozen=True)
class _Place:
    """A sentence of a part, or a whole text or row of it if ``span`` is None. ``order`` is its
    place in the post."""

    order: tuple[tuple[int, ...], int]
    part: Part
    path: str
    span: Span | None

    @property
    def table(self) -> str:
        """The path of the table that a row is in; "" for other places."""
        return self.path.partition(".rows")[0] if ".rows" in self.path else ""


def remove(draft: Draft, findings: Sequence[Finding], brief: Brief) -> tuple[Draft, list[Finding]]:
    """Return the draft without the sentences, list items and rows whose removal repairs a finding,
    and the findings that are left.

    A text stays if its block would not stay whole, if the post would become too short, or if the
    removal would cause another blocker, such as a keyword without any use. A post of more than
    twice its words is left to a rewrite.
    """
    if post_words(assemble(draft, brief)) > 2 * brief.max_words:
        return draft, list(findings)
    whole_draft = draft
    places = {
        finding: _places(draft, finding, brief.language)
        for finding in sorted(findings, key=lambda finding: not finding.blocks)
        if finding.removable
    }
    chosen = list(dict.fromkeys(place for found in places.values() for place in found))
    chosen = chosen[:_MOST_REMOVED]
    whole = {(place.part, place.path) for place in chosen if place.span is None}
    chosen = [each for each in chosen if each.span is None or (each.part, each.path) not in whole]
    gone: set[_Place] = set()
    tables: set[tuple[Part, str]] = set()
    blockers = _blockers(draft, brief) if chosen else Counter()
    # From the end, so that the places before stay where they are.
    for place in sorted(chosen, key=lambda place: place.order, reverse=True):
        if place.table and (place.part, place.table) in tables:
            # Another row took the table along.
            gone.add(place)
            continue
        shorter = _without(draft, place, brief.language)
        if shorter is None or post_words(assemble(shorter, brief)) < brief.min_words:
            continue
        if not (caused := _blockers(shorter, brief)) - blockers:
            if place.table and _tables(shorter, place.part) < _tables(draft, place.part):
                tables.add((place.part, place.table))
            draft, blockers = shorter, caused
            gone.add(place)

    def is_gone(finding: Finding) -> bool:
        if not gone:
            return False
        found = places.get(finding) or _places(whole_draft, finding, brief.language)
        return bool(found) and gone.issuperset(found)

    return draft, [each for each in findings if not is_gone(each)]


def leaves_gap(draft: Draft, finding: Finding, brief: Brief) -> bool:
    """Whether the text would lack something without the sentences of a finding: the last one of the
    introduction, which leads into the post, or the only use of a keyword."""
    uses, gaps = _uses(draft, brief), []
    for place in _places(draft, finding, brief.language):
        blocks = parse(draft.texts[place.part])
        *_, last = leaves(blocks)
        leaf = next((each for each in leaves(blocks) if each.path == place.path), None)
        if leaf is None or place.span is None:
            continue
        begin, end = place.span
        is_end = leaf.path == last.path and not leaf.text[end:].strip()
        used = _keywords_in(leaf.text[begin:end], brief)
        gaps.append(place.part == INTRODUCTION and is_end)
        gaps.append(any(uses[keyword] == 1 for keyword in used))
    return any(gaps)


def restore(
    draft: Draft, findings: Iterable[Finding], earlier: Iterable[str], brief: Brief
) -> Draft:
    """Return the draft with an ``earlier`` form of a sentence in place of each that would be
    removed because of a finding; without such a form, it stays."""
    language = brief.language
    said = _folded(draft, language)
    forms = [each for each in earlier if fold(each) not in said]
    places = {
        place
        for finding in findings
        if finding.removable
        for place in _places(draft, finding, language)
        if place.span is not None
    }
    for place in sorted(places, key=lambda place: place.order, reverse=True):
        blocks = parse(draft.texts[place.part])
        leaf = next((each for each in leaves(blocks) if each.path == place.path), None)
        if leaf is None or place.span is None:
            continue
        begin, end = place.span
        text = leaf.text[begin:end]
        near = [(_likeness(text, form, language), form) for form in forms]
        likeness, form = max(near, default=(0.0, ""))
        if likeness < _SAME:
            continue
        begin, end = _with_halves(leaf.text, (begin, end), form, language)
        text = leaf.text[begin:end]
        # What stays the same keeps its style: a label in bold.
        same = takewhile(lambda pair: pair[0] == pair[1], zip(text, form, strict=False))
        kept = text.rfind(" ", 0, len(list(same))) + 1
        edited = edit_text(blocks, place.path, form[kept:], (begin + kept, end))
        draft = draft.with_text(place.part, to_markdown(edited))
        forms.remove(form)
    return draft


def _with_halves(text: str, span: Span, form: str, language: str) -> Span:
    """Return a span with the sentences beside it that say a part of what its earlier form says: a
    writer splits long sentences, and a half would stand beside the whole."""
    begin, end = span
    for one, other in pairwise(sentences(text, language)):
        beside = other if one.span == span else one if other.span == span else None
        if beside is None or share_of(beside.text, form, language) < _HALF:
            continue
        # A sentence of function words alone is a part of any.
        if share_of(form, beside.text, language) >= _LEAST_HALF:
            begin, end = min(begin, beside.span[0]), max(end, beside.span[1])
    return begin, end


def gone(before: Draft, after: Draft, language: str) -> list[str]:
    """Return the words of each sentence that a draft has lost."""
    return sorted(_folded(before, language) - _folded(after, language))


def _folded(draft: Draft, language: str) -> frozenset[str]:
    """Return the words of each sentence of a draft."""
    return frozenset(
        fold(sentence.text)
        for text in draft.texts.values()
        for leaf in leaves(parse(text))
        for sentence in sentences(leaf.text, language)
    )


def _likeness(one: str, other: str, language: str) -> float:
    """The share of its words that each of two sentences has in common with the other, at least."""
    return min(share_of(one, other, language), share_of(other, one, language))


def trim(
    draft: Draft,
    brief: Brief,
    required: Iterable[str] = (),
    *,
    keeps_claims: bool = True,
    only_optional: bool = False,
) -> Draft:
    """Bring a draft that is too long under its limit, sentence by sentence: first what states an
    optional claim of the plan, then from the ends of its longest paragraphs; a draft that cannot be
    shortened enough comes back shortened in part.

    A paragraph of a section keeps two sentences, or one if the post is still too long; then
    introduction and conclusion lose theirs. A keyword keeps its only use. Cautions and examples
    stay, and what the plan or a text in ``required`` asks for: the sentence before goes in their
    place. No item, step or row goes.

    Args:
        required: what else readers need, such as an editor's findings of what is missing.
        keeps_claims: whether claims stay that are not optional; if not enough goes, they do not.
        only_optional: whether only sentences go that state an optional claim.
    """
    over = post_words(assemble(draft, brief)) - brief.max_words
    if over <= 0:
        return draft
    uses = _uses(draft, brief)
    paragraphs, optional = _spared(draft, brief, required, keeps_claims=keeps_claims)
    for least, is_section, is_optional in _TURNS[:1] if only_optional else _TURNS:
        longest = [
            (-paragraph.words, number)
            for number, paragraph in enumerate(paragraphs)
            if (paragraph.part.kind is PartKind.SECTION) is is_section
        ]
        heapify(longest)
        while over > 0 and longest:
            _, number = heappop(longest)
            paragraph = paragraphs[number]
            if not paragraph.spare or len(paragraph.sentences) - len(paragraph.gone) <= least:
                continue
            spare = paragraph.spare
            if is_optional:
                spare = [each for each in spare if each.text in optional]
            if not spare:
                continue
            last = spare[-1]
            used = _keywords_in(last.text, brief)
            is_first = paragraph.part == INTRODUCTION and brief.primary_keyword in used
            if is_first or any(uses[keyword] == 1 for keyword in used):
                continue
            uses.subtract(used)
            paragraph.spare.remove(last)
            paragraph.gone.append(last)
            saved = word_count(last.text)
            paragraph.words -= saved
            over -= saved
            heappush(longest, (-paragraph.words, number))
    for paragraph in paragraphs:
        draft = paragraph.shortened(draft, brief.language)
    if over > 0 and keeps_claims and not only_optional:
        # A post without one of its claims, or what an item adds, is better than none.
        return trim(draft, brief, required, keeps_claims=False)
    return draft


def _spared(
    draft: Draft, brief: Brief, required: Iterable[str], *, keeps_claims: bool = True
) -> tuple[list["_Paragraph"], Set[str]]:
    """Return the paragraphs with the sentences that each may spare, and the sentences that state an
    optional claim and limit nothing."""
    claims = [claim for claim in draft.plan.claims if claim not in draft.plan.optional]
    claims = claims if keeps_claims else []
    paragraphs = list(_paragraphs(draft, brief.language, items=not keeps_claims))
    said = [sentence.text for paragraph in paragraphs for sentence in paragraph.sentences]
    needed = {said[at] for at in required_of(said, [*claims, *required], brief.language)}
    needed.update(text for text in said if _is_example(text, brief.language))
    optional = {said[at] for at in required_of(said, draft.plan.optional, brief.language)}
    if keeps_claims:
        limits = {text for text in said if is_limiting(text, brief.language)}
        needed |= limits - optional
    for paragraph in paragraphs:
        # The first sentence introduces the others, and a question needs its answer.
        paragraph.spare = [
            each
            for before, each in pairwise(paragraph.sentences)
            if each.text not in needed
            and not before.text.endswith("?")
            and not (keeps_claims and paragraph.is_referred_to(each, brief.language))
        ]
    return paragraphs, {text for text in optional if not is_limiting(text, brief.language)}


@dataclass
class _Paragraph:
    """A paragraph that is trimmed: its sentences, those ``gone``, those that it may ``spare``, and
    how many words are left."""

    part: Part
    leaf: Leaf
    sentences: Sequence[Sentence]
    words: int
    spare: list[Sentence] = field(default_factory=list)
    gone: list[Sentence] = field(default_factory=list)

    def is_referred_to(self, sentence: Sentence, language: str) -> bool:
        """Whether the sentence behind one refers to it."""
        after = self.sentences.index(sentence) + 1
        next_one = self.sentences[after].text if after < len(self.sentences) else ""
        known = get_section(language, Verification)
        begins = words(next_one)[:_FIRST_WORDS]
        return known is not None and not known.referring.isdisjoint(begins)

    def shortened(self, draft: Draft, language: str) -> Draft:
        # Neighbours are cut together; from the end, so that the places before stay where they are.
        spans: list[Span] = []
        places = {sentence.span: at for at, sentence in enumerate(self.sentences)}
        last = -1
        for sentence in sorted(self.gone, key=lambda each: each.span, reverse=True):
            at = places[sentence.span]
            if spans and at == last - 1:
                spans[-1] = (sentence.span[0], spans[-1][1])
            else:
                spans.append(sentence.span)
            last = at
        for span in spans:
            shorter = cut(parse(draft.texts[self.part]), self.leaf.path, span, language)
            if shorter is not None:
                draft = draft.with_text(self.part, to_markdown(shorter))
        return draft


def _paragraphs(draft: Draft, language: str, *, items: bool) -> Iterator[_Paragraph]:
    """Yield the paragraphs that introduce no list, and the ``items`` of lists if asked."""
    for part, text in draft.reading_order():
        if part.kind not in _TRIMMED:
            continue
        for leaf in leaves(parse(text)):
            is_item = isinstance(leaf.block, BulletList | NumberedList)
            if (isinstance(leaf.block, Paragraph) and not leaf.leads) or (items and is_item):
                found = sentences(leaf.text, language)
                yield _Paragraph(part, leaf, found, word_count(leaf.text))


def _is_example(text: str, language: str) -> bool:
    known = get_section(language, Verification)
    return known is not None and not known.examples.isdisjoint(words(text))


def _uses(draft: Draft, brief: Brief) -> Counter[str]:
    """Return in how many sentences and headings of a draft each keyword stands."""
    return Counter(
        keyword
        for passage in reading_text(assemble(draft, brief))
        for sentence in sentences(passage.text, brief.language)
        for keyword in _keywords_in(sentence.text, brief)
    )


def _keywords_in(text: str, brief: Brief) -> list[str]:
    return [
        keyword
        for keyword in brief.keywords
        if find_phrase(text, keyword, brief.language, exact=brief.exact_keywords)
    ]


def fit_description(draft: Draft, brief: Brief) -> Draft:
    """Return the draft with a description that fits: made of the introduction if it is missing or
    its first sentence is too long, with how the post begins behind it if it is too short, with the
    keyword in front if it lacks it, without last sentences if it is too long."""
    least, most = DESCRIPTION_HARD_CHARS
    text = _shortened(draft.text(DESCRIPTION), brief)
    if not least <= width(text) <= most:
        leaf = next(leaves(parse(draft.text(INTRODUCTION))), None)
        opening = leaf.text if leaf else ""
        begun = opening if width(text) > most else f"{text} {opening}".strip()
        begun = _shortened(begun, brief)
        text = begun if not text or width(begun) <= most else text
    keyword = brief.primary_keyword
    if text and any(place_findings("meta.description", text, brief)):
        spoken = get_language(brief.language)
        colon = spoken.colon if spoken else ":"
        begun = _shortened(f"{keyword[0].upper()}{keyword[1:]}{colon} {text}", brief)
        text = begun if width(begun) <= most else text
    return draft.with_text(DESCRIPTION, text)


def to_rewrite(
    draft: Draft,
    findings: Sequence[Finding],
    words: Mapping[Part, int],
    brief: Brief,
    *,
    names_rules: bool = False,
) -> Rewrites:
    """Return the parts to rewrite because of these findings.

    A finding about the whole post goes to the parts that can repair it: too few words to the
    sections furthest below their size, too many to the longest, an unused keyword to the section
    that it was assigned to, an overused one to the parts with most uses.
    """
    rewrites = Rewrites(names_rules, words=dict(words))
    too_long: Finding | None = None
    if names_rules:
        findings = _worth_a_call(draft, findings)
    # What is copied has to be said in other words: an editor's may be those.
    rules = [
        each
        for each in findings
        if each.blocks and not _is_advice(each) and each.check != COPIED_FROM_SOURCE.name
    ]
    for finding in findings:
        if _is_advice(finding) and any(_is_same_place(finding, rule) for rule in rules):
            # What to write in place of a sentence that has to go may contradict the rule.
            continue
        if names_rules and finding.check == check_too_long.name:
            too_long = finding
            continue
        part = draft.part_at(finding.section)
        is_heading = finding.section.endswith(".heading")
        if finding.check == check_keyword_heading.name or (is_heading and part == FAQS):
            # The plan gave the keyword to the heading that suits it; the service writes that of
            # the questions.
            continue
        if part is not None:
            rewrites.add(part, finding)
            # Text that an editor moves changes the part that it goes to as well.
            other = _moved_to(draft, finding)
            if other is not None and other != part:
                rewrites.add(other, finding, f"Text comes here. {finding.reason}")
            continue
        for part, reason, size in _of_post(draft, finding, words, brief):
            rewrites.add(part, finding, reason)
            if finding.check == check_too_short.name:
                rewrites.words[part] = max(words[part], _size(draft, part) + _LEAST_GAIN)
            elif finding.check == check_too_long.name:
                rewrites.words[part] = min(words[part], size)
    if names_rules:
        _fit(rewrites, draft, findings, brief, too_long)
    return rewrites


def _fit(
    rewrites: Rewrites,
    draft: Draft,
    findings: Sequence[Finding],
    brief: Brief,
    too_long: Finding | None,
) -> None:
    """Give the parts of a rewrite lengths that the post has room for. If it has to become shorter,
    name what goes: sentences that readers can do without, then words of the parts that are longest
    against their plan.

    Args:
        too_long: says that the post is longer than it may be: then any section may be shortened.
    """
    count = post_words(assemble(draft, brief))
    # Where nothing else changes, little has to.
    is_alone = count <= (1 + SLIGHTLY) * brief.max_words and not rewrites.feedback
    # Who is told to save words that the post has leaves out what nobody named.
    grown = sum(_ADDED if _INSERTS.search(each.reason) else _CHANGED for each in findings)
    room = brief.max_words - _SPARE - (0 if is_alone else grown)
    over = count - max(room, 0 if is_alone else most_words(brief))
    parts = [part for part in rewrites.feedback if part.kind in _TRIMMED]
    if too_long is not None:
        numbers = range(1, len(draft.plan.sections) + 1)
        parts = list(dict.fromkeys([*map(section_part, numbers), *parts]))
    # Who is told to add and to save words in one text clips it.
    growing = {draft.part_at(each.section) for each in findings if _INSERTS.search(each.reason)}
    planned, sizes = dict(rewrites.words), {part: _size(draft, part) for part in parts}
    rewrites.words |= sizes
    for part in parts:
        gain = max(0, min(planned[part] - sizes[part], -over))
        rewrites.words[part] += gain
        over += gain
    if too_long is None and over < _SPARE:
        return
    told = too_long or check_too_long.found("post", severity=Severity.WARNING)
    spare = () if is_alone else _dispensable(draft, parts, findings, brief)
    for part, sentence, why in islice(spare, _MOST_NAMED):
        if over <= 0:
            break
        rewrites.add(part, told, f"To save words, “{sentence}” may go: {why}.")
        saved = word_count(sentence)
        rewrites.words[part] -= saved
        over -= saved
    for part in sorted(parts, key=lambda part: (part in growing, planned[part] - sizes[part])):
        if part in growing and too_long is None:
            continue
        less = min(round(sizes[part] * _MOST_LOST), over)
        if less < _SPARE:
            continue
        rewrites.words[part] -= less
        reason = f"Too long: write about {rewrites.words[part]} words instead of {sizes[part]}."
        rewrites.add(part, told, f"{reason} {_LEAST_MISSED}")
        over -= less


def _dispensable(
    draft: Draft, parts: Sequence[Part], findings: Sequence[Finding], brief: Brief
) -> Iterator[tuple[Part, str, str]]:
    """Yield sentences of some parts that readers can do without, with the reason: those with an
    optional claim, then those that say what another one says. None of them has a finding."""
    language = brief.language
    uses = _uses(draft, brief)
    paragraphs, optional = _spared(draft, brief, ())
    named = {
        (place.part, place.path, place.span)
        for finding in findings
        for place in _places(draft, finding, language)
    }
    spare = [
        (paragraph, sentence)
        for paragraph in paragraphs
        if paragraph.part in parts
        for sentence in paragraph.spare
        if (paragraph.part, paragraph.leaf.path, sentence.span) not in named
        and all(uses[keyword] > 1 for keyword in _keywords_in(sentence.text, brief))
    ]
    for paragraph, sentence in spare:
        if sentence.text in optional:
            yield paragraph.part, sentence.text, "it is optional"
    said = [
        each.text
        for text in reading_text(assemble(draft, brief))
        for each in sentences(text.text, language)
    ]
    if len(said) > _MOST_COMPARED:
        return
    for paragraph, sentence in reversed(spare):
        if sentence.text in optional:
            continue
        same = [each for each in said if repeats(each, sentence.text, language)]
        if len(same) > 1:
            said.remove(sentence.text)
            other = next((each for each in same if each != sentence.text), sentence.text)
            yield paragraph.part, sentence.text, f"“{other}” says it too"


def _worth_a_call(draft: Draft, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings without a text's reading ease, unless its part is rewritten anyway: it
    counts syllables, and who rewrites for it alone may lose what is right."""
    parts = {draft.part_at(each.section) for each in findings if each.check != check_flesch.name}
    return [
        each
        for each in findings
        if each.check != check_flesch.name or draft.part_at(each.section) in parts
    ]


def _is_advice(finding: Finding) -> bool:
    return finding.check.startswith(EDITOR_PREFIX) and not finding.blocks


def _is_same_place(one: Finding, other: Finding) -> bool:
    if one.section != other.section or one.span is None or other.span is None:
        return False
    return one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _moved_to(draft: Draft, finding: Finding) -> Part | None:
    """Return the part to which a finding moves text; None if it moves none into a text."""
    if finding.related is None or not finding.check.startswith(EDITOR_PREFIX):
        return None
    part = draft.part_at(finding.related[0])
    if part is not None and part.kind is PartKind.HEADING:
        return section_part(part.section)
    return None if part in {TITLE, DESCRIPTION} else part


def _of_post(
    draft: Draft, finding: Finding, words: Mapping[Part, int], brief: Brief
) -> Iterator[tuple[Part, str, int]]:
    """Yield the parts that can repair a finding about the whole post, each with what to do and the
    number of words that it comes to."""
    sections = [section_part(number) for number in range(1, len(draft.plan.sections) + 1)]
    if finding.check == check_too_short.name:
        missing = brief.min_words - post_words(assemble(draft, brief))
        for part in sorted(sections, key=lambda part: _size(draft, part) - words[part]):
            if missing <= 0:
                return
            gain = max(_LEAST_GAIN, words[part] - _size(draft, part))
            size = _size(draft, part) + gain
            yield part, f"Too short: write about {size} words.", size
            missing -= gain
    elif finding.check == check_too_long.name:
        over = post_words(assemble(draft, brief)) - brief.max_words
        for part in sorted(sections, key=lambda part: _size(draft, part), reverse=True):
            if over <= 0:
                return
            size = _size(draft, part)
            less = round(size * _MOST_LOST)
            yield part, f"Too long: write about {size - less} words instead of {size}.", size - less
            over -= less
    elif finding.check == check_keyword_missing.name:
        for number, section in enumerate(draft.plan.sections, 1):
            if finding.keyword in section.keywords:
                yield section_part(number), check_keyword_missing.remedy_for(finding.keyword), 0
                return
        yield INTRODUCTION, check_keyword_missing.remedy_for(finding.keyword), 0
    elif finding.check == check_keyword_rare.name:
        uses = missing_uses(assemble(draft, brief), brief)
        without = [
            part
            for part in sections
            if not find_phrase(draft.text(part), finding.keyword, brief.language)
        ]
        for part in [*without, *sections][:uses]:
            yield part, check_keyword_rare.remedy_for(finding.keyword), 0
    elif finding.check == check_keyword_density.name:
        counts = {
            part: len(find_phrase(text, finding.keyword, brief.language))
            for part, text in draft.reading_order()
            if part != DESCRIPTION
        }
        most = max(counts.values())
        for part, count in counts.items():
            # The introduction has to use the primary keyword once.
            if count >= min(2, most) and (count > 1 or part != INTRODUCTION):
                yield part, finding.reason, 0
    else:
        yield INTRODUCTION, finding.reason, 0


def _places(draft: Draft, finding: Finding, language: str) -> frozenset[_Place]:
    """Return what to remove because of a finding: the sentences that it touches, or the text; of a
    table, the row."""
    part, place = draft.part_at(finding.section), block_place(finding.section)
    if part is None or place is None or part not in draft.texts:
        return frozenset()
    section, path = place
    row = _ROW.match(path)
    path = row[0] if row else path
    found = leaves(parse(draft.texts[part]))
    leaf = next((each for each in found if each.path == path or (row and _is_in(each, path))), None)
    if leaf is None or (row is None and isinstance(leaf.block, Table)):
        return frozenset()
    numbers = (section, *map(int, _NUMBER.findall(path)))
    if row:
        return frozenset({_Place((numbers, -1), part, path, None)})
    if finding.span is None or isinstance(leaf.block, Code):
        return frozenset({_Place((numbers, -1), part, path, None)})
    begin, end = finding.span
    return frozenset(
        _Place((numbers, sentence.span[0]), part, path, sentence.span)
        for sentence in sentences(leaf.text, language)
        if sentence.span[0] < end and begin < sentence.span[1]
    )


def _is_in(leaf: Leaf, row: str) -> bool:
    return leaf.path.startswith(f"{row}[")


def _tables(draft: Draft, part: Part) -> int:
    return sum(isinstance(block, Table) for block in parse(draft.texts[part]))


def _without(draft: Draft, place: _Place, language: str) -> Draft | None:
    blocks = parse(draft.texts[place.part])
    if place.span is not None:
        leaf = next((each for each in leaves(blocks) if each.path == place.path), None)
        found = sentences(leaf.text, language) if leaf else ()
        # Without its neighbour, a sentence may be read as one with the next.
        if place.span not in [sentence.span for sentence in found]:
            return None
    shorter = cut(blocks, place.path, place.span, language)
    return None if shorter is None else draft.with_text(place.part, to_markdown(shorter))


def _blockers(draft: Draft, brief: Brief) -> Counter[str]:
    found = check_post(assemble(draft, brief), brief).findings
    return Counter(finding.check for finding in found if finding.blocks)


def _shortened(description: str, brief: Brief) -> str:
    parts = sentences(description, brief.language)
    while len(parts) > 1 and width(description) > DESCRIPTION_HARD_CHARS[1]:
        parts = parts[:-1]
        description = description[: parts[-1].span[1]]
    return description


def _size(draft: Draft, part: Part) -> int:
    return word_count(draft.text(part))
