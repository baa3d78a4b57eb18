-- The journal in partitions by range of sequence, so that the oldest can be archived and dropped.
-- What is there becomes one of them as it lies: it is read once, to check its range, not copied.

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

ALTER TABLE journal RENAME TO journal_2;
ALTER TABLE journal_2 RENAME CONSTRAINT journal_pkey TO journal_2_pkey;
ALTER INDEX journal_concerns RENAME TO journal_2_concerns;
ALTER INDEX journal_actor RENAME TO journal_2_actor;
ALTER INDEX journal_time RENAME TO journal_2_time;
CREATE TABLE journal (LIKE journal_2 INCLUDING CONSTRAINTS INCLUDING STORAGE)
  PARTITION BY RANGE (sequence);
ALTER TABLE journal ADD PRIMARY KEY (sequence);
CREATE INDEX journal_concerns ON journal (concerns, sequence) WHERE concerns IS NOT NULL;
CREATE INDEX journal_actor ON journal (actor, sequence);
CREATE INDEX journal_time ON journal USING brin (time_millis);

ALTER TABLE journal_touch RENAME TO journal_touch_2;
ALTER TABLE journal_touch_2 RENAME CONSTRAINT journal_touch_pkey TO journal_touch_2_pkey;
ALTER INDEX journal_touch_sequence RENAME TO journal_touch_2_sequence;
CREATE TABLE journal_touch (LIKE journal_touch_2 INCLUDING CONSTRAINTS INCLUDING STORAGE)
  PARTITION BY RANGE (sequence);
ALTER TABLE journal_touch ADD PRIMARY KEY (subject, sequence);
CREATE INDEX journal_touch_sequence ON journal_touch
  USING brin (sequence) WITH (pages_per_range = 16, autosummarize = on);

-- The first entry names the exchange, and each start reads it: it is never archived.
CREATE TABLE journal_1 PARTITION OF journal FOR VALUES FROM (1) TO (2);
CREATE TABLE journal_touch_1 PARTITION OF journal_touch FOR VALUES FROM (1) TO (2);
INSERT INTO journal_part (first, last) VALUES (1, 1);

DO $$
DECLARE
  newest bigint := (SELECT coalesce(max(sequence), 0) FROM journal_2);
  size bigint := (SELECT entries FROM journal_layout);
  up_to bigint := ((greatest(newest, 1) - 1) / size + 1) * size;
  held record;
BEGIN
  -- The rights on each table go to the one that takes its place; its partitions are nobody's.
  FOR held IN
    SELECT relname, grantee, privilege_type AS power
    FROM pg_class, aclexplode(relacl)
    WHERE oid IN ('journal_2'::regclass, 'journal_touch_2'::regclass) AND grantee <> relowner
  LOOP
    EXECUTE format('REVOKE %s ON %I FROM %s', held.power, held.relname,
      CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE held.grantee::regrole::text END);
    EXECUTE format('GRANT %s ON %I TO %s', held.power, left(held.relname, -2),
      CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE held.grantee::regrole::text END);
  END LOOP;

  IF newest = 0 THEN
    DROP TABLE journal_2, journal_touch_2;
    RETURN;
  END IF;
  WITH genesis AS (DELETE FROM journal_2 WHERE sequence = 1 RETURNING *)
    INSERT INTO journal SELECT * FROM genesis;
  WITH genesis AS (DELETE FROM journal_touch_2 WHERE sequence = 1 RETURNING *)
    INSERT INTO journal_touch SELECT * FROM genesis;
  EXECUTE format('ALTER TABLE journal ATTACH PARTITION journal_2 FOR VALUES FROM (2) TO (%s)',
    up_to + 1);
  EXECUTE format(
    'ALTER TABLE journal_touch ATTACH PARTITION journal_touch_2 FOR VALUES FROM (2) TO (%s)',
    up_to + 1);
  INSERT INTO journal_part (first, last) VALUES (2, up_to);
END $$;

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
