-- A memory whose blob is gone keeps its row and says why, but has no place among those that are searched
ALTER TABLE memory DROP CONSTRAINT memory_state_check
--
ALTER TABLE memory ADD CONSTRAINT memory_state_check CHECK (state IN ('pending', 'done', 'failed', 'lost'))
--
ALTER TABLE memory ADD COLUMN lost_reason text CHECK (lost_reason IN ('expired', 'missing'))
--
ALTER TABLE memory ADD CONSTRAINT memory_lost_check CHECK ((state = 'lost') = (lost_reason IS NOT NULL))
--
-- Lost ones have no vector that a search would have to leave out
DROP INDEX memory_unfinished
--
CREATE INDEX memory_unfinished ON memory (account_id, namespace) WHERE state IN ('pending', 'failed')
--
CREATE INDEX memory_lost ON memory (account_id, namespace) WHERE state = 'lost'
--
-- What of an account expires soon is read from this alone
CREATE INDEX memory_account_expiry ON memory (account_id, end_epoch) INCLUDE (namespace, size) WHERE state = 'done'
--
-- Vectors of lost memories, as they stood in memory_vector: they come back with the blob
CREATE TABLE lost_vector (
  account_id bytea NOT NULL,
  namespace text NOT NULL,
  embedding_model text NOT NULL,
  memory_id uuid NOT NULL,
  chunk_no smallint NOT NULL,
  vector_key_id smallint NOT NULL,
  embedding vector NOT NULL,
  code bit varying NOT NULL,
  PRIMARY KEY (account_id, memory_id, chunk_no, embedding_model),
  FOREIGN KEY (account_id, memory_id) REFERENCES memory (account_id, id) ON DELETE CASCADE
)
--
CREATE INDEX lost_vector_namespace ON lost_vector (account_id, namespace, embedding_model)
--
-- Memories whose blob no aggregator had when it was last looked for: suspected while their state is `done`
CREATE TABLE unreadable_memory (
  account_id bytea NOT NULL,
  memory_id uuid NOT NULL,
  blob_id text NOT NULL,
  -- From then on nobody has had it
  since timestamptz NOT NULL DEFAULT now(),
  -- How many aggregators said so, which are all that there are
  aggregators smallint NOT NULL,
  next_look timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, memory_id),
  FOREIGN KEY (account_id, memory_id) REFERENCES memory (account_id, id) ON DELETE CASCADE
)
--
CREATE INDEX unreadable_memory_due ON unreadable_memory (next_look)
--
-- When the same bytes are stored again, for whatever memory, they are looked for
CREATE INDEX unreadable_memory_blob ON unreadable_memory (account_id, blob_id)
--
-- Envelopes with new wraps of keys stand in no other table: where they are is kept with the job that brought them
CREATE INDEX memory_job_wrap_expiry ON memory_job (((checkpoint ->> 'end_epoch')::int)) WHERE kind = 3
--
-- How far work has come that goes through a table bit by bit
ALTER TABLE shared_task ADD COLUMN position text
