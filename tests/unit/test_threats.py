"""docs/threats.md: each row names a test that exists, and each item of OWASP's lists has rows."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threats.md").read_text("utf-8")
_ROW = re.compile(r"^\| ([A-Z]\d+) \|(.*)\|(.*)\|(.*)\|$", re.MULTILINE)
_OWASP = re.compile(r"^\| ((?:API|LLM)\d+) [^|]+\| ([^|]*) \|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/.]+\.py)::(test_\w+)`")


def test_each_row_names_a_test_and_what_stops_the_threat() -> None:
    rows = _ROW.findall(PAGE)
    assert len(rows) == len({threat for threat, *_ in rows}) >= 40
    for threat, _, stops, tests in rows:
        assert stops.strip(), threat
        assert _TEST.search(tests), f"{threat} names no test"


def test_each_test_on_the_page_exists() -> None:
    named = _TEST.findall(PAGE)
    assert len(named) == PAGE.count("::")
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text("utf-8"), f"{path} has no {name}"


def test_each_item_of_owasp_has_rows() -> None:
    items = dict(_OWASP.findall(PAGE))
    api = [f"API{number}" for number in range(1, 11)]
    assert list(items) == api + [f"LLM{number:02}" for number in range(1, 11)]
    known = {row[0] for row in _ROW.findall(PAGE)}
    for item, rows in items.items():
        assert set(rows.split(", ")) <= known, item


def test_an_audit_that_could_not_look_a_package_up_fails() -> None:
    """Without --strict, pip-audit skips a package that it could not look up and passes."""
    recipe = (ROOT / "Makefile").read_text("utf-8").split("\naudit: ")[1].split("\n\n")[0]
    assert "pip-audit --strict" in recipe
    assert "exit 1" in recipe
