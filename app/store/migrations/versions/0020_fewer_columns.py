"""What calls to models cost is in one table, by month and model; rules whose model repeats itself
fail as others do; journals are found by their work alone; and nobody holds a page to read it.

The cache of pages begins again.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_FIGURES = ("calls", "prompt_tokens", "answer_tokens", "micros", "estimated", "unpriced")
_LARGE = ("prompt_tokens", "answer_tokens", "micros")
_NAMES, _SUMS = ", ".join(_FIGURES), ", ".join(f"sum({name})" for name in _FIGURES)
_MONTH = {"sqlite": "date(day, 'start of month')", "postgresql": "date_trunc('month', day)::date"}


def _text(name: str, length: int) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length=length), nullable=False)


def _day(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Date(), nullable=False)


def upgrade() -> None:
    key = (_text("scope", 40), _day("period_start"), _text("model", 100))
    _create("costs", *key, columns=(_text("kind", 20),))
    op.create_index("ix_costs_most", "costs", ["period_start", "kind", "micros", "scope"])
    month = _MONTH[op.get_bind().dialect.name]
    into = f"INSERT INTO costs (scope, period_start, model, kind, {_NAMES})"
    for statement in (
        f"{into} SELECT scope, period_start, '', kind, {_NAMES} FROM cost_months",  # noqa: S608
        f"{into} SELECT scope, {month}, model, 'model', {_SUMS} FROM cost_days GROUP BY 1, 2, 3",  # noqa: S608
    ):
        op.execute(statement)
    op.drop_table("cost_days")
    op.drop_table("cost_months")
    op.drop_index("ix_journals_request", "journals")
    op.drop_column("journals", "request_id")
    for name in ("saturated_until", "repeated_item", "repeats", "rests"):
        op.drop_column("rules", name)
    _replace_pages("fetched_at")


def downgrade() -> None:
    _replace_pages(
        "touched_at",
        sa.Column("fetched_at", sa.DateTime(timezone=True)),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
    )
    op.add_column("rules", sa.Column("saturated_until", sa.DateTime(timezone=True)))
    op.add_column("rules", sa.Column("repeated_item", sa.String(length=40)))
    for name in ("repeats", "rests"):
        counted = sa.Column(name, sa.Integer(), nullable=False, server_default="0")
        op.add_column("rules", counted)
    request = sa.Column("request_id", sa.String(length=128), nullable=False, server_default="")
    op.add_column("journals", request)
    op.create_index("ix_journals_request", "journals", ["request_id", "created_at"])
    month = (_text("scope", 40), _day("period_start"))
    _create("cost_months", *month, columns=(_text("kind", 20), _day("since")))
    most = ["period_start", "kind", "micros", "scope"]
    op.create_index("ix_cost_months_most", "cost_months", most)
    _create("cost_days", _text("scope", 40), _day("day"), _text("model", 100))
    op.create_index("ix_cost_days_day", "cost_days", ["day"])
    for statement in (
        f"INSERT INTO cost_months SELECT scope, period_start, kind, period_start, {_NAMES}"  # noqa: S608
        " FROM costs WHERE model = ''",
        f"INSERT INTO cost_days SELECT scope, period_start, model, {_NAMES}"  # noqa: S608
        " FROM costs WHERE model <> ''",
    ):
        op.execute(statement)
    op.drop_table("costs")


def _create(name: str, *key: sa.Column[Any], columns: tuple[sa.Column[Any], ...] = ()) -> None:
    """Create a table of figures."""
    figures = (
        sa.Column(each, sa.BigInteger() if each in _LARGE else sa.Integer(), nullable=False)
        for each in _FIGURES
    )
    primary = sa.PrimaryKeyConstraint(*(each.name for each in key), name=op.f(f"pk_{name}"))
    op.create_table(name, *key, *columns, *figures, primary)


def _replace_pages(time: str, *times: sa.Column[Any]) -> None:
    op.drop_table("source_pages")
    op.create_table(
        "source_pages",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column(time, sa.DateTime(timezone=True), nullable=False),
        *times,
        sa.Column("page", sa.JSON()),
        sa.Column("problem", sa.Text()),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_source_pages")),
    )
    op.create_index(f"ix_source_pages_{time}", "source_pages", [time])
