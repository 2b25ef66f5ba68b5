"""Write docs/openapi.json: ``python -m tools.api``."""

from pathlib import Path

from tools.api.document import as_json

Path(__file__).parents[2].joinpath("docs", "openapi.json").write_text(as_json(), "utf-8")
