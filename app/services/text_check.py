"""POST /v1/check: the rules on a text, without a model."""

from collections.abc import Mapping
from typing import Any

from app.core.schemas.check import CheckRequest
from app.rules.identify import foreign_language
from app.rules.markdown_file import check_markdown
from app.services import usage
from app.services.context import Context
from app.store.accounts import Caller
from app.store.database import writing

MAX_FINDINGS = 500
_DEFAULT_LANGUAGE = "en"


def check_text(context: Context, caller: Caller, request: CheckRequest) -> Mapping[str, Any]:
    """Return the JSON object of the answer. It counts as a request, and bills no words.

    Raises:
        RateLimited, QuotaExceeded: nothing was checked.
    """
    usage.admit(context, caller)
    with writing() as session:
        usage.count_request(session, caller, context.clock.now())
    text = request.text
    language = request.language or foreign_language(text, _DEFAULT_LANGUAGE) or _DEFAULT_LANGUAGE
    report = check_markdown(text, language, request.keywords, request.title or "")
    return report.to_wire(MAX_FINDINGS)
