"""Journals name the call that was begun last, so that a job can say how far it is."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("journals", sa.Column("stage", sa.String(40), nullable=True))
