-- What a restore has found on chain, so that it reads nothing twice. One scan of an owner's blob objects continues from
-- call to call.
CREATE TABLE chain_look (
  account_id bytea PRIMARY KEY,
  -- Whose objects are scanned
  owner text NOT NULL,
  -- Where the scan continues
  cursor text,
  started_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
)
--
-- A blob that the owner holds, by the object with the longest life
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
  -- Whether its contents are known: a blob id identifies its bytes, which never change
  known boolean NOT NULL DEFAULT false,
  -- When a read last failed: blobs that were not tried yet come first, so that each scan makes progress
  tried_at timestamptz,
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
  -- Of a new wrap of a key (kind 3): the key and its wraps as in the header
  recipient_pk bytea,
  wraps bytea,
  -- NULL until it has been read
  outcome text CHECK (outcome IN ('done', 'unverified', 'failed')),
  reason text,
  -- When a read last failed
  tried_at timestamptz,
  PRIMARY KEY (account_id, stored_as)
)
--
CREATE INDEX chain_envelope_tag ON chain_envelope (account_id, tag, kind)
--
-- Memories whose blob no aggregator had at the last check: suspected while their state is `done`
CREATE TABLE unreadable_memory (
  account_id bytea NOT NULL,
  memory_id uuid NOT NULL,
  blob_id text NOT NULL,
  -- No aggregator has had it since then
  since timestamptz NOT NULL DEFAULT now(),
  -- How many aggregators reported it missing: all that were configured
  aggregators smallint NOT NULL,
  next_look timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, memory_id),
  FOREIGN KEY (account_id, memory_id) REFERENCES memory (account_id, id) ON DELETE CASCADE
)
--
CREATE INDEX unreadable_memory_due ON unreadable_memory (next_look)
--
-- When the same bytes are stored again, for any memory, the others are checked
CREATE INDEX unreadable_memory_blob ON unreadable_memory (account_id, blob_id)
--
-- Accounts in which an upload was started more than once, or its memory forgotten while it ran. The chain is searched
-- several times for objects that reached their owners, because a publisher may store later than callers wait for it.
CREATE TABLE stray_look (
  account_id bytea PRIMARY KEY,
  -- Since the event was last noted
  looks smallint NOT NULL DEFAULT 0,
  noted_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL
)
--
CREATE INDEX stray_look_due ON stray_look (due_at)
--
-- Blobs that uploads of forgotten memories were about to store
CREATE TABLE stray_blob (
  account_id bytea NOT NULL,
  blob_id text NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, blob_id)
)
--
-- Blob objects of owners that no memory needs, for the owners to delete: a second object of the same blob, or one that
-- arrived after its memory was forgotten
CREATE TABLE stray_object (
  account_id bytea NOT NULL,
  object_id text NOT NULL,
  blob_id text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('paid_twice', 'forgotten')),
  found_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, object_id)
)
