"""The operators of the console, and the log of changes."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.extensions import Base
from app.store.models.columns import Hash, Id, Key, Name, NameKey


class Operator(Base):
    """A person who may sign in to the console; ``role`` is “read” or “write”."""

    __tablename__ = "operators"

    id: Mapped[Key]
    name: Mapped[Name]
    name_key: Mapped[NameKey] = mapped_column(unique=True)
    role: Mapped[str] = mapped_column(String(10))
    password_hash: Mapped[str]
    # Base32; None if the operator signs in without codes.
    totp_secret: Mapped[Hash | None]
    # The 30 seconds whose code was accepted last: neither it nor an earlier one works again.
    totp_step: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime]


class OperatorSession(Base):
    """A signed-in browser. Its cookie is stored only as a hash."""

    __tablename__ = "operator_sessions"

    hash: Mapped[Hash] = mapped_column(primary_key=True)
    operator_id: Mapped[str] = mapped_column(
        ForeignKey("operators.id", ondelete="CASCADE"), index=True
    )
    expires_at: Mapped[datetime] = mapped_column(index=True)


class AuditEntry(Base):
    """A sign-in, or a change in the console or by command. It outlives its operator."""

    __tablename__ = "audit_entries"

    id: Mapped[Key]
    operator: Mapped[Name]
    action: Mapped[Id]
    subject: Mapped[Name]
    at: Mapped[datetime]
