-- One X25519 pair per account, namespace tag, key epoch and set of key servers. The private half exists only inside the
-- wraps, which the key servers open for keys that the account's owner allows.
CREATE TABLE namespace_key (
  account_id bytea NOT NULL,
  tag bytea NOT NULL,
  key_epoch bigint NOT NULL,
  server_set text NOT NULL,
  recipient_pk bytea NOT NULL,
  wraps bytea NOT NULL,
  -- HMAC over the row: an attacker who can write to the database cannot substitute a key
  mac bytea NOT NULL,
  -- Days since 1970 divided by 180: a pair is used for at most that long
  period integer NOT NULL,
  -- When a reader first opened the wrap and got the private half that belongs to the public one. Not covered by the MAC:
  -- it only shows an operator which pairs have never been read with
  verified_at timestamptz,
  PRIMARY KEY (account_id, tag, key_epoch, server_set, period)
)
--
-- Wraps for a later set of key servers, of keys whose envelopes hold wraps for an earlier one. Each was opened and
-- compared with its recipient_pk before it was stored here, and is also in an envelope of the owner's, so that no memory
-- depends on this row.
CREATE TABLE key_rewrap (
  account_id bytea NOT NULL,
  recipient_pk bytea NOT NULL,
  server_set text NOT NULL,
  -- Seal `EncryptedObject` of the private key
  wrap bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, recipient_pk, server_set)
)
--
-- Key servers and their public keys as first seen: a change stops the boot
CREATE TABLE key_server_pin (
  package_id text NOT NULL,
  object_id text NOT NULL,
  public_key text NOT NULL,
  PRIMARY KEY (package_id, object_id)
)
--
-- Check value of the index key: a boot with another one stops, because no search would find what it writes
CREATE TABLE secret_check (
  name text PRIMARY KEY,
  value text NOT NULL
)
--
-- Check values of the secrets that relayers of this database have been started with, to notice a boot that lacks one.
-- A check value is a keyed hash of 32 random bytes and reveals nothing about them.
CREATE TABLE known_secret (
  -- MEM_SERVER_SECRET or MEM_WRITER_KEYS; that of MEM_INDEX_KEY is in secret_check
  variable text NOT NULL,
  check_value text NOT NULL,
  -- Memories written since then may be signed with this writer key
  used_from timestamptz NOT NULL,
  PRIMARY KEY (variable, check_value)
)
