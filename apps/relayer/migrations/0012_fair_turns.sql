-- Accounts take turns at the workers, each with its oldest job first: which of them wait, and for how long, is read
-- from these alone, however many jobs one of them has.
CREATE INDEX memory_job_to_embed ON memory_job (account_id, run_at)
  WHERE status = 'running' AND stage IN ('queued', 'embedding')
--
CREATE INDEX memory_job_to_upload ON memory_job (account_id, run_at)
  WHERE status = 'running' AND stage IN ('uploading', 'indexing')
--
DROP INDEX memory_job_due
