-- The vector extension must already exist for a role that may not create it; for one that may, this is enough.
CREATE EXTENSION IF NOT EXISTS vector
--
-- One X25519 pair per account, namespace tag, key epoch and key-server set. The private half exists only inside
-- the wraps, which the key servers open for whoever the account's owner allows.
CREATE TABLE namespace_key (
  account_id bytea NOT NULL,
  tag bytea NOT NULL,
  key_epoch bigint NOT NULL,
  server_set text NOT NULL,
  recipient_pk bytea NOT NULL,
  wraps bytea NOT NULL,
  -- HMAC over the row: who can write to the database cannot swap in a key of their own
  mac bytea NOT NULL,
  -- Days since 1970 divided by 180: a pair is used for at most that long
  period integer NOT NULL,
  PRIMARY KEY (account_id, tag, key_epoch, server_set, period)
)
--
-- One memory. Its text stands in no column: it is in the envelope, which is the blob.
CREATE TABLE memory (
  account_id bytea NOT NULL,
  id uuid NOT NULL,
  namespace text NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
  blob_id text,
  object_id text,
  end_epoch integer,
  -- Absent when a client registered bytes that are not an envelope
  envelope_id bytea,
  envelope_sha256 bytea NOT NULL,
  size integer NOT NULL,
  importance real NOT NULL DEFAULT 0.5,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
)
--
CREATE INDEX memory_namespace ON memory (account_id, namespace, created_at DESC)
--
-- Few rows: recall leaves them out unless it is asked for them
CREATE INDEX memory_unfinished ON memory (account_id, namespace) WHERE state <> 'done'
--
-- Vectors stand inline (a row of 1536 dimensions fits a page): half the cost of reading them from TOAST (measured).
CREATE TABLE memory_vector (
  account_id bytea NOT NULL,
  namespace text NOT NULL,
  embedding_model text NOT NULL,
  memory_id uuid NOT NULL,
  chunk_no smallint NOT NULL,
  -- Which keyed map the vector went through; 0 = none
  vector_key_id smallint NOT NULL,
  embedding vector NOT NULL,
  -- Sign bits of the vector, for the first pass over a large namespace
  code bit varying NOT NULL,
  PRIMARY KEY (account_id, memory_id, chunk_no, embedding_model)
) WITH (toast_tuple_target = 8160)
--
CREATE INDEX memory_vector_code ON memory_vector (account_id, namespace, embedding_model)
  INCLUDE (memory_id, chunk_no, code)
--
-- A job is its own queue entry. `envelope` is the finished envelope until the blob store has it; `outbox` is the
-- text, sealed under the server's secret, until it has been embedded.
CREATE TABLE memory_job (
  id uuid PRIMARY KEY,
  account_id bytea NOT NULL,
  -- The owner's address when the job was accepted: where the blob object goes
  owner text NOT NULL,
  namespace text NOT NULL,
  delegate_pk bytea NOT NULL,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'failed')),
  stage text NOT NULL DEFAULT 'queued' CHECK (stage IN ('queued', 'embedding', 'uploading', 'indexing')),
  attempts integer NOT NULL DEFAULT 0,
  run_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  lease_token uuid,
  outbox bytea,
  envelope bytea,
  envelope_id bytea,
  envelope_sha256 bytea NOT NULL,
  importance real NOT NULL DEFAULT 0.5,
  -- What the upload has reached: {object_id, blob_id, end_epoch}
  checkpoint jsonb NOT NULL DEFAULT '{}',
  blob_id text,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
)
--
CREATE INDEX memory_job_due ON memory_job (stage, run_at) WHERE status = 'running'
--
CREATE INDEX memory_job_account ON memory_job (account_id, created_at)
--
-- Check value of the index key: a boot with another one stops instead of writing what no search will find.
CREATE TABLE secret_check (
  name text PRIMARY KEY,
  value text NOT NULL
)
--
-- Key servers and their public keys as first seen: a change stops the boot.
CREATE TABLE key_server_pin (
  package_id text NOT NULL,
  object_id text NOT NULL,
  public_key text NOT NULL,
  PRIMARY KEY (package_id, object_id)
)
