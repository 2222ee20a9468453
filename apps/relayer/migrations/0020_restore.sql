-- What a restore has found on chain, so that it reads nothing twice. One look through an owner's blob objects goes on from
-- call to call.
CREATE TABLE chain_look (
  account_id bytea PRIMARY KEY,
  -- Whose objects are looked through
  owner text NOT NULL,
  -- Where it goes on
  cursor text,
  started_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
)
--
-- A blob that the owner holds, by the object that lives longest
CREATE TABLE chain_blob (
  account_id bytea NOT NULL,
  blob_id text NOT NULL,
  object_id text NOT NULL,
  size bigint NOT NULL,
  end_epoch integer NOT NULL,
  -- Of the earliest object
  certified_epoch integer NOT NULL,
  -- When an object of it was last seen
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- Whether it is known what is in it: a blob id names its bytes, which never change
  known boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, blob_id)
)
--
CREATE INDEX chain_blob_unknown ON chain_blob (account_id) WHERE NOT known
--
-- Envelopes of this account in those blobs
CREATE TABLE chain_envelope (
  account_id bytea NOT NULL,
  -- Blob (43 characters) or patch of a quilt (50)
  stored_as text NOT NULL,
  blob_id text NOT NULL,
  tag bytea NOT NULL,
  envelope_id bytea NOT NULL,
  -- Of the envelope; NULL while only a quilt's index names it
  kind smallint,
  -- Of a new wrap of a key (kind 3): whose, and the wraps as they stand in the header
  recipient_pk bytea,
  wraps bytea,
  -- What became of it: NULL while it is to be read
  outcome text CHECK (outcome IN ('done', 'unverified', 'failed')),
  reason text,
  -- When it was last tried in vain
  tried_at timestamptz,
  PRIMARY KEY (account_id, stored_as)
)
--
CREATE INDEX chain_envelope_tag ON chain_envelope (account_id, tag, kind)
--
-- Whether an envelope is indexed
CREATE INDEX memory_envelope ON memory (account_id, envelope_id)
--
-- Delegate keys that had WRITE at some time, by the account's events: what they signed is believed also after their
-- removal
CREATE TABLE past_delegate (
  account_id bytea NOT NULL,
  address text NOT NULL,
  public_key bytea NOT NULL,
  wrote boolean NOT NULL,
  PRIMARY KEY (account_id, address, public_key)
)
--
-- All of history is read once more, which changes nothing else
DELETE FROM event_cursor
