-- Raw provider files, gzip, cut into chunks (src/ingest/raw-store.ts). A file is kept once it has
-- its row in `raw_file`; chunks of an upload that has none are of one that was cut off.
CREATE TABLE raw_chunk (
  upload uuid NOT NULL,
  part integer NOT NULL,
  -- SHA-256 of `bytes`.
  digest bytea NOT NULL,
  bytes bytea NOT NULL,
  -- Of the leader that wrote it.
  epoch bigint NOT NULL,
  PRIMARY KEY (upload, part)
);
-- They are compressed already.
ALTER TABLE raw_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE raw_file (
  -- Of the decompressed bytes, 64 hex characters.
  sha256 text PRIMARY KEY,
  upload uuid NOT NULL UNIQUE,
  chunks integer NOT NULL,
  epoch bigint NOT NULL
);
