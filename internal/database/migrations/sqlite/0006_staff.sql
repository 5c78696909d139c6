-- +goose Up

-- A member of the platform's staff; email_key is the address in lower case.
-- Without a password_hash nobody can sign in as this member.
CREATE TABLE staff (
    id            BLOB NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    email         TEXT NOT NULL,
    email_key     TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'staff')),
    phone         TEXT,
    is_active     INTEGER NOT NULL,
    last_login_at INTEGER,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a member of role staff may do in a module; no row is level none.
CREATE TABLE staff_permission (
    staff_id BLOB NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
    module   TEXT NOT NULL,
    level    TEXT NOT NULL CHECK (level IN ('owner', 'admin', 'read', 'none')),
    PRIMARY KEY (staff_id, module)
) STRICT, WITHOUT ROWID;

-- Wrong passwords of late, by a hash of the address that was tried, known or
-- not. failures is a JSON array of moments; forget_at is when the row means
-- nothing any more.
CREATE TABLE staff_lockout (
    address_hash BLOB NOT NULL PRIMARY KEY,
    failures     TEXT NOT NULL,
    locked_until INTEGER,
    forget_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_lockout_by_end ON staff_lockout (forget_at);
