"""An account has one root secret of webhooks. Jobs keep the secrets that were derived for them."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("webhook_root", sa.String(100)))
    op.execute(
        "UPDATE accounts SET webhook_root = (SELECT secret FROM webhook_roots"
        " WHERE account_id = accounts.id ORDER BY number DESC LIMIT 1)"
    )
    op.drop_table("webhook_roots")
    op.drop_column("jobs", "webhook_root")
