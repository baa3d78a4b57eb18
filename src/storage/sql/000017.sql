-- Snapshots in pages: one that several snapshots have is stored once, under its text's digest.
CREATE TABLE snapshot_page (
  digest bytea PRIMARY KEY,
  bytes bytea NOT NULL
);
-- They are compressed already.
ALTER TABLE snapshot_page ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The pages of each snapshot in their order; old ones lose them and keep their note.
CREATE TABLE snapshot_place (
  size bigint NOT NULL REFERENCES snapshot ON DELETE CASCADE,
  place integer NOT NULL,
  digest bytea NOT NULL,
  PRIMARY KEY (size, place)
);

-- The parts of before; of these the digest is over the bytes (src/journal/snapshot.ts reads both).
INSERT INTO snapshot_page (digest, bytes)
SELECT sha256(bytes), bytes FROM snapshot_part ON CONFLICT DO NOTHING;
INSERT INTO snapshot_place (size, place, digest)
SELECT size, part, sha256(bytes) FROM snapshot_part;
DROP TABLE snapshot_part;
