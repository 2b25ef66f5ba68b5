"""Clauses that read like several claims and are one: a choice of values, one rule for two things,
or words that only say when, or where else to look."""

SINGLE = frozenset(
    {
        "Under it, one or more keyword rules,",
        "and, if needed, automatically revised before it is returned.",
        (
            "When the generation model refuses a request on its own safety grounds, the"
            " request ends with PROHIBITED_INPUT;"
        ),
        "no partial or fabricated content is returned.",
        "Feed rules may carry offers/brands with a link each (see Resources).",
        "Tokens and rules are configured internally;",
        "no public endpoint creates or modifies them.",
        "| region | string | Region code; seen in requests. |",
        "| tone | enum | professional, friendly, bold.",
        "| format.responseTypes | array of json, markdown, html |",
        "| factualityMode | enum | standard or verified;",
        "requiredness of fields other than keywords, topic and factualityMode: not shown.",
        "| type | string | Values seen: introduction, body, callout, faq, conclusion.",
        "| heading | string | Present on body and faq sections;",
        "absent on introduction, callout and conclusion.",
        "among markdown, html, rawJson.",
        "When json and markdown are requested, the responses show only rendered.markdown;",
        "| status | enum | queued, processing, succeeded, failed. |",
        "value is a secret, <SIGNING_SECRET>.",
        "| error | object | Only when failed; see Errors. |",
        (
            "Job fields while status is queued or processing, beyond the base fields above:"
            " not shown."
        ),
        "Holds one or more keyword rules.",
        "and an optional list of offers/brands each with a link.",
        (
            "| deliveryCount | integer | Number of times this exact item has been handed out"
            " so far, including the current call;"
        ),
        "Links appear only in rendered.html and rendered.markdown;",
        "| metering | unit (word or post),",
        "granularity (request or generation)",
        "processing | completion | generation or validation fails | failed | error object set",
        "| pending | pull (latest or items) | item claimed | reserved | deliveryCount is 1 |",
        "| reserved | confirm | item is the active reserved one | used | 200, status used;",
        (
            "| reserved | reject | item is the active reserved one | rejected | 200, status"
            " rejected;"
        ),
        "| reserved | pull | already sent 3 times without confirm or reject | abandoned |",
        "concurrent or retried calls on one token cannot claim different unused items,",
        "same key (header or body idempotencyKey) with same body returns the original response;",
        "format.responseTypes | array of json, markdown, html | yes",
        (
            "| webhook.events | array of job.succeeded, job.failed | no | Required together"
            " with webhook.url. |"
        ),
        "Same key and body returns the original job",
        "Without webhook, the client polls GET /v1/jobs/{jobId}.",
        "After a generation, consumed.words,",
        (
            "200, content available: {available: true, item: {id, post, rendered {markdown,"
            " html}, generatedAt, deliveryCount}}."
        ),
        "200, nothing new (normal, not an error): {available: false}.",
        "nothing new was generated or is due.",
        "Unknown token: error body with code NOT_FOUND and a message.",
        "rule name, case-insensitive,",
        "must be confirmed or rejected individually;",
        "Header Authorization: Bearer <API_KEY>; required.",
        "it must be kept private like a webhook URL or API key.",
        "| Webhook deliveries | Signed with the job's webhookSigningSecret; see Events. |",
        (
            "Webhooks are sent for jobs created via POST /v1/jobs that configured"
            " webhook.url and webhook.events."
        ),
        "together with, polling.",
        "| job.succeeded | Job finished and result is ready | job reaching succeeded |",
        "Signed payload is the timestamp, then a period, then the raw request body.",
        "event (string, job.succeeded),",
        "event (string, job.failed),",
        "In a failed job, the error object has the same shape",
        "Metering unit is words or posts,",
        "at request or generation granularity,",
        "an item is auto-abandoned after 3 sends without confirm or reject.",
        "Deprecation and compatibility policy: not shown.",
        "| Texts | A run of white space, line breaks included, counts as one space;",
        "bidi controls and other invisible format characters are refused,",
        "and a byte order mark, are VALIDATION_ERROR |",
        "except on GET /v1/openapi.json: call the service from a server, where its keys are safe |",
        "| OPTIONS | 200 with the header Allow and no body |",
        "| Compression | Answers are not compressed, whatever Accept-Encoding says |",
    }
)
