"""The root secrets from which the webhook secrets of new jobs are derived.

Jobs keep their own secret as before, so a worker of the previous version can deliver a job of this
one, and the other way round. Roots are created when they are needed.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhook_roots",
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_webhook_roots_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("account_id", "number", name=op.f("pk_webhook_roots")),
    )
    op.add_column("jobs", sa.Column("webhook_root", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("jobs", "webhook_root")
    op.drop_table("webhook_roots")
