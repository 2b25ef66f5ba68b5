"""The Python client of Copydesk, which writes blog posts from keywords.

``Copydesk`` generates posts, directly or as jobs, and reports usage. ``webhooks`` verifies the
events of jobs. ``Feed`` pulls posts that are ready to publish. ``AsyncCopydesk`` and ``AsyncFeed``
are the same for ``async`` code.
"""

from copydesk import webhooks
from copydesk._calls import Progress
from copydesk._transport import AsyncHTTPTransport, HTTPTransport
from copydesk._version import __version__
from copydesk.client import AsyncCopydesk, Copydesk
from copydesk.consume import AsyncTransactions, Consumed, Outcome, Reject, Transactions
from copydesk.errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    CopydeskError,
    JobPendingError,
    LedgerError,
    NotFoundError,
    PermissionDeniedError,
    ProhibitedInputError,
    PublishError,
    QualityError,
    QuotaExceededError,
    RateLimitError,
    ServerError,
    ValidationError,
    WebhookVerificationError,
)
from copydesk.feed import AsyncFeed, Feed
from copydesk.jobs import AsyncJobs, Jobs
from copydesk.ledger import Ledger
from copydesk.models import (
    FAQ,
    Amounts,
    Callout,
    CoverageNotes,
    DailyQuota,
    Debug,
    FeedItem,
    FeedResult,
    Generation,
    InputSummary,
    Job,
    JobError,
    KeywordCoverage,
    Limits,
    Meta,
    Metering,
    Outline,
    Plan,
    Post,
    Quality,
    Rendered,
    Section,
    Usage,
)
from copydesk.request import GenerateRequest
from copydesk.response import RateLimit, Response
from copydesk.webhooks import JobFailed, JobSucceeded, WebhookEvent

__all__ = [
    "FAQ",
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "Amounts",
    "AsyncCopydesk",
    "AsyncFeed",
    "AsyncHTTPTransport",
    "AsyncJobs",
    "AsyncTransactions",
    "AuthenticationError",
    "Callout",
    "ConfigurationError",
    "ConflictError",
    "Consumed",
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
    "HTTPTransport",
    "InputSummary",
    "Job",
    "JobError",
    "JobFailed",
    "JobPendingError",
    "JobSucceeded",
    "Jobs",
    "KeywordCoverage",
    "Ledger",
    "LedgerError",
    "Limits",
    "Meta",
    "Metering",
    "NotFoundError",
    "Outcome",
    "Outline",
    "PermissionDeniedError",
    "Plan",
    "Post",
    "Progress",
    "ProhibitedInputError",
    "PublishError",
    "Quality",
    "QualityError",
    "QuotaExceededError",
    "RateLimit",
    "RateLimitError",
    "Reject",
    "Rendered",
    "Response",
    "Section",
    "ServerError",
    "Transactions",
    "Usage",
    "ValidationError",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "webhooks",
]
