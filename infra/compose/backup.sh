#!/bin/sh
# backup.sh FOLDER: copies what docs/backup.md keeps of the system of docker-compose.yml, while it runs. FOLDER is new.
# COMPOSE is another command than `docker compose`.
set -eu
[ $# = 1 ] && [ ! -e "$1" ] || { echo 'Usage: infra/compose/backup.sh FOLDER, which does not exist yet' >&2; exit 2; }
umask 077
mkdir -p "$1/databases" "$1/secrets"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
compose=${COMPOSE:-docker compose}
dump() {
  name=$1
  shift
  $compose exec -T postgres pg_dump --username=cer --format=custom "$@" "$name" > "$folder/databases/$name.dump"
}
# In the order that docs/backup.md explains: key files, node, dashboard.
cp -pR infra/compose/secrets infra/compose/settings "$folder/secrets/"
[ ! -e .env ] || cp -p .env "$folder/secrets/env"
for name in node dashboard; do $compose exec -T "$name" tar -cC /var/lib/cer . > "$folder/secrets/$name.tar"; done
dump node
dump dashboard --exclude-table-data=sessions --exclude-table-data=one_time_links --exclude-table-data=reader_keys
echo "made $folder: move secrets and databases to two places"
