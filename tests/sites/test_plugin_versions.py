"""The WordPress plugin on the versions of PHP and WordPress that its readme names.

The oldest of both and the newest of both run always; PLUGIN_VERSIONS=full runs all pairs.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from connectors.tests.feed_server import FakeFeed, FeedServer
from connectors.tests.items import make_item
from tests.support.sites.debian_packages import unpacked_root
from tests.support.sites.plugin_admin import PluginAdmin, text_of
from tests.support.sites.plugin_site import PLUGIN, PluginSite
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_files import THEMES
from tests.support.sites.wordpress_site import WordPressSite
from tools.wordpress_plugin import files

# The Debian suite that has the version.
SUITES = {"7.4": "bullseye", "8.2": "bookworm", "8.4": "trixie"}
PARTS = ("cli", "curl", "gd", "mbstring", "mysql", "sqlite3", "xml")
# Other extensions need these.
FIRST = ("mysqlnd", "pdo", "xml", "dom")


def php_program(version: str) -> str:
    """Return the path of PHP of a version of SUITES, with the extensions that WordPress uses.

    Raises:
        ValueError: the version is not one of SUITES.
        NotInstalled: this is no Debian system, or the packages cannot be fetched.
    """
    if version not in SUITES:
        raise ValueError(f"PHP {version!r} is unknown; known are {', '.join(sorted(SUITES))}")
    packages = [f"php{version}-{part}" for part in PARTS]
    root = unpacked_root(f"php-{version}", SUITES[version], packages)
    launcher = root / "php"
    if not launcher.exists():
        # Two tests that write it at once write the same; the rename shows it complete.
        partial = root / f"php.{os.getpid()}"
        partial.write_text(f'#!/bin/sh\nexec {shlex.join(_command(root, version))} "$@"\n')
        partial.chmod(0o755)
        partial.rename(launcher)
    return str(launcher)


def _command(root: Path, version: str) -> list[str]:
    """PHP by the loader and the C library of its own suite, without the machine's php.ini."""
    folders = [*root.glob("lib/*-linux-gnu*"), *root.glob("usr/lib/*-linux-gnu*")]
    loader = next(file for folder in folders for file in folder.glob("ld-linux*.so.*"))
    (extensions,) = {file.parent for file in root.glob("usr/lib/php/*/mysqli.so")}
    names = {file.stem for file in extensions.glob("*.so")} - {"opcache"}
    ordered = [*FIRST, *sorted(names - set(FIRST))]
    settings = [
        f"extension_dir={extensions}",
        "zend_extension=opcache",
        *(f"extension={name}" for name in ordered),
    ]
    return [
        str(loader),
        "--library-path",
        ":".join(map(str, folders)),
        str(root / f"usr/bin/php{version}"),
        "-n",
        *(part for setting in settings for part in ("-d", setting)),
    ]


pytestmark = pytest.mark.sites

OLDEST, NEWEST = ("7.4", "bookworm"), ("8.4", "forky")
PAIRS = (
    [(php, suite) for php in SUITES for suite in THEMES]
    if os.environ.get("PLUGIN_VERSIONS") == "full"
    else [OLDEST, NEWEST]
)
TIMERS = (
    "return array_values( array_filter( array( 'copydesk_run', 'copydesk_clean' ), "
    "'wp_next_scheduled' ) );"
)
LEFT = (
    "SELECT option_name FROM wp_options WHERE option_name LIKE '%copydesk%' UNION ALL "
    "SELECT meta_key FROM wp_postmeta WHERE meta_key LIKE '%copydesk%' UNION ALL "
    "SELECT table_name FROM information_schema.tables WHERE table_name LIKE '%copydesk%'"
)


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def site(request: pytest.FixtureRequest) -> Iterator[WordPressSite]:
    """A new WordPress of one Debian suite on one PHP; afterwards PHP has complained of nothing."""
    php, suite = request.param
    with start_or_skip(lambda: WordPressSite(suite, php=php_program(php))) as started:
        plugin = PluginSite(started)
        assert plugin.php("return PHP_VERSION;").startswith(f"{php}.")
        with plugin.without_complaints():
            yield started


@pytest.fixture
def feed(feeds: FeedServer) -> FakeFeed:
    """A feed with three items."""
    made = feeds.new()
    for name in "abc":
        made.add(make_item(name, title=f"The post {name}", slug=f"post-{name}"))
    return made


def declared(name: str) -> tuple[int, ...]:
    """A version in the head of readme.txt."""
    found = re.search(rf"^{name}: (\S+)$", (PLUGIN / "readme.txt").read_text(), re.MULTILINE)
    assert found, name
    return tuple(map(int, found[1].split(".")))


def test_the_readme_names_what_is_tested(site: WordPressSite) -> None:
    """the readme's "Requires PHP", "Requires at least" and "Tested up to" are shown by tests"""
    versions = [tuple(map(int, version.split("."))) for version in SUITES]
    assert declared("Requires PHP") == min(versions)
    version = tuple(map(int, site.version.split(".")[:2]))
    assert declared("Requires at least") <= version
    if site.suite == OLDEST[1]:
        assert declared("Requires at least") == version
    if site.suite == NEWEST[1]:
        assert declared("Tested up to") <= version


@pytest.mark.parametrize("version", sorted({php for php, _ in PAIRS}))
def test_every_file_compiles(version: str) -> None:
    """php -l of every PHP file: no syntax that this PHP does not know, or deprecates"""
    with start_or_skip(lambda: nullcontext(php_program(version))) as php:
        sources = [path for path in files() if path.suffix == ".php"]
        assert sources
        for source in sources:
            command = [php, "-d", "display_errors=1", "-d", "error_reporting=-1", "-l", str(source)]
            said = subprocess.run(command, capture_output=True, text=True).stdout.strip()
            assert said == f"No syntax errors detected in {source}"


def test_it_runs_from_install_to_uninstall(site: WordPressSite, feed: FakeFeed) -> None:
    """PHP 7.4–8.4, WordPress 6.1–7.1: no notice, warning or deprecation from our files; uninstall
    that leaves nothing but posts"""
    plugin, admin = PluginSite(site), PluginAdmin(site)
    plugin.install()

    owner = admin.login("administrator")
    form = owner.form(admin.page("copydesk-settings"), "form.copydesk-settings")
    form |= {"copydesk_settings[feed_url]": [feed.url], "copydesk_settings[status]": ["publish"]}
    saved = owner.post(f"{site.url}/wp-admin/options.php", data=form)
    assert saved.status_code == 200, saved.text
    assert "settings-updated" in saved.url

    summaries = [plugin.run(), plugin.run()]
    assert [summary["published"] for summary in summaries] == [3, 0]
    assert [summary["problems"] for summary in summaries] == [[], []]
    assert [post.title for post in site.posts("publish")] == [f"The post {n}" for n in "abc"]
    assert len(site.posts()) == 3
    assert feed.history == [(name, "confirm") for name in "abc"]
    assert "The post a" in text_of(site.page_html(f"{site.url}/post-a/"))

    for page, text in (
        (admin.page("copydesk"), "The post b"),
        (admin.page("copydesk-settings"), "Feed"),
        (f"{site.url}/wp-admin/", "Dashboard"),
        (f"{site.url}/wp-admin/plugins.php", "Copydesk"),
        (f"{site.url}/wp-admin/options-privacy.php?tab=policyguide", "Copydesk"),
    ):
        answer = owner.get(page)
        assert answer.status_code == 200, page
        assert text in text_of(answer.text), page

    assert plugin.php(TIMERS) == ["copydesk_run", "copydesk_clean"]
    plugin.deactivate()
    assert plugin.php(TIMERS) == []
    assert len(plugin.rows()) == 3, "what was received is kept until it is uninstalled"
    plugin.activate()
    assert plugin.run()["problems"] == []
    before = site.posts()
    assert plugin.sql(LEFT) != []
    plugin.uninstall()
    assert plugin.sql(LEFT) == []
    assert "copydesk" not in str(plugin.php("return _get_cron_array();"))
    assert site.posts() == before
