-- When a blob could not be read by a look: it comes after those that were not tried yet, so that each look gets further
ALTER TABLE chain_blob ADD COLUMN tried_at timestamptz
