#!/bin/bash
# A standby of db-1: copied where there is nothing yet, streaming from then on.
set -euo pipefail
export PGDATA=/var/lib/postgresql/18/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$PGDATA"
  gosu postgres pg_basebackup -h db-1 -U firstprint -D "$PGDATA" -R -X stream \
    -d "application_name=db_2"
fi
exec gosu postgres postgres -c "synchronous_standby_names="
