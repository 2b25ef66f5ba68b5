"""WordPress by XML-RPC: answers that are broken, too large, hostile, or a refusal."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk_connectors.target import http_client
from copydesk_connectors.target.errors import ConfigError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .fake_xmlrpc import FakeXmlRpc, Raw
from .items import Open

HTML = {"Content-Type": "text/html"}
XML = {"Content-Type": "text/xml"}
WORDPRESS = "copydesk_connectors.targets.wordpress"


BOMB = b"""<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY c "&a;&a;&a;">]>
<methodResponse><params><param><value><string>&c;</string></value></param></params>
</methodResponse>"""
BROKEN = "a web page or a broken answer instead of XML"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((200, XML, BOMB), f"{BROKEN} "),
        ((200, XML, b"<?xml version='1.0'?><methodResponse><params>"), BROKEN),
        ((200, XML, b"<?xml version='1.0'?><methodResponse></methodResponse>"), BROKEN),
        ((200, HTML, b""), BROKEN),
        ((429, HTML | {"Retry-After": "3600"}, b""), "answered 429"),
    ],
)
def test_answers_that_cannot_be_used_are_waited_out(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, raw: Raw, said: str, waits: list[float]
) -> None:
    """no XML bombs"""
    fake_xmlrpc.broken = lambda method: raw if method == "wp.getProfile" else None
    with pytest.raises(Unavailable) as caught:
        xmlrpc_target().ready()
    assert said in str(caught.value)
    assert caught.value.retry_after == (3600.0 if raw[0] == 429 else None)


def test_an_answer_that_does_not_end_is_given_up(
    fake_xmlrpc: FakeXmlRpc,
    xmlrpc_target: Open,
    monkeypatch: pytest.MonkeyPatch,
    waits: list[float],
) -> None:
    monkeypatch.setattr(http_client, "LARGEST_ANSWER", 10_000)
    fake_xmlrpc.broken = lambda method: (200, XML, b"<?xml" + b" " * 20_000)
    with pytest.raises(Unavailable, match="sent more than 10,000 bytes"):
        xmlrpc_target().ready()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((301, HTML | {"Location": "https://other.example/x?key=1"}, b""), "to https://other.exa"),
        ((403, HTML, b"Forbidden by ModSecurity"), "answered 403 instead of XML-RPC"),
        ((404, HTML, b""), "answered 404 instead of XML-RPC"),
    ],
)
def test_what_its_owner_has_to_mend_says_so(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, raw: Raw, said: str
) -> None:
    """redirects refused"""
    fake_xmlrpc.broken = lambda method: raw
    with pytest.raises(Misconfigured) as caught:
        xmlrpc_target().ready()
    assert said in str(caught.value)
    assert "key=1" not in str(caught.value)


def test_a_wrong_password_is_in_no_error(fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open) -> None:
    """password never in an error"""
    site = xmlrpc_target()
    fake_xmlrpc.password = "another"
    with pytest.raises(Misconfigured, match="Incorrect username or password") as caught:
        site.ready()
    shown = f"{caught.value!r} {caught.value} {site!r} {site.check()}"
    assert "abcd efgh ijkl" not in shown


@pytest.mark.parametrize(
    ("code", "error"), [(400, Refused), (500, Unavailable), (-32700, Unavailable)]
)
def test_faults_of_a_post(
    fake_xmlrpc: FakeXmlRpc,
    xmlrpc_target: Open,
    post: Post,
    code: int,
    error: type[Exception],
    waits: list[float],
) -> None:
    fault = (
        f'<?xml version="1.0"?><methodResponse><fault><value><struct><member><name>faultCode'
        f"</name><value><int>{code}</int></value></member><member><name>faultString</name>"
        f"<value><string>Too odd.</string></value></member></struct></value></fault>"
        f"</methodResponse>"
    )
    fake_xmlrpc.broken = lambda m: (200, XML, fault.encode()) if m == "wp.newPost" else None
    with pytest.raises(error, match="Too odd"):
        xmlrpc_target().draft(post)


def test_noise_before_the_answer_is_no_harm(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = fake_xmlrpc.answer

    def answer(body: bytes) -> Raw:
        status, headers, text = noisy(body)
        return status, headers, b"\n<b>Notice</b>: a plugin's\n" + text

    monkeypatch.setattr(fake_xmlrpc, "answer", answer)
    xmlrpc_target().ready()


def test_characters_that_xml_cannot_hold(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post
) -> None:
    xmlrpc_target().draft(replace(post, title="A\x0bB\x00 ✓ 😀", html="<p>x\x1fy\r\n\ufffe</p>"))
    (stored,) = fake_xmlrpc.posts.values()
    assert stored["title"] == "AB ✓ &#x1f600;"


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """one clear error if the extra is missing"""
    for module in [name for name in sys.modules if name.startswith(f"{WORDPRESS}.xmlrpc")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "wordpress_xmlrpc", None)
    (tmp_path / "password").write_text("abcd efgh")
    table = {"url": "https://blog.example", "username": "jo", "password_file": "password"}
    table["protocol"] = "xmlrpc"
    with pytest.raises(ConfigError, match=r"protocol: .* pip install .*connectors\[xmlrpc"):
        TARGETS["wordpress"]("blog", Table(table, "[[target]] 1", tmp_path / "copydesk.toml"))


def test_its_library_is_loaded_where_it_is_used_alone() -> None:
    """import lazily"""
    code = f"import sys, {WORDPRESS}.site; sys.exit('wordpress_xmlrpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
