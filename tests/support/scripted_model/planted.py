"""Faults of the bank, planted into the parts of a post."""

from random import Random

from tests.support.scripted_model import bank
from tests.support.scripted_model.bank import Fault
from tests.support.scripted_model.post_prompts import AskedPart, PartsRequest

KINDS = tuple(dict.fromkeys(fault.kind for fault in bank.faults()))
_HOMES = {"weak_opening": "INTRODUCTION", "weak_ending": "CONCLUSION"}


def plant(request: PartsRequest, part: AskedPart, text: str, kind: str) -> str:
    """Return a part with the fault of its post, if it is the one that has it.

    Args:
        kind: of the fault; "" for any.
    """
    fault = chosen(request, kind)
    if not _is_home(request, part, fault):
        return text
    if fault.kind == "weak_opening":
        return f"{fault.text} {text}"
    blocks = text.split("\n\n")
    if fault.kind == "weak_ending":
        blocks[-1] += f" {fault.text}"
        return "\n\n".join(blocks)
    blocks[0] = " ".join(each for each in (blocks[0], fault.first) if each)
    if fault.first and not _is_prose(blocks[-1]):
        blocks.append(fault.text)
    else:
        at = -1 if fault.first else 0
        blocks[at] += f" {fault.text}"
    return "\n\n".join(blocks)


def chosen(request: PartsRequest, kind: str) -> Fault:
    """Return the fault of a post; the same for all of its calls."""
    random = Random(f"{request.key}\nfault")
    kind = kind or random.choice(KINDS)
    return random.choice([fault for fault in bank.faults() if fault.kind == kind])


def _is_home(request: PartsRequest, part: AskedPart, fault: Fault) -> bool:
    kind = _HOMES.get(fault.kind, "SECTION")
    if part.kind != kind:
        return False
    if kind != "SECTION":
        return True
    number = Random(f"{request.key}\nplace").randint(1, max(1, len(request.headings)))
    if part.section != number:
        return False
    # Of the blocks of a section, the first.
    return not part.is_block or f"## {part.heading}\n" not in request.written


def _is_prose(block: str) -> bool:
    return not block.startswith(("- ", "1. ", "| "))
