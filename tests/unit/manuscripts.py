"""Manuscripts for the tests of writing: one with an outline, one with every piece written."""

from app.core.brief import Brief
from app.core.pieces import Manuscript, Piece
from app.core.writing import accept_outline, plan_pieces

BRIEF = Brief(
    keywords=("cold brew", "burr grinder", "steel filter"),
    language="en",
    min_words=60,
    max_words=400,
    target_words=250,
    paragraphs=(2, 1, 2),
    sentences=5,
    intro_sentences=3,
    conclusion_sentences=2,
    faqs=2,
    callout=True,
)
HEADINGS = ("Why grind size matters", "Clean filters in a minute", "How long the jar rests")
POINTS = (
    ("A burr grinder is even.", "Powder clouds the cup."),
    ("Rinse a steel filter at once.",),
    ("Cold brew wants twelve hours.", "The fridge slows it down."),
)
TITLE_TEXT = "Cold brew at home, without the fuss"


def outlined(brief: Brief = BRIEF) -> Manuscript:
    manuscript = Manuscript(brief)
    sections = [
        {"heading": heading, "points": list(points)}
        for heading, points in zip(HEADINGS, POINTS, strict=True)
    ]
    accept_outline(manuscript, {"sections": sections})
    manuscript.title = TITLE_TEXT
    return manuscript


def written(brief: Brief = BRIEF, **texts: str) -> tuple[Manuscript, dict[str, Piece]]:
    """A manuscript in which every piece stands; ``texts`` replace paragraphs by name."""
    manuscript = outlined(brief)
    pieces = {piece.name: piece for piece in plan_pieces(manuscript)}
    for name, piece in pieces.items():
        if piece.is_paragraph:
            label = name.replace(".", "")
            said = " ".join(f"We say {phrase} once in {label}." for phrase in piece.phrases)
            text = f"This is how {label} begins. {said} That is where {label} ends."
            manuscript.accept(piece, texts.get(name.replace(".", "_"), text))
    manuscript.answers |= {
        "faqs": {
            "faqs": [
                {"question": f"Is it number {n}?", "answer": f"Yes, it is number {n}. It is."}
                for n in (1, 2)
            ]
        },
        "callout": {"label": "Good to know:", "text": "Weigh it once. Then use a cup."},
        "description": {"description": "All about cold brew."},
    }
    return manuscript, pieces
