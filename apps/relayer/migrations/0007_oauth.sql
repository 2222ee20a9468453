-- What an owner granted to a client of the tool server. The sealed scope contains the expiry; the column is for pruning.
CREATE TABLE oauth_grant (
  id uuid PRIMARY KEY,
  client text NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text NOT NULL,
  resource text NOT NULL,
  account_id bytea,
  public_key bytea NOT NULL,
  scope text NOT NULL,
  expires_at timestamptz NOT NULL
)
--
CREATE INDEX oauth_grant_expires_at ON oauth_grant (expires_at)
--
-- Tokens of a grant. Each row holds the delegate key, sealed under a secret that only the token contains.
CREATE TABLE oauth_token (
  id bytea PRIMARY KEY,
  grant_id uuid NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('ticket', 'code', 'access', 'refresh')),
  sealed bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  used boolean NOT NULL DEFAULT false
)
--
CREATE INDEX oauth_token_grant ON oauth_token (grant_id)
--
CREATE INDEX oauth_token_expires_at ON oauth_token (expires_at)
