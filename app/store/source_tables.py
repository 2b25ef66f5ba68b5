"""The table of pages that were read for posts."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.columns import HASH
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
