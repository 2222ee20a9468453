-- What expires soon is looked for by its last epoch
CREATE INDEX memory_expiry ON memory (end_epoch) WHERE state = 'done'
--
-- A job that stores a memory's blob once more names the memory; one at a time
CREATE UNIQUE INDEX memory_job_renewal ON memory_job (account_id, (checkpoint ->> 'renews'))
  WHERE status = 'running' AND checkpoint ->> 'renews' IS NOT NULL
--
-- What is forgotten takes its renewals along, those that failed too
CREATE INDEX memory_job_renews ON memory_job (account_id, (checkpoint ->> 'renews'))
  WHERE checkpoint ->> 'renews' IS NOT NULL
