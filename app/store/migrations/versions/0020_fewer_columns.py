"""What calls to models cost is in one table, by month and model; rules whose model repeats itself
fail as others do; journals are found by their work alone; and nobody holds a page to read it.

The cache of pages begins again.
"""

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


def upgrade() -> None:
    op.create_table(
        "costs",
        sa.Column("scope", sa.String(40), primary_key=True),
        sa.Column("period_start", sa.Date, primary_key=True),
        sa.Column("model", sa.String(100), primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        *(
            sa.Column(name, sa.BigInteger if name in _LARGE else sa.Integer, nullable=False)
            for name in _FIGURES
        ),
        sa.Index("ix_costs_most", "period_start", "kind", "micros", "scope"),
    )
    month = _MONTH[op.get_bind().dialect.name]
    into = f"INSERT INTO costs (scope, period_start, model, kind, {_NAMES})"
    for statement in (
        f"{into} SELECT scope, period_start, '', kind, {_NAMES} FROM cost_months",  # noqa: S608
        f"{into} SELECT scope, {month}, model, 'model', {_SUMS} FROM cost_days GROUP BY 1, 2, 3",  # noqa: S608
    ):
        op.execute(statement)
    for table in ("cost_days", "cost_months", "source_pages"):
        op.drop_table(table)
    op.drop_index("ix_journals_request", "journals")
    op.drop_column("journals", "request_id")
    for name in ("saturated_until", "repeated_item", "repeats", "rests"):
        op.drop_column("rules", name)
    op.create_table(
        "source_pages",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("page", sa.JSON),
        sa.Column("problem", sa.Text),
    )
