-- When the leading session last showed that its node is alive (src/journal/leader-lock.ts). It is
-- apart from `leader`, whose row others lock while they write under its epoch.
CREATE TABLE heartbeat (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  noted_at timestamptz NOT NULL
);
INSERT INTO heartbeat (noted_at) VALUES (clock_timestamp());
