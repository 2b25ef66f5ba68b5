"""The block debug, which an operator switches on."""

from tests.conformance.interface import clause
from tests.support.customers import new_customer
from tests.support.process_group import ProcessGroup
from tests.support.response_schemas import STRING, matches, obj
from tests.support.service import CopydeskService, ScriptedModel


@clause("Field seen: generationModel (string).")
def test_debug_names_the_model(group: ProcessGroup, model: ScriptedModel) -> None:
    service = CopydeskService(group, model.url, "debug", COPYDESK_DEBUG_BLOCK="1")
    customer = new_customer(service)
    answer = customer.generate(keywords=["tea"], constraints={"maxWords": 200})
    matches(answer.json()["debug"], obj(generationModel=STRING))
    with customer.sdk() as sdk:
        made = sdk.generate(keywords=["tea"], max_words=200)
    assert made.debug is not None
    assert made.debug.generation_model == "scripted"
    service.kill()
