-- +goose Up

-- A subject has one link for a purpose at a time: a newer one takes the place of
-- the older, also when both are made at the same moment.
DELETE FROM one_time_token;
DROP INDEX one_time_token_by_subject;
CREATE UNIQUE INDEX one_time_token_by_subject ON one_time_token (subject_id, purpose);
