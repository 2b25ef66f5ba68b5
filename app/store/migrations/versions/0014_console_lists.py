"""What the console lists and counts, by indexes."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_FAILED = sa.text("status = 'failed'")
_OF_FAILED = (
    ("ix_jobs_failed", "jobs", "updated_at"),
    ("ix_rule_runs_failed", "rule_runs", "finished_at"),
    ("ix_webhook_deliveries_failed", "webhook_deliveries", "id"),
)
_OF_ACCOUNTS = ("api_keys", "tokens")


def upgrade() -> None:
    op.create_index("ix_feed_items_state", "feed_items", ["status", "generated_at", "id"])
    for name, table, column in _OF_FAILED:
        op.create_index(name, table, [column], sqlite_where=_FAILED, postgresql_where=_FAILED)
    for table in _OF_ACCOUNTS:
        op.create_index(f"ix_{table}_account", table, ["account_id", "id"])
        op.drop_index(f"ix_{table}_account_id", table)


def downgrade() -> None:
    for table in _OF_ACCOUNTS:
        op.create_index(f"ix_{table}_account_id", table, ["account_id"])
        op.drop_index(f"ix_{table}_account", table)
    for name, table, _ in _OF_FAILED:
        op.drop_index(name, table)
    op.drop_index("ix_feed_items_state", "feed_items")
