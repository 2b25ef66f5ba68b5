#!/bin/sh
# Writes a backup of PostgreSQL to /backups every day, and deletes those older than KEEP_DAYS.
set -eu
umask 077
while true; do
    file=/backups/copydesk-$(date -u +%Y%m%dT%H%M%SZ).backup
    pg_dump --format=custom --no-owner --no-privileges --file="$file.unfinished"
    mv "$file.unfinished" "$file"
    echo "$file"
    find /backups -name 'copydesk-*' -mtime "+${KEEP_DAYS:-14}" -delete
    sleep 86400
done
