"""Write the template of translations of the WordPress plugin from its PHP files.

    python tools/wordpress_pot.py

Writes connectors/wordpress-plugin/copydesk/languages/copydesk.pot.

It reads calls of WordPress's functions whose text domain is the plugin's and whose texts are
strings without variables, and the comment "translators:" above a call.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "connectors" / "wordpress-plugin" / "copydesk"
POT = PLUGIN / "languages" / "copydesk.pot"
DOMAIN = "copydesk"

# The arguments of each function: t a text, p its plural, n a number, d the domain.
FUNCTIONS = {"__": "td", "esc_html__": "td", "esc_html_e": "td", "esc_attr__": "td", "_n": "tpnd"}
_CALL = re.compile(rf"(?<![\w>:$])({'|'.join(map(re.escape, FUNCTIONS))})\(\s*")
# Without variables in it, and without the escapes that only double quotes have.
_STRING = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\$]|\\["\\])*)\"""")
_COMMENT = re.compile(r"/\*\s*(translators:.*?)\s*\*/", re.DOTALL | re.IGNORECASE)
_VERSION = re.compile(r"^ \* Version: (\S+)$", re.MULTILINE)
_HEADER = """\
# Copyright (C) Copydesk
# This file is distributed under the GPL-2.0-or-later.
msgid ""
msgstr ""
"Project-Id-Version: Copydesk {version}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"X-Domain: copydesk\\n"
"""


class Untranslatable(Exception):
    """A call that translators would never see; the message says which and what would be right."""


@dataclass
class Entry:
    """A text for translators and where it is used."""

    text: str
    plural: str = ""
    comments: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


def template(folder: Path) -> str:
    """Return the template for the PHP files of a folder, in the order of their names.

    Raises:
        Untranslatable: a text with the plugin's text domain is no plain string.
    """
    entries: dict[tuple[str, str], Entry] = {}
    for file in sorted(folder.rglob("*.php")):
        name = file.relative_to(folder).as_posix()
        for entry in _entries(file.read_text(), name):
            known = entries.setdefault((entry.text, entry.plural), entry)
            if known is not entry:
                known.places += [p for p in entry.places if p not in known.places]
                known.comments += [c for c in entry.comments if c not in known.comments]
    version = _VERSION.findall((folder / "copydesk.php").read_text())
    parts = [_HEADER.format(version=version[0]), *map(_shown, entries.values())]
    return "\n".join(parts)


def _entries(source: str, name: str) -> Iterator[Entry]:
    for call in _CALL.finditer(source):
        line = source.count("\n", 0, call.start()) + 1
        try:
            got = _arguments(source, call.end(), FUNCTIONS[call[1]])
        except ValueError as error:
            if f"'{DOMAIN}'" not in _rest_of_call(source, call.end()):
                continue  # WordPress's own text.
            raise Untranslatable(f"{name}:{line}: {call[1]}(): {error}") from None
        if got["d"] != DOMAIN:
            continue
        comment = list(_COMMENT.finditer(source, 0, call.start()))[-1:]
        near = [m for m in comment if ";" not in source[m.end() : call.start()]]
        yield Entry(
            got["t"],
            got.get("p", ""),
            [" ".join(m[1].split()) for m in near],
            [name],  # without the line, which most changes of a file would change
        )


def _arguments(source: str, at: int, kinds: str) -> dict[str, str]:
    """Return the arguments of a call by kind; numbers are left out."""
    got = {"d": ""}
    for kind in kinds:
        if kind == "n":
            at = _end_of_expression(source, at)
        else:
            found = _STRING.match(source, at)
            if found is None:
                if kind == "d" and source[at - 1] != ",":
                    return got
                raise ValueError("write the text as one string without variables")
            got[kind] = re.sub(r"\\(['\"\\])", r"\1", found[1] or found[2] or "")
            at = found.end()
        rest = re.compile(r"\s*,\s*").match(source, at)
        if rest is None:
            if not re.compile(r"\s*\)").match(source, at):
                raise ValueError("write the text as one string without variables")
            return got
        at = rest.end()
    return got


def _rest_of_call(source: str, at: int) -> str:
    """Return the arguments of a call, up to the end of its statement at the latest."""
    depth, start = 1, at
    while depth and at < len(source) and source[at] != ";":
        depth += (source[at] == "(") - (source[at] == ")")
        at += 1
    return source[start:at]


def _end_of_expression(source: str, at: int) -> int:
    depth = 0
    while depth or source[at] != ",":
        depth += (source[at] in "([") - (source[at] in ")]")
        at += 1
    return at


def _shown(entry: Entry) -> str:
    lines = [f"#. {comment}" for comment in entry.comments]
    lines += [f"#: {place}" for place in entry.places]
    if re.search(r"%(\d+\$)?[sd]", entry.text + entry.plural):
        lines.append("#, php-format")
    lines.append(f"msgid {_quoted(entry.text)}")
    if entry.plural:
        lines += [f"msgid_plural {_quoted(entry.plural)}", 'msgstr[0] ""', 'msgstr[1] ""']
    else:
        lines.append('msgstr ""')
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


if __name__ == "__main__":
    try:
        POT.write_text(template(PLUGIN))
    except Untranslatable as error:
        sys.exit(str(error))
