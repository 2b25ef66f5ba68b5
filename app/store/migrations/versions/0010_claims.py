"""The ledger of claims: what the posts of a feed or an account say."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "post_claims",
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=100), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=35), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("post_id", "number", name=op.f("pk_post_claims")),
    )
    op.create_index("ix_post_claims_created_at", "post_claims", ["created_at"])
    op.create_table(
        "claim_keys",
        sa.Column("scope", sa.String(length=40), nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["post_id", "number"],
            ["post_claims.post_id", "post_claims.number"],
            name=op.f("fk_claim_keys_post_id_post_claims"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("scope", "key", "post_id", "number", name=op.f("pk_claim_keys")),
        sqlite_with_rowid=False,
    )
    # For the cascade.
    op.create_index("ix_claim_keys_post_id", "claim_keys", ["post_id", "number"])


def downgrade() -> None:
    op.drop_index("ix_claim_keys_post_id", "claim_keys")
    op.drop_table("claim_keys")
    op.drop_index("ix_post_claims_created_at", "post_claims")
    op.drop_table("post_claims")
