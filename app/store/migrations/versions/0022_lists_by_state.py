"""Lists of jobs and webhooks find those in any state by an index, of all accounts or of one."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, table in (
        ("ix_jobs_failed_newest", "jobs"),
        ("ix_jobs_failed_of_account", "jobs"),
        ("ix_webhook_deliveries_given_up", "webhook_deliveries"),
    ):
        op.drop_index(name, table)
    op.create_index("ix_jobs_state", "jobs", ["status", "id"])
    for table in ("jobs", "webhook_deliveries"):
        columns = ["account_id", "status", "id"]
        op.create_index(f"ix_{table}_account_state", table, columns)
