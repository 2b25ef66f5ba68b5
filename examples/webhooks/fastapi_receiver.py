"""A webhook receiver with FastAPI.

pip install ./sdk 'fastapi>=0.115,<1' 'uvicorn>=0.34,<1'
export COPYDESK_WEBHOOK_SECRET=whroot_...
uvicorn --app-dir examples/webhooks fastapi_receiver:app --port 8080
"""

import logging

import inbox
from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool

from copydesk import WebhookVerificationError, webhooks

log = logging.getLogger("uvicorn.error")
app = FastAPI()


@app.post("/webhooks/copydesk", status_code=204)
async def receive(request: Request) -> None:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > webhooks.MAX_BODY_BYTES:
            raise HTTPException(413)
    try:
        event = webhooks.unwrap(bytes(body), request.headers)
    except WebhookVerificationError as error:
        log.warning("refused a webhook, %s: %s", error.reason, error)
        raise HTTPException(400) from None
    await run_in_threadpool(inbox.add, event)
