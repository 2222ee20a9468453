-- Which memory keeps a text. The hash is keyed by account and namespace: it tells nothing to who has only the database.
CREATE TABLE known_text (
  account_id bytea NOT NULL,
  text_hash bytea NOT NULL,
  memory_id uuid NOT NULL,
  PRIMARY KEY (account_id, text_hash)
)
--
-- Absent when the job takes no part in deduplication
ALTER TABLE memory_job ADD COLUMN text_hash bytea
--
-- Another memory keeps the text: the job waits for it and ends with its blob, or takes its place when it failed
ALTER TABLE memory_job ADD COLUMN duplicate boolean NOT NULL DEFAULT false
--
-- Few rows: who waits for a text
CREATE INDEX memory_job_duplicate ON memory_job (account_id, text_hash) WHERE duplicate AND status = 'running'
