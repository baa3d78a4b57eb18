-- A snapshot in parts: in one value it could be stored and be too large for a client to read back.
-- Old ones lose their parts and keep their note: the state they promise is still checked.
CREATE TABLE snapshot_part (
  size bigint NOT NULL REFERENCES snapshot ON DELETE CASCADE,
  part integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (size, part)
);
-- They are compressed already.
ALTER TABLE snapshot_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- What there is, is cut; its pieces are one frame (src/journal/snapshot.ts puts them together).
INSERT INTO snapshot_part (size, part, bytes)
SELECT size, part, substring(bytes FROM part * 4194304 + 1 FOR 4194304)
FROM snapshot, generate_series(0, (length(bytes) - 1) / 4194304) AS part
WHERE bytes IS NOT NULL;
ALTER TABLE snapshot DROP COLUMN bytes;
