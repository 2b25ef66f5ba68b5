"""A picture of a page, taken by Debian's Chromium.

    python -m tests.support.screenshot URL PATH [WIDTH HEIGHT [dark]]

The picture is laid out at the asked-for size. Scripts that run while the page loads see a window
of Chromium's choice, at least 500 pixels wide, so a page must not measure the window just once.
"""

import sys
from pathlib import Path

from tests.support.process_group import ProcessGroup
from tests.support.sites.programs import program

SECONDS = 60.0
FLAGS = (
    "--headless",
    # Root has no other way, and the pages are our own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
LIGHT, DARK = "1", "0"


def screenshot(
    url: str, path: Path, width: int = 1280, height: int = 800, dark: bool = False
) -> None:
    """Write a PNG of the top ``width`` x ``height`` CSS pixels of a page to ``path``.

    ``dark`` is what the page is told of the reader's preferred colour scheme. An HTTP error page
    is a page too.

    Raises:
        NotInstalled: there is no Chromium.
        RuntimeError: the page could not be loaded; says why.
        subprocess.TimeoutExpired: it has not loaded within SECONDS.
    """
    with ProcessGroup() as group:
        log = group.folder / "chromium.log"
        picture = group.folder / "page.png"
        chromium = group.spawn(
            [
                program("chromium"),
                *FLAGS,
                f"--user-data-dir={group.folder / 'profile'}",
                f"--blink-settings=preferredColorScheme={DARK if dark else LIGHT}",
                f"--window-size={width},{height}",
                f"--screenshot={picture}",
                url,
            ],
            log=log,
            env={"HOME": str(group.folder)},
        )
        chromium.wait(SECONDS)
        # Chromium ends with 0 whether or not it has loaded anything.
        if not picture.exists():
            raise RuntimeError(f"no screenshot of {url}: {_reason(log.read_text())}")
        path.write_bytes(picture.read_bytes())


def _reason(log: str) -> str:
    # Without a desktop it also complains about the message bus, at length and to no purpose.
    lines = [line.partition("] ")[2] or line for line in log.splitlines() if "dbus" not in line]
    # Where it ends in the middle of something it says that as well, before or after the reason.
    reasons = [line for line in lines if "ERR_" in line] or lines
    return reasons[-1] if reasons else "Chromium gave no reason"


if __name__ == "__main__":
    address, file, *options = sys.argv[1:]
    size = [int(option) for option in options[:2]] or [1280, 800]
    screenshot(address, Path(file), size[0], size[1], "dark" in options)
