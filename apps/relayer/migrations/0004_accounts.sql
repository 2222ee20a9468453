-- The highest version of each account object ever seen: a full node that lags behind is not trusted
CREATE TABLE account_version (
  account_id bytea PRIMARY KEY,
  object_version bigint NOT NULL,
  key_epoch bigint NOT NULL
)
--
-- Which accounts list a delegate key, for requests without x-account-id. A hint: the account itself decides
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
-- Delegate keys that had WRITE at some time, according to the account's events: what they signed is trusted even after
-- their removal
CREATE TABLE past_delegate (
  account_id bytea NOT NULL,
  address text NOT NULL,
  public_key bytea NOT NULL,
  wrote boolean NOT NULL,
  -- Where it had WRITE: in every namespace, or under these tags (32 hex digits each)
  everywhere boolean NOT NULL DEFAULT false,
  tags text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (account_id, address, public_key)
)
--
-- Delegate keys that registered memories they had sealed themselves while they had WRITE. What they signed is trusted
-- even after the key was removed, because the row that leads to it was written while the key was valid.
CREATE TABLE account_writer (
  account_id bytea NOT NULL,
  public_key bytea NOT NULL,
  PRIMARY KEY (account_id, public_key)
)
--
-- How far a feed of chain events has been read
CREATE TABLE event_cursor (
  feed text PRIMARY KEY,
  cursor text NOT NULL
)
--
-- Nonces of accepted requests, where no Redis is configured: public key (32 bytes) followed by nonce (16 bytes)
CREATE TABLE nonce (
  key bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
)
--
CREATE INDEX nonce_expiry ON nonce (expires_at)
--
-- Where all relayers of this database keep their nonces. One row.
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
-- Which relayers run, and which nonce store each of them uses: two that use different ones would accept a request twice
CREATE TABLE nonce_user (
  relayer_id uuid PRIMARY KEY,
  -- Empty while it uses none
  server text,
  seen_at timestamptz NOT NULL
)
