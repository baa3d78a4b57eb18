-- The transparency log over the entries (src/journal/log-tree.ts). Drawn from the entries' hashes;
-- held against the signed checkpoints at each start, drawn anew where it differs, and by `verify`.

-- Full tiles as C2SP tlog-tiles has them: 256 hashes each.
CREATE TABLE log_tile (
  level integer NOT NULL CHECK (level >= 0),
  index bigint NOT NULL CHECK (index >= 0),
  hashes bytea NOT NULL CHECK (length(hashes) = 8192),
  PRIMARY KEY (level, index)
);
-- Hashes do not compress.
ALTER TABLE log_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;

-- Signed tree heads; cosignatures of witnesses are added at the end of a note.
CREATE TABLE log_checkpoint (
  size bigint PRIMARY KEY,
  note text NOT NULL
);
