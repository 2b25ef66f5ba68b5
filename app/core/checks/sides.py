"""One side of two: on the one hand without the other, first without second, pros without cons."""

from collections.abc import Iterator, Sequence

from app.core.checks.check import (
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.layout import Block, BlockKind, Layout
from app.core.languages import Sides, get_section
from app.core.text import fold, sentences, stem, word_set, words

_LETTERS = 5
_READ = frozenset({BlockKind.PARAGRAPH, BlockKind.ANSWER, BlockKind.LIST, BlockKind.QUOTATION})
_FOLLOWING_BLOCKS = 12
_LONGEST_PAIRED = 90


@check(
    "one_sided", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Write the other half, or leave this one out.",
    languages=with_section(Sides), in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_one_sided(layout: Layout, language: str) -> Iterator[Finding]:
    """One half without the other: “on the one hand”, “firstly”, a heading “Before and after”."""
    rules = get_section(language, Sides)
    if rules is None:
        return
    for at, block in enumerate(layout.blocks):
        if block.kind in {BlockKind.PARAGRAPH, BlockKind.ANSWER}:
            following = layout.blocks[at + 1 : at + 1 + _FOLLOWING_BLOCKS]
            yield from _halves(block, following, rules, language)
    for part in layout.parts:
        if part.heading and part.heading.section != layout.title_section:
            yield from _pair(part.heading, part.all, rules, language)


def _halves(
    block: Block, following: Sequence[Block], rules: Sides, language: str
) -> Iterator[Finding]:
    if rules.cues.isdisjoint(word_set(block.text)):
        return
    read = sentences(block.text, language)
    for index, sentence in enumerate(read):
        said = word_set(sentence.text)
        for cues, half, other, within in rules.by_cue:
            match = None if cues.isdisjoint(said) else half.search(sentence.text)
            if match is None or other.search(sentence.text, match.end()):
                continue
            rest = [each.text for each in read[index + 1 : index + 1 + within]]
            if not any(other.search(text) for text in (*rest, *_after(following, within))):
                begin = sentence.span[0]
                span = (begin + match.start(), begin + match.end())
                problem = f"“{match.group().strip()}” promises a second half that never comes."
                yield check_one_sided.found(block.section, problem, span)
                return


def _after(following: Sequence[Block], within: int) -> Iterator[str]:
    """Yield the texts of the blocks below that may have the other half."""
    for block in following[:within]:
        if block.kind is BlockKind.HEADING and within < _FOLLOWING_BLOCKS:
            return
        yield block.text
        yield from (item.text for item in block.items)


def _pair(
    heading: Block, blocks: Sequence[Block], rules: Sides, language: str
) -> Iterator[Finding]:
    """A heading that names two things, of which its section has one."""
    if len(heading.text) > _LONGEST_PAIRED or not (match := rules.pairs.search(heading.text)):
        return
    sides = [next(iter(words(side)), "") for side in match.groups()]
    if not rules.opposites.issuperset(sides):
        return
    texts = [text for block in blocks for text in _texts(block)]
    if not texts or any(block.kind in {BlockKind.CODE, BlockKind.IMAGE} for block in blocks):
        return
    said = {_root(word, language) for text in texts for word in words(text)}
    has = [_root(side, language) in said for side in sides]
    if has in ([True, False], [False, True]):
        missing = match.group(has.index(False) + 1)
        problem = (
            f"The heading “{heading.text}” promises both, but its section says nothing about"
            f" “{missing}”."
        )
        yield check_one_sided.found(heading.section, problem)


def _texts(block: Block) -> Iterator[str]:
    yield block.text
    yield from (item.text for item in block.items)
    yield from (cell.text for row in (block.header, *block.rows) for cell in row)


def _root(word: str, language: str) -> str:
    return stem(fold(word), language)[:_LETTERS]
