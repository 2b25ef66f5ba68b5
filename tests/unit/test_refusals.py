"""SPEC: "When the generation model refuses a request on its own safety grounds, the request ends
with PROHIBITED_INPUT": whatever language it declines in, and never because a post
is about refusals.
"""

import pytest

from app.writing.refusals import is_refusal

REFUSALS = (
    "I’m going to have to decline this request.",
    "I understand your interest, but I cannot write this post.",
    "I'm not comfortable writing about that.",
    "We are unable to provide this content.",
    "Regrettably, I am not able to help with that.",
    "That isn't something I can help with.",
    "Ich kann dir dabei nicht helfen.",
    "Es tut mir leid, aber ich kann diesen Text nicht schreiben.",
    "Leider kann ich Ihnen bei dieser Anfrage nicht helfen.",
    "Tut mir leid, dabei kann ich nicht helfen.",
    "Ich darf zu diesem Thema keinen Artikel verfassen.",
    "Ich muss diese Anfrage leider ablehnen.",
    "Je suis désolé, mais je ne peux pas vous aider avec cette demande.",
    "Je ne peux pas écrire cet article.",
    "Désolée, je ne suis pas en mesure de répondre à cette demande.",
    "Malheureusement, je dois décliner cette demande.",
    "Lo siento, pero no puedo ayudarte con eso.",
    "No puedo escribir este artículo.",
    "Lamentablemente, no me es posible generar ese contenido.",
    "Me niego a escribir esto.",
    "Mi dispiace, ma non posso aiutarti con questa richiesta.",
    "Non sono in grado di fornire questo contenuto.",
    "Purtroppo non posso scrivere questo articolo.",
    "Desculpe, mas não posso ajudar com isso.",
    "Sinto muito, não posso escrever este artigo.",
    "Infelizmente, não consigo atender a esse pedido.",
    "Het spijt me, maar ik kan je hier niet mee helpen.",
    "Sorry, daar kan ik je niet bij helpen.",
    "Ik kan dit artikel helaas niet schrijven.",
    "Helaas kan ik niet aan dit verzoek voldoen.",
)
PROSE = (
    "“I cannot help you,” said the clerk, and closed the window on a long queue of travellers.",
    "When a model declines a request, it says: I can't help with that. Here is why it does so.",
    "A refusal begins with an apology: I'm sorry, but I can't assist with that request.",
    "We can't stress it enough: weigh the grounds.",
    "I understand your doubts, and a cheap grinder will do for a start.",
    "Unfortunately, many readers cannot write to the shop on a Sunday.",
    "Ein Modell lehnt ab, wenn es sagt: Ich kann dir dabei nicht helfen.",
    "Leider können viele Gärtner im März noch nicht säen.",
    "Ich kann den Unterschied nicht schmecken, und viele Gäste können es auch nicht.",
    "Leider kann niemand bei Frost helfen, wenn die Beete offen liegen.",
    "Malheureusement, le café ne peut pas attendre deux semaines.",
    "Je ne peux pas m'empêcher d'aimer le café froid.",
    "« Je ne bois pas de café », dit-elle, et elle commande un thé.",
    "Lo siento por quienes muelen demasiado fino: el café sale amargo.",
    "No puedes ayudar a una planta que se ha helado.",
    "Purtroppo non tutti possono scrivere a mano.",
    "Não se pode ajudar uma planta congelada, mas dá para evitar o frio.",
    "Helaas kan niet iedereen in maart al zaaien.",
    "Ik kan het verschil niet proeven.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_in_any_of_seven_languages_is_recognised(text: str) -> None:
    assert is_refusal(text)
    assert is_refusal(f"\n**{text}**") or text.startswith("{")


@pytest.mark.parametrize("text", PROSE)
def test_a_post_about_refusals_is_none(text: str) -> None:
    assert not is_refusal(text)
