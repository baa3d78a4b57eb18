-- Which term of leadership wrote a block. It is part of the key so that what a deposed node has
-- under way can neither replace nor hold up what the leader stages; 0 = before there were epochs.
ALTER TABLE print_block ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
ALTER TABLE print_block ALTER COLUMN epoch DROP DEFAULT;
ALTER TABLE print_block DROP CONSTRAINT print_block_pkey;
ALTER TABLE print_block ADD PRIMARY KEY (release_id, block, epoch);

ALTER TABLE print_latest ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
ALTER TABLE print_latest ALTER COLUMN epoch DROP DEFAULT;
ALTER TABLE print_latest DROP CONSTRAINT print_latest_pkey;
ALTER TABLE print_latest ADD PRIMARY KEY (release_id, block, epoch);
