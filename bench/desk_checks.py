"""The table of checks in docs/proofs/quality.md, written from the registry.

python bench/desk_checks.py [--write docs/proofs/quality.md]
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from babel.localedata import locale_identifiers

from app.core.checks import CHECKS, DESK_CHECKS, Check

BEGIN = "<!-- checks: written by `make checks-table` -->"
END = "<!-- end of checks -->"
_LANGUAGES_LISTED = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", type=Path, help="replace the table in this page")
    options = parser.parse_args()
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(with_table(page), encoding="utf-8")
    else:
        print("\n".join(section()))


def with_table(page: str) -> str:
    """The page with the present table between its markers."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join(_tables())
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def section() -> Iterator[str]:
    """The part of the page about the checks, line by line."""
    yield "## Checks"
    yield ""
    yield BEGIN
    yield from _tables()
    yield END
    yield ""


def _tables() -> Iterator[str]:
    yield ""
    yield (
        "A post with a blocker is not returned; a warning lowers its score, unless it is about"
        " readability. A check reads one passage, a section, a whole document, or a post with its"
        " request. Passages are the paragraphs, list items, table cells and other texts of a post."
        " A revision may cut the sentence or item of a finding (cut), and fixes a warning (fix)."
        " `copydesk-server check FILE` applies a check to the part of the file that the table"
        " names; – means not at all."
    )
    yield ""
    yield "| check | finds | severity | reads | languages | in `check FILE` | revision | remedy |"
    yield "|---|---|---|---|---|---|---|---|"
    for check in DESK_CHECKS:
        finds = (check.function.__doc__ or "").splitlines()[0]
        severity = f"{check.severity}, {check.sometimes}" if check.sometimes else check.severity
        yield (
            f"| `{check.name}` | {finds} | {severity} | {check.scope} | {_languages(check)} |"
            f" {check.in_files or '–'} | {_revision(check)} | {check.remedy_for('…')} |"
        )
    yield ""
    yield "Other blockers, found while a post is written, in its sources or in earlier posts:"
    yield ""
    yield "| check | revision | remedy |"
    yield "|---|---|---|"
    for name, other in CHECKS.items():
        if other not in DESK_CHECKS:
            yield f"| `{name}` | {_revision(other)} | {other.remedy} |"
    yield ""


def _revision(check: Check) -> str:
    ways = {"cut": check.removable, "fix": check.fixable}
    return ", ".join(way for way, is_possible in ways.items() if is_possible) or "–"


def _languages(check: Check) -> str:
    if check.languages is None:
        return "all"
    tags = sorted({tag.partition("_")[0] for tag in locale_identifiers()})
    known = [tag for tag in tags if check.knows(tag)]
    return f"{len(known)} languages" if len(known) > _LANGUAGES_LISTED else ", ".join(known)


if __name__ == "__main__":
    main()
