"""The public API for authors of targets.

Derive from ``DraftSite`` if the site has drafts, else from ``Target``; send requests with
``HttpApi``; declare settings as in ``copydesk_connectors.target.settings``; test the target with
``copydesk_connectors.suite``.
"""

from copydesk_connectors.target.additions import blog_posting
from copydesk_connectors.target.base import Copy, CopyState, Finding, Level, Target
from copydesk_connectors.target.draft_site import DraftSite, SiteCopy
from copydesk_connectors.target.errors import (
    ConfigError,
    ConnectorError,
    DraftGone,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.target.http_api import HttpApi, Refusal, is_transient, retry
from copydesk_connectors.target.http_client import Answer
from copydesk_connectors.target.internal_links import Page, closest, longest_words
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import SettingError, Settings, SiteSettings

__all__ = [
    "Answer",
    "ConfigError",
    "ConnectorError",
    "Copy",
    "CopyState",
    "DraftGone",
    "DraftSite",
    "Finding",
    "HttpApi",
    "Level",
    "Misconfigured",
    "Page",
    "Post",
    "Refusal",
    "Refused",
    "Secret",
    "SettingError",
    "Settings",
    "SiteCopy",
    "SiteSettings",
    "Target",
    "Unavailable",
    "blog_posting",
    "closest",
    "is_transient",
    "longest_words",
    "retry",
]
