"""Receivers of webhooks that fail or are slow, and feed URLs that were replaced."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhook_receivers",
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("site", sa.String(length=300), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True)),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("off_since", sa.DateTime(timezone=True)),
        sa.Column("last_answer", sa.Text()),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_webhook_receivers_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("account_id", "site", name=op.f("pk_webhook_receivers")),
    )
    op.create_index("ix_webhook_receivers_off_since", "webhook_receivers", ["off_since"])
    op.create_index("ix_webhook_receivers_updated_at", "webhook_receivers", ["updated_at"])
    op.create_table(
        "old_feed_urls",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("token_id", sa.String(length=40), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"], ["tokens.id"], name=op.f("fk_old_feed_urls_token_id_tokens")
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_old_feed_urls")),
    )
    op.create_index("ix_old_feed_urls_token_id", "old_feed_urls", ["token_id"])
    op.create_index("ix_old_feed_urls_until", "old_feed_urls", ["until"])


def downgrade() -> None:
    op.drop_table("old_feed_urls")
    op.drop_table("webhook_receivers")
