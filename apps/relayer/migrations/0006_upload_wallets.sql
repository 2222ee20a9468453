-- How often an upload of the job was begun: from the second time on, what the first reached is looked for on chain.
ALTER TABLE memory_job ADD COLUMN upload_claims integer NOT NULL DEFAULT 0
--
-- Wallets that pay for uploads, leased to one upload at a time by whichever relayer has the lease.
CREATE TABLE upload_wallet (
  address text PRIMARY KEY,
  lease_token uuid,
  lease_until timestamptz,
  last_used timestamptz,
  -- Set when it could not pay: it is left alone until then
  rests_until timestamptz
)
