-- +goose Up

-- A sign-in through an identity provider that waits for its return. Of state and
-- nonce only hashes are kept. redirect_url is where the provider sends the
-- browser back to. verifier is the PKCE secret, empty for a flow without one; it
-- is worthless without the code that the provider gives to the browser. A flow is
-- deleted by what uses it.
CREATE TABLE identity_flow (
    state_hash   BYTEA NOT NULL PRIMARY KEY,
    nonce_hash   BYTEA NOT NULL UNIQUE,
    slot         TEXT NOT NULL,
    redirect_url TEXT NOT NULL,
    verifier     TEXT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX identity_flow_by_end ON identity_flow (expires_at);

-- Who a person is to an identity provider. One person may have several.
CREATE TABLE identity_link (
    issuer     TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    user_id    UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_link_by_user ON identity_link (user_id);
