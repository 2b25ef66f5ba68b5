"""Signatures of posts have another form: with earlier ones, nothing can be compared."""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("post_bands", "post_signatures"):
        op.execute(f"DELETE FROM {table}")  # noqa: S608
