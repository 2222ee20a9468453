-- Check values of the secrets that relayers of this database have been started with, to notice a boot that lacks one.
-- A check value is a keyed hash of 32 random bytes: it tells nothing about them.
CREATE TABLE known_secret (
  -- MEM_SERVER_SECRET or MEM_WRITER_KEYS; that of MEM_INDEX_KEY is in secret_check
  variable text NOT NULL,
  check_value text NOT NULL,
  -- Memories written since then may be signed with this writer key
  used_from timestamptz NOT NULL,
  PRIMARY KEY (variable, check_value)
)
