-- +goose Up

-- A member of the platform's staff; email_key is the address in lower case.
-- Without a password_hash nobody can sign in as this member.
CREATE TABLE staff (
    id            UUID NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    email         TEXT NOT NULL,
    email_key     TEXT COLLATE "C" NOT NULL UNIQUE,
    password_hash TEXT,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'staff')),
    phone         TEXT,
    is_active     BOOLEAN NOT NULL,
    last_login_at BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

-- What a member of role staff may do in a module; no row is level none.
CREATE TABLE staff_permission (
    staff_id UUID NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
    module   TEXT COLLATE "C" NOT NULL,
    level    TEXT NOT NULL CHECK (level IN ('owner', 'admin', 'read', 'none')),
    PRIMARY KEY (staff_id, module)
);

-- Wrong passwords of late, by a hash of the address that was tried, known or
-- not. failures is a JSON array of moments; forget_at is when the row means
-- nothing any more.
CREATE TABLE staff_lockout (
    address_hash BYTEA NOT NULL PRIMARY KEY,
    failures     TEXT NOT NULL,
    locked_until BIGINT,
    forget_at    BIGINT NOT NULL
);
CREATE INDEX staff_lockout_by_end ON staff_lockout (forget_at);
