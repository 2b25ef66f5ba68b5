"""What a feed at scale needs: rules that run one at a time and back off, angles and signatures of
posts, metered tokens, and indexes for retention."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_DUE: dict[str, Any] = {
    f"{dialect}_where": sa.text(f"paused IS {false} AND token_paused IS {false} AND run_id IS NULL")
    for dialect, false in (("sqlite", "0"), ("postgresql", "false"))
}
_KEPT_BODY = sa.text("emptied_at IS NULL AND status IN ('used', 'rejected', 'abandoned')")


def upgrade() -> None:
    no, zero = sa.false(), "0"
    op.add_column("tokens", sa.Column("metered", sa.Boolean(), nullable=False, server_default=no))
    op.drop_index("ix_rules_due", "rules")
    op.drop_index("ix_rules_token_due", "rules")
    for column in (
        sa.Column("current_event", sa.Boolean(), nullable=False, server_default=no),
        sa.Column("token_paused", sa.Boolean(), nullable=False, server_default=no),
        sa.Column("run_id", sa.String(length=40), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False, server_default=zero),
    ):
        op.add_column("rules", column)
    op.execute(
        "UPDATE rules SET token_paused = (SELECT paused FROM tokens WHERE tokens.id = token_id)"
    )
    op.create_index("ix_rules_due", "rules", ["next_due_at"], **_DUE)
    op.create_index("ix_rules_token_due", "rules", ["token_id", "next_due_at"], **_DUE)
    op.create_index("ix_rule_runs_finished_at", "rule_runs", ["finished_at"])
    op.add_column("feed_items", sa.Column("angle", sa.String(length=40), nullable=True))
    op.add_column("feed_items", sa.Column("emptied_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_feed_items_kept_body",
        "feed_items",
        ["updated_at"],
        sqlite_where=_KEPT_BODY,
        postgresql_where=_KEPT_BODY,
    )
    op.create_index("ix_jobs_created_at", "jobs", ["created_at"])
    op.create_index("ix_usage_days_day", "usage_days", ["day"])
    op.create_table(
        "token_months",
        sa.Column("token_id", sa.String(length=40), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("posts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"], ["tokens.id"], name=op.f("fk_token_months_token_id_tokens")
        ),
        sa.PrimaryKeyConstraint("token_id", "period_start", name=op.f("pk_token_months")),
    )
    op.create_table(
        "post_signatures",
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("scope", sa.String(length=40), nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("post_id", name=op.f("pk_post_signatures")),
    )
    op.create_table(
        "post_bands",
        sa.Column("scope", sa.String(length=40), nullable=False),
        sa.Column("band", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["post_id"],
            ["post_signatures.post_id"],
            name=op.f("fk_post_bands_post_id_post_signatures"),
        ),
        sa.PrimaryKeyConstraint("scope", "band", "post_id", name=op.f("pk_post_bands")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for table in ("post_bands", "post_signatures", "token_months"):
        op.drop_table(table)
    for index, table in (
        ("ix_usage_days_day", "usage_days"),
        ("ix_jobs_created_at", "jobs"),
        ("ix_feed_items_kept_body", "feed_items"),
        ("ix_rule_runs_finished_at", "rule_runs"),
        ("ix_rules_token_due", "rules"),
        ("ix_rules_due", "rules"),
    ):
        op.drop_index(index, table)
    for table, names in (
        ("feed_items", ("angle", "emptied_at")),
        ("rules", ("current_event", "token_paused", "run_id", "failures")),
        ("tokens", ("metered",)),
    ):
        for name in names:
            op.drop_column(table, name)
    op.create_index("ix_rules_due", "rules", ["paused", "next_due_at"])
    op.create_index("ix_rules_token_due", "rules", ["token_id", "paused", "next_due_at"])
