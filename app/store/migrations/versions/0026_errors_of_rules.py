"""Rules store the whole error of their last run, and no longer a line about it."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_LINE = re.compile(r"(\S+Z) ([A-Z_]+): (.*)", re.DOTALL)


def upgrade() -> None:
    op.execute("ALTER TABLE rules RENAME COLUMN last_error TO last_line")
    op.add_column("rules", sa.Column("last_error", sa.JSON))
    rules = sa.table(
        "rules", *map(sa.column, ("id", "last_line")), sa.column("last_error", sa.JSON)
    )
    runs = sa.table(
        "rule_runs", *map(sa.column, ("rule_id", "status", "slot")), sa.column("error", sa.JSON)
    )
    connection = op.get_bind()
    lines = sa.select(rules.c.id, rules.c.last_line).where(rules.c.last_line.is_not(None))
    for rule_id, line in connection.execute(lines).all():
        if found := _LINE.fullmatch(line):
            error = dict(zip(("at", "code", "message"), found.groups(), strict=True))
            # Its run has the findings as well, if it is still kept.
            failed = sa.select(runs.c.error).where(
                runs.c.rule_id == rule_id, runs.c.status == "failed"
            )
            told = connection.scalar(failed.order_by(runs.c.slot.desc()).limit(1)) or {}
            whole = {**told, **error} if told.get("message") == error["message"] else error
            of_rule = sa.update(rules).where(rules.c.id == rule_id)
            connection.execute(of_rule.values(last_error={**whole, "isForOperator": True}))
    op.drop_column("rules", "last_line")
