"""The Python client of Copydesk: keywords in, finished blog posts out.

``Copydesk`` generates posts, at once or as jobs, and reports usage; ``webhooks`` receives what jobs
made; ``Feed`` pulls posts that wait to be published.
"""

from copydesk import webhooks
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
    JobPendingError,
    NotFoundError,
    PermissionDeniedError,
    ProhibitedInputError,
    QualityError,
    QuotaExceededError,
    RateLimitError,
    ServerError,
    ValidationError,
    WebhookVerificationError,
)
from copydesk.feed import Feed
from copydesk.job import InputSummary, Job, JobError
from copydesk.jobs import Jobs
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
from copydesk.request import GenerateRequest
from copydesk.usage import Amounts, DailyQuota, Limits, Metering, Plan, Usage
from copydesk.webhooks import JobFailed, JobSucceeded, WebhookEvent

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
    "GenerateRequest",
    "Generation",
    "InputSummary",
    "Job",
    "JobError",
    "JobFailed",
    "JobPendingError",
    "JobSucceeded",
    "Jobs",
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
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "webhooks",
]
