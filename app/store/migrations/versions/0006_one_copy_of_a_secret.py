"""The answers that idempotency keys keep no longer hold webhook secrets: jobs have them."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_MEMBER = "webhookSigningSecret"
# Within a text of the answer the quotation marks would be escaped.
_HELD = f'"{_MEMBER}":"'
_BATCH = 500
_keys = sa.table(
    "idempotency_keys",
    *(sa.column(name) for name in ("account_id", "endpoint", "key", "result")),
)
_jobs = sa.table("jobs", sa.column("id"), sa.column("webhook_secret"))


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        # Otherwise what is taken out stays readable in the file.
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    holding = (_keys.c.endpoint == "jobs") & _keys.c.result.contains(_HELD, autoescape=True)
    while rows := connection.execute(sa.select(_keys).where(holding).limit(_BATCH)).all():
        for row in rows:
            _store(row, {name: value for name, value in _read(row).items() if name != _MEMBER})


def downgrade() -> None:
    connection = op.get_bind()
    after = ""
    query = sa.select(_jobs).where(_jobs.c.webhook_secret.is_not(None)).order_by(_jobs.c.id)
    while jobs := connection.execute(query.where(_jobs.c.id > after).limit(_BATCH)).all():
        after = jobs[-1].id
        for job in jobs:
            of_job = (_keys.c.endpoint == "jobs") & _keys.c.result.startswith(
                f'{{"jobId":"{job.id}"', autoescape=True
            )
            for row in connection.execute(sa.select(_keys).where(of_job)).all():
                _store(row, {**_read(row), _MEMBER: job.webhook_secret})


def _read(row: sa.Row[Any]) -> dict[str, object]:
    return dict(json.loads(row.result))


def _store(row: sa.Row[Any], answer: dict[str, object]) -> None:
    # As the service writes JSON, so that repeated answers keep their bytes.
    result = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    of_row = [_keys.c[name] == getattr(row, name) for name in ("account_id", "endpoint", "key")]
    op.get_bind().execute(sa.update(_keys).where(*of_row).values(result=result))
