-- A job is its own queue entry. `outbox` is the text, sealed under the server's secret, until it has been embedded;
-- `envelope` is the finished envelope until the blob store has it.
CREATE TABLE memory_job (
  id uuid PRIMARY KEY,
  account_id bytea NOT NULL,
  -- The owner's address when the job was accepted: the blob object is sent to the owner
  owner text NOT NULL,
  namespace text NOT NULL,
  delegate_pk bytea NOT NULL,
  -- 1 = memory. Tombstones (2) and new wraps of a key (3) are stored for the owner too, and have no row in memory
  kind smallint NOT NULL DEFAULT 1,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'failed')),
  stage text NOT NULL DEFAULT 'queued' CHECK (stage IN ('queued', 'embedding', 'uploading', 'indexing')),
  attempts integer NOT NULL DEFAULT 0,
  -- How often an upload was started: from the second time on, the chain is searched for what the first one reached
  upload_claims integer NOT NULL DEFAULT 0,
  run_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  lease_token uuid,
  outbox bytea,
  envelope bytea,
  envelope_id bytea,
  envelope_sha256 bytea NOT NULL,
  importance real NOT NULL DEFAULT 0.5,
  -- When the memory was first written, if a job imports it from elsewhere
  written_at timestamptz,
  -- Vectors that were imported with the text, transformed with the account's map, and their model. Cleared once they
  -- are in memory_vector
  given_vectors bytea,
  given_model text,
  -- NULL when the job takes no part in deduplication
  text_hash bytea,
  -- Another memory holds the text: the job waits for it and completes with its blob, or takes its place if it fails
  duplicate boolean NOT NULL DEFAULT false,
  -- Jobs that are stored together in one quilt share this id. It is written before the upload starts, so that after a
  -- crash the same quilt is stored and a payment that was made is found
  quilt_id uuid,
  -- Progress of the upload: {object_id, blob_id, end_epoch}
  checkpoint jsonb NOT NULL DEFAULT '{}',
  blob_id text,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
)
--
-- Fair scheduling: which accounts wait, and since when, is read from these two indexes alone, however many jobs one
-- account has
CREATE INDEX memory_job_to_embed ON memory_job (account_id, run_at)
  WHERE status = 'running' AND stage IN ('queued', 'embedding')
--
CREATE INDEX memory_job_to_upload ON memory_job (account_id, run_at)
  WHERE status = 'running' AND stage IN ('uploading', 'indexing')
--
CREATE INDEX memory_job_account ON memory_job (account_id, created_at)
--
-- Few rows: jobs that are not done
CREATE INDEX memory_job_unfinished ON memory_job (account_id, namespace, status) WHERE status <> 'done'
--
-- Done jobs by age: they are removed after a time
CREATE INDEX memory_job_done ON memory_job (updated_at) WHERE status = 'done'
--
-- Waiting and completed duplicates: forgetting a memory removes the jobs that completed as its duplicates
CREATE INDEX memory_job_repeats ON memory_job (account_id, text_hash) WHERE duplicate
--
CREATE INDEX memory_job_quilt ON memory_job (quilt_id) WHERE quilt_id IS NOT NULL
--
-- A job that renews a memory's blob names the memory; one at a time
CREATE UNIQUE INDEX memory_job_renewal ON memory_job (account_id, (checkpoint ->> 'renews'))
  WHERE status = 'running' AND checkpoint ->> 'renews' IS NOT NULL
--
-- Forgetting a memory removes its renewals, failed ones too
CREATE INDEX memory_job_renews ON memory_job (account_id, (checkpoint ->> 'renews'))
  WHERE checkpoint ->> 'renews' IS NOT NULL
--
-- Tombstones and new wraps of keys are in no other table: their jobs are kept, and show when their blobs expire
CREATE INDEX memory_job_tombstone_expiry ON memory_job (((checkpoint ->> 'end_epoch')::int)) WHERE kind = 2
--
CREATE INDEX memory_job_wrap_expiry ON memory_job (((checkpoint ->> 'end_epoch')::int)) WHERE kind = 3
--
-- A write that carried an idempotency key, with its sealed response: repeating the write stores nothing twice
CREATE TABLE idempotency (
  account_id bytea NOT NULL,
  delegate_pk bytea NOT NULL,
  route text NOT NULL,
  key_hash bytea NOT NULL,
  body_hash bytea NOT NULL,
  answer bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, delegate_pk, route, key_hash)
)
--
CREATE INDEX idempotency_age ON idempotency (created_at)
--
-- Tasks that only one of several relayers runs at a time: the first one that asks when the task is due
CREATE TABLE shared_task (
  name text PRIMARY KEY,
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_token uuid,
  lease_until timestamptz,
  -- Consecutive failures; 0 after a success
  failures integer NOT NULL DEFAULT 0,
  -- How far a task has come that goes through a table in steps
  position text
)
--
-- Wallets that pay for uploads, each leased to one upload at a time
CREATE TABLE upload_wallet (
  address text PRIMARY KEY,
  lease_token uuid,
  lease_until timestamptz,
  last_used timestamptz,
  -- Set when it could not pay: it is not used until then
  rests_until timestamptz
)
--
-- What the server's wallets could pay for when they were last checked
CREATE TABLE wallet_funds (
  address text NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('uploads', 'sponsoring')),
  level text NOT NULL DEFAULT 'ok' CHECK (level IN ('ok', 'low', 'empty')),
  -- Uploads, or sponsored transactions
  pays_for bigint NOT NULL DEFAULT 0,
  checked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address, purpose)
)
--
-- Alerts that are still to be posted to the operator's chat. A row is written in the transaction of the event it reports,
-- and deleted once it was posted.
CREATE TABLE alert (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('upload_failed', 'wallet_low', 'wallet_empty', 'wallet_filled')),
  -- Id of the job, or address of the wallet
  subject text NOT NULL,
  detail jsonb NOT NULL,
  -- The message it is part of
  message uuid,
  created_at timestamptz NOT NULL DEFAULT now()
)
