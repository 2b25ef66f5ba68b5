"""The rules on a text: POST /v1/check."""

from collections.abc import Mapping
from typing import Any

from app.core.schemas.check import CheckRequest
from app.rules.markdown_file import check_markdown
from app.services import usage
from app.services.context import Context
from app.store.accounts import Caller
from app.store.database import writing

MAX_FINDINGS = 500


def check_text(context: Context, caller: Caller, request: CheckRequest) -> Mapping[str, Any]:
    """Return the JSON object of the answer. It counts as a request, and bills no words.

    Raises:
        RateLimited, QuotaExceeded: nothing was checked.
    """
    usage.admit(context, caller)
    with writing() as session:
        usage.count_request(session, caller, context.clock.now())
    return check_markdown(request).to_wire(MAX_FINDINGS)
