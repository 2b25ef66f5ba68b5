"""The Python client of Copydesk, which writes blog posts from keywords.

``Copydesk`` generates posts, directly or as jobs, checks texts and reports usage. ``webhooks``
verifies the events of jobs. ``Feed`` pulls posts that are ready to publish. ``AsyncCopydesk`` and
``AsyncFeed`` are the same for ``async`` code. ``copydesk.models`` has the parts of all results.
"""

from copydesk import webhooks
from copydesk._calls import Progress
from copydesk._version import __version__
from copydesk.client import AsyncCopydesk, Copydesk
from copydesk.consume import Outcome, Reject
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
from copydesk.models import (
    CheckReport,
    FeedItem,
    FeedResult,
    Generation,
    Job,
    JobError,
    JobProgress,
    Post,
    Quality,
    Rendered,
    Usage,
)
from copydesk.request import GenerateRequest
from copydesk.response import RateLimit, Response
from copydesk.webhooks import JobFailed, JobSucceeded, WebhookEvent

__all__ = [
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AsyncCopydesk",
    "AsyncFeed",
    "AsyncJobs",
    "AuthenticationError",
    "CheckReport",
    "ConfigurationError",
    "ConflictError",
    "Copydesk",
    "CopydeskError",
    "Feed",
    "FeedItem",
    "FeedResult",
    "GenerateRequest",
    "Generation",
    "Job",
    "JobError",
    "JobFailed",
    "JobPendingError",
    "JobProgress",
    "JobSucceeded",
    "Jobs",
    "NotFoundError",
    "Outcome",
    "PermissionDeniedError",
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
    "ServerError",
    "Usage",
    "ValidationError",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "webhooks",
]
