"""Why the last call to a model failed, for processes that make no calls."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_faults",
        sa.Column("model", sa.String(64), primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
    )
