"""What the health checks answer."""

from typing import Literal

from pydantic import Field

from app.core.wire import WireModel


class Health(WireModel):
    """The process lives."""

    status: Literal["ok"]


class Readiness(WireModel):
    """Whether all that the service needs can be reached: ok, or what is wrong."""

    status: Literal["ok", "unavailable"]
    database: str
    queue: str
    model: str = Field(description="The language model's endpoint.")
