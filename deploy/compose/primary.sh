#!/bin/bash
# The standby copies from here, and every commit waits for it from the next start of the server on.
set -euo pipefail
echo "host replication firstprint 172.30.0.0/24 scram-sha-256" >> "$PGDATA/pg_hba.conf"
echo "synchronous_standby_names = 'db_2'" >> "$PGDATA/postgresql.conf"
