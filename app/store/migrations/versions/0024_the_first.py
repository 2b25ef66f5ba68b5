"""The first version whose databases can be migrated. New ones are not made by migrations."""

revision = "0024"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing comes before it."""
