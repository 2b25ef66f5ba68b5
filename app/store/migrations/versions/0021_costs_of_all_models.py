"""What calls to models cost is counted for a month, not for each model of it."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM costs WHERE model != ''")
    with op.batch_alter_table("costs") as table:
        table.drop_constraint("pk_costs", type_="primary")
        table.drop_column("model")
        table.create_primary_key("pk_costs", ["scope", "period_start"])
