"""The configuration file and what it says when something is wrong."""

from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.target.errors import ConfigError

from .feed_server import FakeFeed
from .items import PAGES, Write

WORDPRESS = (
    '[[target]]\ntype = "wordpress"\nurl = "https://blog.example"\nusername = "jo"\n'
    'password_env = "WP_PASSWORD"\n'
)


def test_relative_paths_start_at_the_file(write_config: Write, tmp_path: Path) -> None:
    """Relative paths are relative to the config file."""
    loaded = config.load(write_config(PAGES + '[ledger]\npath = "records/ledger"\n'))
    assert loaded.ledger == tmp_path / "records" / "ledger"
    assert str(tmp_path / "public") in loaded.targets[0].check()[0].message


def test_secrets_by_environment_by_file_and_literally(
    write_config: Write, tmp_path: Path, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[feed] url = "…" or url_env = "COPYDESK_FEED_URL" or url_file"""
    assert config.load(write_config(PAGES)).feeds[0].url.reveal() == feed.url
    file = tmp_path / "copydesk.toml"
    secret = tmp_path / "feed-url"
    secret.write_text(f"{feed.url}\n")
    secret.chmod(0o600)
    file.write_text(f'[feed]\nurl_file = "feed-url"\n{PAGES}')
    loaded = config.load(file)
    assert (loaded.feeds[0].url.reveal(), loaded.warnings) == (feed.url, ())
    file.write_text(f'[feed]\nurl_env = "SOME_FEED"\n{PAGES}')
    monkeypatch.setenv("SOME_FEED", feed.url)
    assert config.load(file).feeds[0].url.reveal() == feed.url


def test_a_secret_that_others_can_read_is_a_warning(
    write_config: Write, tmp_path: Path, feed: FakeFeed
) -> None:
    """a literal secret works for the feed url only with mode 600, else a warning"""
    file = write_config(PAGES)
    assert config.load(file).warnings == ()
    file.chmod(0o640)
    (warning,) = config.load(file).warnings
    assert warning.endswith(f"run chmod 600 {file}")
    secret = tmp_path / "feed-url"
    secret.write_text(feed.url)
    secret.chmod(0o644)
    file.write_text(f'[feed]\nurl_file = "feed-url"\n{PAGES}')
    (warning,) = config.load(file).warnings
    assert warning.endswith(f"run chmod 600 {secret}")


def test_a_feed_over_http_is_a_warning(write_config: Write) -> None:
    """The token is the secret, and it is a part of the address."""
    url = "http://feed.example/v1/content-tokens/tok_secretsecret/latest"
    (warning,) = config.load(write_config(PAGES, url=url)).warnings
    assert "travels in clear" in warning
    assert "tok_secretsecret" not in warning


def test_http_to_a_wordpress_needs_a_word(
    write_config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTPS required unless host is loopback or the config says allow_http = true"""
    monkeypatch.setenv("WP_PASSWORD", "abcd efgh")
    plain = WORDPRESS.replace("https://", "http://")
    with pytest.raises(ConfigError, match=r"url: must begin with https://.*allow_http = true"):
        config.load(write_config(plain))
    config.load(write_config(plain + "allow_http = true\n"))
    config.load(write_config(plain.replace("blog.example", "127.0.0.1:8080")))
    config.load(write_config(WORDPRESS))


@pytest.mark.parametrize(
    ("targets", "top", "message"),
    [
        ("", "", r"\[\[target\]\] is missing. Add one with type = ghost or markdown or .*wordpr"),
        ('[[target]]\ntype = "gohst"', "", r'target\]\] 1 type: must be .*ghost.* or wordpress,'
         r' not "gohst"; did you mean "ghost"\?'),
        ('[[target]]\ntype = "markdown"', "", r"target\]\] 1 \(markdown\) path: is missing"),
        ('[[target]]\ntype = "hugo"', "", r'type: must be "markdown", with preset = "hugo"$'),
        ('[[target]]\ntype = "markdown"\npth = "p"', "", r'pth: is not .* mean "path"\?'),
        (PAGES + "path2 = 1", "", r"path2: is not a setting here"),
        (PAGES + PAGES, "", r'target\]\] 2 \(pages\) name: "pages" is already used'),
        (PAGES + "base_url = 'blog'", "", r"base_url: must be a full address"),
        (PAGES + "base_url = 'https://u:p@x'", "", r"base_url: must not contain a user name"),
        (PAGES, "rule = 7", r"\[feed\] rule: must be a text in quotes"),
        (PAGES, "poll_minutes = 0.5", r"\[feed\] poll_minutes: must be greater than or equal to 1"),
        (PAGES, "poll_minutes = true", r"poll_minutes: must be a valid number"),
        (PAGES, 'url_env = "X"', r"\[feed\] url: give only one of url_env, url_file or url"),
        (PAGES, "[feeds]", r"\[feeds\] is not a table here"),
        (PAGES, "[ledger]\npath = 3", r"\[ledger\] path: must be a text"),
        (WORDPRESS, "", r"password_env: the environment variable WP_PASSWORD is not set"),
        (WORDPRESS + 'password = "x"', "", r"password: must not be in this file; use password_env"),
        (WORDPRESS + "allow_http = 'yes'", "", r"allow_http: must be true or false"),
        (PAGES, "= 3", r"is not valid TOML: .*line 3"),
    ],
)  # fmt: skip
def test_an_error_names_the_table_the_key_and_what_would_be_right(
    write_config: Write, monkeypatch: pytest.MonkeyPatch, targets: str, top: str, message: str
) -> None:
    """validate it with clear errors that name file, table, key and what would be right"""
    monkeypatch.delenv("WP_PASSWORD", raising=False)
    file = write_config(targets, top=top)
    with pytest.raises(ConfigError, match=message) as caught:
        config.load(file)
    assert str(caught.value).startswith(f"{file}: ")


_HOST = "HOST.example"
_TARGETS_BY_HOST = {
    "wordpress": WORDPRESS.replace("blog.example", _HOST),
    "xmlrpc": WORDPRESS.replace("blog.example", _HOST) + 'protocol = "xmlrpc"\n',
    "ghost": f'type = "ghost"\nurl = "https://{_HOST}"\nadmin_key_env = "X"\n',
    "webhook": f'type = "webhook"\nurl = "https://{_HOST}"\nsecret_env = "X"\n',
    "markdown": f'type = "markdown"\npath = "posts"\nbase_url = "https://{_HOST}"\n',
}
# The first two raise an error of urllib3 that requests does not wrap.
_NO_HOSTS = [f"{'a' * 64}.example", "a..example", "*.example", "two words.example"]


@pytest.mark.parametrize("host", _NO_HOSTS)
@pytest.mark.parametrize("kind", _TARGETS_BY_HOST)
def test_a_host_that_cannot_exist_is_refused_in_every_target(
    write_config: Write, kind: str, host: str
) -> None:
    """Bad input gets one clear error: such a name is waited for in vain"""
    target = _TARGETS_BY_HOST[kind].replace(_HOST, host)
    target = target if target.startswith("[[") else f"[[target]]\n{target}"
    key = "base_url" if kind == "markdown" else "url"
    with pytest.raises(ConfigError, match=rf"\) {key}: names a host that cannot exist"):
        config.load(write_config(target))


@pytest.mark.parametrize(
    "host",
    [
        "blog.example",
        "blog.example.",
        "bücher.example",
        "[::1]:8080",
        "a_b.example",
        f"{'a' * 63}.b",
    ],
)
def test_a_host_that_can_exist_is_taken(write_config: Write, host: str) -> None:
    """names as the DNS has them, also international ones, and addresses"""
    config.load(write_config(PAGES + f'base_url = "https://{host}"\n'))


@pytest.mark.parametrize(
    "url",
    ["tok_secretsecret", "https://feed.example/tok_secretsecret", "ftp://x/tok_secretsecret"],
)
def test_an_address_that_is_no_feed_is_refused_without_showing_it(
    write_config: Write, url: str
) -> None:
    """Secrets never reach a log, an error, a printed URL or a repr"""
    with pytest.raises(ConfigError, match=r"\[feed\] url: ") as caught:
        config.load(write_config(PAGES, url=url))
    assert "tok_secretsecret" not in str(caught.value)


@pytest.mark.parametrize("key", ["url_env", "url_file"])
def test_a_secret_in_the_wrong_place_is_not_shown(tmp_path: Path, feed: FakeFeed, key: str) -> None:
    """Secrets never reach a log, an error, a printed URL or a repr"""
    file = tmp_path / "copydesk.toml"
    file.write_text(f'[feed]\n{key} = "{feed.url}"\n{PAGES}')
    with pytest.raises(ConfigError, match=rf"\[feed\] {key}: ") as caught:
        config.load(file)
    assert "secretsecret" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Bad input gets one clear error (what, where, what would be right)"""
    with pytest.raises(ConfigError, match=r"^Cannot read .*nowhere.toml: no such file. Create it"):
        config.load(tmp_path / "nowhere.toml")


def test_no_repr_shows_a_secret(write_config: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets never reach a log, an error, a printed URL or a repr"""
    monkeypatch.setenv("WP_PASSWORD", "abcd efgh")
    loaded = config.load(write_config(WORDPRESS))
    shown = f"{loaded!r} {loaded} {loaded.secrets} {[vars(target) for target in loaded.targets]}"
    assert "secretsecret" not in shown
    assert "abcd" not in shown


HOOK = 'type = "webhook"\nurl = "https://a.example"\nsecret_env = "KEY"\n'
MARKDOWN = 'type = "markdown"\npath = "posts"\n'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (HOOK, "secret_env: must be whsec_ and 32 random bytes"),
        (MARKDOWN + 'permalink = "{title}/"', "permalink: may contain {slug}, {year}"),
        (MARKDOWN + 'preset = "hugoo"', "preset: must be 'plain', 'hugo'"),
        (MARKDOWN + 'image = "nowhere"', "image: must be a picture or a folder"),
        (MARKDOWN + 'image = "a.png"', "image_folder: is missing"),
        (MARKDOWN + 'image = "a.png"\nimage_folder = "i"', "image_folder_url: is missing"),
        (MARKDOWN + 'image_folder = "i"', "image_folder: needs image = a picture"),
    ],
)
def test_settings_that_do_not_go_together_are_one_sentence(
    write_config: Write, monkeypatch: pytest.MonkeyPatch, lines: str, message: str
) -> None:
    """validate it with clear errors that name file, table, key and what would be right"""
    monkeypatch.setenv("KEY", "hunter2")
    with pytest.raises(ConfigError, match=message) as caught:
        config.load(write_config(f"[[target]]\n{lines}\n"))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('status = "scheduled"', "publish_after: is missing"),
        ('publish_after = "2h"', 'publish_after: needs status = "scheduled"'),
        ('status = "scheduled"\npublish_after = "2"', "publish_after: must be a time span such as"),
    ],
)
@pytest.mark.parametrize("kind", ["ghost", "wordpress"])
def test_a_delay_goes_with_its_status(
    request: pytest.FixtureRequest, kind: str, lines: str, message: str
) -> None:
    """scheduled with publish_after after the time of generation"""
    with pytest.raises(ConfigError, match=message):
        request.getfixturevalue(kind)(lines)
