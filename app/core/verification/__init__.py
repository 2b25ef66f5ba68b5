"""Verification: the claims of a text, and the sources that support them.

A pipeline uses `Grounding`: notes for the writer, findings for its drafts, coverage for the
operator.
"""

from app.core.verification.advice import is_order
from app.core.verification.check import (
    CONTRADICTED,
    DISPUTED,
    UNSUPPORTED,
    Coverage,
    Grounding,
    SourceIndex,
    Verdict,
    Vouched,
    contradicted_statement,
    unsupported_statement,
)
from app.core.verification.claims import RequestContext
from app.core.verification.extract import Extract
from app.core.verification.plagiarism import Originals, check_plagiarism
from app.core.verification.quotations import (
    MIN_WORDS,
    find_quotation,
    find_words,
    quoted_words,
)
from app.core.verification.retrieval import CLOSING, OPENING, PassageIndex, marked
from app.core.verification.statement import ROW, Statement, statements

__all__ = [
    "CLOSING", "CONTRADICTED", "DISPUTED", "MIN_WORDS", "OPENING", "ROW", "UNSUPPORTED", "Coverage",
    "Extract", "Grounding", "Originals", "PassageIndex", "RequestContext", "SourceIndex",
    "Statement", "Verdict", "Vouched", "check_plagiarism", "contradicted_statement",
    "find_quotation", "find_words", "is_order", "marked", "quoted_words", "statements",
    "unsupported_statement",
]  # fmt: skip
