"""The fault proxy, which the connectors' own tests have as well."""

from connectors.tests.fault_proxy import (
    FOR_GOOD,
    Cut,
    Delay,
    Fault,
    FaultProxy,
    Half,
    Replace,
    Rule,
    SeenRequest,
    Silence,
)

__all__ = [
    "FOR_GOOD",
    "Cut",
    "Delay",
    "Fault",
    "FaultProxy",
    "Half",
    "Replace",
    "Rule",
    "SeenRequest",
    "Silence",
]
