-- Fingerprints of the secrets that all nodes of one exchange share, as the one that leads has them
-- (src/storage/shared-secrets.ts). No secret can be found from its fingerprint.
CREATE TABLE shared_secret (
  name text PRIMARY KEY,
  fingerprint text NOT NULL
);
