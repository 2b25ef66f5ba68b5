"""Short ways to the findings of a post, for tests."""

from app.core.checks import Finding, Severity, check_post
from app.core.planning.brief import Brief
from app.core.schemas.post import SEOPost


def findings_in(post: SEOPost, brief: Brief) -> list[Finding]:
    return list(check_post(post, brief).findings)


def of(check: str, findings: list[Finding]) -> list[Finding]:
    """The findings of one check."""
    return [finding for finding in findings if finding.check == check]


def warning(check: str, section: str, reason: str, *, keyword: str = "") -> Finding:
    return Finding(check, Severity.WARNING, section, reason, keyword=keyword)
