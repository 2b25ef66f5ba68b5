"""Feeds can ask a person to review each post before it appears."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("tokens", sa.Column("review", sa.String(20), nullable=False, server_default="none")),
    ("tokens", sa.Column("review_hours", sa.Integer)),
    ("tokens", sa.Column("review_then", sa.String(20), nullable=False, server_default="approve")),
    ("tokens", sa.Column("review_email", sa.Text)),
    ("tokens", sa.Column("review_secret", sa.String(64))),
    ("tokens", sa.Column("reminded_at", sa.DateTime(timezone=True))),
    ("feed_items", sa.Column("version", sa.Integer, nullable=False, server_default="0")),
    ("feed_items", sa.Column("review_note", sa.Text)),
    ("feed_items", sa.Column("replaces", sa.String(40))),
    ("feed_items", sa.Column("published_url", sa.Text)),
    ("rule_runs", sa.Column("replaces", sa.String(40))),
)
_INDEXES = (
    ("ix_tokens_review", "tokens", ["review", "id"], "review = 'hold'"),
    ("ix_feed_items_held", "feed_items", ["generated_at", "id"], "status = 'held'"),
)


def upgrade() -> None:
    for table, column in _COLUMNS:
        op.add_column(table, column)
    for name, table, columns, where in _INDEXES:
        condition = sa.text(where)
        op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)
