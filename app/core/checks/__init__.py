"""The copy desk: checks of passages, documents, posts and Markdown files."""

from app.core.checks.check import (
    CALLOUT_SHAPE,
    COPIED_FROM_SOURCE,
    NONSENSE,
    ORIGINALITY,
    TITLE_TAKEN,
    UNREADABLE,
    Check,
    Finding,
    Scope,
    ScorePart,
    Severity,
    blocker,
)
from app.core.checks.desk import (
    CHECKS,
    DESK_CHECKS,
    QUALITY_VERSION,
    Report,
    check_document,
    check_passage,
    check_post,
    skipped_checks,
)
from app.core.checks.document import read_document
from app.core.checks.file_check import FileReport, check_file
from app.core.checks.hygiene import is_clean
from app.core.checks.keywords import (
    check_keyword_density,
    check_keyword_heading,
    check_keyword_missing,
    check_keyword_rare,
    keyword_coverage,
    missing_uses,
    overuse_findings,
    place_findings,
)
from app.core.checks.passage import (
    Kind,
    Passage,
    block_place,
    by_part,
    paragraphs,
    passages,
    post_words,
    reading_text,
    text_of,
)
from app.core.checks.scoring import DETERMINISTIC, UNREAD_MOST, Score, score
from app.core.checks.structure import (
    DESCRIPTION_CHARS,
    DESCRIPTION_HARD_CHARS,
    FITS_TITLE_CHARS,
    TITLE_CHARS,
    check_faq_shape,
    check_heading,
    check_too_long,
    check_too_short,
    description_findings,
    heading_findings,
    title_findings,
    width,
)

__all__ = [
    "CALLOUT_SHAPE", "CHECKS", "COPIED_FROM_SOURCE", "DESCRIPTION_CHARS",
    "DESCRIPTION_HARD_CHARS", "DESK_CHECKS", "DETERMINISTIC",
    "FITS_TITLE_CHARS", "NONSENSE", "ORIGINALITY", "QUALITY_VERSION", "TITLE_CHARS", "TITLE_TAKEN",
    "UNREADABLE", "UNREAD_MOST", "Check", "FileReport", "Finding", "Kind", "Passage",
    "Report", "Scope", "Score", "ScorePart",
    "Severity",
    "block_place", "blocker", "by_part", "check_document", "check_faq_shape", "check_file",
    "check_heading", "check_keyword_density", "check_keyword_heading", "check_keyword_missing",
    "check_keyword_rare", "check_passage", "check_post", "check_too_long", "check_too_short",
    "description_findings",
    "heading_findings", "is_clean", "keyword_coverage", "missing_uses", "overuse_findings",
    "paragraphs", "passages", "place_findings", "post_words", "read_document", "reading_text",
    "score", "skipped_checks", "text_of", "title_findings", "width",
]  # fmt: skip
