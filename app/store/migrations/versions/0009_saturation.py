"""Which intents the items of a feed answer, and since when a rule has nothing new to write."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_COLUMNS = ("saturated_since", "saturated_until", "repeated_item", "repeats", "rests")


def upgrade() -> None:
    for column in (
        sa.Column("saturated_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("saturated_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("repeated_item", sa.String(length=40), nullable=True),
        sa.Column("repeats", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("rests", sa.Integer(), nullable=False, server_default="0"),
    ):
        op.add_column("rules", column)
    op.create_table(
        "answered_intents",
        sa.Column("intent", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("item_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"],
            ["feed_items.id"],
            name=op.f("fk_answered_intents_item_id_feed_items"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("intent", "item_id", name=op.f("pk_answered_intents")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_answered_intents_item_id", "answered_intents", ["item_id"])


def downgrade() -> None:
    op.drop_table("answered_intents")
    for column in _COLUMNS:
        op.drop_column("rules", column)
