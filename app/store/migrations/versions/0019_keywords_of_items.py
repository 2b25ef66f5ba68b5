"""Items know the keyword that they were written for, and journals the stages of their calls.

The tables of intents and claims go. Posts that are being written begin again.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_OF_FEED_ITEMS = {
    "ix_feed_items_feed": ["token_id", "generated_at"],
    "ix_feed_items_written": ["rule_id", "keyword", "angle", "id"],
}
_PRIMARY_KEYWORD = {
    "sqlite": "json_extract(post, '$.meta.primaryKeyword')",
    "postgresql": "post #>> '{meta,primaryKeyword}'",
}


def upgrade() -> None:
    for table in ("answered_intents", "claim_keys", "post_claims", "journal_calls", "journals"):
        op.drop_table(table)
    op.add_column("feed_items", sa.Column("keyword", sa.String(length=100)))
    keyword = f"substr({_PRIMARY_KEYWORD[op.get_bind().dialect.name]}, 1, 100)"
    op.execute(f"UPDATE feed_items SET keyword = {keyword} WHERE emptied_at IS NULL")  # noqa: S608
    for name, columns in _OF_FEED_ITEMS.items():
        op.create_index(name, "feed_items", columns)
    _create_journals([sa.Column("ended", sa.Boolean(), nullable=False)])
    _create_journal_calls(sa.Column("stage", sa.String(length=40), nullable=False))


def downgrade() -> None:
    for table in ("journal_calls", "journals"):
        op.drop_table(table)
    for name in _OF_FEED_ITEMS:
        op.drop_index(name, "feed_items")
    op.drop_column("feed_items", "keyword")
    _create_journals(
        [
            sa.Column("output", sa.JSON(), nullable=False),
            sa.Column("result_digest", sa.String(length=64)),
        ]
    )
    _create_journal_calls(
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("prompt", sa.String(length=64), nullable=False),
    )
    _create_intents()
    _create_claims()


def _create_journals(columns: list[sa.Column[Any]]) -> None:
    op.create_table(
        "journals",
        sa.Column("work_id", sa.String(length=40), nullable=False),
        sa.Column("request_id", sa.String(length=128), nullable=False),
        sa.Column("inputs", sa.LargeBinary(), nullable=False),
        *columns,
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("work_id", name=op.f("pk_journals")),
    )
    op.create_index("ix_journals_request", "journals", ["request_id", "created_at"])
    op.create_index("ix_journals_created_at", "journals", ["created_at"])


def _create_journal_calls(key: sa.Column[Any], *columns: sa.Column[Any]) -> None:
    op.create_table(
        "journal_calls",
        sa.Column("work_id", sa.String(length=40), nullable=False),
        key,
        *columns,
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["work_id"],
            ["journals.work_id"],
            name=op.f("fk_journal_calls_work_id_journals"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("work_id", key.name, name=op.f("pk_journal_calls")),
    )


def _create_intents() -> None:
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


def _create_claims() -> None:
    op.create_table(
        "post_claims",
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=100), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=35), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("post_id", "number", name=op.f("pk_post_claims")),
    )
    op.create_index("ix_post_claims_created_at", "post_claims", ["created_at"])
    op.create_table(
        "claim_keys",
        sa.Column("scope", sa.String(length=40), nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["post_id", "number"],
            ["post_claims.post_id", "post_claims.number"],
            name=op.f("fk_claim_keys_post_id_post_claims"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("scope", "key", "post_id", "number", name=op.f("pk_claim_keys")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_claim_keys_post_id", "claim_keys", ["post_id", "number"])
