-- A prepared statement keeps the plan it got when the tables were nearly empty. Then all indexes that begin with account_id
-- cost the same, and a lookup by primary key could read a whole account through another one. Partial indexes are only
-- considered where the statement names their column.
DROP INDEX memory_envelope
--
CREATE INDEX memory_envelope ON memory (account_id, envelope_id) WHERE envelope_id IS NOT NULL
--
DROP INDEX memory_object
--
CREATE INDEX memory_object ON memory (account_id, object_id) WHERE object_id IS NOT NULL
--
-- vector_key_id is never negative: statements that read a whole namespace say so, those that look up one memory do not
DROP INDEX memory_vector_code
--
CREATE INDEX memory_vector_code ON memory_vector (account_id, namespace, embedding_model)
  INCLUDE (memory_id, chunk_no, code) WHERE vector_key_id >= 0
--
DROP INDEX memory_successor_id
--
CREATE INDEX memory_successor_id ON memory_successor (successor_id, account_id)
