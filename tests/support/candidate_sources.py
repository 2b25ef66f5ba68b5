"""Pages that a post could rest on, and requests that need some."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.core.sources.selection import Demand
from app.core.sources.source import Source
from tests.support.source_site import BRIDGE

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
EVENT = Demand(("harbour bridge", "Brackwater council"), "en", current_event=True)
VERIFIED = replace(EVENT, current_event=False)


def source(
    url: str = "https://a.example/1",
    *,
    title: str = "Harbour bridge: council votes",
    text: str = " ".join(BRIDGE),
    site: str = "a.example",
    language: str = "en",
    hours_old: float | None = 10,
) -> Source:
    published = None if hours_old is None else NOW - timedelta(hours=hours_old)
    return Source(url, site, title, text, language, published, NOW)


SENTENCES = {
    "en": " ".join(BRIDGE),
    "de": "Der Rat der Stadt hat am Dienstag beschlossen, die alte Brücke im Hafen zu erneuern. "
    "Sie ist seit dem Frühjahr für Autos und Fußgänger nicht mehr offen.",
    "fr": "Le conseil de la ville a voté mardi pour que le vieux pont du port soit reconstruit. "
    "Il est fermé depuis les tempêtes et ne sera pas ouvert avant l'été.",
    "es": "El consejo de la ciudad votó el martes para reconstruir el viejo puente del puerto. "
    "Está cerrado desde las tormentas y no se abrirá antes del verano.",
    "it": "Il consiglio della città ha votato per ricostruire il vecchio ponte del porto. "
    "È chiuso dalle tempeste di primavera e non sarà aperto prima dell'estate.",
    "pt": "O conselho da cidade votou na terça para reconstruir a velha ponte do porto. "
    "Ela não está aberta desde as tempestades e as obras são para o verão.",
    "nl": "De raad van de stad heeft dinsdag besloten om de oude brug in de haven te herbouwen. "
    "Het is niet bekend of de weg voor de zomer weer open is.",
}
