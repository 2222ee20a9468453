-- Keyed tokens of fields that are sealed with the text, different in each account and namespace. NULL for memories without
-- such fields.
-- context_tokens: session (8 bytes), speaker, day and month (4 bytes each); zeros where a field is absent
ALTER TABLE memory ADD COLUMN context_tokens bytea, ADD COLUMN tag_tokens bigint[], ADD COLUMN expires_at timestamptz
--
ALTER TABLE memory_job ADD COLUMN context_tokens bytea, ADD COLUMN tag_tokens bigint[], ADD COLUMN expires_at timestamptz
--
-- No two namespaces share a token, so one index serves all of them, as for the words. Memories without tags are not in it.
CREATE INDEX memory_tag_tokens ON memory USING gin (tag_tokens) WITH (fastupdate = off) WHERE tag_tokens IS NOT NULL
--
-- What is to be forgotten next, over all accounts
CREATE INDEX memory_expires_at ON memory (expires_at) WHERE expires_at IS NOT NULL
