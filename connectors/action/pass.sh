#!/usr/bin/env bash
# One pass, for action.yml: installs the connector beside this file into an environment of its own,
# runs `copydesk-connect once`, and reports to GITHUB_OUTPUT and GITHUB_STEP_SUMMARY.
set -uo pipefail
: "${COPYDESK_FEED_URL:?the input feed-url is empty: set the secret that it names}"
: "${COPYDESK_SOURCE:?}" "${RUNNER_TEMP:?}"
config="${COPYDESK_CONFIG:-copydesk.toml}"
if [ ! -f "$config" ]; then
    echo "::error::$config does not exist: check the repository out first, or correct the input config"
    exit 1
fi

environment="$RUNNER_TEMP/copydesk-connect"
program="$environment/bin/copydesk-connect"
if [ ! -x "$program" ]; then
    "${COPYDESK_PYTHON:-python3}" -m venv "$environment" || exit 1
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        "$COPYDESK_SOURCE/sdk" "$COPYDESK_SOURCE/connectors[xmlrpc]" || exit 1
fi

said=$("$program" once --config "$config")
status=$?
printf '%s\n' "$said"
published=$(sed -n 's/^\([0-9][0-9]*\) published and confirmed$/\1/p' <<<"$said")
echo "published=${published:-0}" >>"${GITHUB_OUTPUT:-/dev/null}"
{
    echo '### Copydesk'
    printf '```\n%s\n```\n' "$said"
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$status"
