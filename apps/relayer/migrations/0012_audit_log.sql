-- What was done with each account, in an append-only chain of hashes (packages/protocol/src/audit-log.ts). No row is ever
-- changed or deleted. Contains ids and numbers only: no text, no label, no secret.
CREATE TABLE audit_entry (
  account_id bytea NOT NULL,
  -- 1 for the first entry of an account, without gaps
  seq bigint NOT NULL,
  -- The canonical JSON that is hashed; text, because jsonb would not keep its bytes
  content text NOT NULL,
  hash bytea NOT NULL,
  -- The writer key that signed the chain up to this entry
  writer_key bytea NOT NULL,
  signature bytea NOT NULL,
  -- Of an entry about a chain event: its transaction and index, because events may be handled twice
  source text,
  PRIMARY KEY (account_id, seq)
)
--
CREATE UNIQUE INDEX audit_entry_source ON audit_entry (account_id, source) WHERE source IS NOT NULL
--
-- The last entry of each account. Writers of one account wait for each other here.
CREATE TABLE audit_head (
  account_id bytea PRIMARY KEY,
  -- 0 until the first transaction that appends has committed
  seq bigint NOT NULL,
  hash bytea NOT NULL
)
