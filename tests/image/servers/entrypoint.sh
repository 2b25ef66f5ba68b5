# Sets a database up as the entrypoint of PostgreSQL's image does, where there is none.
set -eu
if [ "$1" = postgres ] && [ ! -e "$PGDATA" ]; then
    # shellcheck disable=SC2086
    initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
    echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
    pg_ctl start --wait --options='-c listen_addresses='
    createdb --username=postgres "$POSTGRES_DB"
    for file in /docker-entrypoint-initdb.d/*; do
        psql --username=postgres --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 --file="$file"
    done
    pg_ctl stop --wait
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
fi
exec "$@"
