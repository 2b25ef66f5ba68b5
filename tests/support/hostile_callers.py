"""What an attacker of a running service may know: an account, a feed and a session of its own."""

import requests

from tests.support.consoles import CSRF, PASSWORD
from tests.support.customers import new_customer
from tests.support.hostile_requests import Known
from tests.support.service import CopydeskService


def insider(service: CopydeskService) -> Known:
    """Make an account without limits, a feed with an item and an operator; return their secrets."""
    customer = new_customer(
        service, "scale", requests_per_minute=10**7, requests_per_day=10**8, monthly_words=10**9
    )
    account = customer.account_id
    test_key = service.cli("key", "create", account, "--sandbox")["apiKey"]
    feed = service.cli("feed", "create", account, "A blog")
    name = f"Ada {account[-6:]}"
    service.cli("operator", "create", name, typed=PASSWORD)
    browser = requests.Session()
    browser.post(
        f"{service.url}/sign-in", data={"name": name, "password": PASSWORD}, allow_redirects=False
    )
    found = CSRF.search(browser.get(f"{service.url}/").text)
    assert found
    return {
        # Most calls must not wait for a model.
        "keys": " ".join([test_key] * 9 + [customer.api_key]),
        "cookie": "; ".join(f"{each.name}={each.value}" for each in browser.cookies),
        "csrf": found[1],
        "token": feed["pullUrl"].rpartition("/content-tokens/")[2].partition("/")[0],
        "account_id": account,
        "feed_id": feed["feedId"],
    }
