-- Blobs that may hold what a tombstone forgets. While an object of one lives, a restore would find it there: so long the
-- tombstone is stored again before its own blob expires.
CREATE TABLE buried_blob (
  account_id bytea NOT NULL,
  -- The job that brought the tombstone, which is kept as long
  tombstone_id uuid NOT NULL,
  -- 43 characters: a quilt, where it is a patch
  blob_id text NOT NULL,
  -- When the chain was last asked about it
  looked_at timestamptz,
  PRIMARY KEY (account_id, tombstone_id, blob_id)
)
--
CREATE INDEX memory_job_tombstone_expiry ON memory_job (((checkpoint ->> 'end_epoch')::int)) WHERE kind = 2
