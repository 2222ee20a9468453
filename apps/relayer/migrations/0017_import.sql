-- When a memory was first written, where a job brings it from elsewhere
ALTER TABLE memory_job ADD COLUMN written_at timestamptz
--
-- Vectors that came with a text, of this model: through the account's map, wiped once they stand in memory_vector
ALTER TABLE memory_job ADD COLUMN given_vectors bytea
--
ALTER TABLE memory_job ADD COLUMN given_model text
