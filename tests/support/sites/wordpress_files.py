"""WordPress as Debian packages it, unpacked into a cache folder without root."""

import shutil
from pathlib import Path

from tests.support.sites.debian_packages import unpacked
from tests.support.sites.programs import Unavailable

# WordPress links into the other packages; its theme is the one that its release ships with.
PACKAGES = (
    "wordpress",
    "php-getid3",
    "libphp-phpmailer",
    "libjs-underscore",
    "libjs-lodash",
    "libjs-jquery-ui",
    "libjs-cropper",
)
THEMES = {
    "bookworm": "twentytwentythree",
    "trixie": "twentytwentyfive",
    "forky": "twentytwentyfive",
}


def wordpress_tree(suite: str) -> Path:
    """The unpacked WordPress of a Debian suite, fetched when the cache does not hold it.

    All sites share the tree: copy it, never write to it. Safe to call from several processes.

    Raises:
        ValueError: the suite is not one of THEMES.
        NotInstalled: this is no Debian system, or the packages cannot be fetched.
        Unavailable: the packages lack a file.
    """
    if suite not in THEMES:
        raise ValueError(f"suite {suite!r} is unknown; known are {', '.join(sorted(THEMES))}")
    theme = THEMES[suite]

    def assemble(packages: Path, tree: Path) -> None:
        """Copy the files behind the links; leave out the configuration for Debian's own server."""
        source = packages / "usr/share/wordpress"
        shutil.copytree(
            source,
            tree,
            ignore=lambda folder, names: (
                {".htaccess", "wp-config.php"} if folder == str(source) else ()
            ),
        )
        for needed in ("wp-load.php", f"wp-content/themes/{theme}/style.css"):
            if not (tree / needed).is_file():
                raise Unavailable(f"the packages of WordPress hold no {needed}")

    packages = (*PACKAGES, f"wordpress-theme-{theme}")
    return unpacked(f"wordpress-{suite}", suite, packages, assemble)
