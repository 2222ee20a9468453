-- When a reader first opened the wrap of a pair and got the private half of its public one. Not under the MAC: nothing
-- is believed because of it, it tells an operator which pairs nobody has read with yet.
ALTER TABLE namespace_key ADD COLUMN verified_at timestamptz
