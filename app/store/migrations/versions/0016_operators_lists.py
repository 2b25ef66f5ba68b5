"""Codes at sign-in, replays of webhooks as rows of their own, and lists of jobs by account."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("operators", sa.Column("totp_secret", sa.String(length=64)))
    op.add_column("operators", sa.Column("totp_step", sa.BigInteger()))
    op.add_column("webhook_deliveries", sa.Column("replay_of", sa.String(length=40)))
    op.create_index("ix_jobs_account", "jobs", ["account_id", "id"])


def downgrade() -> None:
    op.drop_index("ix_jobs_account", "jobs")
    op.drop_column("webhook_deliveries", "replay_of")
    op.drop_column("operators", "totp_step")
    op.drop_column("operators", "totp_secret")
