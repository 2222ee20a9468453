-- Who else needs an object: the patches of a quilt, and bytes that a client stored twice, which may have found one object
DROP INDEX memory_shared_object
--
CREATE INDEX memory_object ON memory (account_id, object_id)
