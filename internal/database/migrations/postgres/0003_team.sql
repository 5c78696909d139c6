-- +goose Up

-- Set while a password that somebody else chose may be in use: from an invite or
-- a reset by an owner until the person has shown, by a mailed link, that the
-- address is theirs. Such a password never goes along into another organization.
ALTER TABLE users ADD COLUMN password_given BOOLEAN NOT NULL DEFAULT FALSE;

-- An invitation to someone who may have a user already. It is the organization's,
-- and stays when whoever sent it goes.
CREATE TABLE invitation (
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id         UUID NOT NULL,
    email      TEXT NOT NULL,
    email_key  TEXT COLLATE "C" NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    invited_by UUID NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, email_key)
);
CREATE INDEX invitation_by_id ON invitation (id);
CREATE INDEX invitation_by_end ON invitation (expires_at);
