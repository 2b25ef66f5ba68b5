"""Work that a process handed back as it stopped does not count as an attempt that failed."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_LEASED = ("jobs", "rule_runs", "webhook_deliveries")


def upgrade() -> None:
    for table in _LEASED:
        op.add_column(
            table, sa.Column("handed_back", sa.Integer(), nullable=False, server_default="0")
        )


def downgrade() -> None:
    for table in _LEASED:
        op.drop_column(table, "handed_back")
