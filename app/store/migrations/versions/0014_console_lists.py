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
)
_STATES = ("pending", "reserved", "used", "rejected", "abandoned")
_OF_ACCOUNTS = ("api_keys", "tokens")


def upgrade() -> None:
    for state in _STATES:
        name, which = f"ix_feed_items_{state}", sa.text(f"status = '{state}'")
        columns = ["generated_at", "id"]
        op.create_index(name, "feed_items", columns, sqlite_where=which, postgresql_where=which)
    op.create_index("ix_webhook_deliveries_state", "webhook_deliveries", ["status", "id"])
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
    op.drop_index("ix_webhook_deliveries_state", "webhook_deliveries")
    for state in _STATES:
        op.drop_index(f"ix_feed_items_{state}", "feed_items")
