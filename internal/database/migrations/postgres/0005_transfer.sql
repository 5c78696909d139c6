-- +goose Up

-- Every import and what became of it. A running one is alive as long as its
-- heartbeat is young. Counts grow in the transactions that store what they
-- count. columns is a JSON array of the names in the file.
CREATE TABLE contact_import (
    account_id     UUID NOT NULL,
    id             UUID NOT NULL,
    user_id        UUID NOT NULL,
    actor          TEXT NOT NULL,
    file_name      TEXT,
    format         TEXT NOT NULL CHECK (format IN ('csv', 'xlsx', 'json')),
    list_id        UUID,
    status         TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'cancelled', 'interrupted')),
    columns        TEXT NOT NULL,
    bytes_total    BIGINT NOT NULL,
    bytes_read     BIGINT NOT NULL,
    rows_read      BIGINT NOT NULL,
    valid          BIGINT NOT NULL,
    invalid        BIGINT NOT NULL,
    skipped        BIGINT NOT NULL,
    amended        BIGINT NOT NULL,
    failure_code   TEXT,
    failure_detail TEXT,
    started_at     BIGINT NOT NULL,
    heartbeat_at   BIGINT NOT NULL,
    finished_at    BIGINT,
    undone_at      BIGINT,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX contact_import_running ON contact_import (heartbeat_at) WHERE status = 'running';

-- Rows of the file that were passed over, or stored without one of their cells:
-- one entry for those of a chunk, as lines of CSV, compressed by gzip.
CREATE TABLE contact_import_rows (
    account_id UUID NOT NULL,
    import_id  UUID NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('skipped', 'amended')),
    first_row  BIGINT NOT NULL,
    content    BYTEA NOT NULL,
    PRIMARY KEY (account_id, import_id, kind, first_row)
);
CREATE INDEX contact_import_rows_by_import ON contact_import_rows (import_id);

-- Files on their way to somebody by mail, deleted when sent.
CREATE TABLE export_mail (
    account_id UUID NOT NULL,
    id         UUID NOT NULL,
    address    TEXT NOT NULL,
    asked_by   TEXT NOT NULL,
    file_name  TEXT NOT NULL,
    media_type TEXT NOT NULL,
    contacts   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    content    BYTEA NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX export_mail_by_age ON export_mail (created_at);
