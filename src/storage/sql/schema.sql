-- The schema of an empty database, whole: version 1. A database that is there already is brought up
-- by the steps of later versions beside this file, 000002.sql and on (src/storage/migrate.ts).
-- What the role that serves may do with each table stands in src/storage/serving-role.ts.

-- The files of this folder that ran here: this one is number 1.
CREATE TABLE schema_step (
  number integer PRIMARY KEY,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL
);

-- Leading.

-- Who may append: every append shares this row's lock, every new leader raises the epoch first.
CREATE TABLE leader (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  epoch bigint NOT NULL
);
INSERT INTO leader (epoch) VALUES (0);

-- When the leading session last showed that its node is alive (src/journal/leader-lock.ts). It is
-- apart from `leader`, whose row others lock while they write under its epoch.
CREATE TABLE heartbeat (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  noted_at timestamptz NOT NULL
);
INSERT INTO heartbeat (noted_at) VALUES (clock_timestamp());

-- Fingerprints of the secrets that all nodes of one exchange share, as the one that leads has them
-- (src/storage/shared-secrets.ts). No secret can be found from its fingerprint.
CREATE TABLE shared_secret (
  name text PRIMARY KEY,
  fingerprint text NOT NULL
);

-- The journal, in partitions by range of sequence, so that the oldest can be archived and dropped.

-- One row an entry. `bytes` and `hash` are the record; the other columns are drawn from the bytes
-- so that entries can be found, and `verify` compares them.
CREATE TABLE journal (
  sequence bigint PRIMARY KEY CHECK (sequence > 0),
  bytes bytea NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  time_millis bigint NOT NULL,
  action text NOT NULL,
  severity text NOT NULL,
  actor text NOT NULL,
  concerns text,
  resource text NOT NULL
) PARTITION BY RANGE (sequence);
CREATE INDEX journal_concerns ON journal (concerns, sequence) WHERE concerns IS NOT NULL;
-- The operator's own acts and the system's are many: an index serves the rest.
CREATE INDEX journal_actor ON journal (actor, sequence);
-- Time rises with the sequence, so ranges of pages are told apart by almost nothing.
CREATE INDEX journal_time ON journal USING brin (time_millis);

-- Which entries moved an account's cash or position, or traded or changed a market, and which
-- further actions are in them (`action:order.placed`): what own data, the tape of trades and a
-- search of the trail are read by. Drawn from the entries, written with them, and compared by
-- `verify`. `subject` is the id of an account or of a market, or such an action.
CREATE TABLE journal_touch (
  subject text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL CHECK (sequence > 0),
  PRIMARY KEY (subject, sequence)
) PARTITION BY RANGE (sequence);
-- For `verify`, which walks by sequence: rows come in that order, so this index is a few pages.
CREATE INDEX journal_touch_sequence ON journal_touch
  USING brin (sequence) WITH (pages_per_range = 16, autosummarize = on);

-- By which rules the columns and rows beside the entries were drawn (src/journal/redraw.ts); by
-- none before the first leader.
CREATE TABLE drawn (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  rules integer NOT NULL
);
INSERT INTO drawn (rules) VALUES (0);

-- The entries of a partition, more or less: it ends at a multiple of this.
CREATE TABLE journal_layout (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  entries bigint NOT NULL CHECK (entries > 1)
);
INSERT INTO journal_layout (entries) VALUES (4194304);

-- Each partition there is or was. `manifest` is the SHA-256 of the manifest of its archive, noted
-- when the archive has been read back; from then on its tables may go
-- (src/journal/move-partitions.ts).
CREATE TABLE journal_part (
  first bigint PRIMARY KEY,
  last bigint NOT NULL UNIQUE CHECK (last >= first),
  manifest text
);

-- The first entry names the exchange, and each start reads it: it is never archived.
CREATE TABLE journal_1 PARTITION OF journal FOR VALUES FROM (1) TO (2);
CREATE TABLE journal_touch_1 PARTITION OF journal_touch FOR VALUES FROM (1) TO (2);
INSERT INTO journal_part (first, last) VALUES (1, 1);

-- One partition of both tables, made apart and attached: that waits for no append, and no append
-- for it.
CREATE FUNCTION journal_attach(first bigint, last bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
  part text;
BEGIN
  FOREACH name IN ARRAY ARRAY['journal', 'journal_touch'] LOOP
    part := format('%s_%s', name, first);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, name);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
      name, part, first, last + 1);
  END LOOP;
END $$;

-- Makes room for as many entries as a partition has, at least, behind the newest: as the owner, for
-- a role that may make no tables. It gives the last sequence there is room for.
CREATE FUNCTION journal_extend() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  size bigint;
  reached bigint;
  next_last bigint;
  wanted bigint;
BEGIN
  SELECT entries INTO STRICT size FROM journal_layout;
  SELECT coalesce(max(sequence), 0) + size INTO wanted FROM journal;
  SELECT max(last) INTO STRICT reached FROM journal_part;
  -- Nothing is written, and no standby waited for, where nothing is missing.
  IF reached >= wanted THEN
    RETURN reached;
  END IF;
  -- One at a time; the other then finds what this one made.
  PERFORM FROM journal_layout FOR UPDATE;
  SELECT max(last) INTO STRICT reached FROM journal_part;
  WHILE reached < wanted LOOP
    next_last := (reached / size + 1) * size;
    INSERT INTO journal_part (first, last) VALUES (reached + 1, next_last);
    PERFORM journal_attach(reached + 1, next_last);
    reached := next_last;
  END LOOP;
  RETURN reached;
END $$;
REVOKE ALL ON FUNCTION journal_attach(bigint, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION journal_extend() FROM PUBLIC;

-- A table of the same name elsewhere must not be taken for one of these.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION journal_extend() SET search_path = %I, pg_temp', current_schema());
END $$;

-- What vouches for the journal.

CREATE TABLE checkpoint (
  size bigint PRIMARY KEY,
  note text NOT NULL
);

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

-- Snapshots of the state. Old ones lose their pages and keep their note: the state they promise is
-- still checked.
CREATE TABLE snapshot (
  size bigint PRIMARY KEY,
  note text NOT NULL
);

-- Their pages: one that several snapshots have is stored once, under its text's digest.
CREATE TABLE snapshot_page (
  digest bytea PRIMARY KEY,
  bytes bytea NOT NULL
);
-- They are compressed already.
ALTER TABLE snapshot_page ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The pages of each snapshot in their order.
CREATE TABLE snapshot_place (
  size bigint NOT NULL REFERENCES snapshot ON DELETE CASCADE,
  place integer NOT NULL,
  digest bytea NOT NULL,
  PRIMARY KEY (size, place)
);

-- Provider files and their prints.

-- Raw files as zstd, cut into chunks (src/ingest/raw-store.ts). A file is kept once it has its row
-- in `raw_file`; chunks of an upload that has none are of one that was cut off.
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
  epoch bigint NOT NULL,
  -- Its name in an object store; null where it is in chunks, in this database.
  object text UNIQUE
);

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
  -- Of the leader that wrote it. It is part of the key so that what a deposed node has under way
  -- can neither replace nor hold up what the leader stages.
  epoch bigint NOT NULL,
  PRIMARY KEY (release_id, block, epoch)
);
-- Digits do not compress: trying took a third of the insert and saved nothing.
ALTER TABLE print_block ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The newest value of every month that a release and those before it gave: what the next release is
-- compared with. Drawn from the raw files, so only the newest release of a series keeps its own.
CREATE TABLE print_latest (
  release_id text NOT NULL,
  block integer NOT NULL,
  bytes bytea NOT NULL,
  -- As in `print_block`.
  epoch bigint NOT NULL,
  PRIMARY KEY (release_id, block, epoch)
);
ALTER TABLE print_latest ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Persons.

-- Personal data an inquiry is decided on, sealed (AES-256-GCM) under a key per subject: without
-- that key every copy of the row, in backups too, is noise.
CREATE TABLE kyc_subject (
  subject_id text PRIMARY KEY,
  sealed bytea NOT NULL
);

-- The key of each subject in `kyc_subject`, sealed under the secret that all nodes share and that
-- is never in the database. Apart from what it opens, so that a dump can be kept without the keys.
CREATE TABLE kyc_key (
  subject_id text PRIMARY KEY,
  sealed bytea NOT NULL,
  -- Of the leader that wrote it.
  epoch bigint NOT NULL
);
-- An erased key leaves its page soon, and not after the fiftieth.
ALTER TABLE kyc_key SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);

-- What readers and receivers are told.

-- What was traded in a market on a day, and its last mark: drawn from the journal, entry by entry
-- (src/engine/market-history.ts). Emptied together, both tables are drawn anew by the next leader.
CREATE TABLE market_day (
  market text COLLATE "C" NOT NULL,
  -- Days since 1970-01-01, UTC.
  day integer NOT NULL,
  -- Prices of YES in ticks; null on a day without a trade.
  open_tick smallint,
  high_tick smallint,
  low_tick smallint,
  close_tick smallint,
  lots numeric NOT NULL,
  trades integer NOT NULL,
  -- Null on a day that gave the market no mark.
  mark_tick smallint,
  PRIMARY KEY (market, day)
);

-- The last entry that is counted in them.
CREATE TABLE market_day_reached (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  sequence bigint NOT NULL
);
INSERT INTO market_day_reached (sequence) VALUES (0);

-- How far each webhook has been delivered. The journal says which webhooks there are and from which
-- entry a run of one begins: a row of another run does not count.
CREATE TABLE webhook_cursor (
  webhook_id text PRIMARY KEY,
  run bigint NOT NULL,
  -- Each entry up to here was delivered, or has nothing for this webhook.
  delivered bigint NOT NULL,
  -- Of the entry that comes next: how often it failed, since when, and when it is tried again.
  attempts integer NOT NULL,
  failing_since_millis bigint,
  next_attempt_millis bigint,
  -- Attempts there have been, by which those in `webhook_delivery` are numbered.
  logged bigint NOT NULL
);

-- The newest attempts of each webhook; the older ones leave (src/webhooks/store.ts).
CREATE TABLE webhook_delivery (
  webhook_id text NOT NULL,
  number bigint NOT NULL,
  sequence bigint NOT NULL,
  attempt integer NOT NULL,
  at_millis bigint NOT NULL,
  took_millis integer NOT NULL,
  status integer,
  fault text,
  PRIMARY KEY (webhook_id, number)
);
