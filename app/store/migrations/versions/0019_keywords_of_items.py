"""Items know the keyword that they were written for, and journals the stages of their calls.

The tables of intents and claims go. Posts that are being written begin again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_PRIMARY_KEYWORD = {
    "sqlite": "json_extract(post, '$.meta.primaryKeyword')",
    "postgresql": "post #>> '{meta,primaryKeyword}'",
}


def upgrade() -> None:
    for table in ("answered_intents", "claim_keys", "post_claims", "journal_calls", "journals"):
        op.drop_table(table)
    op.add_column("feed_items", sa.Column("keyword", sa.String(100)))
    keyword = f"substr({_PRIMARY_KEYWORD[op.get_bind().dialect.name]}, 1, 100)"
    op.execute(f"UPDATE feed_items SET keyword = {keyword} WHERE emptied_at IS NULL")  # noqa: S608
    op.create_index("ix_feed_items_feed", "feed_items", ["token_id", "generated_at"])
    op.create_index("ix_feed_items_written", "feed_items", ["rule_id", "keyword", "angle", "id"])
    op.create_table(
        "journals",
        sa.Column("work_id", sa.String(40), primary_key=True),
        sa.Column("request_id", sa.String(128), nullable=False),
        sa.Column("inputs", sa.LargeBinary, nullable=False),
        sa.Column("ended", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Index("ix_journals_request", "request_id", "created_at"),
    )
    work = sa.ForeignKey("journals.work_id", ondelete="CASCADE")
    op.create_table(
        "journal_calls",
        sa.Column("work_id", sa.String(40), work, primary_key=True),
        sa.Column("stage", sa.String(40), primary_key=True),
        sa.Column("answer", sa.LargeBinary, nullable=False),
    )
