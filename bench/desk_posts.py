"""Good posts to plant defects into: some from the scripted writer, some written by hand."""

from collections.abc import Iterator

from app.core.checks import keyword_coverage
from app.core.planning.brief import Brief, make_brief
from app.core.schemas.post import CoverageNotes, Faq, Meta, Outline, Section, SectionType, SEOPost
from app.core.schemas.request import parse_generate_request
from app.core.writing.completion import Completion, Prompt
from app.core.writing.draft import slug
from app.deadline import Deadline
from app.ports import Model
from app.services.pipeline import Writers, write_post
from tests.support.scripted_writer import scripted

_SUBJECTS = (
    ("cold brew coffee", "burr grinder"), ("raised garden beds",), ("bike commuting",),
    ("home harness lighting", "desk lamp"), ("sourdough starter",), ("emergency fund",),
    ("password manager",), ("indoor plants", "low light"), ("running shoes",), ("meal planning",),
)  # fmt: skip
_SIZES = (
    {"maxWords": 500, "includeFAQs": True},
    {"minWords": 350, "maxWords": 700, "includeFAQs": True},
    {"minWords": 800, "maxWords": 1100, "includeFAQs": True},
)


class ScriptedWriter(Model):
    """The model of the tests, asked without a network."""

    concurrency = 1
    name = "scripted"

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        return scripted(prompt)

    def ping(self) -> None:
        """Always there."""


def good_posts() -> Iterator[tuple[SEOPost, Brief]]:
    seed = 0
    for size in _SIZES:
        for keywords in _SUBJECTS:
            seed += 1
            request = parse_generate_request({"keywords": list(keywords), "constraints": size})
            brief = make_brief(request, max_words=request.constraints.max_words or 1200)
            yield (
                write_post(Writers(ScriptedWriter(), seed=seed), brief, deadline=Deadline(60)).post,
                brief,
            )
    for language, keyword, title, description, parts in _BY_HAND:
        yield _by_hand(language, keyword, title, description, parts)


def _by_hand(
    language: str, keyword: str, title: str, description: str, parts: tuple[str, ...]
) -> tuple[SEOPost, Brief]:
    introduction, *bodies, question, answer, conclusion = parts
    brief = Brief(
        keywords=(keyword,), language=language, min_words=60, max_words=400, target_words=150,
        sections=(1, 12), intro_sentences=2, conclusion_sentences=2, faqs=1,
    )  # fmt: skip
    pairs = list(zip(bodies[::2], bodies[1::2], strict=True))
    sections = (
        Section(type=SectionType.INTRODUCTION, content_markdown=introduction),
        *(Section(type=SectionType.BODY, heading=h, content_markdown=text) for h, text in pairs),
        Section(type=SectionType.FAQ, heading="FAQ"),
        Section(type=SectionType.CONCLUSION, content_markdown=conclusion),
    )
    post = SEOPost(
        title=title,
        slug_suggestion=slug(title),
        meta=Meta(description=description, primary_keyword=keyword),
        outline=Outline(h1=title, h2=tuple(heading for heading, _ in pairs)),
        sections=sections,
        faqs=(Faq(question=question, answer=answer),),
        conclusion=conclusion,
        coverage_notes=CoverageNotes(keyword_coverage=()),
    )
    notes = CoverageNotes(keyword_coverage=keyword_coverage(post, brief))
    return post.model_copy(update={"coverage_notes": notes}), brief


_BY_HAND: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    (
        "en",
        "rain barrel",
        "A rain barrel that lasts for years",
        "A rain barrel saves water and money in any garden. Learn where to put it, how to keep it"
        " clean and what to do before the first frost.",
        (
            "A rain barrel catches what the roof would send down the drain. Plants like the soft"
            " water, and the meter stands still while you use it.",
            "Where the rain barrel should stand",
            "Put it under the downpipe on a base of flat stones, because a full one weighs as much"
            " as three people. A raised barrel also fills a can by itself. Shade keeps algae away.",
            "How to keep the water clean",
            "First, fix a fine mesh over the inlet, so that leaves and gnats stay out. Then rinse"
            " the barrel every autumn. A drop of oil is no remedy, and it harms the plants.",
            "Can I drink the water?",
            "No, not even after boiling it, since roofs collect dirt and metals.",
            "Set the barrel up before the next shower, and cover it well. Your plants will thank"
            " you all summer long.",
        ),
    ),
    (
        "de",
        "Regentonne",
        "Eine Regentonne, die viele Jahre hält",
        "Eine Regentonne spart Wasser und Geld in jedem Garten. So finden Sie den richtigen Platz,"
        " halten sie sauber und bringen sie gut durch den Winter.",
        (
            "Eine Regentonne fängt auf, was sonst vom Dach in den Kanal läuft. Die Pflanzen mögen"
            " das weiche Wasser, und der Zähler steht dabei still.",
            "Wo die Regentonne stehen soll",
            "Stellen Sie die Tonne unter das Fallrohr auf flache Steine, denn voll ist sie sehr"
            " schwer. Außerdem füllt eine erhöhte Tonne die Kanne von allein. Schatten hält die"
            " Algen fern.",
            "So bleibt das Wasser sauber",
            "Zuerst kommt ein feines Netz über den Zulauf, damit Laub und Mücken draußen bleiben."
            " Danach spült man die Tonne in jedem Herbst aus.",
            "Kann man das Wasser trinken?",
            "Nein, auch nicht abgekocht, weil auf Dächern Schmutz und Metalle liegen.",
            "Stellen Sie die Tonne vor dem nächsten Schauer auf und decken Sie sie gut ab. Ihre"
            " Pflanzen danken es Ihnen den ganzen Sommer.",
        ),
    ),
    (
        "fr",
        "récupérateur d'eau",
        "Un récupérateur d'eau fait pour durer",
        "Un récupérateur d'eau économise l'eau et l'argent dans tous les jardins. Voyez où le"
        " poser, comment le garder propre et que faire avant le gel.",
        (
            "Un récupérateur d'eau garde ce que le toit enverrait à l'égout. Les plantes aiment"
            " cette eau douce, et le compteur ne tourne pas pendant ce temps.",
            "Où poser le récupérateur d'eau",
            "Posez la cuve sous la descente, sur des pierres plates, car pleine elle pèse lourd."
            " De plus, une cuve surélevée remplit l'arrosoir toute seule. L'ombre éloigne les"
            " algues.",
            "Garder une eau propre",
            "D'abord, fixez un filet fin sur l'arrivée pour que les feuilles restent dehors."
            " Ensuite, rincez la cuve chaque automne avec un simple jet.",
            "Peut-on boire cette eau ?",
            "Non, même bouillie, parce que les toits portent des saletés et des métaux.",
            "Installez la cuve avant la prochaine averse et couvrez-la bien. Vos plantes vous"
            " diront merci tout l'été.",
        ),
    ),
    (
        "es",
        "barril de lluvia",
        "Un barril de lluvia que dura muchos años",
        "Un barril de lluvia ahorra agua y dinero en cualquier jardín. Aprende dónde ponerlo, cómo"
        " mantenerlo limpio y qué hacer antes de las heladas.",
        (
            "Un barril de lluvia guarda lo que el tejado mandaría al desagüe. A las plantas les"
            " gusta esa agua blanda, y mientras tanto el contador no se mueve.",
            "Dónde poner el barril de lluvia",
            "Ponlo bajo la bajante sobre piedras planas, porque lleno pesa mucho. Además, un barril"
            " elevado llena la regadera por sí solo. La sombra aleja las algas.",
            "Cómo mantener el agua limpia",
            "Primero, coloca una malla fina en la entrada para que las hojas queden fuera. Después,"
            " enjuaga el barril cada otoño con una manguera.",
            "¿Se puede beber el agua?",
            "No, ni siquiera hervida, porque los tejados acumulan suciedad y metales.",
            "Monta el barril antes del próximo chaparrón y tápalo bien. Tus plantas te lo"
            " agradecerán todo el verano.",
        ),
    ),
    (
        "it",
        "botte per la pioggia",
        "Una botte per la pioggia che dura negli anni",
        "Una botte per la pioggia fa risparmiare acqua e denaro in ogni giardino. Ecco dove"
        " metterla, come tenerla pulita e cosa fare prima del gelo.",
        (
            "Una botte per la pioggia raccoglie ciò che il tetto manderebbe nello scarico. Alle"
            " piante piace quell'acqua dolce, e intanto il contatore resta fermo.",
            "Dove mettere la botte per la pioggia",
            "Mettila sotto il pluviale su pietre piatte, perché piena pesa molto. Inoltre, una"
            " botte rialzata riempie l'annaffiatoio da sola. L'ombra tiene lontane le alghe.",
            "Come tenere pulita l'acqua",
            "Prima fissa una rete fine sull'ingresso, così le foglie restano fuori. Poi sciacqua la"
            " botte ogni autunno con un getto semplice.",
            "Si può bere quest'acqua?",
            "No, nemmeno bollita, perché i tetti raccolgono sporco e metalli.",
            "Monta la botte prima del prossimo acquazzone e coprila bene. Le tue piante ti"
            " ringrazieranno per tutta l'estate.",
        ),
    ),
    (
        "pt-BR",
        "barril de chuva",
        "Um barril de chuva que dura muitos anos",
        "Um barril de chuva poupa água e dinheiro em qualquer jardim. Veja onde colocar, como"
        " manter tudo limpo e o que fazer antes das primeiras geadas.",
        (
            "Um barril de chuva guarda o que o telhado mandaria para o ralo. As plantas gostam"
            " dessa água macia, e enquanto isso o relógio não anda.",
            "Onde colocar o barril de chuva",
            "Ponha o barril debaixo da calha sobre pedras planas, pois cheio ele pesa muito. Além"
            " disso, um barril elevado enche o regador sozinho. A sombra afasta as algas.",
            "Como manter a água limpa",
            "Primeiro, prenda uma tela fina na entrada para que as folhas fiquem fora. Depois,"
            " enxágue o barril a cada outono com um jato simples.",
            "Dá para beber essa água?",
            "Não, nem fervida, porque os telhados juntam sujeira e metais.",
            "Monte o barril antes da próxima chuva e tampe bem. Suas plantas vão agradecer durante"
            " o verão inteiro.",
        ),
    ),
    (
        "nl",
        "regenton",
        "Een regenton die jaren meegaat in de tuin",
        "Een regenton bespaart water en geld in elke tuin. Lees waar je hem zet, hoe je hem schoon"
        " houdt en wat je doet voordat de eerste vorst komt.",
        (
            "Een regenton vangt op wat het dak anders naar het riool stuurt. Planten houden van dat"
            " zachte water, en intussen staat de meter stil.",
            "Waar de regenton moet staan",
            "Zet de ton onder de regenpijp op platte stenen, want vol weegt hij veel. Bovendien"
            " vult een hoge ton de gieter vanzelf. Schaduw houdt de algen weg.",
            "Zo blijft het water schoon",
            "Eerst komt er een fijn net over de inlaat, zodat bladeren buiten blijven. Daarna spoel"
            " je de ton elke herfst met een gewone straal.",
            "Kun je het water drinken?",
            "Nee, ook niet gekookt, omdat daken vuil en metalen verzamelen.",
            "Zet de ton neer voor de volgende bui en dek hem goed af. Je planten zullen je de hele"
            " zomer dankbaar zijn.",
        ),
    ),
)
