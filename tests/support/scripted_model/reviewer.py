"""What the scripted editor finds: the planted faults, and nothing else."""

import re
from typing import Any

from tests.support.scripted_model import bank

_LINE = re.compile(r"^(\d+)\. (?:\((?:title|description|heading|question)\) )?(.*)$", re.MULTILINE)
_DELETED = {"off_topic", "nonsense", "instruction_leak", "filler", "repeated_idea"}
_POST = "The post, a sentence a line:"


def review(prompt: str, *, invented: bool = False) -> dict[str, Any]:
    """Return the findings on the post in an editor's prompt.

    Args:
        invented: quote words that the post does not have.
    """
    text = prompt.partition(_POST)[2]
    lines = [(int(number), line) for number, line in _LINE.findall(text)]
    if invented:
        return {
            "findings": [
                {
                    "sentence": 1,
                    "quotation": "the moon is made of green cheese",
                    "kind": "false",
                    "problem": "The moon consists of rock.",
                    "action": "change",
                    "target": 0,
                    "fix": "Say that it consists of rock.",
                }
            ]
        }
    findings = []
    for fault in bank.faults():
        if fault.first and fault.first not in text:
            continue
        for number, line in lines:
            if fault.text in line:
                findings.append(
                    {
                        "sentence": number,
                        "quotation": fault.text,
                        "kind": fault.kind,
                        "problem": fault.problem,
                        "action": "delete" if fault.kind in _DELETED else "change",
                        "target": 0,
                        "fix": fault.fix,
                    }
                )
                break
    return {"findings": findings}
