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
