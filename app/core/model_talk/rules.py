"""What the tables of the languages have in common.

Words are written as `fold` leaves them: small, without accents, apostrophes as spaces. A `*` stands
for any ending, a `_` for a space. Each language has the same classes in both of its tables: those
of WORDS make an order in the order that `phrases.py` says, those of SIGNS where they meet as
`combinations.py` says.
"""

from collections.abc import Mapping

Words = Mapping[str, str]

# What every language calls a model.
MODELS = (
    "ai ais llm llms gpt chatgpt claude gemini copilot chatbot* bot bots ai_agent* ai_assistant*"
    " ai_reviewer* ai_crawler* ai_model* ai_system* large_language_model* language_model* a_i"
)
