-- Where owners want to be notified. Rows exist only if the server was started with MEM_WEBHOOKS=on. These tables are read
-- and written together with jobs, never with memories.
CREATE TABLE webhook (
  account_id bytea NOT NULL,
  id uuid NOT NULL,
  -- The delegate key that registered it: it receives only what this key may read
  delegate_pk bytea NOT NULL,
  events text[] NOT NULL,
  -- NULL for all namespaces
  namespaces text[],
  -- URL and signing secret under a key derived from MEM_INDEX_KEY
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- False while the server runs with MEM_WEBHOOKS=off: then no events are recorded
  listening boolean NOT NULL DEFAULT true,
  -- Time of the first failed attempt since the last successful one
  failing_since timestamptz,
  last_error text,
  -- No attempts before, after a failed one
  paused_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  PRIMARY KEY (account_id, id)
)
--
-- The outbox: one row for each event and webhook, written in the transaction of the event. No foreign key: an event must
-- not fail because its webhook is deleted at the same time. Ids only.
CREATE TABLE webhook_delivery (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id bytea NOT NULL,
  webhook_id uuid NOT NULL,
  type text NOT NULL,
  namespace text NOT NULL,
  memory_ids uuid[] NOT NULL,
  -- Why: a code of the job, of the deletion or of the expiry
  reason text,
  status text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
  -- Started attempts; fences the result of an attempt whose lease has expired
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL DEFAULT now(),
  leased_until timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
)
--
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at) WHERE status = 'waiting'
--
CREATE INDEX webhook_delivery_webhook ON webhook_delivery (account_id, webhook_id, created_at)
--
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE status <> 'waiting'
--
-- Memories whose coming expiry was announced: ids only. `expires` is the end epoch of the blob, or 0 for expires_at.
CREATE TABLE announced_expiry (
  account_id bytea NOT NULL,
  memory_id uuid NOT NULL,
  expires integer NOT NULL,
  announced_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, memory_id, expires)
)
--
CREATE FUNCTION note_webhook_event(account bytea, kind text, space text, ids uuid[], why text) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO webhook_delivery (account_id, webhook_id, type, namespace, memory_ids, reason)
  SELECT account_id, id, kind, space, ids, why FROM webhook
  WHERE account_id = account AND listening AND disabled_at IS NULL AND kind = ANY (events)
    AND (namespaces IS NULL OR space = ANY (namespaces))
$$
--
CREATE FUNCTION note_job_end() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    -- Most accounts have none, and the function below is planned at every call
    IF NOT EXISTS (SELECT FROM webhook WHERE account_id = NEW.account_id) THEN RETURN NULL; END IF;
    PERFORM note_webhook_event(NEW.account_id, CASE NEW.status WHEN 'done' THEN 'memory.stored' ELSE 'memory.failed' END,
      NEW.namespace, ARRAY[NEW.id], NEW.error_code);
    RETURN NULL;
  END $$
--
-- Several statements end a job, also those of the previous version. Statements that do not set the status do not check
-- this condition. Tombstones, wraps and renewals are not events.
CREATE TRIGGER job_ended AFTER UPDATE OF status ON memory_job FOR EACH ROW
  WHEN (NEW.status <> OLD.status AND NEW.status <> 'running' AND NEW.kind = 1 AND NEW.checkpoint ->> 'renews' IS NULL)
  EXECUTE FUNCTION note_job_end()
