#!/bin/sh
# Creates what compose.yaml reads beside itself: .env, secrets/ and backups/. Run it as root, because
# each secret belongs to the user that reads it in its container. What is there is kept.
#
#   sudo ./setup.sh
set -eu
cd "$(dirname "$0")"
umask 077
# The users of the images: Copydesk's own; and postgres and valkey, which have the same number.
copydesk=10001 server=999

random() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
# secret NAME OWNER: write standard input to secrets/NAME.
secret() {
    cat >"secrets/$1.new"
    chown "$2:$2" "secrets/$1.new"
    chmod 400 "secrets/$1.new"
    mv "secrets/$1.new" "secrets/$1"
}

[ -e .env ] || cp .env.example .env
mkdir -p secrets backups tls
chmod 711 secrets
chown $server:$copydesk backups
chmod 750 backups # the scheduler looks how old they are
chown $copydesk:$copydesk tls

if [ ! -s secrets/openai_api_key ]; then
    printf 'Key of the model endpoint (any value if it needs none): ' >&2
    [ ! -t 0 ] || stty -echo
    read -r key || : # a last line without its end is a key as well
    [ ! -t 0 ] || { stty echo && echo >&2; }
    [ -n "$key" ] || { echo 'The key is empty. Run this again and type one.' >&2; exit 1; }
    printf '%s' "$key" | secret openai_api_key $copydesk
fi
if [ ! -e secrets/redis_url ]; then
    password=$(random)
    echo "requirepass $password" | secret redis.conf $server
    printf 'redis://:%s@redis:6379/0' "$password" | secret redis_url $copydesk
fi
if [ ! -e secrets/database_url ]; then
    password=$(random) owner=$(random)
    random | secret postgres_password $server
    printf "ALTER ROLE %s PASSWORD '%s';\n" copydesk "$password" copydesk_migrate "$owner" \
        | secret passwords.sql $server
    echo "postgres:5432:copydesk:copydesk_migrate:$owner" | secret pgpass $server
    printf 'postgresql://copydesk_migrate:%s@postgres:5432/copydesk' "$owner" \
        | secret migrate_database_url $copydesk
    # Last: it shows that the others are complete.
    printf 'postgresql://copydesk:%s@postgres:5432/copydesk' "$password" \
        | secret database_url $copydesk
fi
echo 'Set what you need in .env, then: docker compose up --detach --build' >&2
