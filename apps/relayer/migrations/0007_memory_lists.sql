-- Lists go newest first and page after page; what failed is no memory yet. With `size` the second one alone answers
-- the counts and sums of a namespace.
CREATE INDEX memory_newest ON memory (account_id, created_at DESC, id DESC) WHERE state <> 'failed'
--
CREATE INDEX memory_newest_in_namespace ON memory (account_id, namespace, created_at DESC, id DESC)
  INCLUDE (size) WHERE state <> 'failed'
--
DROP INDEX memory_namespace
--
-- Few rows: jobs that an owner still has an interest in
CREATE INDEX memory_job_unfinished ON memory_job (account_id, namespace, status) WHERE status <> 'done'
