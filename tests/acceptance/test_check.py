"""POST /v1/check, and the same through the SDK and the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.interface import clause
from tests.support.customers import Customer, another_key, new_customer
from tests.support.response_schemas import error_of
from tests.support.service import CopydeskService

TEXT = (
    "# Cold brew at home\n\nA good cold brew ratio is one part coffee to eight parts water. Weigh"
    " both once, and every jar after that tastes the same.\n\n[insert photo of the jar]\n"
)
GERMAN = (
    "Der Kaffee ruht über Nacht im Kühlschrank und schmeckt am nächsten Morgen wunderbar mild. Wer"
    " ihn stärker mag, nimmt beim nächsten Mal einfach etwas mehr davon und wartet noch länger. So"
    " wird er von Woche zu Woche besser, ganz ohne teure Geräte und lange Übung.\n"
)


def checked(customer: Customer, **body: Any) -> dict[str, Any]:
    answer = customer.call("POST", "/v1/check", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def by_command(folder: Path, text: str, *options: str) -> dict[str, Any]:
    (folder / "post.md").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "check", "post.md", "--json", *options],
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@clause(
    "| Checks of texts | POST /v1/check checks a Markdown text; it counts as a request"
    " and costs no words |"
)
def test_a_text_is_checked_as_by_the_command_and_costs_no_words(
    service: CopydeskService, tmp_path: Path
) -> None:
    customer = new_customer(service)
    before = customer.usage()
    found = checked(
        customer, text=TEXT, title="Cold brew", language="en", keywords=["cold brew", "filter"]
    )
    options = ("--title", "Cold brew", "--language", "en", "--keyword", "cold brew")
    written = by_command(tmp_path, TEXT, *options, "--keyword", "filter")
    assert {"file": "post.md", **found} == written
    assert found["score"] == 58, "a text that nobody read has 70 at most"
    assert [each["check"] for each in found["findings"]] == ["keyword_missing", "leftover"]
    assert found["findings"][1]["quotation"] == "[insert photo of the jar]"
    after = customer.usage()
    assert after["daily"]["used"] == before["daily"]["used"] + 1
    assert after["consumed"] == before["consumed"]


def test_the_language_is_that_of_the_text_if_it_is_certain(customer: Customer) -> None:
    assert checked(customer, text=GERMAN)["language"] == "de"
    assert checked(customer, text=TEXT)["language"] == "en"
    given = checked(customer, text=GERMAN, language="en")
    assert "language" in [each["check"] for each in given["findings"]]


def test_a_title_takes_the_place_of_a_first_heading(customer: Customer) -> None:
    text = "## Grind\n\nA coarse grind suits a night in the fridge.\n"
    keywords = ["cold brew"]
    (missing,) = checked(customer, text=text, keywords=keywords)["findings"]
    assert missing["check"] == "keyword_missing"
    for heading in ({"text": f"# Cold brew\n\n{text}"}, {"text": text, "title": "Cold brew"}):
        assert checked(customer, keywords=keywords, **heading)["findings"] == []


@pytest.mark.parametrize("text", ["", " \n", "---\ntitle: None\n---\n"])
def test_a_text_without_words_has_a_finding_and_no_score(customer: Customer, text: str) -> None:
    found = checked(customer, text=text)
    assert [each["check"] for each in found["findings"]] == ["empty"]
    assert "score" not in found


def test_at_most_500_findings_are_returned_and_all_are_counted(customer: Customer) -> None:
    text = "TODO: a harbour.\n\n" * 900 + "It rests【4†source】.\n"
    found = checked(customer, text=text)
    assert (len(found["findings"]), found["findingCount"]) == (500, 901)
    assert found["findings"][-1]["severity"] == "blocker", "blockers are among them"


@pytest.mark.parametrize(
    ("body", "field", "problem"),
    [
        ({}, "text", "is required"),
        ({"text": 5}, "text", "must be a string"),
        ({"text": "a\ud800"}, "text", "must be valid Unicode text"),
        ({"text": "a", "language": "xx-"}, "language", "must be a BCP 47 language code"),
        ({"text": "a", "keywords": ["..."]}, "keywords[0]", "must contain a letter or a digit"),
        ({"text": "a", "title": "a" * 501}, "title", "must be at most 500 characters long"),
    ],
)
def test_a_wrong_request_says_what_is_wrong(
    customer: Customer, body: Any, field: str, problem: str
) -> None:
    details = error_of(customer.call("POST", "/v1/check", json=body), 400, "VALIDATION_ERROR")
    assert details["details"]["field"] == field
    assert details["details"]["problem"].startswith(problem)


def test_checks_are_limited_as_other_requests(service: CopydeskService) -> None:
    customer = new_customer(service, requests_per_minute=2)
    for _ in range(2):
        checked(customer, text=TEXT)
    limited = customer.call("POST", "/v1/check", json={"text": TEXT})
    error_of(limited, 429, "RATE_LIMITED")
    second = new_customer(service, requests_per_day=1)
    checked(second, text=TEXT)
    used_up = another_key(service, second.account_id)
    checked(used_up, text=TEXT)
    error_of(second.call("POST", "/v1/check", json={"text": TEXT}), 429, "QUOTA_EXCEEDED")
