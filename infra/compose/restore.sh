#!/bin/sh
# restore.sh FOLDER: puts what backup.sh made into a checkout whose docker-compose.yml was never started, and starts
# nothing but PostgreSQL. COMPOSE is another command than `docker compose`.
set -eu
[ $# = 1 ] && [ -d "$1/databases" ] || { echo 'Usage: infra/compose/restore.sh FOLDER' >&2; exit 2; }
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
[ ! -e infra/compose/secrets ] || { echo 'restore.sh: infra/compose/secrets exists: not an empty system' >&2; exit 1; }
compose=${COMPOSE:-docker compose}
cp -pR "$folder/secrets/secrets" "$folder/secrets/settings" infra/compose/
[ ! -e "$folder/secrets/env" ] || cp -p "$folder/secrets/env" .env
$compose up --no-build --detach --wait postgres
for name in node dashboard; do
  $compose exec -T postgres pg_restore --username=cer --exit-on-error --no-owner --dbname="$name" < "$folder/databases/$name.dump"
  $compose run --rm -T --no-deps --entrypoint tar "$name" -xC /var/lib/cer < "$folder/secrets/$name.tar"
done
echo 'restored. Read docs/backup.md, "After a restore", then: docker compose up --detach --wait'
