"""The pages that were read for posts."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "source_pages",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("page", sa.JSON(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_source_pages")),
    )
    op.create_index("ix_source_pages_touched_at", "source_pages", ["touched_at"])


def downgrade() -> None:
    op.drop_index("ix_source_pages_touched_at", "source_pages")
    op.drop_table("source_pages")
