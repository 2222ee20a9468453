-- The rules by which a text becomes tokens. Entries of other rules than the relayer's are found less well and are computed
-- again, like vectors of another model. Until now there was one set of rules.
ALTER TABLE memory ADD COLUMN token_version smallint DEFAULT 1
--
ALTER TABLE memory ALTER COLUMN token_version DROP DEFAULT
--
-- NULL where tokens are
UPDATE memory SET token_version = NULL WHERE tokens IS NULL
--
-- Few distinct values, so an entry takes a few bytes. Only statements that compare the version use it (migration 0009).
CREATE INDEX memory_token_version ON memory (account_id, namespace, token_version) WHERE token_version IS NOT NULL
