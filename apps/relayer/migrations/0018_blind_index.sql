-- The blind index of a memory: HMACs of its terms under a key of its account and namespace, so that no two of these
-- share a token and one index serves all of them. NULL: the text was never indexed (client-side memories, or the blind
-- index was off).
ALTER TABLE memory ADD COLUMN tokens bigint[]
--
-- Tokens of terms that stand in the text at least twice, and three times or more; NULL when there are none
ALTER TABLE memory ADD COLUMN tokens_twice bigint[]
--
ALTER TABLE memory ADD COLUMN tokens_often bigint[]
--
-- 0–7, each twice as long as the one before
ALTER TABLE memory ADD COLUMN length_bucket smallint
--
-- Without the list of pending changes, which every search would have to read through
CREATE INDEX memory_tokens ON memory USING gin (tokens) WITH (fastupdate = off)
