"""The service, the SDK and the published example derive the secret of a job alike.

The expected values are those of /v1/docs, computed by
``printf %s JOB_ID | openssl dgst -sha256 -hmac ROOT -binary | base64``: receivers in other
languages rely on them.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.webhooks.signature import derived_secret
from copydesk.webhooks import signing_secrets

REFERENCE = (Path(__file__).parents[2] / "docs/reference.md").read_text("utf-8")
(ROOT,) = set(re.findall(r"whroot_[A-Za-z0-9+/]{43}=", REFERENCE))
VECTORS = re.findall(r"^\| `(job_\S+)` \| `(whsec_\S+)` \|$", REFERENCE, re.MULTILINE)


def example(root: str, job_id: str) -> str:
    (block,) = re.findall(r"^```python\n(.*?def secret_of_job.*?)^```$", REFERENCE, re.M | re.S)
    names: dict[str, Any] = {}
    exec(block.rpartition("```python\n")[2], names)
    return str(names["secret_of_job"](root, job_id))


def in_the_sdk(root: str, job_id: str) -> str:
    (secret,) = signing_secrets(root, job_id)
    return secret


@pytest.mark.parametrize("derive", [derived_secret, in_the_sdk, example])
@pytest.mark.parametrize(("job_id", "secret"), VECTORS)
def test_every_implementation_gives_the_published_secret(
    derive: Callable[[str, str], str], job_id: str, secret: str
) -> None:
    assert derive(ROOT, job_id) == secret


def test_the_vectors_are_published() -> None:
    """With an id of the service, and one that is not ASCII."""
    assert [job_id.isascii() for job_id, _ in VECTORS] == [True, True, False]
    assert len({secret for _, secret in VECTORS}) == 3
