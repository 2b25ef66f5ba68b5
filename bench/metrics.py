"""What metrics and traces cost a web process: processor time per request, and memory.

    python bench/metrics.py [--requests 2000] [--rounds 8]

Two services run side by side, one of them with metrics, and with traces to a collector that is not
there. They answer `GET /v1/usage` by turns, one request at a time, so both have the same load of
the machine.
"""

import argparse
import os
import time
from pathlib import Path

import requests
from rich.console import Console
from rich.table import Table

from bench.startup import _family, _resident
from tests.support.customers import Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import free_port


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=8)
    options = parser.parse_args()
    table = Table("what", "without", "with", "ratio")
    with ProcessGroup() as group:
        model, address = ScriptedModel(group), f"127.0.0.1:{free_port()}"
        watched = {
            "COPYDESK_METRICS_ADDRESS": address,
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        }
        services = [
            CopydeskService(group, model.url, "without"),
            CopydeskService(group, model.url, "with", **watched),
        ]
        customers = [new_customer(each) for each in services]
        sessions = [requests.Session() for _ in services]
        spent = [0.0, 0.0]
        for customer in customers:
            assert customer.generate(keywords=["tea"]).status_code == 200
        for _ in range(options.rounds):
            for at, (customer, session) in enumerate(zip(customers, sessions, strict=True)):
                before = processor_seconds(customer.service)
                ask(customer, session, options.requests // options.rounds)
                spent[at] += processor_seconds(customer.service) - before
        without, with_ = (1000 * own / options.requests for own in spent)
        row = (f"{without:.2f} ms", f"{with_:.2f} ms", f"{with_ / without:.2f}")
        table.add_row("GET /v1/usage, processor time", *row)
        memory = [megabytes(each) for each in services]
        table.add_row(
            "memory of the web process", *(f"{each} MB" for each in memory),
            f"{memory[1] / memory[0]:.2f}",
        )  # fmt: skip
        began = time.monotonic()
        for _ in range(100):
            requests.get(f"http://{address}/metrics", timeout=10).raise_for_status()
        table.add_row("a scrape", "", f"{10 * (time.monotonic() - began):.1f} ms", "")
    Console().print(table)


def ask(customer: Customer, session: requests.Session, count: int) -> None:
    for _ in range(count):
        url = f"{customer.service.url}/v1/usage"
        session.get(url, headers=customer.headers, timeout=10).raise_for_status()


def processor_seconds(service: CopydeskService) -> float:
    """Return the processor time that the service's processes have used."""
    ticks = 0
    for pid in pids(service):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def pids(service: CopydeskService) -> list[int]:
    return _family([each.pid for each in service._processes.values()])


def megabytes(service: CopydeskService) -> int:
    return max(map(_resident, pids(service)))


if __name__ == "__main__":
    main()
