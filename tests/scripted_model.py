"""A scripted stand-in for a language model, for tests and benches; the product never starts it.

    python tests/scripted_model.py --port 0 [--behaviour good]

It speaks the OpenAI protocol and prints ``ready http://127.0.0.1:PORT/v1`` once it answers;
``tests/support/scripted_model/behaviours.toml`` lists the behaviours.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.scripted_model.server import main

if __name__ == "__main__":
    main()
