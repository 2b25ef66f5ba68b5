"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    plans = op.create_table(
        "plans",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("monthly_words", sa.Integer(), nullable=False),
        sa.Column("max_words_per_request", sa.Integer(), nullable=False),
        sa.Column("requests_per_minute", sa.Integer(), nullable=False),
        sa.Column("requests_per_day", sa.Integer(), nullable=False),
        sa.Column("priority_processing", sa.Boolean(), nullable=False),
        sa.Column("team_seats", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plans")),
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("plan_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name=op.f("fk_accounts_plan_id_plans")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("hint", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_api_keys_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_keys_hash")),
    )
    op.create_index("ix_api_keys_account_id", "api_keys", ["account_id"], unique=False)
    op.create_table(
        "reservations",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_reservations_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reservations")),
    )
    op.create_index("ix_reservations_lease_until", "reservations", ["lease_until"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("hint", sa.String(length=20), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_tokens_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_tokens_hash")),
    )
    op.create_index("ix_tokens_account_id", "tokens", ["account_id"], unique=False)
    op.create_table(
        "usage_months",
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("posts", sa.Integer(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("reserved_words", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_usage_months_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("account_id", "period_start", name=op.f("pk_usage_months")),
    )
    op.create_table(
        "rules",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("token_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("name_key", sa.String(length=300), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("offers", sa.JSON(), nullable=False),
        sa.Column("every_seconds", sa.Integer(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("next_due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["token_id"], ["tokens.id"], name=op.f("fk_rules_token_id_tokens")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rules")),
        sa.UniqueConstraint("token_id", "name_key", name=op.f("uq_rules_token_id_name_key")),
    )
    op.create_index(
        "ix_rules_token_due", "rules", ["token_id", "paused", "next_due_at"], unique=False
    )
    op.create_index("ix_rules_due", "rules", ["paused", "next_due_at"], unique=False)
    op.create_table(
        "usage_days",
        sa.Column("key_id", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["key_id"], ["api_keys.id"], name=op.f("fk_usage_days_key_id_api_keys")
        ),
        sa.PrimaryKeyConstraint("key_id", "day", name=op.f("pk_usage_days")),
    )
    op.create_table(
        "feed_items",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("token_id", sa.String(length=40), nullable=False),
        sa.Column("rule_id", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("delivery_count", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("post", sa.JSON(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        sa.Column("generated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["rule_id"], ["rules.id"], name=op.f("fk_feed_items_rule_id_rules")
        ),
        sa.ForeignKeyConstraint(
            ["token_id"], ["tokens.id"], name=op.f("fk_feed_items_token_id_tokens")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_items")),
    )
    op.create_index(
        "ix_feed_items_pull",
        "feed_items",
        ["token_id", "status", "generated_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_feed_items_rule_pull",
        "feed_items",
        ["rule_id", "status", "generated_at", "id"],
        unique=False,
    )
    op.create_index("ix_feed_items_rule", "feed_items", ["rule_id", "generated_at"], unique=False)
    op.create_table(
        "rule_runs",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("rule_id", sa.String(length=40), nullable=False),
        sa.Column("slot", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(length=40), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["rule_id"], ["rules.id"], name=op.f("fk_rule_runs_rule_id_rules")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_runs")),
        sa.UniqueConstraint("rule_id", "slot", name=op.f("uq_rule_runs_rule_id_slot")),
    )
    op.create_index("ix_rule_runs_open", "rule_runs", ["status", "not_before"], unique=False)
    op.bulk_insert(
        plans,
        [
            {
                "id": plan_id,
                "name": name,
                "monthly_words": monthly_words,
                "max_words_per_request": max_words,
                "requests_per_minute": per_minute,
                "requests_per_day": per_day,
                "priority_processing": priority,
                "team_seats": seats,
            }
            for plan_id, name, monthly_words, max_words, per_minute, per_day, priority, seats in (
                ("starter", "Starter", 20_000, 1_500, 10, 50, False, 1),
                ("growth", "Growth", 100_000, 3_000, 60, 500, False, 5),
                ("scale", "Scale", 500_000, 5_000, 300, 5_000, True, 25),
            )
        ],
    )


def downgrade() -> None:
    for table in (
        "rule_runs",
        "feed_items",
        "usage_days",
        "rules",
        "usage_months",
        "tokens",
        "reservations",
        "api_keys",
        "accounts",
        "plans",
    ):
        op.drop_table(table)
