"""Portuguese. Flesch after Martins and others."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="pt_BR",
    flesch=(248.835, 1.015, 84.6),
    long_sentence=25,
    transitions=Phrases(
        """
# addition
além disso|além do mais|ademais|também|tampouco|bem como|assim como|igualmente|por outro lado
ainda por cima|mais ainda|adicionalmente|juntamente com|sem esquecer|para além disso|aliás
outrossim
# contrast
mas|porém|contudo|todavia|entretanto|no entanto|pelo contrário|ao contrário|ao contrário de
em contrapartida|em contraste|enquanto que|ao passo que|diferentemente de|em vez de|ao invés de
caso contrário|de outro modo|por um lado|inversamente|antes pelo contrário|em alternativa
# concession
embora|ainda que|mesmo que|mesmo assim|ainda assim|apesar de|apesar disso|apesar de tudo
não obstante|se bem que|conquanto|por mais que|de qualquer forma|de qualquer modo
de qualquer maneira|em todo caso|seja como for|pelo menos|é verdade que|dito isso|dito isto
afinal de contas|posto que
# cause
porque|pois|já que|visto que|uma vez que|dado que|porquanto|devido a|em razão de|por causa de
graças a|em virtude de|por essa razão|por esse motivo|por estas razões|tendo em vista que
considerando que|na sequência de
# consequence
portanto|por isso|por conseguinte|consequentemente|como consequência|como resultado|assim sendo
sendo assim|dessa forma|desta forma|desse modo|deste modo|dessa maneira|desta maneira|de modo que
de maneira que|de forma que|daí que|é por isso que|pelo que|segue-se que
# condition
caso|desde que|contanto que|a menos que|a não ser que|exceto se|no caso de|nesse caso|neste caso
supondo que|com a condição de que|sempre que|se assim for|na medida em que
# time and order
em primeiro lugar|em segundo lugar|em terceiro lugar|em último lugar|primeiramente|antes de tudo
antes de mais nada|para começar|inicialmente|a princípio|no início|depois|depois disso|em seguida
a seguir|logo depois|logo em seguida|posteriormente|mais tarde|finalmente|por fim|por último
para terminar|enfim|no final|enquanto|enquanto isso|nesse meio tempo|simultaneamente|ao mesmo tempo
antes que|anteriormente|previamente|até que|até agora|até então|desde então|a partir de então
assim que|logo que|à medida que|pouco depois|doravante
# example
por exemplo|como por exemplo|a título de exemplo|tais como|em particular|em especial
particularmente|especificamente|nomeadamente|a saber|entre outras coisas|para ilustrar
mais precisamente
# emphasis
sobretudo|acima de tudo|especialmente|principalmente|de fato|de facto|com efeito|efetivamente
sem dúvida|certamente|evidentemente|obviamente|naturalmente|na verdade|vale destacar|vale ressaltar
importa salientar
# comparison
da mesma forma|do mesmo modo|da mesma maneira|de igual modo|de igual forma|de modo semelhante
analogamente|como se|em comparação|em comparação com|comparado com|à semelhança de
# summary
em conclusão|para concluir|em resumo|resumindo|para resumir|em suma|em síntese|em poucas palavras
numa palavra|em outras palavras|por outras palavras|ou seja|isto é|quer dizer|em geral
de modo geral|no conjunto|em última análise|no fim das contas|ao fim e ao cabo
# purpose
para que|a fim de|a fim de que|com o objetivo de|com o propósito de|com o intuito de|com vistas a
para isso|para esse fim|de modo a|de forma a
# in pairs
não só … mas também|não apenas … mas também|tanto … como|nem … nem|quer … quer|seja … seja
por um lado … por outro|por um lado … por outro lado|tão … que|tanto … que|se … então
primeiro … depois|quanto mais … mais|tão … quanto
""",
        opening="assim|então|logo|primeiro|segundo|agora",
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
