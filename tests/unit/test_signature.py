"""The signature's exact form; tests/contract/test_signature_verifiers.py asks other people's
verifiers about it."""

import base64

import pytest

from app.core.webhooks.signature import derived_secret, new_root, new_secret, signed_headers

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
BODY = '{"event":"job.succeeded","jobId":"job_1","post":{"title":"Käse"}}'.encode()
AT = 1_700_000_000


def test_a_known_signature_stays_what_it_is() -> None:
    """Computed by ``openssl dgst -sha256 -hmac``: receivers keep their code for years."""
    assert signed_headers(SECRET, "msg_1", AT, b'{"a":1}') == {
        "x-svc-signature": "t=1700000000,"
        "v1=7ca151e4fc23256c89e882261933d6af9a8be1f09f32dd687e83b0e34da7e68f",
        "webhook-id": "msg_1",
        "webhook-timestamp": "1700000000",
        "webhook-signature": "v1,AMaOha7DUT/0J0JMycRuYOBSvbx3WtwLd2khXXbaVj4=",
    }


def test_a_secret_is_32_bytes_in_base64_behind_its_prefix() -> None:
    secret = new_secret(bytes(range(32)))
    assert secret == SECRET
    assert base64.b64decode(secret.removeprefix("whsec_")) == bytes(range(32))
    assert signed_headers(new_secret(b"\xff" * 32), "msg_1", AT, BODY)


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


def test_a_time_before_1970_is_refused() -> None:
    assert signed_headers(SECRET, "msg_1", 0, BODY)["webhook-timestamp"] == "0"
    with pytest.raises(ValueError, match=r"^a webhook's timestamp is"):
        signed_headers(SECRET, "msg_1", -1, BODY)


def test_a_root_is_32_bytes_in_base64_behind_its_prefix() -> None:
    assert new_root(bytes(range(32))) == SECRET.replace("whsec_", "whroot_")
    with pytest.raises(ValueError, match=r"32 bytes, not 31$"):
        new_root(bytes(31))


def test_each_job_and_each_root_has_another_secret() -> None:
    one, other = new_root(bytes(32)), new_root(b"\x01" + bytes(31))
    pairs = [(root, job) for root in (one, other) for job in ("job_1", "job_2", "job_1 ")]
    assert len({derived_secret(*pair) for pair in pairs}) == 6
