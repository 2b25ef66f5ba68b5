"""What is never signed; tests/contract/test_signature_verifiers.py has the signature's form."""

import base64

import pytest

from app.core.webhooks.signature import new_secret, signed_headers

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
BODY = '{"event":"job.succeeded","jobId":"job_1","post":{"title":"Käse"}}'.encode()
AT = 1_700_000_000


@pytest.mark.parametrize("random", [b"", bytes(31), bytes(33)])
def test_a_secret_of_another_length_is_not_made(random: bytes) -> None:
    with pytest.raises(ValueError, match=rf"32 bytes, not {len(random)}$"):
        new_secret(random)


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "whsec_",
        SECRET.removeprefix("whsec_"),
        SECRET[:-1],
        SECRET[:-4],
        SECRET + "AAAA",
        SECRET + "\n",
        SECRET.replace("A", "ä", 1),
        "WHSEC_" + SECRET.removeprefix("whsec_"),
    ],
)
def test_a_damaged_secret_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(ValueError, match=r"32 bytes in base64$") as refused:
        signed_headers(secret, "msg_1", AT, BODY)
    assert SECRET[10:30] not in repr(refused.value)


@pytest.mark.parametrize("message_id", ["", "a.b", "a b", "a\r\nx: y", "ä", "a" * 256, "msg_1\n"])
def test_an_id_that_could_be_read_in_two_ways_or_end_a_header_is_refused(message_id: str) -> None:
    with pytest.raises(ValueError, match=r"^a webhook's id is"):
        signed_headers(SECRET, message_id, AT, BODY)
