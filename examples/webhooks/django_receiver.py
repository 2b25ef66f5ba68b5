"""A webhook receiver with Django, in one file.

    pip install ./sdk 'django>=5.2,<6'
    export COPYDESK_WEBHOOK_SECRET=whroot_...
    python examples/webhooks/django_receiver.py runserver 8080

In a project, copy ``receive`` to your views, and the upload limit to your settings.
"""

import logging
import sys

import inbox
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from copydesk import WebhookVerificationError, webhooks

log = logging.getLogger(__name__)
settings.configure(
    ROOT_URLCONF=__name__,
    # Your public host name, too.
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    # A larger body gets 400.
    DATA_UPLOAD_MAX_MEMORY_SIZE=webhooks.MAX_BODY_BYTES,
)


@csrf_exempt
@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    try:
        event = webhooks.unwrap(request.body, request.headers)
    except WebhookVerificationError as error:
        log.warning("refused a webhook, %s: %s", error.reason, error)
        return HttpResponse(status=400)
    inbox.add(event)
    return HttpResponse(status=204)


urlpatterns = [path("webhooks/copydesk", receive)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
