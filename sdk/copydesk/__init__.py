"""The Python client of Copydesk: keywords in, finished blog posts out.

``Copydesk`` generates posts and reports usage; ``Feed`` pulls posts that wait to be published.
"""

from copydesk._version import __version__
from copydesk.client import Copydesk
from copydesk.errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    CopydeskError,
    NotFoundError,
    PermissionDeniedError,
    ProhibitedInputError,
    QualityError,
    QuotaExceededError,
    RateLimitError,
    ServerError,
    ValidationError,
)
from copydesk.feed import Feed
from copydesk.models import Debug, FeedItem, FeedResult, Generation, Quality
from copydesk.post import (
    FAQ,
    Callout,
    CoverageNotes,
    KeywordCoverage,
    Meta,
    Outline,
    Post,
    Rendered,
    Section,
)
from copydesk.usage import Amounts, DailyQuota, Limits, Metering, Plan, Usage

__all__ = [
    "FAQ",
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "Amounts",
    "AuthenticationError",
    "Callout",
    "ConfigurationError",
    "ConflictError",
    "Copydesk",
    "CopydeskError",
    "CoverageNotes",
    "DailyQuota",
    "Debug",
    "Feed",
    "FeedItem",
    "FeedResult",
    "Generation",
    "KeywordCoverage",
    "Limits",
    "Meta",
    "Metering",
    "NotFoundError",
    "Outline",
    "PermissionDeniedError",
    "Plan",
    "Post",
    "ProhibitedInputError",
    "Quality",
    "QualityError",
    "QuotaExceededError",
    "RateLimitError",
    "Rendered",
    "Section",
    "ServerError",
    "Usage",
    "ValidationError",
    "__version__",
]
