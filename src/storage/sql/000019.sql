-- Raw files may lie in an object store (src/ingest/raw-store.ts): the row says where.
-- Null: in chunks, in this database.
ALTER TABLE raw_file ADD COLUMN object text UNIQUE;
