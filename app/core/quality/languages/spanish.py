"""Spanish. Flesch after Fernández Huerta."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="es",
    flesch=(206.84, 1.02, 60.0),
    long_sentence=25,
    transitions=Phrases(
        """
además|adicionalmente|ahora bien|al contrario|al fin y al cabo|al final|al inicio|al mismo tiempo
al principio|anteriormente|antes|antes de|antes que nada|aparte de|así|así mismo|así pues|así que
asimismo|aun así|aunque|básicamente|bien|cabe destacar|claro que|como|como consecuencia
como resultado|comparado con|con esto en mente|con respecto a|con tal de|consecuentemente
contrariamente|cuando|dado que|de ahí que|de cualquier manera|de esta forma|de esta manera
de hecho|de igual forma|de igual manera|de la misma forma|de la misma manera|de lo contrario
de manera que|de modo que|de otra forma|de todas formas|de tal manera|debido a|del mismo modo
dentro de poco|desde entonces|desde luego|después|durante|efectivamente|en absoluto|en cambio
en caso de|en comparación|en conclusión|en concreto|en consecuencia|en cualquier caso
en cuanto a|en definitiva|en efecto|en ese caso|en este caso|en fin|en general|en lugar de
en otras palabras|en particular|en primer lugar|en principio|en realidad|en resumen
en resumidas cuentas|en segundo lugar|en síntesis|en suma|en tanto que|en tercer lugar
en todo caso|en último lugar|en vez de|en vista de|entonces|entretanto|es decir|especialmente
específicamente|esto es|evidentemente|excepto|finalmente|frente a|generalmente|gracias a
hasta que|hasta|igualmente|inicialmente|incluso|independientemente|inmediatamente|junto con
lo que es más|luego|mas|más tarde|mejor dicho|mientras|mientras que|mientras tanto|naturalmente
no obstante|o sea|obviamente|ocasionalmente|para concluir|para empezar|para que|para resumir
para terminar|particularmente|pero|pese a|por ahora|por cierto|por consiguiente|por ejemplo
por el contrario|por ende|por esa razón|por eso|por esta razón|por esto|por lo general|por lo tanto
por último|por otra parte|por otro lado|por supuesto|por tanto|por un lado|por una parte|porque
posteriormente|previamente|primero|principalmente|pues|puesto que|segundo|según|si|si bien
siempre que|sin duda|sin embargo|sin|sino|sobre todo|también|tampoco|tan pronto como|tercero
todavía|tras|ya que|a causa de|a continuación|a diferencia de|a fin de|a menos que|a menudo
a pesar de|a saber|a su vez|acto seguido|ante todo|a partir de
ni … ni|no solo … también|no solo … sino|o … o
"""
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
