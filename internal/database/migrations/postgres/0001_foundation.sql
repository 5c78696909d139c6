-- +goose Up

-- Keys that sign access tokens, one series for customers and one for staff.
CREATE TABLE signing_key (
    realm      TEXT NOT NULL,
    kid        TEXT NOT NULL,
    seed       BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    retired_at BIGINT,
    PRIMARY KEY (realm, kid)
);

CREATE TABLE account (
    id                 UUID NOT NULL PRIMARY KEY,
    name               TEXT NOT NULL,
    type               TEXT NOT NULL,
    status             TEXT NOT NULL,
    country            TEXT NOT NULL,
    timezone           TEXT NOT NULL,
    address            TEXT,
    city               TEXT,
    state              TEXT,
    zip_code           TEXT,
    billing_account_id UUID NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL
);

CREATE TABLE credit (
    account_id UUID NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    balance    BIGINT NOT NULL,
    currency   TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- A person. What they may do, and whether they are active, belongs to each
-- membership. email_key is the address in lower case.
CREATE TABLE users (
    id                UUID NOT NULL PRIMARY KEY,
    email             TEXT NOT NULL,
    email_key         TEXT COLLATE "C" NOT NULL UNIQUE,
    password_hash     TEXT,
    first_name        TEXT NOT NULL,
    last_name         TEXT NOT NULL,
    phone             TEXT,
    photo_key         TEXT,
    is_verified       BOOLEAN NOT NULL,
    active_account_id UUID,
    last_login_at     BIGINT,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL
);

CREATE TABLE membership (
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    user_id    UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    is_active  BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, user_id)
);
CREATE INDEX membership_by_user ON membership (user_id);

-- A session is one sign-in in one organization, with refresh tokens each used
-- once. The subject is a user or a staff member, by realm. Sessions that follow
-- from one sign-in, when its user moves on to another organization, are a family
-- and end at the same moment at the latest. One that was left has revoked_at set;
-- one that was ended has ends_at in the past.
CREATE TABLE session (
    id         UUID NOT NULL PRIMARY KEY,
    realm      TEXT NOT NULL,
    subject_id UUID NOT NULL,
    account_id UUID,
    family     UUID NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX session_by_subject ON session (realm, subject_id);
CREATE INDEX session_by_end ON session (ends_at);

CREATE TABLE refresh_token (
    hash       BYTEA NOT NULL PRIMARY KEY,
    session_id UUID NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);
CREATE INDEX refresh_token_by_session ON refresh_token (session_id);

-- Tokens that are mailed. email_key binds one to the address it was sent to. A
-- subject has one for a purpose at a time: a newer one takes the place of the
-- older, also when both are made at the same moment.
CREATE TABLE one_time_token (
    hash       BYTEA NOT NULL PRIMARY KEY,
    purpose    TEXT NOT NULL,
    subject_id UUID NOT NULL,
    email_key  TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);
CREATE UNIQUE INDEX one_time_token_by_subject ON one_time_token (subject_id, purpose);
CREATE INDEX one_time_token_by_end ON one_time_token (expires_at);
CREATE INDEX one_time_token_used ON one_time_token (used_at) WHERE used_at IS NOT NULL;

-- Work to do outside the transaction that caused it. A row lives until its work
-- is done; lease_until is when another worker may take it over.
CREATE TABLE job (
    id          UUID NOT NULL PRIMARY KEY,
    kind        TEXT NOT NULL,
    args        TEXT NOT NULL,
    run_at      BIGINT NOT NULL,
    deadline    BIGINT NOT NULL,
    attempts    BIGINT NOT NULL,
    lease       UUID,
    lease_until BIGINT,
    last_error  TEXT,
    failed_at   BIGINT,
    created_at  BIGINT NOT NULL
);
CREATE INDEX job_due ON job (run_at) WHERE failed_at IS NULL;
CREATE INDEX job_failed ON job (failed_at) WHERE failed_at IS NOT NULL;

CREATE TABLE job_schedule (
    name    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    next_at BIGINT NOT NULL
);

-- Who did what. Entries of no organization (staff, unknown addresses) have the
-- zero id as their account.
CREATE TABLE audit (
    account_id UUID NOT NULL,
    id         UUID NOT NULL,
    at         BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   UUID,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    target     TEXT NOT NULL,
    ip         TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_by_age ON audit (id);

-- Counters of rate limits, shared by all nodes; the key is a hash.
CREATE TABLE rate_limit (
    key      BYTEA NOT NULL PRIMARY KEY,
    count    BIGINT NOT NULL,
    reset_at BIGINT NOT NULL
);
CREATE INDEX rate_limit_by_end ON rate_limit (reset_at);
