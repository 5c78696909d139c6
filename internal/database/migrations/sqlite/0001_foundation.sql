-- +goose Up

-- Keys that sign access tokens, one series for customers and one for staff.
CREATE TABLE signing_key (
    realm      TEXT NOT NULL,
    kid        TEXT NOT NULL,
    seed       BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    retired_at INTEGER,
    PRIMARY KEY (realm, kid)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
    id                 BLOB NOT NULL PRIMARY KEY,
    name               TEXT NOT NULL,
    type               TEXT NOT NULL,
    status             TEXT NOT NULL,
    country            TEXT NOT NULL,
    timezone           TEXT NOT NULL,
    address            TEXT,
    city               TEXT,
    state              TEXT,
    zip_code           TEXT,
    billing_account_id BLOB NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE credit (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    balance    INTEGER NOT NULL,
    currency   TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A person. What they may do, and whether they are active, belongs to each
-- membership. email_key is the address in lower case.
CREATE TABLE users (
    id                BLOB NOT NULL PRIMARY KEY,
    email             TEXT NOT NULL,
    email_key         TEXT NOT NULL UNIQUE,
    password_hash     TEXT,
    first_name        TEXT NOT NULL,
    last_name         TEXT NOT NULL,
    phone             TEXT,
    photo_key         TEXT,
    is_verified       INTEGER NOT NULL,
    active_account_id BLOB,
    last_login_at     INTEGER,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE membership (
    account_id BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    user_id    BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    is_active  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX membership_by_user ON membership (user_id);

-- A session is one sign-in in one organization, with refresh tokens each used
-- once. The subject is a user or a staff member, by realm. Sessions that follow
-- from one sign-in, when its user moves on to another organization, are a family
-- and end at the same moment at the latest. One that was left has revoked_at set;
-- one that was ended has ends_at in the past.
CREATE TABLE session (
    id         BLOB NOT NULL PRIMARY KEY,
    realm      TEXT NOT NULL,
    subject_id BLOB NOT NULL,
    account_id BLOB,
    family     BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    ends_at    INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_subject ON session (realm, subject_id);
CREATE INDEX session_by_end ON session (ends_at);

CREATE TABLE refresh_token (
    hash       BLOB NOT NULL PRIMARY KEY,
    session_id BLOB NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_token_by_session ON refresh_token (session_id);

-- Tokens that are mailed. email_key binds one to the address it was sent to. A
-- subject has one for a purpose at a time: a newer one takes the place of the
-- older, also when both are made at the same moment.
CREATE TABLE one_time_token (
    hash       BLOB NOT NULL PRIMARY KEY,
    purpose    TEXT NOT NULL,
    subject_id BLOB NOT NULL,
    email_key  TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX one_time_token_by_subject ON one_time_token (subject_id, purpose);
CREATE INDEX one_time_token_by_end ON one_time_token (expires_at);
CREATE INDEX one_time_token_used ON one_time_token (used_at) WHERE used_at IS NOT NULL;

-- Work to do outside the transaction that caused it. A row lives until its work
-- is done; lease_until is when another worker may take it over.
CREATE TABLE job (
    id          BLOB NOT NULL PRIMARY KEY,
    kind        TEXT NOT NULL,
    args        TEXT NOT NULL,
    run_at      INTEGER NOT NULL,
    deadline    INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    lease       BLOB,
    lease_until INTEGER,
    last_error  TEXT,
    failed_at   INTEGER,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX job_due ON job (run_at) WHERE failed_at IS NULL;
CREATE INDEX job_failed ON job (failed_at) WHERE failed_at IS NOT NULL;

CREATE TABLE job_schedule (
    name    TEXT NOT NULL PRIMARY KEY,
    next_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who did what. Entries of no organization (staff, unknown addresses) have the
-- zero id as their account.
CREATE TABLE audit (
    account_id BLOB NOT NULL,
    id         BLOB NOT NULL,
    at         INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   BLOB,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    target     TEXT NOT NULL,
    ip         TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_age ON audit (id);

-- Counters of rate limits, shared by all nodes; the key is a hash.
CREATE TABLE rate_limit (
    key      BLOB NOT NULL PRIMARY KEY,
    count    INTEGER NOT NULL,
    reset_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_limit_by_end ON rate_limit (reset_at);
