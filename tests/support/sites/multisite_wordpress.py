"""A WordPress network whose second site is the one that tests see."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support.sites.mariadb import MariaDB
from tests.support.sites.programs import Unavailable
from tests.support.sites.wordpress_site import SCRIPTS, WordPressSite

SECOND = "/second"
NETWORK = """
define('MULTISITE', true);
define('SUBDOMAIN_INSTALL', false);
define('DOMAIN_CURRENT_SITE', '{host}');
define('PATH_CURRENT_SITE', '/');
define('SITE_ID_CURRENT_SITE', 1);
define('BLOG_ID_CURRENT_SITE', 1);
"""
# Users are those of the whole network.
OWN_TABLES = re.compile(r"\bwp_(?=posts|postmeta|terms|term_|options)")
SETTINGS_FOLLOW = "if (!defined('ABSPATH'))"


class Second(MariaDB):
    """The database with the second site's tables in place of the first one's."""

    def __init__(self, whole: MariaDB, blog: int) -> None:
        vars(self).update(vars(whole))
        self._prefix = f"wp_{blog}_"

    def execute(self, sql: str, database: str = "") -> list[str]:
        """Run statements; the lines of their results, columns parted by tabs."""
        return super().execute(OWN_TABLES.sub(self._prefix, sql), database)


class MultisiteWordPress(WordPressSite):
    """The same as WordPressSite in all else; ``posts`` are those of the second site, at ``url``.

    ``main_url`` is the first site's. Its WordPress is that of trixie.
    """

    main_url = ""

    def __init__(self, workers: int = 4) -> None:
        super().__init__("trixie", workers)

    def _install(self, php: list[str], root: Path, env: Mapping[str, str]) -> None:
        super()._install(php, root, env)
        self.main_url = self.url
        self._step(php, root, env, "network")
        file = root / "wp-config.php"
        network = NETWORK.format(host=self.url.removeprefix("http://"))
        parts = file.read_text().partition(SETTINGS_FOLLOW)
        file.write_text(parts[0] + network + "".join(parts[1:]))
        self.blog = int(self._step(php, root, env, "site"))
        self.url += SECOND
        self._database = Second(self._database, self.blog)

    def _step(self, php: list[str], root: Path, env: Mapping[str, str], step: str) -> str:
        done = subprocess.run(
            [*php, str(SCRIPTS / "multisite.php"), str(root), self.url, step],
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise Unavailable(f"no network could be made: {done.stderr} {self.log()}")
        return done.stdout.strip()
