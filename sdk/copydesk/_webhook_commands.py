"""The commands ``verify-webhook`` and ``listen``."""

import argparse
import sys
from pathlib import Path
from typing import Any

from copydesk import webhooks
from copydesk._commands import add_json_option, say_either
from copydesk._output import event_line
from copydesk.errors import ConfigurationError

# A post in all representations is below a tenth of it.
LARGEST_BODY = 4 * 1024 * 1024


def add_commands(commands: Any) -> None:
    verify = commands.add_parser(
        "verify-webhook",
        help="check the signature of a webhook",
        description="Check the signature of a webhook with the secret in COPYDESK_WEBHOOK_SECRET, "
        "and print its event.",
    )
    verify.add_argument(
        "--signature",
        required=True,
        metavar="VALUE",
        help=f"the value of the header {webhooks.SIGNATURE_HEADER}",
    )
    verify.add_argument(
        "--tolerance",
        type=float,
        default=webhooks.TOLERANCE_S,
        metavar="SECONDS",
        help=f"how old the signature may be; default {webhooks.TOLERANCE_S:.0f}",
    )
    verify.add_argument(
        "body", nargs="?", metavar="FILE", help="the body as it arrived; default: standard input"
    )
    verify.set_defaults(run=_verify)
    listen = commands.add_parser(
        "listen",
        help="receive webhooks on this machine and print their events",
        description="Receive webhooks at 127.0.0.1, check them with the secret in "
        "COPYDESK_WEBHOOK_SECRET, and print one line for each event. The service must be able to "
        "reach this address: from another machine, it needs a tunnel to the port.",
    )
    listen.add_argument(
        "--port", type=int, default=8080, metavar="N", help="default 8080; 0: any free one"
    )
    listen.add_argument(
        "--forward",
        metavar="URL",
        help="send each verified webhook on to a URL on this machine, and answer as it does",
    )
    listen.set_defaults(run=_listen)
    add_json_option(verify)
    listen.add_argument("--json", action="store_true", help="print each event as one line of JSON")


def _verify(arguments: argparse.Namespace) -> None:
    secrets = webhooks.SigningSecrets.from_env()
    if arguments.body is None:
        body = sys.stdin.buffer.read(LARGEST_BODY + 1)
    else:
        try:
            with Path(arguments.body).open("rb") as file:
                body = file.read(LARGEST_BODY + 1)
        except OSError as error:
            raise ConfigurationError(
                f"FILE {arguments.body} cannot be read: {error.strerror}"
            ) from None
    if len(body) > LARGEST_BODY:
        raise ConfigurationError(f"FILE is larger than {LARGEST_BODY:,} bytes: it is no webhook")
    headers = {webhooks.SIGNATURE_HEADER: arguments.signature}
    event = webhooks.parse(body, headers, secrets, arguments.tolerance)
    say_either(arguments, event.raw, f"valid: {event_line(event)}")


def _listen(arguments: argparse.Namespace) -> None:
    # Here, because no other command needs an HTTP server.
    from copydesk._listen import listen

    listen(
        webhooks.SigningSecrets.from_env(),
        port=arguments.port,
        forward=arguments.forward,
        as_json=arguments.json,
        largest_body=LARGEST_BODY,
    )
