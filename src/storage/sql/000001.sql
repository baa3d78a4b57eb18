-- The journal and what vouches for it.

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
  concerns text
);

CREATE INDEX journal_concerns ON journal (concerns, sequence) WHERE concerns IS NOT NULL;
-- The operator's own acts and the system's are many: an index serves the rest.
CREATE INDEX journal_actor ON journal (actor, sequence);
-- Time rises with the sequence, so ranges of pages are told apart by almost nothing.
CREATE INDEX journal_time ON journal USING brin (time_millis);

-- Who may append: every append shares this row's lock, every new leader raises the epoch first.
CREATE TABLE leader (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  epoch bigint NOT NULL
);
INSERT INTO leader (epoch) VALUES (0);

CREATE TABLE checkpoint (
  size bigint PRIMARY KEY,
  note text NOT NULL
);

-- Old snapshots lose their bytes and keep their note: the state they promise is still checked.
CREATE TABLE snapshot (
  size bigint PRIMARY KEY,
  note text NOT NULL,
  bytes bytea
);
