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
-- Ids that memories had in blobs they are not in any more: an app may know them by these, and ask by them for a day what
-- became of the blobs of one that it has forgotten
CREATE TABLE former_blob (
  account_id bytea NOT NULL,
  blob_id text NOT NULL,
  memory_id uuid NOT NULL,
  forgotten_at timestamptz,
  PRIMARY KEY (account_id, blob_id, memory_id)
)
--
CREATE INDEX former_blob_memory ON former_blob (account_id, memory_id)
--
CREATE INDEX former_blob_forgotten ON former_blob (forgotten_at) WHERE forgotten_at IS NOT NULL
