-- Work that one of several relayers does at a time: whichever comes first when it is due.
CREATE TABLE shared_task (
  name text PRIMARY KEY,
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_token uuid,
  lease_until timestamptz,
  -- In a row; 0 after a success
  failures integer NOT NULL DEFAULT 0
)
--
-- What the operator's chat has yet to be told. A row is written together with what it tells of, and goes when it was
-- posted.
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
--
-- What the server's own wallets could pay for when they were last looked at.
CREATE TABLE wallet_funds (
  address text NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('uploads', 'sponsoring')),
  level text NOT NULL DEFAULT 'ok' CHECK (level IN ('ok', 'low', 'empty')),
  -- Uploads, or sponsored transactions
  pays_for bigint NOT NULL DEFAULT 0,
  checked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address, purpose)
)
