"""The tables and the plans."""

from functools import partial
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = None
branch_labels = None
depends_on = None

_ID, _HASH, _STATUS = sa.String(40), sa.String(64), sa.String(20)
_TIME = sa.DateTime(timezone=True)
# Not those of app.store.models, which describe the newest tables.
_tables = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
_Column = partial(sa.Column, nullable=False)
_Key = partial(sa.Column, primary_key=True, autoincrement=False)


def _table(name: str, *parts: sa.schema.SchemaItem, **options: Any) -> sa.Table:
    return sa.Table(name, _tables, *parts, **options)


def _columns(kind: Any, *names: str) -> list[sa.Column[Any]]:
    return [_Column(name, kind) for name in names]


def _partial_index(name: str, *columns: str, where: str) -> sa.Index:
    options: dict[str, Any] = {
        "sqlite_where": sa.text(where),
        "postgresql_where": sa.text(where.replace("IS 0", "IS false")),
    }
    return sa.Index(name, *columns, **options)


def _cascade(column: str) -> sa.ForeignKey:
    return sa.ForeignKey(column, ondelete="CASCADE")


def _figures() -> list[sa.Column[Any]]:
    """What calls to models cost."""
    return [
        _Column("calls", sa.Integer),
        *_columns(sa.BigInteger, "prompt_tokens", "answer_tokens", "micros"),
        *_columns(sa.Integer, "estimated", "unpriced"),
    ]


_DUE = "paused IS 0 AND token_paused IS 0 AND run_id IS NULL"
_FAILED = "status = 'failed'"

_plans = _table(
    "plans",
    _Key("id", _ID),
    _Column("name", sa.String(100)),
    _Column("monthly_words", sa.Integer),
    _Column("max_words_per_request", sa.Integer),
    _Column("requests_per_minute", sa.Integer),
    _Column("requests_per_day", sa.Integer),
    _Column("priority_processing", sa.Boolean),
    _Column("team_seats", sa.Integer),
)
_table(
    "accounts",
    _Key("id", _ID),
    _Column("name", sa.String(100)),
    _Column("plan_id", _ID, sa.ForeignKey("plans.id")),
    _Column("created_at", _TIME),
    sa.Column("spend_cap", sa.BigInteger),
    _partial_index("ix_accounts_capped", "id", where="spend_cap IS NOT NULL"),
)
_table(
    "api_keys",
    _Key("id", _ID),
    _Column("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Column("hash", _HASH, unique=True),
    _Column("hint", sa.String(20)),
    _Column("created_at", _TIME),
    sa.Column("revoked_at", _TIME),
    sa.Index("ix_api_keys_account", "account_id", "id"),
)
_table(
    "webhook_roots",
    _Key("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Key("number", sa.Integer),
    _Column("secret", sa.String(100)),
    _Column("created_at", _TIME),
)
_table(
    "usage_months",
    _Key("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Key("period_start", sa.Date),
    *_columns(sa.Integer, "words", "posts", "requests", "reserved_words"),
)
_table(
    "usage_days",
    _Key("key_id", _ID, sa.ForeignKey("api_keys.id")),
    _Key("day", sa.Date, index=True),
    _Column("used", sa.Integer),
)
_table(
    "reservations",
    _Key("id", _ID),
    _Column("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Column("period_start", sa.Date),
    _Column("words", sa.Integer),
    sa.Column("lease_until", _TIME, index=True),
)
_table(
    "idempotency_keys",
    _Key("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Key("endpoint", sa.String(20)),
    _Key("key", sa.String(255)),
    _Column("fingerprint", _HASH),
    _Column("status", _STATUS),
    _Column("owner", _ID),
    _Column("lease_until", _TIME),
    sa.Column("result", sa.Text),
    sa.Column("error", sa.JSON),
    _Column("created_at", _TIME, index=True),
)
_table(
    "jobs",
    _Key("id", _ID),
    _Column("status", _STATUS),
    _Column("not_before", _TIME),
    _Column("attempts", sa.Integer),
    _Column("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Column("request_id", sa.String(128)),
    _Column("rank", sa.Integer),
    *_columns(sa.JSON, "request", "response_types", "input_summary"),
    sa.Column("reservation_id", _ID),
    _Column("billing_period", sa.Date),
    sa.Column("webhook_url", sa.Text),
    sa.Column("webhook_events", sa.JSON),
    sa.Column("webhook_secret", sa.String(100)),
    sa.Column("result", sa.JSON),
    sa.Column("error", sa.JSON),
    _Column("created_at", _TIME, index=True),
    _Column("updated_at", _TIME),
    _Column("handed_back", sa.Integer, server_default="0"),
    sa.Column("webhook_root", sa.Integer),
    sa.Index("ix_jobs_open", "status", "rank", "not_before"),
    sa.Index("ix_jobs_account", "account_id", "id"),
    _partial_index("ix_jobs_failed", "status", "updated_at", where=_FAILED),
    _partial_index("ix_jobs_failed_newest", "status", "id", where=_FAILED),
    _partial_index("ix_jobs_failed_of_account", "status", "account_id", "id", where=_FAILED),
)
_table(
    "webhook_deliveries",
    _Key("id", _ID),
    _Column("status", _STATUS),
    _Column("not_before", _TIME),
    _Column("attempts", sa.Integer),
    _Column("job_id", _ID, sa.ForeignKey("jobs.id"), index=True),
    _Column("event", sa.String(20)),
    _Column("body", sa.Text),
    _Column("failures", sa.Integer),
    sa.Column("last_answer", sa.Text),
    _Column("created_at", _TIME),
    sa.Column("finished_at", _TIME),
    _Column("handed_back", sa.Integer, server_default="0"),
    sa.Column("replay_of", _ID),
    sa.Column("account_id", _ID),
    sa.Index("ix_webhook_deliveries_open", "status", "not_before"),
    sa.Index("ix_webhook_deliveries_state", "status", "id"),
    sa.Index("ix_webhook_deliveries_account", "account_id", "id"),
    _partial_index("ix_webhook_deliveries_given_up", "status", "account_id", "id", where=_FAILED),
)
_table(
    "webhook_receivers",
    _Key("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Key("site", sa.String(300)),
    _Column("failures", sa.Integer),
    sa.Column("failing_since", _TIME),
    _Column("not_before", _TIME),
    sa.Column("off_since", _TIME, index=True),
    sa.Column("last_answer", sa.Text),
    _Column("updated_at", _TIME, index=True),
)
_table(
    "tokens",
    _Key("id", _ID),
    _Column("account_id", _ID, sa.ForeignKey("accounts.id")),
    _Column("name", sa.String(100)),
    _Column("hash", _HASH, unique=True),
    _Column("hint", sa.String(20)),
    _Column("paused", sa.Boolean),
    _Column("created_at", _TIME),
    _Column("metered", sa.Boolean, server_default=sa.false()),
    sa.Index("ix_tokens_account", "account_id", "id"),
)
_table(
    "old_feed_urls",
    _Key("hash", _HASH),
    _Column("token_id", _ID, sa.ForeignKey("tokens.id"), index=True),
    _Column("until", _TIME, index=True),
)
_table(
    "token_months",
    _Key("token_id", _ID, sa.ForeignKey("tokens.id")),
    _Key("period_start", sa.Date),
    *_columns(sa.Integer, "words", "posts"),
)
_table(
    "rules",
    _Key("id", _ID),
    _Column("token_id", _ID, sa.ForeignKey("tokens.id")),
    _Column("name", sa.String(100)),
    _Column("name_key", sa.String(300)),
    *_columns(sa.JSON, "request", "offers"),
    _Column("every_seconds", sa.Integer),
    _Column("paused", sa.Boolean),
    *_columns(_TIME, "next_due_at", "created_at"),
    sa.Column("last_error", sa.Text),
    _Column("current_event", sa.Boolean, server_default=sa.false()),
    _Column("token_paused", sa.Boolean, server_default=sa.false()),
    sa.Column("run_id", _ID),
    _Column("failures", sa.Integer, server_default="0"),
    sa.Column("saturated_since", _TIME),
    sa.Column("saturated_until", _TIME),
    sa.Column("repeated_item", _ID),
    _Column("repeats", sa.Integer, server_default="0"),
    _Column("rests", sa.Integer, server_default="0"),
    sa.Column("spend_cap", sa.BigInteger),
    sa.UniqueConstraint("token_id", "name_key"),
    _partial_index("ix_rules_due", "next_due_at", where=_DUE),
    _partial_index("ix_rules_token_due", "token_id", "next_due_at", where=_DUE),
    _partial_index("ix_rules_failing", "failures", where="failures > 0"),
    _partial_index("ix_rules_saturated", "saturated_since", where="saturated_since IS NOT NULL"),
    _partial_index("ix_rules_capped", "id", where="spend_cap IS NOT NULL"),
)
_table(
    "rule_runs",
    _Key("id", _ID),
    _Column("rule_id", _ID, sa.ForeignKey("rules.id")),
    _Column("slot", _TIME),
    _Column("status", _STATUS),
    _Column("not_before", _TIME),
    _Column("attempts", sa.Integer),
    sa.Column("item_id", _ID),
    sa.Column("error", sa.JSON),
    sa.Column("finished_at", _TIME, index=True),
    _Column("handed_back", sa.Integer, server_default="0"),
    sa.UniqueConstraint("rule_id", "slot"),
    sa.Index("ix_rule_runs_open", "status", "not_before"),
    _partial_index("ix_rule_runs_failed", "status", "finished_at", where=_FAILED),
)
_table(
    "feed_items",
    _Key("id", _ID),
    _Column("token_id", _ID, sa.ForeignKey("tokens.id")),
    _Column("rule_id", _ID, sa.ForeignKey("rules.id")),
    _Column("status", _STATUS),
    _Column("delivery_count", sa.Integer),
    _Column("title", sa.Text),
    _Column("post", sa.JSON),
    *_columns(sa.Text, "markdown", "html"),
    *_columns(_TIME, "generated_at", "updated_at"),
    sa.Column("angle", _ID),
    sa.Column("emptied_at", _TIME),
    sa.Index("ix_feed_items_pull", "token_id", "status", "generated_at", "id"),
    sa.Index("ix_feed_items_rule_pull", "rule_id", "status", "generated_at", "id"),
    sa.Index("ix_feed_items_rule", "rule_id", "generated_at"),
    _partial_index(
        "ix_feed_items_kept_body",
        "updated_at",
        where="emptied_at IS NULL AND status IN ('used', 'rejected', 'abandoned')",
    ),
    *(
        _partial_index(f"ix_feed_items_{state}", "generated_at", "id", where=f"status = '{state}'")
        for state in ("pending", "reserved", "used", "rejected", "abandoned")
    ),
)
_table(
    "post_signatures",
    _Key("post_id", _ID),
    _Column("scope", _ID),
    _Column("signature", sa.LargeBinary),
)
_table(
    "post_bands",
    _Key("scope", _ID),
    _Key("band", sa.BigInteger),
    _Key("post_id", _ID, sa.ForeignKey("post_signatures.post_id")),
    sqlite_with_rowid=False,
)
_table(
    "answered_intents",
    _Key("intent", sa.BigInteger),
    _Key("item_id", _ID, _cascade("feed_items.id"), index=True),
    sqlite_with_rowid=False,
)
_table(
    "post_claims",
    _Key("post_id", _ID),
    _Key("number", sa.Integer),
    _Column("title", sa.Text),
    _Column("kind", sa.String(100)),
    *_columns(sa.Double, "low", "high"),
    _Column("sentence", sa.Text),
    _Column("language", sa.String(35)),
    _Column("created_at", _TIME, index=True),
)
_table(
    "claim_keys",
    _Key("scope", _ID),
    _Key("key", sa.BigInteger),
    _Key("post_id", _ID),
    _Key("number", sa.Integer),
    sa.ForeignKeyConstraint(
        ["post_id", "number"], ["post_claims.post_id", "post_claims.number"], ondelete="CASCADE"
    ),
    sa.Index("ix_claim_keys_post_id", "post_id", "number"),
    sqlite_with_rowid=False,
)
_table(
    "source_pages",
    _Key("hash", _HASH),
    _Column("url", sa.Text),
    _Column("touched_at", _TIME, index=True),
    sa.Column("fetched_at", _TIME),
    sa.Column("lease_until", _TIME),
    sa.Column("page", sa.JSON),
    sa.Column("problem", sa.Text),
)
_table(
    "evidence",
    _Key("id", _ID),
    _Column("post_id", sa.String(128), index=True),
    _Column("account_id", _ID),
    _Column("created_at", _TIME, index=True),
    *_columns(sa.JSON, "sources", "coverage"),
    sa.Column("score", sa.JSON),
)
_table(
    "journals",
    _Key("work_id", _ID),
    _Column("request_id", sa.String(128)),
    _Column("output", sa.JSON),
    _Column("inputs", sa.LargeBinary),
    sa.Column("result_digest", _HASH),
    _Column("created_at", _TIME, index=True),
    sa.Index("ix_journals_request", "request_id", "created_at"),
)
_table(
    "journal_calls",
    _Key("work_id", _ID, _cascade("journals.work_id")),
    _Key("number", sa.Integer),
    _Column("purpose", sa.String(20)),
    _Column("prompt", _HASH),
    _Column("answer", sa.LargeBinary),
)
_table(
    "operators",
    _Key("id", _ID),
    _Column("name", sa.String(100)),
    _Column("name_key", sa.String(300), unique=True),
    _Column("role", sa.String(10)),
    _Column("password_hash", sa.Text),
    _Column("created_at", _TIME),
    sa.Column("totp_secret", sa.String(64)),
    sa.Column("totp_step", sa.BigInteger),
)
_table(
    "operator_sessions",
    _Key("hash", _HASH),
    _Column("operator_id", _ID, _cascade("operators.id"), index=True),
    _Column("expires_at", _TIME, index=True),
)
_table(
    "audit_entries",
    _Key("id", _ID),
    _Column("operator", sa.String(100)),
    _Column("action", sa.String(40)),
    _Column("subject", sa.String(100)),
    _Column("at", _TIME),
)
_table(
    "cost_months",
    _Key("scope", _ID),
    _Key("period_start", sa.Date),
    _Column("kind", sa.String(20)),
    _Column("since", sa.Date),
    *_figures(),
    sa.Index("ix_cost_months_most", "period_start", "kind", "micros", "scope"),
)
_table(
    "cost_days",
    _Key("scope", _ID),
    _Key("day", sa.Date, index=True),
    _Key("model", sa.String(100)),
    *_figures(),
)
_table(
    "post_costs",
    _Key("work_id", _ID),
    _Column("post_id", sa.String(128)),
    _Column("account_id", _ID, index=True),
    sa.Column("rule_id", _ID),
    sa.Column("open_call", _ID),
    _Column("created_at", _TIME, index=True),
    *_figures(),
    sa.Index("ix_post_costs_post", "post_id", "created_at"),
)


def upgrade() -> None:
    _tables.create_all(op.get_bind(), checkfirst=False)
    names = [column.name for column in _plans.columns]
    rows = (
        ("starter", "Starter", 20_000, 1_500, 10, 50, False, 1),
        ("growth", "Growth", 100_000, 3_000, 60, 500, False, 5),
        ("scale", "Scale", 500_000, 5_000, 300, 5_000, True, 25),
    )
    op.bulk_insert(_plans, [dict(zip(names, row, strict=True)) for row in rows])


def downgrade() -> None:
    _tables.drop_all(op.get_bind())
