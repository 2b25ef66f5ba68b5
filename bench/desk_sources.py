"""Pages for posts to be copied from, one paragraph in each language, of our own writing."""

from datetime import UTC, datetime

from app.core.sources.source import Source
from app.core.text import primary_subtag

_READ = datetime(2026, 11, 20, 8, tzinfo=UTC)
_PAGES = {
    "en": "The old mill at the edge of the village was closed for almost thirty years before a"
    " group of neighbours bought it together. They repaired the wheel with timber from the"
    " nearby forest and taught themselves how to dress the heavy stones. On most mornings you"
    " can now hear the water long before you see the building behind the willows. Bread from"
    " its flour is sold in the yard, and visitors who come early may watch how the grain is"
    " poured into the hopper.",
    "de": "Die alte Mühle am Rand des Dorfes stand fast dreißig Jahre lang leer, bevor eine Gruppe"
    " von Nachbarn sie gemeinsam kaufte und wieder herrichtete. Das Rad wurde mit Holz aus dem"
    " nahen Wald geflickt, und wie man die schweren Steine schärft, brachten sie sich selbst"
    " bei. An den meisten Tagen hört man jetzt schon von weitem das Wasser, ehe man das Haus"
    " hinter den Weiden sieht. Brot aus ihrem Mehl wird auf dem Hof verkauft, und wer früh"
    " kommt, darf zusehen, wie das Korn in den Trichter läuft.",
    "fr": "Le vieux moulin au bord du village est resté fermé pendant presque trente ans avant"
    " qu'un groupe de voisins ne décide de l'acheter ensemble. Ils ont réparé la roue avec du"
    " bois de la forêt toute proche et ont appris seuls à tailler les lourdes meules. Le"
    " matin, on entend désormais l'eau bien avant de voir la maison cachée derrière les"
    " saules. Le pain de sa farine est vendu dans la cour, et ceux qui viennent tôt peuvent"
    " regarder comment le grain tombe.",
    "es": "El viejo molino al borde del pueblo estuvo cerrado durante casi treinta años antes de"
    " que un grupo de vecinos lo comprara entre todos. Repararon la rueda con madera del"
    " bosque cercano y aprendieron solos a picar las pesadas piedras del interior. Por la"
    " mañana se oye ahora el agua mucho antes de ver la casa escondida detrás de los sauces."
    " El pan de su harina se vende en el patio, y quien llega temprano puede mirar cómo cae el"
    " grano en la tolva.",
    "it": "Il vecchio mulino ai margini del paese è rimasto chiuso per quasi trent'anni prima che"
    " un gruppo di vicini lo comprasse tutto insieme. Hanno riparato la ruota con il legno del"
    " bosco vicino e hanno imparato da soli a battere le pesanti macine. Al mattino si sente"
    " ormai l'acqua molto prima di vedere la casa nascosta dietro i salici. Il pane della sua"
    " farina si vende nel cortile, e chi arriva presto può guardare come il grano scende nella"
    " tramoggia.",
    "pt": "O velho moinho à beira da aldeia ficou fechado durante quase trinta anos antes de um"
    " grupo de vizinhos o comprar em conjunto. Consertaram a roda com madeira da floresta mais"
    " próxima e aprenderam sozinhos a picar as pesadas mós de pedra. De manhã ouve-se agora a"
    " água muito antes de ver a casa escondida atrás dos salgueiros. O pão da sua farinha"
    " vende-se no pátio, e quem chega cedo pode olhar como o grão cai devagar na tremonha.",
    "nl": "De oude molen aan de rand van het dorp stond bijna dertig jaar leeg voordat een groep"
    " buren hem samen kocht en weer opknapte. Het rad werd hersteld met hout uit het bos"
    " vlakbij, en hoe je de zware stenen scherpt, leerden ze zichzelf. Op de meeste ochtenden"
    " hoor je nu het water al lang voordat je het huis achter de wilgen ziet. Brood van het"
    " meel wordt op het erf verkocht, en wie vroeg komt mag zien hoe het graan in de trechter"
    " loopt.",
}


def page(language: str) -> str:
    """The text of a page in the language."""
    return _PAGES[primary_subtag(language)]


def pages(language: str) -> tuple[Source, ...]:
    """Three sources of a post: that page, and two that have nothing to do with it."""
    tag = primary_subtag(language)
    one, other = [code for code in _PAGES if code != tag][:2]
    return tuple(
        Source(f"https://{code}.example/a", f"{code}.example", "", _PAGES[code], code, _READ, _READ)
        for code in (one, tag, other)
    )
