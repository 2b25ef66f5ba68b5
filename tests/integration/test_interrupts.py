"""Ctrl-C ends the service: once, when its work is done; twice, at once."""

import signal

from tests.support.customers import new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import ScriptedModel, one_process
from tests.support.startup import wait_until


def test_a_second_interrupt_ends_the_service_at_once(group: ProcessGroup) -> None:
    model = ScriptedModel(group)
    # Longer than a test may take.
    service = one_process(group, model.url, COPYDESK_DRAIN_SECONDS="3600")
    customer = new_customer(service)
    model.behave("slow", delay=3600)
    answer = customer.create_job(
        generateRequest={"keywords": ["tea"], "constraints": {"maxWords": 200}}
    )
    assert answer.status_code == 202, answer.text
    wait_until(lambda: model.calls() > 0, 60, "the post is being written")
    service.process("run").send_signal(signal.SIGINT)
    wait_until(lambda: "a second Ctrl-C" in service.log_text(), 60, "it says how to end it at once")
    assert service.process("run").poll() is None
    service.process("run").send_signal(signal.SIGINT)
    assert service.wait_for_end() == {0}
