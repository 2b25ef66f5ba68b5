"""Share the parts of a post out to calls."""

from collections.abc import Iterator, Mapping, Sequence

from app.core.planning.brief import Brief
from app.core.writing.draft import (
    CALLOUT,
    CONCLUSION,
    DESCRIPTION,
    FAQS,
    INTRODUCTION,
    TITLE,
    Part,
    PartKind,
    heading_part,
    parts_of,
    section_part,
)
from app.core.writing.plan import Plan
from app.core.writing.profile import Profile, Strategy

# Tokens of a word in an answer, with Markdown and markers: English needs 1.3 to 1.5, German up to
# 2.2, and a limit that cuts an answer off costs more than one that is too high.
_TOKENS_PER_WORD = 2.5
_DESCRIPTION_WORDS = 30
_SHORT_SECTION_WORDS = 20
_TITLE_WORDS, _HEADING_WORDS = 10, 8
_CALLOUT_WORDS = 40
# How small a section is in mean sections, and from how many words on it needs headings of its own.
_LEAST_SHARE, _MOST_WORDS = 0.5, 280
_FAQ_WORDS = 45


def aim(brief: Brief, profile: Profile) -> int:
    """Return about how many words a model is asked for. Nothing comes in place of what no source
    supports, so a verified post uses its room if the model keeps to a length."""
    return brief.full_words if brief.verified and profile.capable else brief.target_words


def section_words(brief: Brief, whole: int) -> int:
    """Return about how many words all sections have in a post of ``whole`` words."""
    headings = _HEADING_WORDS * brief.sections[1]
    around = headings + sum(_around(brief).values())
    return max(_SHORT_SECTION_WORDS, whole - around)


def _around(brief: Brief) -> dict[Part, int]:
    """Return about how many words each part around the sections has."""
    words = {INTRODUCTION: brief.introduction_words, CONCLUSION: brief.conclusion_words}
    if brief.faqs:
        words[FAQS] = brief.faqs * _FAQ_WORDS
    if brief.callout:
        words[CALLOUT] = _CALLOUT_WORDS
    return words


def words_of(plan: Plan, brief: Brief, whole: int | None = None) -> Mapping[Part, int]:
    """Return about how many words each part has in a post of ``whole`` words, by default of the
    brief's target."""
    whole = brief.target_words if whole is None else whole
    words = _around(brief)
    around = sum(words.values())
    words |= {DESCRIPTION: _DESCRIPTION_WORDS, TITLE: _TITLE_WORDS}
    headings = sum(len(section.heading.split()) for section in plan.sections)
    count = len(plan.sections)
    each = (whole - around - headings) // count
    if each < _SHORT_SECTION_WORDS:
        # A very short post: introduction, sections and conclusion share its words.
        around -= words[INTRODUCTION] + words[CONCLUSION]
        each = max(8, (whole - around - headings) // (count + 2))
        words[INTRODUCTION] = words[CONCLUSION] = each
    for number, (section, size) in enumerate(
        zip(plan.sections, _sizes(plan, each), strict=True), 1
    ):
        words[section_part(number)] = size
        words[heading_part(number)] = _HEADING_WORDS
        for point in range(1, len(section.points) + 1):
            words[section_part(number, point)] = max(min(15, size - 1), size // len(section.points))
    return words


def _sizes(plan: Plan, each: int) -> Sequence[int]:
    """Return about how many words each section has, ``each`` on average: in the proportions of the
    plan, as far as no section becomes a remark or needs headings of its own."""
    planned = [section.words for section in plan.sections]
    if not all(planned) or not 2 * _SHORT_SECTION_WORDS <= each < _MOST_WORDS:
        return [each] * len(planned)
    mean = sum(planned) / len(planned)
    shares = {at: max(words / mean, _LEAST_SHARE) for at, words in enumerate(planned)}
    sizes: dict[int, float] = {}
    left = float(each * len(planned))
    while shares:
        a_share = left / sum(shares.values())
        large = [at for at, share in shares.items() if share * a_share > _MOST_WORDS]
        for at in large or list(shares):
            sizes[at] = min(_MOST_WORDS, shares.pop(at) * a_share)
            left -= sizes[at]
    return [round(sizes[at]) for at in range(len(planned))]


def share_out(plan: Plan, brief: Brief, profile: Profile) -> Iterator[tuple[Part, ...]]:
    """Yield the parts that each call writes, in the order of the calls."""
    parts = parts_of(plan, brief)
    if profile.strategy is Strategy.WHOLE:
        yield from _groups(parts, words_of(plan, brief, aim(brief, profile)), profile)
        return
    for part in parts:
        blocks = list(_blocks_of(plan, part)) if profile.strategy is Strategy.PIECES else []
        yield from blocks or [(part,)]


def smaller(asked: Sequence[Part], lacking: Part, plan: Plan) -> Iterator[tuple[Part, ...]]:
    """Yield what to ask for after an answer without a part: the part alone, then its blocks."""
    if len(asked) > 1:
        yield (lacking,)
    elif not lacking.point:
        yield from _blocks_of(plan, lacking)


def _blocks_of(plan: Plan, part: Part) -> Iterator[tuple[Part, ...]]:
    """Yield each block of a section for which the plan has points."""
    if part.kind is PartKind.SECTION:
        for number in range(1, len(plan.sections[part.section - 1].points) + 1):
            yield (section_part(part.section, number),)


def answer_tokens(parts: Sequence[Part], words: Mapping[Part, int], profile: Profile) -> int:
    """Return the most tokens that an answer with these parts may have."""
    expected = sum(words[part] for part in parts)
    return min(profile.answer_tokens, 80 + round(expected * _TOKENS_PER_WORD))


def _groups(
    parts: Sequence[Part], words: Mapping[Part, int], profile: Profile
) -> Iterator[tuple[Part, ...]]:
    """Yield groups of parts that fit into one answer each."""
    room = profile.answer_tokens / _TOKENS_PER_WORD
    group: list[Part] = []
    for part in parts:
        if group and sum(words[each] for each in group) + words[part] > room:
            yield tuple(group)
            group = []
        group.append(part)
    yield tuple(group)
