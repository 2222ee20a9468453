-- Where a delegate had WRITE: in every namespace, or under these tags (32 hex digits each)
ALTER TABLE past_delegate ADD COLUMN everywhere boolean NOT NULL DEFAULT false
--
ALTER TABLE past_delegate ADD COLUMN tags text[] NOT NULL DEFAULT '{}'
--
-- All of history is read once more, which changes nothing else
DELETE FROM event_cursor
