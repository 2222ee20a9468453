-- Wraps for a later key-server set of keys whose envelopes hold wraps for an earlier one. Each was opened and compared
-- with its recipient_pk before it came here, and also stands in an envelope of the owner's, so that no memory depends
-- on this row.
CREATE TABLE key_rewrap (
  account_id bytea NOT NULL,
  recipient_pk bytea NOT NULL,
  server_set text NOT NULL,
  -- Seal `EncryptedObject` of the private key
  wrap bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, recipient_pk, server_set)
)
