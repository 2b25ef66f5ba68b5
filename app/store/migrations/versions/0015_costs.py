"""What calls to models cost, and caps on it."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_CAPPED = sa.text("spend_cap IS NOT NULL")
_TABLES = ("accounts", "rules")


def _figures() -> list[sa.Column[int]]:
    return [
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("answer_tokens", sa.BigInteger(), nullable=False),
        sa.Column("micros", sa.BigInteger(), nullable=False),
        sa.Column("estimated", sa.Integer(), nullable=False),
        sa.Column("unpriced", sa.Integer(), nullable=False),
    ]


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("spend_cap", sa.BigInteger(), nullable=True))
        op.create_index(
            f"ix_{table}_capped", table, ["id"], sqlite_where=_CAPPED, postgresql_where=_CAPPED
        )
    op.create_table(
        "cost_months",
        sa.Column("scope", sa.String(length=40), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        *_figures(),
        sa.PrimaryKeyConstraint("scope", "period_start", name=op.f("pk_cost_months")),
    )
    most = ["period_start", "kind", "micros", "scope"]
    op.create_index("ix_cost_months_most", "cost_months", most)
    op.create_table(
        "cost_days",
        sa.Column("scope", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model", sa.String(length=100), nullable=False),
        *_figures(),
        sa.PrimaryKeyConstraint("scope", "day", "model", name=op.f("pk_cost_days")),
    )
    op.create_index("ix_cost_days_day", "cost_days", ["day"])
    op.create_table(
        "post_costs",
        sa.Column("work_id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=128), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("rule_id", sa.String(length=40), nullable=True),
        sa.Column("open_call", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        *_figures(),
        sa.PrimaryKeyConstraint("work_id", name=op.f("pk_post_costs")),
    )
    op.create_index("ix_post_costs_post", "post_costs", ["post_id", "created_at"])
    op.create_index("ix_post_costs_account_id", "post_costs", ["account_id"])
    op.create_index("ix_post_costs_created_at", "post_costs", ["created_at"])


def downgrade() -> None:
    for table in ("post_costs", "cost_days", "cost_months"):
        op.drop_table(table)
    for table in _TABLES:
        op.drop_index(f"ix_{table}_capped", table)
        op.drop_column(table, "spend_cap")
