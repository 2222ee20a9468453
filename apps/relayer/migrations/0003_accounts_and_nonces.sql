-- The highest version of each account object ever seen: a full node that lags behind is not believed.
CREATE TABLE account_version (
  account_id bytea PRIMARY KEY,
  object_version bigint NOT NULL,
  key_epoch bigint NOT NULL
)
--
-- Which accounts list a delegate key, for requests without x-account-id. A hint: the account itself decides.
CREATE TABLE delegate_key (
  public_key bytea NOT NULL,
  account_id bytea NOT NULL,
  -- The delegate itself signed that it belongs to the account
  proven boolean NOT NULL,
  PRIMARY KEY (public_key, account_id)
)
--
CREATE INDEX delegate_key_account ON delegate_key (account_id)
--
-- How far a feed of chain events has been read
CREATE TABLE event_cursor (
  feed text PRIMARY KEY,
  cursor text NOT NULL
)
--
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
