-- +goose Up

-- Both are trusted extensions: the owner of the database may add them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

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
    account_id     UUID NOT NULL,
    id             UUID NOT NULL,
    phone          BIGINT NOT NULL,
    phone_tail     BIGINT NOT NULL,
    name_key       BIGINT,
    tags_key       BIGINT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    import_id      UUID,
    is_opted_out   BOOLEAN NOT NULL,
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
);
CREATE UNIQUE INDEX contact_by_phone ON contact (account_id, phone) INCLUDE (id);
CREATE INDEX contact_by_phone_tail ON contact (account_id, phone_tail, id);
CREATE INDEX contact_by_name ON contact (account_id, name_key, id) WHERE name_key IS NOT NULL;
CREATE INDEX contact_by_tags ON contact (account_id, tags_key, id) WHERE tags_key IS NOT NULL;
CREATE INDEX contact_opted_out ON contact (account_id, id) WHERE is_opted_out;

-- The distinct folded names of an organization's contacts. suspect_at is set
-- when a contact gives a name up; a name still unused some time later is deleted.
CREATE TABLE contact_name (
    account_id UUID NOT NULL,
    key        BIGINT NOT NULL,
    text       TEXT COLLATE "C" NOT NULL,
    suspect_at BIGINT,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX contact_name_by_text ON contact_name USING gin (account_id, text gin_trgm_ops);
-- The suspects of an organization, for who wants some names again, and those of
-- all by their time, for the sweeper. The conditions differ so that neither is
-- used for the other's work, however few suspects the engine expects.
CREATE INDEX contact_name_suspect ON contact_name (account_id, key) WHERE suspect_at IS NOT NULL;
CREATE INDEX contact_name_by_suspicion ON contact_name (suspect_at) WHERE suspect_at > 0;

-- The distinct sets of tags that a tag is in.
CREATE TABLE contact_tag (
    account_id UUID NOT NULL,
    tag        TEXT COLLATE "C" NOT NULL,
    tags_key   BIGINT NOT NULL,
    PRIMARY KEY (account_id, tag, tags_key)
);

-- The distinct numbers without their last five digits.
CREATE TABLE contact_phone_head (
    account_id UUID NOT NULL,
    head       BIGINT NOT NULL,
    PRIMARY KEY (account_id, head)
);

-- Numbers that opted out, remembered also when their contact is gone.
CREATE TABLE contact_opt_out (
    account_id UUID NOT NULL,
    phone      BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, phone)
);

-- What was active before. list_ids is a JSON array of the lists it was in.
CREATE TABLE contact_trash (
    account_id UUID NOT NULL,
    id         UUID NOT NULL,
    phone      BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    import_id  UUID,
    first_name TEXT,
    last_name  TEXT,
    email      TEXT,
    tags       TEXT NOT NULL,
    notes      TEXT,
    list_ids   TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX contact_trash_by_age ON contact_trash (account_id, deleted_at, id);
CREATE INDEX contact_trash_due ON contact_trash (deleted_at);

-- A deleted list keeps its row until its memberships have been swept.
CREATE TABLE contact_list (
    account_id  UUID NOT NULL,
    id          UUID NOT NULL,
    name        TEXT NOT NULL,
    description TEXT,
    count_key   TEXT COLLATE "C" NOT NULL, -- of contact_count
    created_at  BIGINT NOT NULL,
    deleted_at  BIGINT,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX contact_list_deleted ON contact_list (deleted_at) WHERE deleted_at IS NOT NULL;

-- Which active contacts are in which list.
CREATE TABLE contact_list_member (
    account_id UUID NOT NULL,
    list_id    UUID NOT NULL,
    contact_id UUID NOT NULL,
    PRIMARY KEY (account_id, list_id, contact_id)
);
CREATE INDEX contact_list_member_by_contact ON contact_list_member (account_id, contact_id, list_id);

-- Exact counts of active contacts, changed in the transaction that changes what
-- they count. A count is the sum over its shards: writers spread over them and
-- seldom wait for each other.
CREATE TABLE contact_count (
    account_id UUID NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    shard      BIGINT NOT NULL,
    count      BIGINT NOT NULL,
    PRIMARY KEY (account_id, key, shard)
) WITH (fillfactor = 50);
CREATE INDEX contact_count_day ON contact_count (key) WHERE key >= 'day:' AND key < 'day;';

-- How far the contacts have been checked against which version of the operator
-- prefix registry: one row.
CREATE TABLE contact_registry (
    id         BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    version    TEXT NOT NULL,
    account_id UUID NOT NULL,
    contact_id UUID NOT NULL,
    done_at    BIGINT
);
