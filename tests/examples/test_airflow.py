"""The operator of examples/airflow. It runs only where Airflow is installed, which is too large for
the locked packages:

    python -m venv airflow && airflow/bin/pip install apache-airflow-core pytest ./sdk
    PYTHONPATH=. airflow/bin/python -m pytest -W ignore tests/examples/test_airflow.py
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("airflow.sdk")

from airflow.exceptions import AirflowFailException
from airflow.sdk.exceptions import TaskDeferred

from tests.support.canned_service import CannedService

FOLDER = Path(__file__).parents[2] / "examples/airflow"
CONTEXT = {
    "ti": SimpleNamespace(dag_id="posts", run_id="scheduled__1", task_id="write", map_index=-1)
}


@pytest.fixture
def canned(monkeypatch: pytest.MonkeyPatch) -> Iterator[CannedService]:
    service = CannedService()
    monkeypatch.syspath_prepend(str(FOLDER))
    with service.serve() as url:
        monkeypatch.setenv("COPYDESK_API_KEY", service.api_key)
        monkeypatch.setenv("COPYDESK_BASE_URL", url)
        yield service


def deferred(*keywords: str) -> tuple[Any, TaskDeferred]:
    """Run the operator until it hands over to the triggerer."""
    from copydesk_operator import WritePost

    task = WritePost(task_id="write", request={"keywords": list(keywords)}, seconds=30.0)
    with pytest.raises(TaskDeferred) as caught:
        task.execute(CONTEXT)
    return task, caught.value


def event(trigger: Any) -> dict[str, Any]:
    """Run a trigger as the triggerer does: made again from what it was stored as."""
    path, given = trigger.serialize()

    async def events() -> list[Any]:
        return [found.payload async for found in type(trigger)(**given).run()]

    assert path == "copydesk_operator.PostWritten"
    (payload,) = asyncio.run(events())
    return dict(payload)


def test_a_post_is_written_while_no_worker_waits(canned: CannedService) -> None:
    """examples/ (Airflow deferrable)"""
    task, handed = deferred("tea")
    assert canned.billed == 0
    post = getattr(task, handed.method_name)(CONTEXT, event(handed.trigger))
    assert post["title"]
    assert post["markdown"]
    assert canned.billed == 1


def test_a_trigger_that_runs_again_and_a_retry_write_no_second_post(canned: CannedService) -> None:
    task, handed = deferred("tea")
    first = task.finish(CONTEXT, event(handed.trigger))
    event(handed.trigger)
    task, handed = deferred("tea")
    assert task.finish(CONTEXT, event(handed.trigger)) == first
    assert canned.billed == 1


def test_only_an_error_that_can_pass_is_retried(canned: CannedService) -> None:
    task, handed = deferred("test:PROHIBITED_INPUT")
    with pytest.raises(AirflowFailException, match="PROHIBITED_INPUT"):
        task.finish(CONTEXT, event(handed.trigger))
    task, handed = deferred("tea")
    canned.fail_next("SERVICE_UNAVAILABLE", times=3)
    with pytest.raises(RuntimeError, match="SERVICE_UNAVAILABLE"):
        task.finish(CONTEXT, event(handed.trigger))


def test_the_dag_loads(canned: CannedService) -> None:
    import copydesk_dag

    assert copydesk_dag
