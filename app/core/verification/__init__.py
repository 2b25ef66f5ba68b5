"""Verification: the claims of a text, and the sources that support them.

A pipeline uses `Grounding`: notes for the writer, findings for its drafts, coverage for the
operator.
"""

from app.core.verification.check import (
    CONTRADICTED,
    DISPUTED,
    UNSUPPORTED,
    Coverage,
    Grounding,
    SourceIndex,
    Verdict,
)
from app.core.verification.claims import RequestContext
from app.core.verification.heuristics.advice import is_order
from app.core.verification.plagiarism import Originals, check_plagiarism
from app.core.verification.retrieval import (
    CLOSING,
    OPENING,
    Extract,
    PassageIndex,
    in_groups,
    marked,
)

__all__ = [
    "CLOSING", "CONTRADICTED", "DISPUTED", "OPENING", "UNSUPPORTED", "Coverage", "Extract",
    "Grounding", "Originals", "PassageIndex", "RequestContext", "SourceIndex", "Verdict",
    "check_plagiarism", "in_groups", "is_order", "marked",
]  # fmt: skip
