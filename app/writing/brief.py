"""The brief: what a post has to be, derived from a request before a model is called."""

from dataclasses import dataclass
from datetime import date

from app.core.schemas.locales import language_name
from app.core.schemas.request import FactualityMode, GenerateRequest, KeywordUsageStrategy, Tone
from app.writing.angles import Angle

# The share of the highest number of words that is asked for: drafts run over what they are asked,
# and an editor's additions need room.
_AIMED_SHARE = 0.78
_OVER_LOWEST = 1.05


@dataclass(frozen=True)
class EarlierPost:
    """A post of the same feed, or a draft that was thrown away because it repeated one. This post
    must neither repeat nor contradict it."""

    title: str
    description: str = ""


@dataclass(frozen=True)
class Rewrite:
    """What a reviewer says of a post that is written again, and the Markdown of that post."""

    remark: str
    text: str


@dataclass(frozen=True)
class Brief:
    """What a post has to be.

    ``min_words`` and ``max_words`` are hard limits on everything but title and description.
    ``earlier`` are the posts of its feed, the newest first. A ``verified`` post states only what
    its sources support. ``today`` is the day on which it is written.
    """

    keywords: tuple[str, ...]
    language: str
    min_words: int
    max_words: int
    today: date
    faqs: bool = False
    max_sections: int | None = None
    strategy: KeywordUsageStrategy = KeywordUsageStrategy.NATURAL
    verified: bool = False
    topic: str | None = None
    region: str | None = None
    tone: Tone | None = None
    audience: str | None = None
    brand_voice: str | None = None
    industry: str | None = None
    target_url: str | None = None
    angle: Angle | None = None
    earlier: tuple[EarlierPost, ...] = ()
    rewrite: Rewrite | None = None

    @property
    def primary_keyword(self) -> str:
        return self.keywords[0]

    @property
    def language_name(self) -> str:
        return language_name(self.language)

    @property
    def target_words(self) -> int:
        """Return the number of words to ask for."""
        wanted = max(self.min_words * _OVER_LOWEST, self.max_words * _AIMED_SHARE)
        # Between near limits, about the middle.
        return round(min(wanted, (self.min_words + 3 * self.max_words) / 4))


def make_brief(
    request: GenerateRequest,
    *,
    max_words: int,
    today: date,
    angle: Angle | None = None,
    earlier: tuple[EarlierPost, ...] = (),
    verified: bool | None = None,
) -> Brief:
    """Return the brief of a post of at most ``max_words`` words.

    Args:
        max_words: the limit of the request or of the plan.
        verified: the post states only what its sources support; None to do as the request says.
    """
    limits = request.constraints
    if verified is None:
        verified = request.factuality_mode is FactualityMode.VERIFIED
    return Brief(
        keywords=_distinct(request.keywords),
        language=request.language,
        min_words=limits.min_words or max_words // 2,
        max_words=max_words,
        today=today,
        faqs=limits.include_faqs,
        max_sections=limits.max_sections,
        strategy=limits.keyword_usage_strategy,
        verified=verified,
        topic=request.topic,
        region=request.region,
        tone=request.tone,
        audience=request.target_audience,
        brand_voice=request.brand_voice,
        industry=request.industry,
        target_url=request.target_url,
        angle=angle,
        earlier=earlier,
    )


def _distinct(keywords: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for keyword in keywords:
        seen.setdefault(" ".join(keyword.casefold().split()), keyword)
    return tuple(seen.values())
