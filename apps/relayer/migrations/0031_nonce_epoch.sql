-- Where nonces are kept now, as all relayers of this database agree on it. One row.
CREATE TABLE nonce_epoch (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- The store and, for Redis, its run and the random mark that a flush removes
  identity text NOT NULL,
  -- Counts the changes
  version bigint NOT NULL DEFAULT 1,
  -- Unix second: requests signed then or earlier are refused, because they may have used nonces of an earlier store
  accepts_after bigint NOT NULL DEFAULT 0,
  -- Unix second: no request that was signed later has been accepted
  signed_until bigint NOT NULL DEFAULT 0
)
--
-- Which relayers run, and which nonce store each of them uses: two that use different ones would accept a request twice.
CREATE TABLE nonce_user (
  relayer_id uuid PRIMARY KEY,
  -- Empty while it uses none
  server text,
  seen_at timestamptz NOT NULL
)
--
-- The version before kept the run of Redis alone, and did not write down how late a request had been signed
INSERT INTO nonce_epoch (identity, accepts_after, signed_until)
SELECT 'redis/' || run_id, ceil(extract(epoch FROM since))::bigint - 1, extract(epoch FROM now())::bigint + 360
FROM nonce_store WHERE id = 'redis'
--
INSERT INTO nonce_epoch (identity, signed_until)
SELECT 'table', extract(epoch FROM now())::bigint + 360
WHERE EXISTS (SELECT 1 FROM nonce WHERE expires_at > now())
ON CONFLICT DO NOTHING
