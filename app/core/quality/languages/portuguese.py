"""Portuguese. Flesch after Martins and others."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="pt_BR",
    flesch=(248.835, 1.015, 84.6),
    long_sentence=25,
    transitions=Phrases(
        """
a fim de|a menos que|a não ser que|a partir de|a princípio|a propósito|a saber|à medida que
acima de tudo|além disso|além do mais|além de|ainda|ainda assim|ainda que|afinal|agora|ao contrário
ao invés de|ao mesmo tempo|ao passo que|antes|antes de|antes de mais nada|após|apesar de|assim
assim como|assim que|até|até agora|até que|bem como|caso|certamente|claro|com certeza|com efeito
com isso|com o intuito de|com o objetivo de|como|como resultado|comparado com|conforme
consequentemente|contanto que|contudo|da mesma forma|da mesma maneira|de acordo com|de fato
de forma que|de maneira que|de modo geral|de modo que|de qualquer forma|de repente|de tal forma
depois|desde|desde que|desse modo|dessa forma|dessa maneira|devido a|diferentemente|do mesmo modo
do contrário|durante|e então|em breve|em comparação|em conclusão|em consequência|em contrapartida
em contraste|em geral|em outras palavras|em particular|em primeiro lugar|em princípio
em razão de|em resumo|em segundo lugar|em seguida|em síntese|em suma|em terceiro lugar
em último lugar|em vez de|em vista de|embora|enfim|enquanto|enquanto isso|entretanto|então
especialmente|eventualmente|exceto|finalmente|frequentemente|geralmente|graças a|igualmente
imediatamente|inclusive|independentemente|inicialmente|isto é|já|já que|junto com|justamente|logo
mais tarde|mas|mas também|mesmo assim|mesmo que|na verdade|na realidade|não obstante|naturalmente
nesse caso|neste caso|nesse sentido|no entanto|no fim|no geral|no início|normalmente|ocasionalmente
obviamente|ou seja|para concluir|para começar|para que|para resumir|para tanto|particularmente
pelo contrário|pois|por causa de|por conseguinte|por consequência|por exemplo|por fim|por isso
por outro lado|por sua vez|por último|por um lado|porém|porque|portanto|posteriormente|pouco depois
previamente|primeiramente|primeiro|principalmente|quando|quanto a|quer dizer|salvo|se|se bem que
segundo|sem|sem dúvida|sem falar|sempre que|senão|sendo assim|similarmente|simultaneamente|só que
sobretudo|somente se|tal como|também|tampouco|tanto quanto|todavia|ultimamente|uma vez que|visto que
nem … nem|não só … também|não apenas … também|ou … ou|seja … seja
"""
    ),
    passive=Passive(
        auxiliaries=one_of(
            "é são era eram foi foram será serão seria seriam sido ser sendo seja sejam fosse fossem"
            " for forem"
        ),
        participle=re.compile(
            r"\w{2,}(?:ad|íd|id)[oa]s?"
            r"|(?:abert|cobert|descobert|dit|escrit|descrit|feit|desfeit|vist|previst|post|propost"
            r"|compost|dispost|expost|impost|ganh|gast|pag|aceit|entregue|eleit|impress|suspens)[oa]s?"
        ),
        not_participles=one_of(
            "lado lados cada estado estados mercado mercados sábado vida vidas comida comidas medida"
            " medidas bebida bebidas saída nada demasiado grado entrada entradas adequado adequada"
            " adequados adequadas resultado resultados cuidado ácido ácida rápido rápida rápidos"
            " rápidas sólido sólida líquido líquida válido válida sentido delicado delicada"
            " todo toda"
        ),
        between=one_of("que quando onde se porque e ou mas enquanto embora como quem"),
        before=one_of("o a os as um uma uns umas muito mais tão seu sua este esta do da de ao"),
    ),
    articles=one_of(
        "o a os as um uma uns umas dois duas três quatro cinco seis sete oito nove dez este esta"
        " estes estas esse essa"
    ),
    self_reference=either(
        "artigo|post|texto|blog|guia|nesta p",
        r"""
\b(?:neste|nesse|no seguinte|no presente) (?:artigo|post|texto|blog|guia)\b
\bnesta (?:publicação|postagem|página)\b
\b(?:este artigo|este post|este guia|o artigo) (?:apresenta|explora|explica|aborda|descreve|trata|oferece|vai)\b
"""
    ),
    assistant=either(
        """
como ia|como um ia|como uma ia|inteligência artificial|modelo de linguagem|assistente virtual
assistente de ia|sou ia|sou um ia|sou uma ia|claro|certamente|com certeza|com prazer|aqui está
segue|eis|espero que|me avise se|avise-me se|diga-me se|meus dados
""",
        r"""
\bcomo (?:uma? )?(?:IA|inteligência artificial|modelo de linguagem|assistente (?:virtual|de IA))\b(?:,|[^.!?\n]{0,40}\b(?:posso|tenho|sou|me|meus?)\b)
\bsou (?:uma? )?(?:IA|inteligência artificial|modelo de linguagem|assistente virtual)\b
^[ \t]{0,20}(?:Claro|Certamente|Com certeza|Com prazer)\s*[,!.]\s*(?:aqui|segue|vou)\b
\b(?:aqui está|segue|eis) (?:um|uma|o|a|seu|sua) (?:\w{1,40} ){0,3}(?:parágrafo|introdução|conclusão|artigo|rascunho|meta descrição)\b
\bespero que (?:isso|isto|te|lhe) (?:te |lhe )?(?:ajude|seja útil|sirva)\b
\b(?:me avise se|avise-me se|diga-me se)\b
\bmeus dados de treinamento\b
"""
    ),
    task_talk=either(
        "este parágrafo",
        r"""
\beste parágrafo\b
"""
    ),
    placeholder=either(
        "[|<|{",
        r"""
[\[<{]\s*(?:inserir|insira|seu|sua|o seu|nome|empresa|marca|produto|data|cidade|tema|autor|adicionar|adicione)\b[^\]>}\n]{0,200}[\]>}]
"""
    ),
    unfinished=re.compile(
        r"(?:^|\s)(?:e|ou|o|a|os|as|um|uma|porque|mas|que|de)(?:…|\.{2,})$", re.IGNORECASE
    ),
    empty_headings=frozenset(
        {"introdução", "conclusão", "resumo", "perguntas frequentes", "considerações finais"}
    ),
)  # fmt: skip
