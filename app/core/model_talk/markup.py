"""Orders that need no words: the signs that models are trained on, and those of prompts and tools.

Every repetition has a bound, and every search begins with a letter or sign that few texts have.
"""

import re

_ROLES = (
    r"(?:system|user|human|assistant|developer|tool|model|ai|bot|chatbot|nutzer|benutzer|gebruiker"
)
_ROLES += (
    r"|mensch|utilisateur|humain|usuario|asistente|assistente|utente|assistent|utilizador|mens"
)
_ROLES += r"|humano|umano|ki|ia|instruction|response|prompt)"

_MARKS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # Chat templates: ChatML, Llama, Mistral, Phi, Gemma, DeepSeek.
        r"<\|\s?/?(?:im_|im\s|start|end|eo[stm]|bo[st]|begin|system|user|assistant|fim|tool|pad"
        r"|python|header|channel|message|return|constrain|vision|sep|eom)[\w▁ ]{0,30}\|?>",
        r"\[/?INST\]|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]",
        r"<</?SYS>>|<</?SYSTEM>>",
        r"</?(?:start|end)_of_turn>|<(?:bos|eos)>|</s>\s{0,3}<s>|</s>\s{0,3}\[|<s>\s{0,3}\[",
        # Alpaca and its like; a heading of Markdown alone is none.
        r"^[ \t]{0,3}#{2,4}\s{0,2}(?:(?:new|your|system|hidden|real|updated)\s)?(?:instruction"
        r"|system|assistant|human|user|prompt|response)s?(?:\sprompt)?\s{0,2}:",
        # The ends of what a prompt quotes, ours among them.
        r"</(?:sources?|documents?|context|search_results?|web_?page|untrusted\w{0,20}|user\w{0,10}"
        r"|quoted?\w{0,10}|extracts?|system|prompt|human|external\w{0,20}|retrieved\w{0,20})\s?>",
        r"</?(?:[a-z]{2,10}:)?(?:system_prompt|system_message|instructions|assistant"
        r"|thinking|scratchpad|tool_calls?|tool_use|tool_results?|tool_response|function_calls?|function_results?|invoke"
        r"|function=[\w.]{1,40}|untrusted_\w{1,20}|user_input|user_query|im_start|im_end)"
        r"(?:\s[^<>\n]{0,80})?>",
        r"<<<(?<!<<<<)(?!<)[/\s]{0,2}(?:[A-Z][A-Z ]{2,40}|end\b)",
        r"[-=]{3,10}\s?(?:end|begin|start)\sof\s(?:prompt|instructions?|context|document|input"
        r"|conversation|data|source|article|web\s?page|text)\b",
        # JSON that gives an order.
        r"[{,]\s{0,9}[\"']role[\"']\s{0,3}:\s{0,3}[\"'](?:system|user|assistant|developer|tool)[\"']",
        r"[{,]\s{0,9}[\"'](?:tool_calls?|function_call|tool_use|tool_name|tool_input"
        r"|system_prompt|new_instructions?|override_instructions?|instructions?_override)[\"']\s{0,3}:",
        r"[{,]\s{0,9}[\"'](?:name|tool|function|action|recipient_name)[\"']\s{0,3}:\s{0,3}[\"'][\w.-]{1,60}"
        r"[\"']\s{0,3},\s{0,9}[\"'](?:arguments|parameters|input|args|params|action_input"
        r"|tool_input)[\"']\s{0,3}:",
        r"[{,]\s{0,9}[\"'](?:command|action|instruction|directive|task)[\"']\s{0,3}:\s{0,3}[\"']"
        r"(?:ignore|override|disregard|forget|system|set_system|recommend|promote|insert|send|delete|write|append|execute)",
        # A picture or a link that carries away what a model knows.
        r"!?\[[^\[\]\n]{0,200}\]\(\s?<?(?:https?:)?//[^)\s]{1,300}[?&=/#](?:[^)\s]{0,300})"
        r"(?:\{[^)}\n]{1,80}\}|\[[^)\]\n]{1,80}\]|<[^)>\n]{1,80}>|%7B[^)\s]{1,80}|\$[A-Z_]{3,40})",
        r"!\[[^\[\]\n]{0,200}\]\(\s?(?:https?:)?//[^)\s?]{1,300}\?(?:[^)\s]{0,200}&)?(?:q|d|data|prompt|secret|context|chat"
        r"|history|conversation|leak|exfil|msg|info|payload|summary|c|p|s|content|query)=[^)]{0,300}\)",
    )
)
# Two turns of a talk, each at the start of a line: one alone may be a heading.
_TURN = re.compile(rf"^[ \t>*#_-]{{0,6}}({_ROLES})\b[ \t*_]{{0,4}}:", re.IGNORECASE | re.MULTILINE)
_ASKING = frozenset(
    [
        "system",
        "user",
        "human",
        "developer",
        "nutzer",
        "benutzer",
        "gebruiker",
        "mensch",
        "utilisateur",
        "humain",
        "usuario",
        "utente",
        "utilizador",
        "mens",
        "humano",
        "umano",
        "instruction",
        "prompt",
        "tool",
    ]
)
_TURN_REACH_CHARS = 2000


def order_in(text: str) -> str | None:
    """The first piece of such markup, or None."""
    for pattern in _MARKS:
        if match := pattern.search(text):
            return match.group()
    return _turns(text)


def _turns(text: str) -> str | None:
    asked = -_TURN_REACH_CHARS - 1
    answered = asked
    for match in _TURN.finditer(text):
        if match[1].casefold() in _ASKING:
            asked = match.start()
        else:
            answered = match.start()
        if abs(asked - answered) <= _TURN_REACH_CHARS and min(asked, answered) >= 0:
            first = min(asked, answered)
            return text[first : match.end() + 80]
    return None
