"""Webhooks know their account; what failed, of an account or of all, is found by indexes."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_FAILED = sa.text("status = 'failed'")
_OF_FAILED = (
    ("ix_jobs_failed_newest", "jobs", ["status", "id"]),
    ("ix_jobs_failed_of_account", "jobs", ["status", "account_id", "id"]),
    ("ix_webhook_deliveries_given_up", "webhook_deliveries", ["status", "account_id", "id"]),
)
_WITH_STATUS = (
    ("ix_jobs_failed", "jobs", "updated_at"),
    ("ix_rule_runs_failed", "rule_runs", "finished_at"),
)


def upgrade() -> None:
    op.add_column("webhook_deliveries", sa.Column("account_id", sa.String(length=40)))
    op.execute(
        "UPDATE webhook_deliveries SET account_id ="
        " (SELECT account_id FROM jobs WHERE jobs.id = webhook_deliveries.job_id)"
    )
    op.create_index("ix_webhook_deliveries_account", "webhook_deliveries", ["account_id", "id"])
    for name, table, columns in _OF_FAILED:
        _create(name, table, columns)
    for name, table, column in _WITH_STATUS:
        op.drop_index(name, table)
        _create(name, table, ["status", column])


def downgrade() -> None:
    for name, table, column in _WITH_STATUS:
        op.drop_index(name, table)
        _create(name, table, [column])
    for name, table, _ in _OF_FAILED:
        op.drop_index(name, table)
    op.drop_index("ix_webhook_deliveries_account", "webhook_deliveries")
    op.drop_column("webhook_deliveries", "account_id")


def _create(name: str, table: str, columns: list[str]) -> None:
    op.create_index(name, table, columns, sqlite_where=_FAILED, postgresql_where=_FAILED)
