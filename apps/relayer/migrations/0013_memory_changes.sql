-- Which transaction last changed a memory or its index data, so that a relayer that holds a namespace in its own memory can
-- read what changed since a snapshot (memories/rows/resident-rows.ts). Triggers set it, so that statements of the previous
-- version do too. Vectors are only written together with their memory's row.
ALTER TABLE memory ADD COLUMN changed xid8 NOT NULL DEFAULT '0'
--
ALTER TABLE memory ALTER COLUMN changed SET DEFAULT pg_current_xact_id()
--
-- Always true; only statements that say so use this index (migration 0009)
CREATE INDEX memory_changed ON memory (account_id, namespace, changed) WHERE changed >= '0'
--
CREATE FUNCTION note_memory_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
  END $$
--
CREATE TRIGGER memory_changed BEFORE UPDATE ON memory FOR EACH ROW EXECUTE FUNCTION note_memory_change()
--
-- Memories that were deleted in the last hours: ids only
CREATE TABLE deleted_memory (
  account_id bytea NOT NULL,
  namespace text NOT NULL,
  memory_id uuid NOT NULL,
  changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
  deleted_at timestamptz NOT NULL DEFAULT now()
)
--
CREATE INDEX deleted_memory_changed ON deleted_memory (account_id, namespace, changed)
--
CREATE FUNCTION note_memory_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO deleted_memory (account_id, namespace, memory_id) SELECT account_id, namespace, id FROM gone;
    RETURN NULL;
  END $$
--
CREATE TRIGGER memory_deleted AFTER DELETE ON memory REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION note_memory_deletion()
--
-- A memory that begins to replace another one has changed. One that ceases to do so is deleted, or the other one is.
CREATE FUNCTION note_succession() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE memory SET changed = DEFAULT WHERE account_id = NEW.account_id AND id = NEW.successor_id;
    RETURN NULL;
  END $$
--
CREATE TRIGGER succession_changed AFTER INSERT ON memory_successor FOR EACH ROW EXECUTE FUNCTION note_succession()
