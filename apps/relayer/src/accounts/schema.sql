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
