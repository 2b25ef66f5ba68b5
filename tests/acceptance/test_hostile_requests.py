"""Requests that no honest client sends, over sockets. bench/hostile_requests.py sends 100,000."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.hostile_callers import insider
from tests.support.hostile_requests import address_of, hostile_requests, send
from tests.support.service import CopydeskService
from tools.api.document import document

SENT = 250


def test_hostile_requests_get_no_error_of_the_service_and_end_nothing(
    service: CopydeskService,
) -> None:
    address = address_of(service.url)
    paths = [
        (path.replace("{", "<").replace("}", ">"), [method.upper() for method in methods])
        for path, methods in document()["paths"].items()
    ]
    console = ("/", "/sign-in", "/console/accounts", "/console/posts", "/console/feeds")
    paths += [(path, ["GET", "POST"]) for path in console]
    logged = len(service.log_text())
    with ThreadPoolExecutor(4) as pool:
        requests = list(hostile_requests(3, SENT, paths, insider(service)))
        answers = list(pool.map(lambda request: send(address, request), requests))
    faults = [
        f"{answer}: {request} {request.mangled!r}"[:1_000]
        for answer, request in zip(answers, requests, strict=True)
        if answer.status >= 500
    ]
    assert not faults, "\n".join(faults[:10])
    assert "Traceback" not in service.log_text()[logged:]
    assert service.answers()
