"""The signature's exact form; tests/contract/test_signature_verifiers.py asks other people's
verifiers about it."""

import base64

from app.core.webhooks.signature import derived_secret, new_root, signed_headers

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
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


def test_a_root_is_32_bytes_in_base64_behind_its_prefix() -> None:
    assert new_root(bytes(range(32))) == SECRET.replace("whsec_", "whroot_")


def test_each_job_and_each_root_has_another_secret() -> None:
    one, other = new_root(bytes(32)), new_root(b"\x01" + bytes(31))
    pairs = [(root, job) for root in (one, other) for job in ("job_1", "job_2", "job_1 ")]
    assert len({derived_secret(*pair) for pair in pairs}) == 6
