"""Settings of hypothesis for unit tests."""

from hypothesis import HealthCheck, settings

# Always the same examples: a build must not fail by luck. No deadline: the machine may be busy.
settings.register_profile(
    "unit",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("unit")
