-- The tables of revision 0024, for SQLite; tests/support/databases.py writes them for PostgreSQL.
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE audit_entries (
    id VARCHAR(40) NOT NULL,
    operator VARCHAR(100) NOT NULL,
    action VARCHAR(40) NOT NULL,
    subject VARCHAR(100) NOT NULL,
    at DATETIME NOT NULL,
    CONSTRAINT pk_audit_entries PRIMARY KEY (id)
);
CREATE TABLE costs (
    scope VARCHAR(40) NOT NULL,
    period_start DATE NOT NULL,
    kind VARCHAR(20) NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens BIGINT NOT NULL,
    answer_tokens BIGINT NOT NULL,
    micros BIGINT NOT NULL,
    estimated INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    CONSTRAINT pk_costs PRIMARY KEY (scope, period_start)
);
CREATE INDEX ix_costs_most ON costs (period_start, kind, micros, scope);
CREATE TABLE evidence (
    id VARCHAR(40) NOT NULL,
    post_id VARCHAR(128) NOT NULL,
    account_id VARCHAR(40) NOT NULL,
    created_at DATETIME NOT NULL,
    sources JSON NOT NULL,
    coverage JSON NOT NULL,
    score JSON,
    CONSTRAINT pk_evidence PRIMARY KEY (id)
);
CREATE INDEX ix_evidence_created_at ON evidence (created_at);
CREATE INDEX ix_evidence_post_id ON evidence (post_id);
CREATE TABLE journals (
    work_id VARCHAR(40) NOT NULL,
    inputs BLOB NOT NULL,
    ended BOOLEAN NOT NULL,
    created_at DATETIME NOT NULL,
    stage VARCHAR(40),
    CONSTRAINT pk_journals PRIMARY KEY (work_id)
);
CREATE INDEX ix_journals_created_at ON journals (created_at);
CREATE TABLE journal_calls (
    work_id VARCHAR(40) NOT NULL,
    stage VARCHAR(40) NOT NULL,
    answer BLOB NOT NULL,
    CONSTRAINT pk_journal_calls PRIMARY KEY (work_id, stage),
    CONSTRAINT fk_journal_calls_work_id_journals FOREIGN KEY(work_id) REFERENCES journals (work_id) ON DELETE CASCADE
);
CREATE TABLE operators (
    id VARCHAR(40) NOT NULL,
    name VARCHAR(100) NOT NULL,
    name_key VARCHAR(300) NOT NULL,
    role VARCHAR(10) NOT NULL,
    password_hash TEXT NOT NULL,
    created_at DATETIME NOT NULL,
    totp_secret VARCHAR(64),
    totp_step BIGINT,
    CONSTRAINT pk_operators PRIMARY KEY (id),
    CONSTRAINT uq_operators_name_key UNIQUE (name_key)
);
CREATE TABLE operator_sessions (
    hash VARCHAR(64) NOT NULL,
    operator_id VARCHAR(40) NOT NULL,
    expires_at DATETIME NOT NULL,
    CONSTRAINT pk_operator_sessions PRIMARY KEY (hash),
    CONSTRAINT fk_operator_sessions_operator_id_operators FOREIGN KEY(operator_id) REFERENCES operators (id) ON DELETE CASCADE
);
CREATE INDEX ix_operator_sessions_expires_at ON operator_sessions (expires_at);
CREATE INDEX ix_operator_sessions_operator_id ON operator_sessions (operator_id);
CREATE TABLE plans (
    id VARCHAR(40) NOT NULL,
    name VARCHAR(100) NOT NULL,
    monthly_words INTEGER NOT NULL,
    max_words_per_request INTEGER NOT NULL,
    requests_per_minute INTEGER NOT NULL,
    requests_per_day INTEGER NOT NULL,
    priority_processing BOOLEAN NOT NULL,
    team_seats INTEGER NOT NULL,
    CONSTRAINT pk_plans PRIMARY KEY (id)
);
CREATE TABLE accounts (
    id VARCHAR(40) NOT NULL,
    name VARCHAR(100) NOT NULL,
    plan_id VARCHAR(40) NOT NULL,
    created_at DATETIME NOT NULL,
    spend_cap BIGINT,
    CONSTRAINT pk_accounts PRIMARY KEY (id),
    CONSTRAINT fk_accounts_plan_id_plans FOREIGN KEY(plan_id) REFERENCES plans (id)
);
CREATE INDEX ix_accounts_capped ON accounts (id) WHERE spend_cap IS NOT NULL;
CREATE TABLE api_keys (
    id VARCHAR(40) NOT NULL,
    account_id VARCHAR(40) NOT NULL,
    hash VARCHAR(64) NOT NULL,
    hint VARCHAR(20) NOT NULL,
    created_at DATETIME NOT NULL,
    revoked_at DATETIME,
    CONSTRAINT pk_api_keys PRIMARY KEY (id),
    CONSTRAINT fk_api_keys_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id),
    CONSTRAINT uq_api_keys_hash UNIQUE (hash)
);
CREATE INDEX ix_api_keys_account ON api_keys (account_id, id);
CREATE TABLE idempotency_keys (
    account_id VARCHAR(40) NOT NULL,
    endpoint VARCHAR(20) NOT NULL,
    "key" VARCHAR(255) NOT NULL,
    fingerprint VARCHAR(64) NOT NULL,
    status VARCHAR(20) NOT NULL,
    owner VARCHAR(40) NOT NULL,
    lease_until DATETIME NOT NULL,
    result TEXT,
    error JSON,
    created_at DATETIME NOT NULL,
    CONSTRAINT pk_idempotency_keys PRIMARY KEY (account_id, endpoint, "key"),
    CONSTRAINT fk_idempotency_keys_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
CREATE TABLE jobs (
    id VARCHAR(40) NOT NULL,
    status VARCHAR(20) NOT NULL,
    not_before DATETIME NOT NULL,
    attempts INTEGER NOT NULL,
    account_id VARCHAR(40) NOT NULL,
    request_id VARCHAR(128) NOT NULL,
    rank INTEGER NOT NULL,
    request JSON NOT NULL,
    response_types JSON NOT NULL,
    input_summary JSON NOT NULL,
    reservation_id VARCHAR(40),
    billing_period DATE NOT NULL,
    webhook_url TEXT,
    webhook_events JSON,
    webhook_secret VARCHAR(100),
    result JSON,
    error JSON,
    created_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL,
    handed_back INTEGER DEFAULT '0' NOT NULL,
    webhook_root INTEGER,
    CONSTRAINT pk_jobs PRIMARY KEY (id),
    CONSTRAINT fk_jobs_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX ix_jobs_account ON jobs (account_id, id);
CREATE INDEX ix_jobs_account_state ON jobs (account_id, status, id);
CREATE INDEX ix_jobs_created_at ON jobs (created_at);
CREATE INDEX ix_jobs_failed ON jobs (status, updated_at) WHERE status = 'failed';
CREATE INDEX ix_jobs_open ON jobs (status, rank, not_before);
CREATE INDEX ix_jobs_state ON jobs (status, id);
CREATE TABLE post_costs (
    work_id VARCHAR(40) NOT NULL,
    post_id VARCHAR(128) NOT NULL,
    account_id VARCHAR(40) NOT NULL,
    rule_id VARCHAR(40),
    open_call VARCHAR(40),
    created_at DATETIME NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens BIGINT NOT NULL,
    answer_tokens BIGINT NOT NULL,
    micros BIGINT NOT NULL,
    estimated INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    CONSTRAINT pk_post_costs PRIMARY KEY (work_id)
);
CREATE INDEX ix_post_costs_account_id ON post_costs (account_id);
CREATE INDEX ix_post_costs_created_at ON post_costs (created_at);
CREATE INDEX ix_post_costs_post ON post_costs (post_id, created_at);
CREATE TABLE post_signatures (
    post_id VARCHAR(40) NOT NULL,
    scope VARCHAR(40) NOT NULL,
    signature BLOB NOT NULL,
    CONSTRAINT pk_post_signatures PRIMARY KEY (post_id)
);
CREATE TABLE post_bands (
    scope VARCHAR(40) NOT NULL,
    band BIGINT NOT NULL,
    post_id VARCHAR(40) NOT NULL,
    CONSTRAINT pk_post_bands PRIMARY KEY (scope, band, post_id),
    CONSTRAINT fk_post_bands_post_id_post_signatures FOREIGN KEY(post_id) REFERENCES post_signatures (post_id)
) WITHOUT ROWID;
CREATE TABLE reservations (
    id VARCHAR(40) NOT NULL,
    account_id VARCHAR(40) NOT NULL,
    period_start DATE NOT NULL,
    words INTEGER NOT NULL,
    lease_until DATETIME,
    CONSTRAINT pk_reservations PRIMARY KEY (id),
    CONSTRAINT fk_reservations_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX ix_reservations_lease_until ON reservations (lease_until);
CREATE TABLE source_pages (
    hash VARCHAR(64) NOT NULL,
    url TEXT NOT NULL,
    fetched_at DATETIME NOT NULL,
    page JSON,
    problem TEXT,
    CONSTRAINT pk_source_pages PRIMARY KEY (hash)
);
CREATE INDEX ix_source_pages_fetched_at ON source_pages (fetched_at);
CREATE TABLE tokens (
    id VARCHAR(40) NOT NULL,
    account_id VARCHAR(40) NOT NULL,
    name VARCHAR(100) NOT NULL,
    hash VARCHAR(64) NOT NULL,
    hint VARCHAR(20) NOT NULL,
    paused BOOLEAN NOT NULL,
    created_at DATETIME NOT NULL,
    metered BOOLEAN DEFAULT 0 NOT NULL,
    review VARCHAR(20) DEFAULT 'none' NOT NULL,
    review_hours INTEGER,
    review_then VARCHAR(20) DEFAULT 'approve' NOT NULL,
    review_email TEXT,
    review_secret VARCHAR(64),
    reminded_at DATETIME,
    CONSTRAINT pk_tokens PRIMARY KEY (id),
    CONSTRAINT fk_tokens_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id),
    CONSTRAINT uq_tokens_hash UNIQUE (hash)
);
CREATE INDEX ix_tokens_account ON tokens (account_id, id);
CREATE INDEX ix_tokens_review ON tokens (review, id) WHERE review = 'hold';
CREATE TABLE old_feed_urls (
    hash VARCHAR(64) NOT NULL,
    token_id VARCHAR(40) NOT NULL,
    until DATETIME NOT NULL,
    CONSTRAINT pk_old_feed_urls PRIMARY KEY (hash),
    CONSTRAINT fk_old_feed_urls_token_id_tokens FOREIGN KEY(token_id) REFERENCES tokens (id)
);
CREATE INDEX ix_old_feed_urls_token_id ON old_feed_urls (token_id);
CREATE INDEX ix_old_feed_urls_until ON old_feed_urls (until);
CREATE TABLE rules (
    id VARCHAR(40) NOT NULL,
    token_id VARCHAR(40) NOT NULL,
    name VARCHAR(100) NOT NULL,
    name_key VARCHAR(300) NOT NULL,
    request JSON NOT NULL,
    offers JSON NOT NULL,
    every_seconds INTEGER NOT NULL,
    paused BOOLEAN NOT NULL,
    next_due_at DATETIME NOT NULL,
    created_at DATETIME NOT NULL,
    last_error TEXT,
    current_event BOOLEAN DEFAULT 0 NOT NULL,
    token_paused BOOLEAN DEFAULT 0 NOT NULL,
    run_id VARCHAR(40),
    failures INTEGER DEFAULT '0' NOT NULL,
    saturated_since DATETIME,
    spend_cap BIGINT,
    CONSTRAINT pk_rules PRIMARY KEY (id),
    CONSTRAINT uq_rules_token_id_name_key UNIQUE (token_id, name_key),
    CONSTRAINT fk_rules_token_id_tokens FOREIGN KEY(token_id) REFERENCES tokens (id)
);
CREATE INDEX ix_rules_capped ON rules (id) WHERE spend_cap IS NOT NULL;
CREATE INDEX ix_rules_due ON rules (next_due_at) WHERE paused IS 0 AND token_paused IS 0 AND run_id IS NULL;
CREATE INDEX ix_rules_failing ON rules (failures) WHERE failures > 0;
CREATE INDEX ix_rules_saturated ON rules (saturated_since) WHERE saturated_since IS NOT NULL;
CREATE INDEX ix_rules_token_due ON rules (token_id, next_due_at) WHERE paused IS 0 AND token_paused IS 0 AND run_id IS NULL;
CREATE TABLE feed_items (
    id VARCHAR(40) NOT NULL,
    token_id VARCHAR(40) NOT NULL,
    rule_id VARCHAR(40) NOT NULL,
    status VARCHAR(20) NOT NULL,
    delivery_count INTEGER NOT NULL,
    title TEXT NOT NULL,
    post JSON NOT NULL,
    markdown TEXT NOT NULL,
    html TEXT NOT NULL,
    generated_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL,
    angle VARCHAR(40),
    emptied_at DATETIME,
    keyword VARCHAR(100),
    version INTEGER DEFAULT '0' NOT NULL,
    review_note TEXT,
    replaces VARCHAR(40),
    published_url TEXT,
    CONSTRAINT pk_feed_items PRIMARY KEY (id),
    CONSTRAINT fk_feed_items_token_id_tokens FOREIGN KEY(token_id) REFERENCES tokens (id),
    CONSTRAINT fk_feed_items_rule_id_rules FOREIGN KEY(rule_id) REFERENCES rules (id)
);
CREATE INDEX ix_feed_items_abandoned ON feed_items (generated_at, id) WHERE status = 'abandoned';
CREATE INDEX ix_feed_items_feed ON feed_items (token_id, generated_at);
CREATE INDEX ix_feed_items_held ON feed_items (generated_at, id) WHERE status = 'held';
CREATE INDEX ix_feed_items_kept_body ON feed_items (updated_at) WHERE emptied_at IS NULL AND status IN ('used', 'rejected', 'abandoned');
CREATE INDEX ix_feed_items_pending ON feed_items (generated_at, id) WHERE status = 'pending';
CREATE INDEX ix_feed_items_pull ON feed_items (token_id, status, generated_at, id);
CREATE INDEX ix_feed_items_rejected ON feed_items (generated_at, id) WHERE status = 'rejected';
CREATE INDEX ix_feed_items_reserved ON feed_items (generated_at, id) WHERE status = 'reserved';
CREATE INDEX ix_feed_items_rule ON feed_items (rule_id, generated_at);
CREATE INDEX ix_feed_items_rule_pull ON feed_items (rule_id, status, generated_at, id);
CREATE INDEX ix_feed_items_used ON feed_items (generated_at, id) WHERE status = 'used';
CREATE INDEX ix_feed_items_written ON feed_items (rule_id, keyword, angle, id);
CREATE TABLE rule_runs (
    id VARCHAR(40) NOT NULL,
    rule_id VARCHAR(40) NOT NULL,
    slot DATETIME NOT NULL,
    status VARCHAR(20) NOT NULL,
    not_before DATETIME NOT NULL,
    attempts INTEGER NOT NULL,
    item_id VARCHAR(40),
    error JSON,
    finished_at DATETIME,
    handed_back INTEGER DEFAULT '0' NOT NULL,
    replaces VARCHAR(40),
    CONSTRAINT pk_rule_runs PRIMARY KEY (id),
    CONSTRAINT uq_rule_runs_rule_id_slot UNIQUE (rule_id, slot),
    CONSTRAINT fk_rule_runs_rule_id_rules FOREIGN KEY(rule_id) REFERENCES rules (id)
);
CREATE INDEX ix_rule_runs_failed ON rule_runs (status, finished_at) WHERE status = 'failed';
CREATE INDEX ix_rule_runs_finished_at ON rule_runs (finished_at);
CREATE INDEX ix_rule_runs_open ON rule_runs (status, not_before);
CREATE TABLE token_months (
    token_id VARCHAR(40) NOT NULL,
    period_start DATE NOT NULL,
    words INTEGER NOT NULL,
    posts INTEGER NOT NULL,
    CONSTRAINT pk_token_months PRIMARY KEY (token_id, period_start),
    CONSTRAINT fk_token_months_token_id_tokens FOREIGN KEY(token_id) REFERENCES tokens (id)
);
CREATE TABLE usage_days (
    key_id VARCHAR(40) NOT NULL,
    day DATE NOT NULL,
    used INTEGER NOT NULL,
    CONSTRAINT pk_usage_days PRIMARY KEY (key_id, day),
    CONSTRAINT fk_usage_days_key_id_api_keys FOREIGN KEY(key_id) REFERENCES api_keys (id)
);
CREATE INDEX ix_usage_days_day ON usage_days (day);
CREATE TABLE usage_months (
    account_id VARCHAR(40) NOT NULL,
    period_start DATE NOT NULL,
    words INTEGER NOT NULL,
    posts INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    reserved_words INTEGER NOT NULL,
    CONSTRAINT pk_usage_months PRIMARY KEY (account_id, period_start),
    CONSTRAINT fk_usage_months_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE webhook_deliveries (
    id VARCHAR(40) NOT NULL,
    status VARCHAR(20) NOT NULL,
    not_before DATETIME NOT NULL,
    attempts INTEGER NOT NULL,
    job_id VARCHAR(40) NOT NULL,
    event VARCHAR(20) NOT NULL,
    body TEXT NOT NULL,
    failures INTEGER NOT NULL,
    last_answer TEXT,
    created_at DATETIME NOT NULL,
    finished_at DATETIME,
    handed_back INTEGER DEFAULT '0' NOT NULL,
    replay_of VARCHAR(40),
    account_id VARCHAR(40),
    CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id),
    CONSTRAINT fk_webhook_deliveries_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE INDEX ix_webhook_deliveries_account ON webhook_deliveries (account_id, id);
CREATE INDEX ix_webhook_deliveries_account_state ON webhook_deliveries (account_id, status, id);
CREATE INDEX ix_webhook_deliveries_job_id ON webhook_deliveries (job_id);
CREATE INDEX ix_webhook_deliveries_open ON webhook_deliveries (status, not_before);
CREATE INDEX ix_webhook_deliveries_state ON webhook_deliveries (status, id);
CREATE TABLE webhook_receivers (
    account_id VARCHAR(40) NOT NULL,
    site VARCHAR(300) NOT NULL,
    failures INTEGER NOT NULL,
    failing_since DATETIME,
    not_before DATETIME NOT NULL,
    off_since DATETIME,
    last_answer TEXT,
    updated_at DATETIME NOT NULL,
    CONSTRAINT pk_webhook_receivers PRIMARY KEY (account_id, site),
    CONSTRAINT fk_webhook_receivers_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX ix_webhook_receivers_off_since ON webhook_receivers (off_since);
CREATE INDEX ix_webhook_receivers_updated_at ON webhook_receivers (updated_at);
CREATE TABLE webhook_roots (
    account_id VARCHAR(40) NOT NULL,
    number INTEGER NOT NULL,
    secret VARCHAR(100) NOT NULL,
    created_at DATETIME NOT NULL,
    CONSTRAINT pk_webhook_roots PRIMARY KEY (account_id, number),
    CONSTRAINT fk_webhook_roots_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id)
);
INSERT INTO alembic_version VALUES ('0024');
INSERT INTO plans VALUES ('starter', 'Starter', 20000, 1500, 10, 50, false, 1);
INSERT INTO plans VALUES ('growth', 'Growth', 100000, 3000, 60, 500, false, 5);
INSERT INTO plans VALUES ('scale', 'Scale', 500000, 5000, 300, 5000, true, 25);
