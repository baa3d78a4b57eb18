-- Personal data an inquiry is decided on, sealed (AES-256-GCM) under a key per subject that is
-- never in the database: without its key file every copy of the row, in backups too, is noise.
CREATE TABLE kyc_subject (
  subject_id text PRIMARY KEY,
  sealed bytea NOT NULL
);
