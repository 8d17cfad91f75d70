#!/bin/sh
# secrets.sh [HOST]: makes the secrets and a self-signed certificate that docker-compose.yml mounts, in infra/compose/secrets.
# Existing files stay. The services run as user 1000: run this as root, or as that user.
set -eu
cd "$(dirname "$0")"
host=${1:-cer.localhost}
umask 077
mkdir -p secrets
random() { openssl rand -hex 24 | tr -d '\n'; }
make() { [ -e "secrets/$1" ] || { cat > "secrets/$1"; }; }
random | make postgres-password
password=$(cat secrets/postgres-password)
for name in node bridge dashboard; do
  printf 'postgres://cer:%s@postgres:5432/%s' "$password" "$name" | make "$name-database-url"
done
for name in admin-secret service-token renderer-token; do random | make "$name"; done
if [ ! -e secrets/tls.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj "/CN=$host" \
    -addext "subjectAltName=DNS:$host,DNS:*.$host" -keyout secrets/tls.key -out secrets/tls.crt 2>/dev/null
  cat secrets/tls.crt secrets/tls.key > secrets/tls.pem
fi
[ "$(id -u)" != 0 ] || chown -R 1000:1000 secrets
echo "secrets are in infra/compose/secrets; replace tls.pem (certificate chain and key) by your own"
