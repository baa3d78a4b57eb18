-- First prints of every accepted release, packed. A block counts only once the journal holds the
-- acceptance of its release: blocks are staged first, and the entry makes them true.

-- `bytes` are runs of months (src/prints/print-run.ts says how); `places`, a line each, are the
-- provider's regions first met in this block and the nodes they are, numbered from `first_place`.
CREATE TABLE print_block (
  release_id text NOT NULL,
  block integer NOT NULL,
  first_place integer NOT NULL,
  places text NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (release_id, block)
);
-- Digits do not compress: trying took a third of the insert and saved nothing.
ALTER TABLE print_block ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The newest value of every month that a release and those before it gave: what the next release is
-- compared with. Drawn from the raw files, so only the newest release of a series keeps its own.
CREATE TABLE print_latest (
  release_id text NOT NULL,
  block integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (release_id, block)
);
ALTER TABLE print_latest ALTER COLUMN bytes SET STORAGE EXTERNAL;
