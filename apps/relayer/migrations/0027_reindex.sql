-- Who embeds anew what a change of the model has left behind in a namespace: one relayer at a time
CREATE TABLE reindex_lease (
  account_id bytea NOT NULL,
  namespace text NOT NULL,
  lease_token uuid NOT NULL,
  lease_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, namespace)
)
--
-- Memories that could not be embedded anew for a model, and why
CREATE TABLE unembedded_memory (
  account_id bytea NOT NULL,
  memory_id uuid NOT NULL,
  embedding_model text NOT NULL,
  reason text NOT NULL,
  tried_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, memory_id),
  FOREIGN KEY (account_id, memory_id) REFERENCES memory (account_id, id) ON DELETE CASCADE
)
--
-- A model gives vectors of several lengths, which no search can compare: the name tells which, unless it is 1536 or the
-- name says so itself
UPDATE memory_vector SET embedding_model = embedding_model || '@' || vector_dims(embedding)
WHERE vector_dims(embedding) <> 1536 AND embedding_model NOT LIKE '%-' || vector_dims(embedding)
--
UPDATE lost_vector SET embedding_model = embedding_model || '@' || vector_dims(embedding)
WHERE vector_dims(embedding) <> 1536 AND embedding_model NOT LIKE '%-' || vector_dims(embedding)
