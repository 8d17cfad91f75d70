#!/bin/sh
# Starts PostgreSQL by the variables of the official image that docker-compose.yml uses; the first start makes the database.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
if [ "$(id -u)" = 0 ]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  install -d -o postgres -g postgres /var/run/postgresql
  install -o postgres -m 0600 "$POSTGRES_PASSWORD_FILE" /tmp/password
  exec setpriv --reuid postgres --regid postgres --clear-groups "$0"
fi
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options "-c listen_addresses=''" start >/dev/null
  createdb --username="$POSTGRES_USER" "$POSTGRES_USER"
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --username="$POSTGRES_USER" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --file "$file"
  done
  pg_ctl --wait stop >/dev/null
fi
rm -f /tmp/password
exec postgres -c listen_addresses='*'
