-- Raw provider files are zstd from now on (src/ingest/raw-file.ts); those that are gzip stay so and
-- are read. A program of before this step would take the new ones for damaged, so it is refused.
COMMENT ON TABLE raw_chunk IS 'raw provider files, zstd or (older ones) gzip, cut into chunks';
