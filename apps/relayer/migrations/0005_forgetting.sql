-- Forgotten memories: they are never indexed again, and their blobs are for the owner to delete. Holds nothing of the
-- text.
CREATE TABLE forgotten_memory (
  account_id bytea NOT NULL,
  memory_id uuid NOT NULL,
  -- Namespace tag
  tag bytea NOT NULL,
  -- NULL when it was not an envelope
  envelope_id bytea,
  blob_id text,
  object_id text,
  forgotten_at timestamptz NOT NULL DEFAULT now(),
  -- The object may hold memories that live on: it must not be deleted before they are stored again
  shared boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, memory_id)
)
--
CREATE INDEX forgotten_memory_envelope ON forgotten_memory (account_id, envelope_id)
--
-- Few rows
CREATE INDEX forgotten_memory_shared ON forgotten_memory (account_id, object_id) WHERE shared
--
-- Blob ids that memories had before they were stored in another blob. Apps may know memories by these ids, and may ask
-- for a day after a forgetting what became of the blobs.
CREATE TABLE former_blob (
  account_id bytea NOT NULL,
  blob_id text NOT NULL,
  memory_id uuid NOT NULL,
  forgotten_at timestamptz,
  PRIMARY KEY (account_id, blob_id, memory_id)
)
--
CREATE INDEX former_blob_memory ON former_blob (account_id, memory_id)
--
CREATE INDEX former_blob_forgotten ON former_blob (forgotten_at) WHERE forgotten_at IS NOT NULL
--
-- Blobs that may contain what a tombstone forgets. While an object of one of them lives, a restore would find it, so the
-- tombstone is stored again before its own blob expires.
CREATE TABLE buried_blob (
  account_id bytea NOT NULL,
  -- The job of the tombstone, which is kept as long
  tombstone_id uuid NOT NULL,
  -- 43 characters: the quilt, if it is a patch
  blob_id text NOT NULL,
  -- When the chain was last asked about it
  looked_at timestamptz,
  PRIMARY KEY (account_id, tombstone_id, blob_id)
)
