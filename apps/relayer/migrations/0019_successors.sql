-- Which memory replaces which. The replaced one is named by its envelope, as in the sealed meta of the one that replaces
-- it: so neither has to be there first.
CREATE TABLE memory_successor (
  account_id bytea NOT NULL,
  envelope_id bytea NOT NULL,
  successor_id uuid NOT NULL,
  PRIMARY KEY (account_id, envelope_id, successor_id)
)
--
CREATE INDEX memory_successor_id ON memory_successor (account_id, successor_id)
