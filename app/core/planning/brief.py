"""The brief: the plan of a post, derived from a request before the model is called."""

import re
from dataclasses import dataclass
from datetime import date

from app.core.planning.angles import BY_KEY, Angle
from app.core.schemas.locales import language_name
from app.core.schemas.request import GenerateRequest, KeywordUsageStrategy, Tone

# The mean length when models of 1.5B parameters and more are asked for four or five sentences.
WORDS_PER_SENTENCE = 17
_FAQ_WORDS = 45
_FAQ_HEADING_WORDS = 3
_CALLOUT_WORDS = 35
_WITH_CALLOUT_FROM_WORDS = 700
# A section says something of its own in 60 words, and keeps to one thing in 240. Editors preferred
# posts with a short section for each case to those that pack the cases into the items of a list.
_SECTION_WORDS = (60, 240)
MOST_SECTIONS = 12
# “9 ways to …” may have a section for each, if it has at least this many words.
_COUNTED = re.compile(r"\s*(\d{1,2})\s+[^\W\d_]")
_COUNTED_WORDS = 40
# A claim takes some 20 words to state, and prose that reads well more around it: with one for each
# 28 words of a verified post, a draft of at most 700 had 817, and readers called posts with one for
# each 40 crammed, beside others that tell less and explain it.
_WORDS_PER_CLAIM = 50
# A sheet of fewer claims says too little, one of more is no help to a writer.
_CLAIMS = (4, 24)
# The most sentences of the introduction of a verified post: what went beyond was mostly refused,
# because no source said it.
_VERIFIED_INTRO = 3
# How much of the highest number of words is aimed at, at most: six drafts that were asked for 90 %
# had 94 %, and what their editors asked for another 6 %.
_AIMED_SHARE = 0.88
# Between limits that are nearer, a sentence more or less decides.
_NARROW = 100
# How many earlier angles a prompt names: those of the newest posts.
_MAX_LEFT = 6


@dataclass(frozen=True)
class Brief:
    """The plan of a post.

    ``min_words`` and ``max_words`` are hard limits; ``target_words`` is the goal. ``sections`` is
    the lowest and the highest number of body sections for that goal, ``max_sections`` the highest
    for any. ``earlier_titles`` are the titles of posts
    that this one must differ from, the newest first, ``earlier_angles`` the names of the angles to
    avoid, and ``angle`` is the angle of this post. A ``verified`` post makes only claims that its
    sources support; a ``sourced`` one has notes from sources. ``day`` is that of the post, if
    known.
    """

    keywords: tuple[str, ...]
    language: str
    min_words: int
    max_words: int
    target_words: int
    intro_sentences: int
    conclusion_sentences: int
    faqs: int = 0
    callout: bool = False
    strategy: KeywordUsageStrategy = KeywordUsageStrategy.NATURAL
    topic: str | None = None
    region: str | None = None
    tone: Tone | None = None
    audience: str | None = None
    brand_voice: str | None = None
    industry: str | None = None
    target_url: str | None = None
    earlier_titles: tuple[str, ...] = ()
    earlier_angles: tuple[str, ...] = ()
    angle: Angle | None = None
    verified: bool = False
    sourced: bool = False
    sections: tuple[int, int] = (1, 8)
    max_sections: int = MOST_SECTIONS
    day: date | None = None

    @property
    def introduction_words(self) -> int:
        """Return about how many words the introduction has."""
        return self.intro_sentences * WORDS_PER_SENTENCE

    @property
    def conclusion_words(self) -> int:
        """Return about how many words the conclusion has."""
        return self.conclusion_sentences * WORDS_PER_SENTENCE

    @property
    def full_words(self) -> int:
        """Return about how many words a draft has that uses its room."""
        return max(self.target_words, round(self.max_words * _AIMED_SHARE))

    @property
    def most_claims(self) -> int:
        """Return how many claims a plan lists at most: what a post of this length can state."""
        low, high = _CLAIMS
        if not self.verified:
            return min(high, max(low, self.target_words // _WORDS_PER_CLAIM))
        around = self.introduction_words + self.conclusion_words
        around += _extra_words(self.faqs, self.callout)
        return min(high, max(low, (self.full_words - around) // _WORDS_PER_CLAIM))

    @property
    def primary_keyword(self) -> str:
        return self.keywords[0]

    @property
    def language_name(self) -> str:
        return language_name(self.language)

    @property
    def exact_keywords(self) -> bool:
        """Return whether only the exact form of a keyword counts as a use of it."""
        return self.strategy is KeywordUsageStrategy.EXACT


def make_brief(
    request: GenerateRequest,
    *,
    max_words: int,
    angle: Angle | None = None,
    earlier_titles: tuple[str, ...] = (),
    earlier_angles: tuple[str, ...] = (),
    verified: bool = False,
    sourced: bool = False,
    day: date | None = None,
) -> Brief:
    """Plan a post of at most ``max_words`` words (the request's own limit or its plan's).

    ``earlier_titles`` and ``earlier_angles`` (keys) are those of its rule, the newest first.
    """
    limits = request.constraints
    min_words = limits.min_words or max_words // 2
    target = _target(min_words, max_words)

    faqs = (3 if target >= 350 else 2 if target >= 250 else 1) if limits.include_faqs else 0
    callout = target >= _WITH_CALLOUT_FROM_WORDS
    extra = _extra_words(faqs, callout)
    prose = target - extra
    intro = 4 if prose >= 400 else 3 if prose >= 200 else 2 if prose >= 100 else 1
    conclusion = 2 if prose >= 130 else 1
    if verified:
        intro = min(intro, _VERIFIED_INTRO)
    return Brief(
        keywords=_distinct(request.keywords),
        language=request.language,
        min_words=min_words,
        max_words=max_words,
        target_words=target,
        intro_sentences=intro,
        conclusion_sentences=conclusion,
        faqs=faqs,
        callout=callout,
        strategy=limits.keyword_usage_strategy,
        topic=request.topic,
        region=request.region,
        tone=request.tone,
        audience=request.target_audience,
        brand_voice=request.brand_voice,
        industry=request.industry,
        target_url=request.target_url,
        earlier_titles=earlier_titles,
        earlier_angles=_left_to_others(earlier_angles, angle),
        angle=angle,
        verified=verified,
        sourced=verified or sourced,
        day=day,
        max_sections=min(MOST_SECTIONS, limits.max_sections or MOST_SECTIONS),
        sections=_section_range(
            target - extra - (intro + conclusion) * WORDS_PER_SENTENCE,
            limits.max_sections,
            _counted(request.topic or "", *request.keywords),
        ),
    )


def _target(low: int, high: int) -> int:
    """Return the length to aim at: readers miss more in a short post than they skip in a long one,
    and models write a little more than they are asked for."""
    middle = (low + high) // 2
    if high - low < _NARROW:
        return middle
    return max(middle, min(low + (high - low) * 3 // 4, round(high * _AIMED_SHARE)))


def _counted(*texts: str) -> int:
    """Return how many things a text is about that begins with their number; 0 without one."""
    return max((int(match[1]) for text in texts if (match := _COUNTED.match(text))), default=0)


def _section_range(words: int, most: int | None, counted: int = 0) -> tuple[int, int]:
    """Return the lowest and the highest number of sections for a body of this length.

    Args:
        counted: how many things the post tells of, each of which may have a section.
    """
    shortest, longest = _SECTION_WORDS
    wanted = max(words // shortest, min(counted, words // _COUNTED_WORDS))
    high = max(1, min(MOST_SECTIONS, most or MOST_SECTIONS, wanted))
    return min(high, max(1, round(words / longest))), high


def _left_to_others(keys: tuple[str, ...], own: Angle | None) -> tuple[str, ...]:
    """Return the names of recently used angles, without duplicates."""
    known = (BY_KEY[key] for key in keys if key in BY_KEY)
    return tuple(dict.fromkeys(angle.name for angle in known if angle != own))[:_MAX_LEFT]


def _extra_words(faqs: int, callout: bool) -> int:
    """Return the number of words outside the running text: FAQs and callout."""
    questions = _FAQ_HEADING_WORDS + faqs * _FAQ_WORDS if faqs else 0
    return questions + (_CALLOUT_WORDS if callout else 0)


def _distinct(keywords: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for keyword in keywords:
        seen.setdefault(" ".join(keyword.casefold().split()), keyword)
    return tuple(seen.values())
