"""What posts that had to be verified stand on."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evidence",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=128), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sources", sa.JSON(), nullable=False),
        sa.Column("coverage", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
    )
    op.create_index("ix_evidence_post_id", "evidence", ["post_id"])
    op.create_index("ix_evidence_created_at", "evidence", ["created_at"])


def downgrade() -> None:
    op.drop_index("ix_evidence_created_at", "evidence")
    op.drop_index("ix_evidence_post_id", "evidence")
    op.drop_table("evidence")
