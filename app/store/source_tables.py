"""The tables of pages that were read for posts, and of what posts stand on."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.columns import HASH, ID
from app.store.database import Base, UtcDateTime


class SourcePageRow(Base):
    """What was read of a page, or why it was not, so that it is not fetched again at once.

    Whoever fetches it holds it until ``lease_until``; before the first time ``fetched_at`` is None.
    """

    __tablename__ = "source_pages"
    # Retention asks for what is old.
    __table_args__ = (Index(None, "touched_at"),)

    # Of the URL, which may be longer than an index entry.
    hash: Mapped[str] = mapped_column(HASH, primary_key=True)
    url: Mapped[str] = mapped_column(Text)
    touched_at: Mapped[datetime] = mapped_column(UtcDateTime)
    fetched_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    page: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    problem: Mapped[str | None] = mapped_column(Text)


class EvidenceRow(Base):
    """What a verified post stands on, for the operator. ``post_id`` is the id of its feed item, its
    job or its request, of which there may be several, as callers may choose them."""

    __tablename__ = "evidence"
    # Retention asks for what is old.
    __table_args__ = (Index(None, "post_id"), Index(None, "created_at"))

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    post_id: Mapped[str] = mapped_column(String(128))
    account_id: Mapped[str] = mapped_column(ID)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    sources: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    coverage: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
