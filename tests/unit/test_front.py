"""POST /v1/check: one text at a time in a process, and nobody else waits for it."""

import asyncio
from threading import Event, Lock
from types import SimpleNamespace

import pytest
from flask import Flask, g, request

from app.api import admission
from app.core.errors import Crowded
from tests.support.asgi_calls import call, front_of


class Desk:
    """An application whose check takes as long as a test wants."""

    def __init__(self) -> None:
        self.may_end = Event()
        self.begun = Event()
        self.at_once = self.most_at_once = self.checked = 0
        self.order: list[str] = []
        self._lock = Lock()
        app = Flask("desk")
        app.before_request(self._know_caller)
        app.add_url_rule("/v1/check", view_func=self._check)
        app.add_url_rule("/usage", view_func=lambda: "usage")
        app.register_error_handler(Crowded, self._crowded)
        self.front = front_of(app, per_account=20)

    @staticmethod
    def _know_caller() -> None:
        g.caller = SimpleNamespace(account_id=request.args.get("account", "acc_1"))

    @staticmethod
    def _crowded(error: Crowded) -> tuple[str, int]:
        return str(error.retry_after), 503

    def _check(self) -> str:
        admission.call().wait_to_check()
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        self.begun.set()
        self.may_end.wait(10)
        with self._lock:
            self.at_once -= 1
            self.checked += 1
            self.order.append(g.caller.account_id)
        return "checked"

    async def get(self, path: str) -> tuple[int, str]:
        return await call(self.front, path)


@pytest.mark.parametrize("path", ["/v1/check", "/%2Fv1/check"])
def test_texts_are_checked_one_after_the_other_and_other_calls_do_not_wait(path: str) -> None:
    """Flask takes several slashes at the beginning of a path for one."""
    desk = Desk()

    async def calls() -> list[tuple[int, str]]:
        # More than there are threads for short calls: none of these is held by a check that waits.
        checks = [asyncio.ensure_future(desk.get(path)) for _ in range(20)]
        await asyncio.to_thread(desk.begun.wait, 10)
        assert await desk.get("/usage") == (200, "usage")
        assert desk.checked == 0
        desk.may_end.set()
        return list(await asyncio.gather(*checks))

    assert asyncio.run(calls()) == [(200, "checked")] * 20
    assert desk.most_at_once == 1


def test_the_texts_of_one_account_do_not_keep_those_of_another_waiting() -> None:
    desk = Desk()

    async def calls() -> None:
        many = [asyncio.ensure_future(desk.get("/v1/check")) for _ in range(20)]
        await asyncio.to_thread(desk.begun.wait, 10)
        other = asyncio.ensure_future(desk.get("/v1/check?account=acc_2"))
        while "acc_2" not in desk.front._admission.line:
            await asyncio.sleep(0)
        desk.may_end.set()
        await asyncio.gather(other, *many)

    asyncio.run(calls())
    assert desk.order.index("acc_2") <= 2


def test_a_turn_that_does_not_come_is_a_503_that_says_when_to_try_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admission, "_PLACE_SECONDS", 0.1)
    desk = Desk()

    async def calls() -> tuple[int, str]:
        first = asyncio.ensure_future(desk.get("/v1/check"))
        await asyncio.to_thread(desk.begun.wait, 10)
        refused = await desk.get("/v1/check")
        desk.may_end.set()
        assert (await first)[0] == 200
        return refused

    assert asyncio.run(calls()) == (503, "5")
    assert desk.checked == 1
