"""Spanish. Flesch after Fernández Huerta."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="es",
    flesch=(206.84, 1.02, 60.0),
    long_sentence=25,
    transitions=Phrases(
        """
# addition
además|además de|asimismo|también|tampoco|por otra parte|por otro lado|por añadidura|es más|más aún
aparte de eso|de igual modo|al mismo tiempo|así como|sin olvidar|por si fuera poco
# contrast
pero|sin embargo|no obstante|en cambio|por el contrario|al contrario|sino|sino que|mientras que
a diferencia de|en contraste|en contraste con|en vez de|en lugar de|de lo contrario|de otro modo
por un lado|por una parte|a la inversa|más bien|antes bien|ahora bien
# concession
aunque|aun cuando|aun así|a pesar de|a pesar de que|a pesar de ello|a pesar de todo|pese a
pese a que|pese a todo|si bien|con todo|así y todo|de todas formas|de todos modos|en todo caso
en cualquier caso|por más que|por mucho que|sea como fuere|es cierto que|dicho esto
al fin y al cabo|después de todo
# cause
porque|ya que|puesto que|dado que|pues|debido a|debido a que|a causa de|gracias a|por esta razón
por esa razón|por estas razones|por este motivo|por ese motivo|en vista de|en vista de que
teniendo en cuenta que|a raíz de|en virtud de
# consequence
por lo tanto|por tanto|por consiguiente|en consecuencia|como consecuencia|como resultado|así que
así pues|de ahí que|por eso|por ello|de modo que|de manera que|de forma que|con lo cual|por lo cual
por lo que|de este modo|de esta manera|de esta forma|entonces|de ello se deduce
# condition
si|siempre que|siempre y cuando|a condición de que|con tal de que|a menos que|a no ser que
en caso de que|en ese caso|en tal caso|de ser así|si no|por si acaso|suponiendo que
en el supuesto de que|salvo que|salvo si
# time and order
primeramente|en primer lugar|en segundo lugar|en tercer lugar|en último lugar|ante todo
antes que nada|para empezar|para comenzar|luego|después|después de eso|a continuación|acto seguido
seguidamente|más tarde|más adelante|posteriormente|finalmente|por último|por fin|al final
al principio|inicialmente|mientras|mientras tanto|entretanto|simultáneamente|antes de que
anteriormente|previamente|hasta que|hasta ahora|hasta entonces|desde que|desde entonces
a partir de entonces|en cuanto|tan pronto como|una vez que|a la vez|a medida que|poco después
# example
por ejemplo|como por ejemplo|a modo de ejemplo|tales como|en particular|en concreto|concretamente
particularmente|específicamente|a saber|entre otras cosas|para ilustrar|pongamos por caso
# emphasis
sobre todo|especialmente|en especial|de hecho|en efecto|efectivamente|sin duda|sin lugar a dudas
indudablemente|por supuesto|desde luego|evidentemente|ciertamente|cabe destacar|cabe señalar
hay que destacar|principalmente
# comparison
del mismo modo|de la misma manera|de la misma forma|de igual manera|igualmente|de modo similar
de manera similar|igual que|al igual que|como si|en comparación|en comparación con|comparado con
# summary
en conclusión|para concluir|en resumen|para resumir|resumiendo|en suma|en síntesis|en definitiva
en pocas palabras|en una palabra|en otras palabras|dicho de otro modo|es decir|o sea|esto es
mejor dicho|en general|por lo general|en conjunto|a fin de cuentas|en última instancia
# purpose
para que|a fin de|a fin de que|con el fin de|con el fin de que|con el objetivo de
con el propósito de|con vistas a|con miras a|a este fin|para ello|no sea que
# in pairs
no solo … sino también|no solo … sino que|no sólo … sino también|tanto … como|ni … ni
o bien … o bien|por un lado … por otro|por una parte … por otra|tan … que|tanto … que|si … entonces
primero … después|cuanto más … más
""",
        opening="primero|segundo|ahora",
    ),
    passive=Passive(
        auxiliaries=one_of(
            "es son era eran fue fueron será serán sería serían sido ser siendo sea sean fuera fueran"
        ),
        participle=re.compile(
            r"\w{2,}(?:ad|id)[oa]s?"
            r"|(?:abiert|cubiert|descubiert|dich|escrit|descrit|inscrit|hech|deshech|impres|muert"
            r"|puest|propuest|compuest|dispuest|expuest|impuest|resuelt|devuelt|vist|previst|rot"
            r"|satisfech)[oa]s?"
        ),
        not_participles=one_of(
            "lado lados cada estado estados mercado sábado vida vidas comida comidas medida medidas"
            " bebida bebidas salida nada demasiado demasiada grado grados entrada entradas"
            " adecuado adecuada adecuados adecuadas resultado resultados cuidado ácido ácida rápido"
            " rápida rápidos rápidas sólido sólida líquido líquida válido válida"
            " cantidad sentido delicado delicada"
        ),
        between=one_of("que cuando donde si porque y o pero mientras aunque como quien cual"),
        before=one_of("el la los las un una unos unas muy más tan su sus este esta del de al"),
    ),
    articles=one_of(
        "el la los las un una unos unas uno dos tres cuatro cinco seis siete ocho nueve diez este"
        " esta estos estas ese esa"
    ),
    self_reference=either(
        "artículo|post|blog|texto|esta guía|esta entrada|esta publicación",
        r"""
\ben (?:este|el siguiente|el presente) (?:artículo|post|blog|texto)\b
\ben esta (?:guía|entrada|publicación)\b
\b(?:este artículo|este post|esta guía|esta entrada|el artículo) (?:presenta|explora|explica|aborda|describe|trata|ofrece|te|le)\b
"""
    ),
    assistant=either(
        """
como ia|como un ia|como una ia|inteligencia artificial|modelo de lenguaje|asistente virtual
asistente de ia|soy ia|soy un ia|soy una ia|claro|por supuesto|desde luego|con gusto|aquí ti
aquí está|aquí va|espero que|hazme saber|házmelo saber|hágame saber|mis datos
""",
        r"""
\bcomo (?:una? )?(?:IA|inteligencia artificial|modelo de lenguaje|asistente (?:virtual|de IA))\b(?:,|[^.!?\n]{0,40}\b(?:puedo|tengo|soy|me|mis?)\b)
\bsoy (?:una? )?(?:IA|inteligencia artificial|modelo de lenguaje|asistente virtual)\b
^[ \t]{0,20}¡?(?:Claro|Por supuesto|Desde luego|Con gusto)\s*[,!.]\s*(?:aquí|a continuación|te|le)\b
\baquí (?:tienes|tiene|está|va) (?:un|una|el|la|tu|su) (?:\w{1,40} ){0,3}(?:párrafo|introducción|conclusión|artículo|borrador|metadescripción)\b
\bespero que (?:esto|te|le) (?:te |le )?(?:ayude|sirva|sea útil)\b
\b(?:hazme|házmelo|hágame) saber\b
\bmis datos de entrenamiento\b
"""
    ),
    task_talk=either(
        "este párrafo",
        r"""
\beste párrafo\b
"""
    ),
    placeholder=either(
        "[|<|{",
        r"""
[\[<{]\s*(?:insertar|inserte|inserta|tu|su|nombre|empresa|marca|producto|fecha|ciudad|tema|autor|añadir|agregar)\b[^\]>}\n]{0,200}[\]>}]
"""
    ),
    unfinished=re.compile(
        r"(?:^|\s)(?:y|o|el|la|los|las|un|una|porque|pero|que|de)(?:…|\.{2,})$", re.IGNORECASE
    ),
    empty_headings=frozenset(
        {"introducción", "conclusión", "conclusiones", "resumen", "preguntas frecuentes"}
    ),
)  # fmt: skip
