"""Operators of the console, their sessions, and what they changed."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_rules_failing", "failures", "failures > 0"),
    ("ix_rules_saturated", "saturated_since", "saturated_since IS NOT NULL"),
)


def upgrade() -> None:
    op.create_table(
        "operators",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("name_key", sa.String(length=300), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operators")),
        sa.UniqueConstraint("name_key", name=op.f("uq_operators_name_key")),
    )
    op.create_table(
        "operator_sessions",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("operator_id", sa.String(length=40), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["operator_id"],
            ["operators.id"],
            name=op.f("fk_operator_sessions_operator_id_operators"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_operator_sessions")),
    )
    op.create_index("ix_operator_sessions_operator_id", "operator_sessions", ["operator_id"])
    op.create_index("ix_operator_sessions_expires_at", "operator_sessions", ["expires_at"])
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("operator", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    for name, column, where in _INDEXES:
        condition = sa.text(where)
        op.create_index(name, "rules", [column], sqlite_where=condition, postgresql_where=condition)


def downgrade() -> None:
    for name, _, _ in _INDEXES:
        op.drop_index(name, "rules")
    op.drop_table("audit_entries")
    op.drop_index("ix_operator_sessions_expires_at", "operator_sessions")
    op.drop_index("ix_operator_sessions_operator_id", "operator_sessions")
    op.drop_table("operator_sessions")
    op.drop_table("operators")
