"""``python -m app.api.openapi > docs/openapi.json``"""

import sys

from app.api.openapi.document import as_json

sys.stdout.buffer.write(as_json().encode())
