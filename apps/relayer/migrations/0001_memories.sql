-- A role that may not create extensions needs the vector extension to exist already.
CREATE EXTENSION IF NOT EXISTS vector
--
-- One memory. No column holds its text, which is only in the envelope that the blob contains.
CREATE TABLE memory (
  account_id bytea NOT NULL,
  id uuid NOT NULL,
  namespace text NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'done', 'failed', 'lost')),
  lost_reason text CHECK (lost_reason IN ('expired', 'missing')),
  blob_id text,
  object_id text,
  end_epoch integer,
  -- NULL when a client registered bytes that are not an envelope
  envelope_id bytea,
  envelope_sha256 bytea NOT NULL,
  -- Bytes of the envelope
  size integer NOT NULL,
  importance real NOT NULL DEFAULT 0.5,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- An earlier memory with nearly the same meaning, and the cosine of the two when this one was stored
  near_duplicate_of uuid,
  near_similarity real,
  -- Blind index: HMACs of the terms under a key per account and namespace, so that no two namespaces share a token and
  -- one index serves all of them. NULL when the text was never indexed (client-side memories, or the blind index was off)
  tokens bigint[],
  -- Tokens of terms that occur at least twice, and at least three times; NULL when there are none
  tokens_twice bigint[],
  tokens_often bigint[],
  -- 0–7, each twice as long as the one before
  length_bucket smallint,
  -- Keyed hash of the numbers and negations of the text. Texts that differ in them say different things, however similar
  -- their vectors are. NULL when the text was never indexed
  distinctions bigint,
  PRIMARY KEY (account_id, id),
  CONSTRAINT memory_lost_check CHECK ((state = 'lost') = (lost_reason IS NOT NULL))
)
--
-- Lists go newest first, page by page; a failed write is not listed. With `size`, the second index alone answers the
-- counts and sums of a namespace.
CREATE INDEX memory_newest ON memory (account_id, created_at DESC, id DESC) WHERE state <> 'failed'
--
CREATE INDEX memory_newest_in_namespace ON memory (account_id, namespace, created_at DESC, id DESC)
  INCLUDE (size) WHERE state <> 'failed'
--
-- Few rows: recall excludes them unless the request includes them
CREATE INDEX memory_unfinished ON memory (account_id, namespace) WHERE state IN ('pending', 'failed')
--
CREATE INDEX memory_lost ON memory (account_id, namespace) WHERE state = 'lost'
--
-- Renewals look for the memories that expire next, over all accounts
CREATE INDEX memory_expiry ON memory (end_epoch) WHERE state = 'done'
--
-- What expires soon in one account is answered from this index alone
CREATE INDEX memory_account_expiry ON memory (account_id, end_epoch) INCLUDE (namespace, size) WHERE state = 'done'
--
-- Whether an envelope is already indexed
CREATE INDEX memory_envelope ON memory (account_id, envelope_id)
--
-- Which other memories need an object: the patches of a quilt, and bytes that a client stored twice
CREATE INDEX memory_object ON memory (account_id, object_id)
--
-- Without the list of pending changes, which every search would have to read
CREATE INDEX memory_tokens ON memory USING gin (tokens) WITH (fastupdate = off)
--
-- Vectors are stored inline (a row of 1536 dimensions fits a page): half the cost of reading them from TOAST (measured).
CREATE TABLE memory_vector (
  account_id bytea NOT NULL,
  namespace text NOT NULL,
  embedding_model text NOT NULL,
  memory_id uuid NOT NULL,
  chunk_no smallint NOT NULL,
  -- Which keyed map the vector was transformed with; 0 = none
  vector_key_id smallint NOT NULL,
  embedding vector NOT NULL,
  -- Sign bits of the vector, for the first pass over a large namespace
  code bit varying NOT NULL,
  PRIMARY KEY (account_id, memory_id, chunk_no, embedding_model)
) WITH (toast_tuple_target = 8160)
--
CREATE INDEX memory_vector_code ON memory_vector (account_id, namespace, embedding_model)
  INCLUDE (memory_id, chunk_no, code)
--
-- Vectors of lost memories, as they were in memory_vector. They are restored together with the blob.
CREATE TABLE lost_vector (
  account_id bytea NOT NULL,
  namespace text NOT NULL,
  embedding_model text NOT NULL,
  memory_id uuid NOT NULL,
  chunk_no smallint NOT NULL,
  vector_key_id smallint NOT NULL,
  embedding vector NOT NULL,
  code bit varying NOT NULL,
  PRIMARY KEY (account_id, memory_id, chunk_no, embedding_model),
  FOREIGN KEY (account_id, memory_id) REFERENCES memory (account_id, id) ON DELETE CASCADE
)
--
CREATE INDEX lost_vector_namespace ON lost_vector (account_id, namespace, embedding_model)
--
-- Which memory supersedes which. The superseded one is named by its envelope id, as in the sealed metadata of its
-- successor, so either may be indexed first.
CREATE TABLE memory_successor (
  account_id bytea NOT NULL,
  envelope_id bytea NOT NULL,
  successor_id uuid NOT NULL,
  PRIMARY KEY (account_id, envelope_id, successor_id)
)
--
CREATE INDEX memory_successor_id ON memory_successor (account_id, successor_id)
--
-- Which memory holds a text. The hash is keyed by account and namespace: the database alone does not reveal the text.
CREATE TABLE known_text (
  account_id bytea NOT NULL,
  text_hash bytea NOT NULL,
  memory_id uuid NOT NULL,
  PRIMARY KEY (account_id, text_hash)
)
--
CREATE INDEX known_text_memory ON known_text (account_id, memory_id)
--
-- Which relayer re-embeds a namespace after the model has changed: one at a time
CREATE TABLE reindex_lease (
  account_id bytea NOT NULL,
  namespace text NOT NULL,
  lease_token uuid NOT NULL,
  lease_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, namespace)
)
--
-- Memories that could not be re-embedded for a model, and why
CREATE TABLE unembedded_memory (
  account_id bytea NOT NULL,
  memory_id uuid NOT NULL,
  embedding_model text NOT NULL,
  reason text NOT NULL,
  tried_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, memory_id),
  FOREIGN KEY (account_id, memory_id) REFERENCES memory (account_id, id) ON DELETE CASCADE
)
