-- What each release said of each place. A line counts only once the journal holds the acceptance of
-- its release: lines are staged first, and the entry makes them true.

-- `cells` is the provider's line from `first_month` on, decimals as published, a comma a month.
-- `new_months` are its first prints, with their chain levels (12 decimals, null outside the chain).
CREATE TABLE print_line (
  release_id text NOT NULL,
  place integer NOT NULL,
  index_kind text NOT NULL,
  region_id text NOT NULL,
  node_id text NOT NULL,
  first_month integer NOT NULL,
  cells text NOT NULL,
  new_months integer[] NOT NULL,
  new_levels text[] NOT NULL,
  new_backfills boolean[] NOT NULL,
  PRIMARY KEY (release_id, place)
);
CREATE UNIQUE INDEX print_line_node ON print_line (release_id, node_id);
