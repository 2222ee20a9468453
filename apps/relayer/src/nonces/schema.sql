-- Nonces of accepted requests, where no Redis is configured: public key (32 bytes) followed by nonce (16 bytes).
CREATE TABLE nonce (
  key bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
)
--
CREATE INDEX nonce_expiry ON nonce (expires_at)
--
-- Which run of the nonce store's server was last seen, and since when: another run has forgotten its nonces.
CREATE TABLE nonce_store (
  id text PRIMARY KEY,
  run_id text NOT NULL,
  since timestamptz NOT NULL
)
