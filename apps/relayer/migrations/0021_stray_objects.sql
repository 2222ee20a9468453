-- Accounts in which an upload was begun more than once, or forgotten on its way: what reached their owners is looked for
-- on chain, some times, because a publisher may store later than anybody waits for it
CREATE TABLE stray_look (
  account_id bytea PRIMARY KEY,
  -- Since the trouble was noted last
  looks smallint NOT NULL DEFAULT 0,
  noted_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL
)
--
CREATE INDEX stray_look_due ON stray_look (due_at)
--
-- Blobs that uploads of forgotten memories were about to store
CREATE TABLE stray_blob (
  account_id bytea NOT NULL,
  blob_id text NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, blob_id)
)
--
-- Blob objects of owners that no memory needs, for them to delete: a second one of the same blob, or one that came after
-- its memory was forgotten
CREATE TABLE stray_object (
  account_id bytea NOT NULL,
  object_id text NOT NULL,
  blob_id text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('paid_twice', 'forgotten')),
  found_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, object_id)
)
