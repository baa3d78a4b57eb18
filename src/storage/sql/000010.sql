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
