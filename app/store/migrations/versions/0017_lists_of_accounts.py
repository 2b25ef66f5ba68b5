"""Webhooks know their account; what failed, of an account or of all, by indexes."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_FAILED = sa.text("status = 'failed'")
_PARTIAL = (
    ("ix_webhook_deliveries_given_up", "webhook_deliveries", ["account_id", "id"]),
    ("ix_jobs_failed_of_account", "jobs", ["account_id", "id"]),
    ("ix_jobs_failed_newest", "jobs", ["id"]),
)


def upgrade() -> None:
    op.add_column("webhook_deliveries", sa.Column("account_id", sa.String(length=40)))
    op.execute(
        "UPDATE webhook_deliveries SET account_id ="
        " (SELECT account_id FROM jobs WHERE jobs.id = webhook_deliveries.job_id)"
    )
    op.create_index("ix_webhook_deliveries_account", "webhook_deliveries", ["account_id", "id"])
    for name, table, columns in _PARTIAL:
        op.create_index(name, table, columns, sqlite_where=_FAILED, postgresql_where=_FAILED)


def downgrade() -> None:
    for name, table, _ in _PARTIAL:
        op.drop_index(name, table)
    op.drop_index("ix_webhook_deliveries_account", "webhook_deliveries")
    op.drop_column("webhook_deliveries", "account_id")
