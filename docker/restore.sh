#!/bin/sh
# Puts a backup in the place of the database, in one transaction: if anything fails, nothing changes.
#
#   docker compose run --rm --no-deps backup sh /restore.sh FILE
#
# Elsewhere, BACKUPS is the folder of FILE, and psql finds the database by PGHOST, PGUSER, PGDATABASE
# and the like.
set -eu
file=${BACKUPS:-/backups}/${1:?name a file of backups/}

# All tables go, also those of a newer version, which the backup does not know. The end of the
# transaction is sent only behind a whole backup; behind a part of one, what stops psql in any state.
{
    cat <<'SQL'
BEGIN;
SET LOCAL client_min_messages = warning;
SET LOCAL lock_timeout = '10s';
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('DROP TABLE public.%I CASCADE', name);
    END LOOP;
END $$;
SQL
    if pg_restore --no-owner --no-privileges --file=- "$file"; then
        printf 'COMMIT;\n'
    else
        printf '\n\\.\nnothing was restored;\n'
    fi
} | psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --output=/dev/null
echo restored
