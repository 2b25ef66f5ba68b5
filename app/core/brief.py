"""The brief: what a post must be, worked out from a request before the model is asked."""

from dataclasses import dataclass

from app.core.request import GenerateRequest, KeywordUsageStrategy, Tone, language_name

# What one sentence of a paragraph comes to, in words: what a 1.5B and larger models write when
# asked for four or five sentences.
WORDS_PER_SENTENCE = 17
_BODY_SENTENCES = 5
_FAQ_WORDS = 45
_CALLOUT_WORDS = 35
_WITH_CALLOUT_FROM_WORDS = 700


@dataclass(frozen=True)
class Brief:
    """``paragraphs`` has one entry per body section: how many paragraphs it has.

    ``min_words`` and ``max_words`` are hard limits, ``target_words`` what is aimed at.
    ``earlier_titles`` are posts that this one must differ from.
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

    @property
    def primary_keyword(self) -> str:
        return self.keywords[0]

    @property
    def language_name(self) -> str:
        return language_name(self.language)

    @property
    def exact_keywords(self) -> bool:
        """Whether inflected forms of a keyword do not count as the keyword."""
        return self.strategy is KeywordUsageStrategy.EXACT


def make_brief(
    request: GenerateRequest, *, max_words: int, earlier_titles: tuple[str, ...] = ()
) -> Brief:
    """Plan a post of at most ``max_words`` words (the request's own limit or its plan's)."""
    limits = request.constraints
    low = limits.min_words
    target = (low + max_words) // 2 if low else max_words * 3 // 4
    min_words = low or max_words // 2

    rest = target
    faqs = (3 if target >= 350 else 2 if target >= 250 else 1) if limits.include_faqs else 0
    callout = target >= _WITH_CALLOUT_FROM_WORDS
    rest -= faqs * _FAQ_WORDS + (_CALLOUT_WORDS if callout else 0)
    intro = 4 if target >= 400 else 3 if target >= 200 else 2 if target >= 100 else 1
    conclusion = 3 if target >= 250 else 2 if target >= 130 else 1
    rest -= (intro + conclusion) * WORDS_PER_SENTENCE

    total = max(1, round(rest / (_BODY_SENTENCES * WORDS_PER_SENTENCE)))
    sentences = max(1, min(_BODY_SENTENCES + 1, round(rest / total / WORDS_PER_SENTENCE)))
    sections = min(limits.max_sections or 8, max(1, round(total / 1.6)), total)
    paragraphs = tuple(
        total // sections + (1 if index < total % sections else 0) for index in range(sections)
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
    )


def _distinct(keywords: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for keyword in keywords:
        seen.setdefault(" ".join(keyword.casefold().split()), keyword)
    return tuple(seen.values())
