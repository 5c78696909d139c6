-- +goose Up

-- Active contacts. Those in the trash live in a table of their own, so that no
-- page, count or search ever walks over them. The tables of contacts have no
-- foreign keys: a check of every imported row would cost more than storing it,
-- and what they would keep out, the locks of the store keep out.
--
-- phone is the number's digits as one integer and phone_tail its last five of
-- them; a fragment of a number is found by ranges of the two. name_key and
-- tags_key stand for the folded name and the set of tags: contacts share them,
-- so finding a text among the few distinct ones finds its contacts. tags holds
-- the tags in their order, joined by semicolons.
CREATE TABLE contact (
    account_id     BLOB NOT NULL,
    id             BLOB NOT NULL,
    phone          INTEGER NOT NULL,
    phone_tail     INTEGER NOT NULL,
    name_key       INTEGER,
    tags_key       INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    import_id      BLOB,
    is_opted_out   INTEGER NOT NULL,
    status         TEXT NOT NULL CHECK (status IN ('valid', 'invalid')),
    invalid_reason TEXT,
    country        TEXT NOT NULL,
    operator       TEXT NOT NULL,
    first_name     TEXT,
    last_name      TEXT,
    email          TEXT,
    tags           TEXT NOT NULL,
    notes          TEXT,
    PRIMARY KEY (account_id, id)
) STRICT;
CREATE UNIQUE INDEX contact_by_phone ON contact (account_id, phone);
CREATE INDEX contact_by_phone_tail ON contact (account_id, phone_tail, id);
CREATE INDEX contact_by_name ON contact (account_id, name_key, id) WHERE name_key IS NOT NULL;
CREATE INDEX contact_by_tags ON contact (account_id, tags_key, id) WHERE tags_key IS NOT NULL;
CREATE INDEX contact_opted_out ON contact (account_id, id) WHERE is_opted_out;

-- The distinct folded names of an organization's contacts. suspect_at is set
-- when a contact gives a name up; a name still unused some time later is deleted.
CREATE TABLE contact_name (
    account_id BLOB NOT NULL,
    key        INTEGER NOT NULL,
    text       TEXT NOT NULL,
    suspect_at INTEGER,
    PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;
-- The index of the texts: for each name, by its key, the three-letter pieces of
-- its text in order, each led by the account, so that no organization searches
-- through the names of another.
CREATE VIRTUAL TABLE contact_name_fts USING fts5 (pieces, content = '', contentless_delete = 1, tokenize = 'ascii');
-- The suspects of an organization, for who wants some names again, and those of
-- all by their time, for the sweeper. The conditions differ so that neither is
-- used for the other's work, however few suspects the engine expects.
CREATE INDEX contact_name_suspect ON contact_name (account_id, key) WHERE suspect_at IS NOT NULL;
CREATE INDEX contact_name_by_suspicion ON contact_name (suspect_at) WHERE suspect_at > 0;

-- The distinct sets of tags that a tag is in.
CREATE TABLE contact_tag (
    account_id BLOB NOT NULL,
    tag        TEXT NOT NULL,
    tags_key   INTEGER NOT NULL,
    PRIMARY KEY (account_id, tag, tags_key)
) STRICT, WITHOUT ROWID;

-- The distinct numbers without their last five digits.
CREATE TABLE contact_phone_head (
    account_id BLOB NOT NULL,
    head       INTEGER NOT NULL,
    PRIMARY KEY (account_id, head)
) STRICT, WITHOUT ROWID;

-- Numbers that opted out, remembered also when their contact is gone.
CREATE TABLE contact_opt_out (
    account_id BLOB NOT NULL,
    phone      INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (account_id, phone)
) STRICT, WITHOUT ROWID;

-- What was active before. list_ids is a JSON array of the lists it was in.
CREATE TABLE contact_trash (
    account_id BLOB NOT NULL,
    id         BLOB NOT NULL,
    phone      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER NOT NULL,
    import_id  BLOB,
    first_name TEXT,
    last_name  TEXT,
    email      TEXT,
    tags       TEXT NOT NULL,
    notes      TEXT,
    list_ids   TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_trash_by_age ON contact_trash (account_id, deleted_at, id);
CREATE INDEX contact_trash_due ON contact_trash (deleted_at);

-- A deleted list keeps its row until its memberships have been swept.
CREATE TABLE contact_list (
    account_id  BLOB NOT NULL,
    id          BLOB NOT NULL,
    name        TEXT NOT NULL,
    description TEXT,
    count_key   TEXT NOT NULL, -- of contact_count
    created_at  INTEGER NOT NULL,
    deleted_at  INTEGER,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_list_deleted ON contact_list (deleted_at) WHERE deleted_at IS NOT NULL;

-- Which active contacts are in which list.
CREATE TABLE contact_list_member (
    account_id BLOB NOT NULL,
    list_id    BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    PRIMARY KEY (account_id, list_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_list_member_by_contact ON contact_list_member (account_id, contact_id, list_id);

-- Exact counts of active contacts, changed in the transaction that changes what
-- they count. A count is the sum over its shards: writers spread over them and
-- seldom wait for each other.
CREATE TABLE contact_count (
    account_id BLOB NOT NULL,
    key        TEXT NOT NULL,
    shard      INTEGER NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (account_id, key, shard)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_count_day ON contact_count (key) WHERE key >= 'day:' AND key < 'day;';

-- How far the contacts have been checked against which version of the operator
-- prefix registry: one row.
CREATE TABLE contact_registry (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    version    TEXT NOT NULL,
    account_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    done_at    INTEGER
) STRICT, WITHOUT ROWID;
