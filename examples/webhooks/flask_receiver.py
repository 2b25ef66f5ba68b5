"""A webhook receiver with Flask.

pip install ./sdk 'flask>=3.1,<4'
export COPYDESK_WEBHOOK_SECRET=whroot_...
flask --app examples/webhooks/flask_receiver.py run --port 8080
"""

import inbox
from flask import Flask, request

from copydesk import WebhookVerificationError, webhooks

app = Flask(__name__)
# A larger body gets 413.
app.config["MAX_CONTENT_LENGTH"] = webhooks.MAX_BODY_BYTES


@app.post("/webhooks/copydesk")
def receive() -> tuple[str, int]:
    try:
        event = webhooks.unwrap(request.get_data(), request.headers)
    except WebhookVerificationError as error:
        app.logger.warning("refused a webhook, %s: %s", error.reason, error)
        return "", 400
    inbox.add(event)
    return "", 204
