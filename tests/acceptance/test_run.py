"""`copydesk-server run` as an operator has it: it starts, it is killed, it starts again."""

import requests

from tests.running.customers import new_customer
from tests.running.process_group import ProcessGroup
from tests.running.service import CopydeskService, ScriptedModel
from tests.running.starting import wait_until


def test_a_killed_service_carries_on(group: ProcessGroup, model: ScriptedModel) -> None:
    """Nothing that was accepted is lost: a rule's first item is made after the kill, once, and
    what a killed request held of the quota is not billed."""
    service = CopydeskService(group, model.url, "killed", COPYDESK_WORKERS="1")
    customer = new_customer(service)
    model.behave("slow")
    try:
        feed = service.feed("garden beds", "Kit=https://example.com/kit")
        wait_until(lambda: "begins (attempt 1)" in service.log_text(), 30, "the run begins")
        service.kill()
    finally:
        model.behave("good")
    wait_until(lambda: not service.answers(), 15, "the killed command's processes end")
    service.start()
    assert service.items(feed) == []
    item = service.wait_for_item(feed)
    assert item.status == "pending"
    pulled = requests.get(feed.pull_url, timeout=30).json()
    assert pulled["item"]["id"] == item.id
    assert customer.usage()["consumed"] == {"words": 0, "posts": 0, "requests": 0}
    assert len(service.items(feed)) == 1
