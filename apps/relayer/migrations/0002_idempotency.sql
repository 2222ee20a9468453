-- A write that carried an idempotency key, with the sealed answer it got: repeating it stores nothing twice.
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
