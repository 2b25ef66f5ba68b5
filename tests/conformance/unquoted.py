"""Why no test quotes a sentence of the interface."""

REASONS = {
    (
        "Field names of a rule other than ruleId and ruleName, and of an offer entry: not shown."
    ): "not observable: no endpoint shows a rule",
    "delivery time-out": (
        "left open by the interface; tests/integration/test_webhook_sender.py has the service's own"
    ),
    "the main throughput lever on the lowest plan)": "not observable: advice to customers",
    "polling in a tight loop is discouraged.": "not observable: advice to whoever polls",
    (
        "Recommended polling is somewhat more frequent than the configured generation frequency"
        " (for example every 15 to 30 minutes for an hourly feed)."
    ): "not observable: advice to whoever polls",
    (
        "on a restricted tier scheduled runs happen at most once per day regardless of frequency"
        " under about 24 hours."
    ): "takes a day; tests/integration/test_rules.py moves its clock by five days",
}
