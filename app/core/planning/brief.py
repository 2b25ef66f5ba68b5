"""The brief: the plan of a post, derived from a request before the model is called."""

from dataclasses import dataclass

from app.core.planning.angles import BY_KEY, Angle
from app.core.schemas.locales import language_name
from app.core.schemas.request import GenerateRequest, KeywordUsageStrategy, Tone

# The mean length when models of 1.5B parameters and more are asked for four or five sentences.
WORDS_PER_SENTENCE = 17
_BODY_SENTENCES = 5
# How much nearer to the target a plan must come to have another length of paragraph than that,
# in words for each sentence more or less.
_UNUSUAL_WORDS = 15
_PARAGRAPHS_PER_SECTION = 1.6
_MAX_SECTIONS = 8
_HEADING_WORDS = 6
_FAQ_WORDS = 45
_FAQ_HEADING_WORDS = 3
_CALLOUT_WORDS = 35
_WITH_CALLOUT_FROM_WORDS = 700
# Posts with fewer words at most have no last sentences to spare: the writer is told how long a
# sentence may be.
_SHORT_POST_WORDS = 100
_LONGEST_HEADING_WORDS = 8
# A section says something of its own in 90 words, and keeps to one thing in 240.
_SECTION_WORDS = (90, 240)
_MOST_SECTIONS = 12
# More figures than one in this number of words are more than a reader can take.
_WORDS_PER_CLAIM = 40
# How many earlier angles a prompt names: those of the newest posts.
_MAX_LEFT = 6


@dataclass(frozen=True)
class Brief:
    """The plan of a post.

    ``paragraphs`` is the number of paragraphs of each body section. ``min_words`` and ``max_words``
    are hard limits; ``target_words`` is the goal. ``earlier_titles`` are the titles of posts that
    this one must differ from, the newest first, ``earlier_angles`` the names of the angles to
    avoid, and ``angle`` is the angle of this post. A ``verified`` post makes only claims that its
    sources support; a ``sourced`` one has notes from sources. ``sections`` is the lowest and the
    highest number of sections that a plan may have. ``sentence_words`` is the maximum length of a
    sentence in a very short post, else None.
    """

    keywords: tuple[str, ...]
    language: str
    min_words: int
    max_words: int
    target_words: int
    paragraphs: tuple[int, ...]
    sentences: int
    intro_sentences: int
    conclusion_sentences: int
    sentence_words: int | None = None
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

    @property
    def introduction_words(self) -> int:
        """Return about how many words the introduction has."""
        return self.intro_sentences * WORDS_PER_SENTENCE

    @property
    def conclusion_words(self) -> int:
        """Return about how many words the conclusion has."""
        return self.conclusion_sentences * WORDS_PER_SENTENCE

    @property
    def most_claims(self) -> int:
        """Return how many figures, prices and names a post of this length can use."""
        return max(4, self.target_words // _WORDS_PER_CLAIM)

    @property
    def primary_keyword(self) -> str:
        return self.keywords[0]

    @property
    def expected_words(self) -> int:
        """Return the number of words of a post that follows the plan, including headings."""
        prose = self.intro_sentences + self.conclusion_sentences
        prose += sum(self.paragraphs) * self.sentences
        return (
            prose * WORDS_PER_SENTENCE
            + len(self.paragraphs) * _HEADING_WORDS
            + _extra_words(self.faqs, self.callout)
        )

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
) -> Brief:
    """Plan a post of at most ``max_words`` words (the request's own limit or its plan's).

    ``earlier_titles`` and ``earlier_angles`` (keys) are those of its rule, the newest first.
    """
    limits = request.constraints
    low = limits.min_words
    target = (low + max_words) // 2 if low else max_words * 3 // 4
    min_words = low or max_words // 2

    faqs = (3 if target >= 350 else 2 if target >= 250 else 1) if limits.include_faqs else 0
    callout = target >= _WITH_CALLOUT_FROM_WORDS
    extra = _extra_words(faqs, callout)
    prose = target - extra
    intro = 4 if prose >= 400 else 3 if prose >= 200 else 2 if prose >= 100 else 1
    conclusion = 3 if prose >= 250 else 2 if prose >= 130 else 1
    paragraphs, sentences = _plan_body(
        target,
        (min_words, max_words),
        extra + (intro + conclusion) * WORDS_PER_SENTENCE,
        limits.max_sections or _MAX_SECTIONS,
    )
    return Brief(
        keywords=_distinct(request.keywords),
        language=request.language,
        min_words=min_words,
        max_words=max_words,
        target_words=target,
        paragraphs=paragraphs,
        sentences=sentences,
        intro_sentences=intro,
        conclusion_sentences=conclusion,
        sentence_words=_sentence_words(
            max_words - extra, len(paragraphs), intro + conclusion + sum(paragraphs) * sentences
        ),
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
        sections=_section_range(
            target - extra - (intro + conclusion) * WORDS_PER_SENTENCE, limits.max_sections
        ),
    )


def _section_range(words: int, most: int | None) -> tuple[int, int]:
    """Return the lowest and the highest number of sections for a body of this length."""
    shortest, longest = _SECTION_WORDS
    high = max(1, min(_MOST_SECTIONS, most or _MOST_SECTIONS, words // shortest))
    return min(high, max(1, round(words / longest))), high


def _left_to_others(keys: tuple[str, ...], own: Angle | None) -> tuple[str, ...]:
    """Return the names of recently used angles, without duplicates."""
    known = (BY_KEY[key] for key in keys if key in BY_KEY)
    return tuple(dict.fromkeys(angle.name for angle in known if angle != own))[:_MAX_LEFT]


def _extra_words(faqs: int, callout: bool) -> int:
    """Return the number of words outside the running text: FAQs and callout."""
    questions = _FAQ_HEADING_WORDS + faqs * _FAQ_WORDS if faqs else 0
    return questions + (_CALLOUT_WORDS if callout else 0)


def _sentence_words(max_words: int, sections: int, sentences: int) -> int | None:
    """Return the maximum words of a sentence; None unless the post is very short."""
    if max_words >= _SHORT_POST_WORDS:
        return None
    return max(1, (max_words - sections * _LONGEST_HEADING_WORDS) // sentences)


def _plan_body(
    target: int, limits: tuple[int, int], around: int, max_sections: int
) -> tuple[tuple[int, ...], int]:
    """Return the number of paragraphs of each section, and of sentences per paragraph.

    Including the ``around`` words of everything else, the plan is within the limits if any plan is,
    and close to the target.
    """

    def sections(total: int) -> int:
        return min(max_sections, total, max(1, round(total / _PARAGRAPHS_PER_SECTION)))

    def misses(plan: tuple[int, int]) -> tuple[int, int]:
        total, length = plan
        words = around + total * length * WORDS_PER_SENTENCE + sections(total) * _HEADING_WORDS
        outside = max(0, limits[0] - words, words - limits[1])
        return outside, abs(target - words) + _UNUSUAL_WORDS * abs(length - _BODY_SENTENCES)

    totals = range(1, max(1, (target - around) // WORDS_PER_SENTENCE) + 1)
    plans = ((total, length) for total in totals for length in range(1, _BODY_SENTENCES + 2))
    total, sentences = min(plans, key=misses)
    count = sections(total)
    paragraphs = tuple(total // count + (index < total % count) for index in range(count))
    return paragraphs, sentences


def _distinct(keywords: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for keyword in keywords:
        seen.setdefault(" ".join(keyword.casefold().split()), keyword)
    return tuple(seen.values())
