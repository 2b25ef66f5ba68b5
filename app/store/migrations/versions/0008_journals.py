"""The journals of posts: what each is written from, and the answers of the model."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "journals",
        sa.Column("work_id", sa.String(length=40), nullable=False),
        sa.Column("request_id", sa.String(length=128), nullable=False),
        sa.Column("output", sa.JSON(), nullable=False),
        sa.Column("inputs", sa.LargeBinary(), nullable=False),
        sa.Column("result_digest", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("work_id", name=op.f("pk_journals")),
    )
    op.create_index("ix_journals_request", "journals", ["request_id", "created_at"])
    op.create_index("ix_journals_created_at", "journals", ["created_at"])
    op.create_table(
        "journal_calls",
        sa.Column("work_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("prompt", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["work_id"],
            ["journals.work_id"],
            name=op.f("fk_journal_calls_work_id_journals"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("work_id", "number", name=op.f("pk_journal_calls")),
    )


def downgrade() -> None:
    op.drop_table("journal_calls")
    op.drop_index("ix_journals_created_at", "journals")
    op.drop_index("ix_journals_request", "journals")
    op.drop_table("journals")
