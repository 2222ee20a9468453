-- 1 = memory; others carry what the owner keeps beside memories (tombstones 2, new wraps of a key 3) and have no row in
-- memory
ALTER TABLE memory_job ADD COLUMN kind smallint NOT NULL DEFAULT 1
--
-- What was forgotten: never indexed again, and its blob is for the owner to delete. Holds nothing of the text.
CREATE TABLE forgotten_memory (
  account_id bytea NOT NULL,
  memory_id uuid NOT NULL,
  -- Namespace tag
  tag bytea NOT NULL,
  -- Absent when it was no envelope
  envelope_id bytea,
  blob_id text,
  object_id text,
  forgotten_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, memory_id)
)
--
CREATE INDEX forgotten_memory_envelope ON forgotten_memory (account_id, envelope_id)
--
CREATE INDEX known_text_memory ON known_text (account_id, memory_id)
