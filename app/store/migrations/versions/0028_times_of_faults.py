"""When the last call to a model failed, as well."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # What is not known of earlier faults is no loss: the next call stores its own.
    op.drop_table("model_faults")
    op.create_table(
        "model_faults",
        sa.Column("model", sa.String(64), primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
