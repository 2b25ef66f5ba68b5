"""What tables share: the columns of ids and hashes, and those of work that is held by a lease.

Ids are opaque strings that sort by time; secrets are stored as SHA-256 alone.
"""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import (
    String,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.store.database import Base, UtcDateTime

ID = String(40)
HASH = String(64)


class Leased(Base):
    """Work that one worker holds at a time; ``app.store.leases`` takes it and keeps it."""

    __abstract__ = True

    WAITING: ClassVar[str] = "queued"
    HELD: ClassVar[str]

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    status: Mapped[str] = mapped_column(String(20))
    # Waiting: not before this time. Held: the lease, after which another worker may take it.
    not_before: Mapped[datetime] = mapped_column(UtcDateTime)
    # How often it was taken.
    attempts: Mapped[int] = mapped_column(default=0)
