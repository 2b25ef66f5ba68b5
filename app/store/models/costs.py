"""What calls to models cost."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.extensions import Base
from app.store.models.columns import Count, Id, Key, Micros, RequestId, State


class _Counted:
    """The columns of ``app.core.billing.costs.Figures``."""

    calls: Mapped[Count]
    prompt_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    answer_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    micros: Mapped[Micros] = mapped_column(default=0)
    estimated: Mapped[Count]
    unpriced: Mapped[Count]


class Cost(_Counted, Base):
    """What the calls to models cost in a calendar month (UTC).

    ``scope`` is the id of an account or a rule, or "" for the installation; ``kind`` is which of
    them.
    """

    __tablename__ = "costs"
    # For those that cost most in a month.
    __table_args__ = (Index("ix_costs_most", "period_start", "kind", "micros", "scope"),)

    scope: Mapped[Key]
    period_start: Mapped[date] = mapped_column(primary_key=True)
    kind: Mapped[State]


class PostCost(_Counted, Base):
    """What the calls for one post cost. ``work_id`` is that of its journal, and ``post_id`` the id
    of its job, request, or feed item (of its run, if there is no item).

    ``open_call`` names the calls that are running, each followed by a blank: their figures are
    estimates until they return.
    """

    __tablename__ = "post_costs"
    __table_args__ = (Index("ix_post_costs_post", "post_id", "created_at"),)

    work_id: Mapped[Key]
    post_id: Mapped[RequestId]
    account_id: Mapped[Id] = mapped_column(index=True)
    rule_id: Mapped[Id | None]
    open_call: Mapped[Id | None]
    created_at: Mapped[datetime] = mapped_column(index=True)
