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
