"""What is kept of each post, and what one in progress is written from."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.extensions import Base
from app.store.models.columns import Hash, Id, Key, PackedJson, RequestId


class Signature(Base):
    """The signature of a post (``app.rules.near_duplicates``), kept without its body.

    ``scope`` is the token or account within which posts must differ.
    """

    __tablename__ = "post_signatures"

    post_id: Mapped[Key]
    scope: Mapped[Id]
    signature: Mapped[bytes]


class Band(Base):
    """One band of a signature: posts that share a band are compared."""

    __tablename__ = "post_bands"
    # The key is the whole row: storing it once halves the space.
    __table_args__ = ({"sqlite_with_rowid": False},)

    scope: Mapped[Key]
    band: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    post_id: Mapped[str] = mapped_column(ForeignKey("post_signatures.post_id"), primary_key=True)


class Evidence(Base):
    """The evidence for a post: its score in parts, and the sources of its claims.

    ``post_id`` is the id of its feed item, job or request.
    """

    __tablename__ = "evidence"

    id: Mapped[Key]
    post_id: Mapped[RequestId] = mapped_column(index=True)
    account_id: Mapped[Id]
    created_at: Mapped[datetime] = mapped_column(index=True)
    sources: Mapped[list[dict[str, Any]]]
    coverage: Mapped[list[dict[str, Any]]]
    # None in rows of earlier versions.
    score: Mapped[dict[str, Any] | None]


class SourcePage(Base):
    """A cached page, or the reason it could not be read, so that it is not refetched
    immediately."""

    __tablename__ = "source_pages"

    # Of the URL, which may be longer than an index entry.
    hash: Mapped[Hash] = mapped_column(primary_key=True)
    url: Mapped[str]
    fetched_at: Mapped[datetime] = mapped_column(index=True)
    page: Mapped[dict[str, Any] | None]
    problem: Mapped[str | None]


class Journal(Base):
    """What a post is written from (``inputs``).

    ``work_id`` is the id of a job or a run, the hash of an idempotency key, or the reservation of a
    call without one. ``stage`` is the call that was begun last; ``ended`` once nothing resumes it.
    """

    __tablename__ = "journals"

    work_id: Mapped[Key]
    inputs: Mapped[dict[str, Any]] = mapped_column(PackedJson)
    stage: Mapped[Id | None]
    ended: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(index=True)


class JournalCall(Base):
    """A call to the model: the stage of the work that made it, and the answer.

    It is deleted with its journal.
    """

    __tablename__ = "journal_calls"

    work_id: Mapped[str] = mapped_column(
        ForeignKey("journals.work_id", ondelete="CASCADE"), primary_key=True
    )
    stage: Mapped[Id] = mapped_column(primary_key=True)
    answer: Mapped[dict[str, Any]] = mapped_column(PackedJson)


class ModelFault(Base):
    """Why the last call to the model failed, in whichever process, and when; no row if it
    succeeded.

    ``model`` is a hash of the settings of the model and its endpoint: other settings have no
    fault yet.
    """

    __tablename__ = "model_faults"

    model: Mapped[Hash] = mapped_column(primary_key=True)
    reason: Mapped[str]
    at: Mapped[datetime]
