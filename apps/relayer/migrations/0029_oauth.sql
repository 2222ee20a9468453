-- What an owner granted a client of the tool server. The scope holds the end and is sealed in; the column is for clearing up
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
-- Tokens of a grant. The delegate key lies in each under the secret of that token, which is only in the token
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
