-- Jobs that are stored together, as one quilt, share its id. Written before the upload begins: whoever takes the work up
-- after a crash stores the same quilt, and finds what is paid for already.
ALTER TABLE memory_job ADD COLUMN quilt_id uuid
--
CREATE INDEX memory_job_quilt ON memory_job (quilt_id) WHERE quilt_id IS NOT NULL
--
-- A forgotten memory whose object may hold memories that live on: it is not for deletion before they are stored anew
ALTER TABLE forgotten_memory ADD COLUMN shared boolean NOT NULL DEFAULT false
--
-- Few rows
CREATE INDEX forgotten_memory_shared ON forgotten_memory (account_id, object_id) WHERE shared
--
-- Who else is in a quilt's object. A blob of its own is nobody else's.
CREATE INDEX memory_shared_object ON memory (account_id, object_id) WHERE length(blob_id) = 50
--
-- Ids that memories had in blobs they are not in any more: an app may know them by these, forgotten ones too
CREATE TABLE former_blob (
  account_id bytea NOT NULL,
  blob_id text NOT NULL,
  memory_id uuid NOT NULL,
  PRIMARY KEY (account_id, blob_id, memory_id)
)
