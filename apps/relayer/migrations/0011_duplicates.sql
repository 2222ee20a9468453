-- Also those that are done: what is forgotten takes the jobs with it that ended as its duplicates
CREATE INDEX memory_job_repeats ON memory_job (account_id, text_hash) WHERE duplicate
--
DROP INDEX memory_job_duplicate
