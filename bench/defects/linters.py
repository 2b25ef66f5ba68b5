"""What other linters say of texts: harper.js, write-good, yoastseo and proselint.

    npm install --prefix FOLDER harper.js write-good yoastseo
    python -m venv FOLDER/venv && FOLDER/venv/bin/pip install proselint

Nothing of them is part of this repository. What a folder does not have is left out.
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown import markdown

from bench.defects.marks import Mark

_SCRIPT = Path(__file__).with_suffix(".mjs")
_PROSELINT = """
import json, sys, time
from importlib.metadata import version
from proselint.checks import __register__
from proselint.registry import CheckRegistry
from proselint.tools import LintFile
CheckRegistry().register_many(__register__)
answers = []
texts = json.load(open(sys.argv[1], encoding="utf-8"))
for number, each in enumerate(texts[:5] + texts):
    began = time.process_time()
    found = LintFile("text", each["text"]).lint()
    spent = (time.process_time() - began) * 1e3
    marks = [[one.pos[0], one.check_result.check_path, one.check_result.message] for one in found]
    if number >= len(texts[:5]):
        answers.append({"marks": marks, "milliseconds": spent})
result = {"proselint": {"version": version("proselint"), "texts": answers}}
json.dump(result, open(sys.argv[2], "w", encoding="utf-8"))
"""


@dataclass(frozen=True)
class Answers:
    """What a linter says of each text, and the milliseconds of processor time it takes."""

    name: str
    version: str
    marks: list[list[Mark]]
    milliseconds: list[float]


def ask(folder: Path, texts: Sequence[str]) -> list[Answers]:
    """Return the answers of the linters that the folder has."""
    with tempfile.TemporaryDirectory() as name:
        given, answered = Path(name) / "texts.json", Path(name) / "answers.json"
        given.write_text(json.dumps([{"text": each, "html": markdown(each)} for each in texts]))
        commands = [["node", str(_SCRIPT), str(folder), str(given), str(answered)]]
        python = folder / "venv/bin/python"
        if python.exists():
            commands.append([str(python), "-c", _PROSELINT, str(given), str(answered)])
        found = []
        for command in commands:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            for tool, result in json.loads(answered.read_text(encoding="utf-8")).items():
                marks = [[Mark(*mark) for mark in each["marks"]] for each in result["texts"]]
                spent = [each["milliseconds"] for each in result["texts"]]
                found.append(Answers(tool, result["version"], marks, spent))
        return found
