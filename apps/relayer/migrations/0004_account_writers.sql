-- Delegate keys that registered memories of their own making while they could write. What they signed stays believed
-- after the key was removed: the row that leads to it was made while it was valid.
CREATE TABLE account_writer (
  account_id bytea NOT NULL,
  public_key bytea NOT NULL,
  PRIMARY KEY (account_id, public_key)
)
