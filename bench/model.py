"""The local model: how fast it starts and writes, and what several answers at once are worth.

    python bench/model.py [--parallel 1,2,4] [--rounds 2] [--calls 8]

Needs the weights in the cache (`copydesk-server model pull`). The rounds take turns, so that other
work on the machine weighs on all rows alike.
"""

import argparse
import resource
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from app.adapters.local_model import LocalModel
from app.adapters.openai_model import OpenAIModel
from app.adapters.weights import find
from app.core.writing.completion import Prompt
from app.deadline import Deadline

SYSTEM = """You are an experienced staff writer. You write clear, specific, useful blog posts.
Write in English.
The tone is friendly: warm and plain, speaking to the reader as you.
Give concrete advice and explain the reason for it.
Do not invent studies, statistics, quotations, prices, people or companies.
Write plain text: no links, no HTML, no lists, no headings inside a paragraph."""
PLAN = """A blog post about “cold brew ratio” has these sections:
1. Choosing the right beans
2. Measuring coffee and water
3. Steeping time and temperature
4. Storing and serving
"""
POINTS = (
    "fresh beans matter", "a coarse grind avoids bitterness", "coffee and water are weighed",
    "a scale beats a spoon", "twelve hours in the fridge", "the concentrate is diluted",
    "filtering twice gives clarity", "a sealed jar keeps it fresh",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """Seconds; tokens a second, and a second of processor time, over all calls together."""

    load: float
    first_cold: float
    first_cached: float
    call: float
    rate: float
    cpu_rate: float


def prompt(number: int, max_tokens: int = 160) -> Prompt:
    point = POINTS[number % len(POINTS)]
    task = f"Write one paragraph of 4 or 5 sentences about this point: {point}. Write only it."
    return Prompt(SYSTEM, f"{PLAN}\n{task}", max_tokens=max_tokens, seed=number)


def measure(weights: Path, parallel: int, calls: int) -> Run:
    used = cpu_seconds()
    started = time.perf_counter()
    with LocalModel.start(weights, parallel=parallel) as local:
        load = time.perf_counter() - started
        model = OpenAIModel(
            local.base_url,
            local.api_key,
            "local",
            timeout_seconds=600,
            concurrency=parallel,
            llama_cpp=True,
        )
        first_cold = timed(model, prompt(0, max_tokens=1))
        first_cached = timed(model, prompt(1, max_tokens=1))
        started = time.perf_counter()
        with ThreadPoolExecutor(parallel) as pool:
            tokens, seconds = zip(*pool.map(lambda n: write(model, n), range(calls)), strict=True)
        rate = sum(tokens) / (time.perf_counter() - started)
    cpu_rate = sum(tokens) / (cpu_seconds() - used)
    return Run(load, first_cold, first_cached, median(seconds), rate, cpu_rate)


def cpu_seconds() -> float:
    """What the child processes that have ended used; less disturbed by other work than time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write(model: OpenAIModel, number: int) -> tuple[int, float]:
    started = time.perf_counter()
    completion = model.complete(prompt(number), Deadline(600))
    return completion.completion_tokens, time.perf_counter() - started


def timed(model: OpenAIModel, asked: Prompt) -> float:
    started = time.perf_counter()
    model.complete(asked, Deadline(600))
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parallel", default="1,2,4", help="answers at once, by commas")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--calls", type=int, default=8)
    args = parser.parse_args()
    weights = find(Path.home() / ".cache" / "copydesk")
    if weights is None:
        sys.exit("The weights are not in the cache: run `copydesk-server model pull` first.")
    runs: dict[int, list[Run]] = defaultdict(list)
    for _ in range(args.rounds):
        for parallel in map(int, args.parallel.split(",")):
            runs[parallel].append(measure(weights, parallel, args.calls))
    table = Table(
        "at once", "load s", "first token s", "cached s", "answer s", "tokens/s", "per CPU s"
    )
    for parallel, measured in runs.items():
        middle = [
            median(column) for column in zip(*(vars(r).values() for r in measured), strict=True)
        ]
        table.add_row(str(parallel), *(f"{value:.1f}" for value in middle))
    Console().print(table)


if __name__ == "__main__":
    main()
