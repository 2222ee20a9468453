-- Done jobs by age: they are removed after a time
CREATE INDEX memory_job_done ON memory_job (updated_at) WHERE status = 'done'
