"""The package's logger: retries at INFO, each request at DEBUG, never with a secret."""

import logging

from copydesk._address import redact_tokens

logger = logging.getLogger("copydesk")
logger.addHandler(logging.NullHandler())


class _TokenFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        redacted = redact_tokens(message)
        if redacted != message:
            record.msg, record.args = redacted, ()
        return True


# At DEBUG, the HTTP library logs the headers of responses: a redirect repeats the URL of a feed.
for _name in ("http11", "http2"):
    logging.getLogger(f"httpcore2.{_name}").addFilter(_TokenFilter())
