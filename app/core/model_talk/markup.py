"""Orders that need no words: the signs that models are trained on, and those of prompts and tools.

Every repetition has a bound. Each pattern comes with signs of which a text must have one for it to
be looked for at all: most texts have none.
"""

import re

# Who asks in a talk with a model, and who answers.
_ASKING = (
    "system user human developer tool instruction prompt nutzer benutzer mensch gebruiker mens"
    " utilisateur humain usuario humano utilizador utente umano"
)
_ANSWERING = "assistant model ai bot chatbot response assistent ki ia asistente assistente"
_TURN_REACH_CHARS = 2000
_SHOWN_AFTER_CHARS = 80

_PATTERNS = (
    # Chat templates: ChatML, Llama, Mistral, Phi, Gemma, DeepSeek.
    (
        ("<|",),
        r"<\|\s?/?(?:im_|im\s|start|end|eo[stm]|bo[st]|begin|system|user|assistant|fim|tool|pad"
        r"|python|header|channel|message|return|constrain|vision|sep|eom)[\w▁ ]{0,30}\|?>",
    ),
    (
        ("[",),
        r"\[/?INST\]|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]",
    ),
    (("<<",), r"<</?SYS>>|<</?SYSTEM>>"),
    (
        ("<",),
        r"</?(?:start|end)_of_turn>|<(?:bos|eos)>|</s>\s{0,3}<s>|</s>\s{0,3}\[|<s>\s{0,3}\[",
    ),
    # Alpaca and its like; a heading of Markdown alone is none.
    (
        ("##",),
        r"^[ \t]{0,3}#{2,4}\s{0,2}(?:(?:new|your|system|hidden|real|updated)\s)?(?:instruction"
        r"|system|assistant|human|user|prompt|response)s?(?:\sprompt)?\s{0,2}:",
    ),
    # The ends of what a prompt quotes, ours among them, and the fields of answers.
    (
        ("</",),
        r"</(?:sources?|documents?|context|search_results?|web_?page|untrusted\w{0,20}|user\w{0,10}"
        r"|quoted?\w{0,10}|extracts?|system|prompt|human|external\w{0,20}|retrieved\w{0,20}"
        r"|response|answer|final_answer|completion)\s?>",
    ),
    (
        ("<",),
        r"</?(?:[a-z]{2,10}:)?(?:system_prompt|system_message|instructions|assistant|thinking"
        r"|scratchpad|tool_calls?|tool_use|tool_results?|tool_response|function_calls?"
        r"|function_results?|invoke|function=[\w.]{1,40}|untrusted_\w{1,20}|user_input|user_query"
        r"|im_start|im_end)(?:\s[^<>\n]{0,80})?>",
    ),
    (("<<<",), r"<<<(?<!<<<<)(?!<)[/\s]{0,2}(?:[A-Z][A-Z ]{2,40}|end\b)"),
    (
        ("---", "==="),
        r"[-=]{3,10}\s?(?:end|begin|start)\sof\s(?:prompt|instructions?|context|document|input"
        r"|conversation|data|source|article|web\s?page|text)\b",
    ),
    # JSON that gives an order, or that stands where our own is wanted.
    (
        ('":', "':", '" :', "' :"),
        r"[{,]\s{0,9}[\"'](?:"
        r"role[\"']\s{0,3}:\s{0,3}[\"'](?:system|user|assistant|developer|tool)[\"']"
        r"|(?:tool_calls?|function_call|tool_use|tool_name|tool_input|system_prompt"
        r"|new_instructions?|override_instructions?|instructions?_override)[\"']\s{0,3}:"
        r"|(?:name|tool|function|action|recipient_name)[\"']\s{0,3}:\s{0,3}[\"'][\w.-]{1,60}[\"']"
        r"\s{0,3},\s{0,9}[\"'](?:arguments|parameters|input|args|params|action_input|tool_input)"
        r"[\"']\s{0,3}:"
        r"|(?:command|action|instruction|directive|task)[\"']\s{0,3}:\s{0,3}[\"'](?:ignore|override"
        r"|disregard|forget|system|set_system|recommend|promote|insert|send|delete|write|append"
        r"|execute))",
    ),
    (
        ("Markdown", "Suggestion", "Count", "Coverage", "rawJson"),
        r"[\"'](?:contentMarkdown|slugSuggestion|revisionCount|keywordCoverage|coverageNotes"
        r"|rawJson)[\"']\s{0,3}:",
    ),
    # A picture or a link that carries away what a model knows.
    (
        ("](",),
        r"\[[^\[\]\n]{0,200}\]\(\s?<?(?:https?:)?//[^)\s]{1,300}[?&=/#](?:[^)\s]{0,300})"
        r"(?:\{[^)}\n]{1,80}\}|\[[^)\]\n]{1,80}\]|<[^)>\n]{1,80}>|%7B[^)\s]{1,80}|\$[A-Z_]{3,40})",
    ),
    (
        ("![",),
        r"!\[[^\[\]\n]{0,200}\]\(\s?(?:https?:)?//[^)\s?]{1,300}\?(?:[^)\s]{0,200}&)?(?:q|d|data"
        r"|prompt|secret|context|chat|history|conversation|leak|exfil|msg|info|payload|summary|c|p"
        r"|s|content|query)=[^)]{0,300}\)",
    ),
)
_MARKS = tuple(
    (signs, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for signs, pattern in _PATTERNS
)
# Two turns of a talk, each at the start of a line: one alone may be a heading.
_TURN = re.compile(
    rf"^[ \t>*#_-]{{0,6}}(?:({'|'.join(_ASKING.split())})|{'|'.join(_ANSWERING.split())})\b"
    r"[ \t*_]{0,4}:",
    re.IGNORECASE | re.MULTILINE,
)
# An example that is answered, and after it one that is left to be answered.
_EXAMPLES = re.compile(
    r"^(a|output|answer|ausgabe|antwort|sortie|réponse|salida|respuesta|uscita|risposta|uitvoer"
    r"|antwoord|saída|resposta)[ \t]?:[ \t]*[^\s:][^\n]{0,400}\n(?:[^\n]{0,400}\n){1,4}?"
    r"\1[ \t]?:[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def order_in(text: str) -> str | None:
    """The first piece of such markup, or None."""
    for signs, pattern in _MARKS:
        if any(sign in text for sign in signs) and (match := pattern.search(text)):
            return match.group()
    if match := _EXAMPLES.search(text):
        return match.group()
    return _turns(text)


def _turns(text: str) -> str | None:
    last: dict[bool, int] = {}
    for match in _TURN.finditer(text):
        last[match[1] is not None] = match.start()
        if len(last) == 2 and abs(last[True] - last[False]) <= _TURN_REACH_CHARS:
            return text[min(last.values()) : match.end() + _SHOWN_AFTER_CHARS]
    return None
