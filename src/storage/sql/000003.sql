-- Which entries moved an account's cash or position, or traded or changed a market: what own data
-- and the tape of trades are read by. Drawn from the entries, written with them, and compared by
-- `verify`. `subject` is the id of an account or of a market.
CREATE TABLE journal_touch (
  subject text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL CHECK (sequence > 0),
  PRIMARY KEY (subject, sequence)
);

-- For `verify`, which walks by sequence: rows come in that order, so this index is a few pages.
CREATE INDEX journal_touch_sequence ON journal_touch
  USING brin (sequence) WITH (pages_per_range = 16, autosummarize = on);
