"""French. Flesch after Kandel and Moles."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="fr",
    flesch=(207.0, 1.015, 73.6),
    long_sentence=20,
    transitions=Phrases(
        """
# addition
de plus|en plus|en outre|par ailleurs|d'ailleurs|également|aussi|ainsi que|de surcroît|qui plus est
à cela s'ajoute|sans oublier|sans compter|de même que|voire|mieux encore
# contrast
mais|cependant|toutefois|pourtant|or|en revanche|par contre|au contraire|à l'inverse|inversement
à l'opposé|contrairement à|tandis que|alors que|au lieu de|plutôt que|sinon|autrement|d'une part
d'autre part|d'un côté|d'un autre côté|à la différence de|par opposition à
# concession
néanmoins|malgré|malgré tout|malgré cela|bien que|quoique|même si|en dépit de|quand même
tout de même|il n'en reste pas moins|il n'empêche que|certes|quand bien même|encore que
quoi qu'il en soit|en tout cas|de toute façon|en tout état de cause|du moins|nonobstant
il est vrai que|cela dit|ceci dit|toujours est-il que
# cause
parce que|car|puisque|étant donné que|étant donné|vu que|du fait que|en raison de|à cause de
grâce à|faute de|en effet|sous prétexte que|pour cette raison|pour ces raisons|d'autant que
d'autant plus que|compte tenu de|dès lors que|dans la mesure où|en vertu de
# consequence
donc|ainsi|par conséquent|en conséquence|c'est pourquoi|voilà pourquoi|c'est pour cela que
de ce fait|dès lors|de sorte que|si bien que|de telle sorte que|de manière que|de façon que|d'où
par là même|il s'ensuit que|il en résulte que|en définitive
# condition
si|à condition que|à condition de|pourvu que|à moins que|à moins de|au cas où|dans le cas où
en supposant que|dans ce cas|le cas échéant|sans quoi|sauf si|tant que|dans ces conditions
sous réserve que
# time and order
d'abord|tout d'abord|en premier lieu|en second lieu|en dernier lieu|premièrement|deuxièmement
troisièmement|ensuite|puis|après|après cela|enfin|finalement|pour finir|pour commencer|avant tout
avant que|après que|dès que|aussitôt que|lorsque|quand|pendant que|pendant ce temps|entre-temps
au même moment|en même temps|simultanément|jusqu'à ce que|jusqu'à présent|jusque-là|jusqu'ici
depuis lors|dorénavant|désormais|auparavant|par la suite|plus tard|au préalable|préalablement
au début|à la fin|dans un premier temps|dans un second temps|peu après|une fois que|à ce moment-là
# example
par exemple|notamment|en particulier|à titre d'exemple|tel que|à savoir|entre autres|pour illustrer
plus précisément|plus particulièrement|autrement dit
# emphasis
surtout|de fait|effectivement|assurément|sans aucun doute|sans nul doute|sans doute|bien entendu
bien sûr|évidemment|certainement|il faut souligner que|il convient de noter que|en fait|à vrai dire
à plus forte raison|force est de constater
# comparison
de la même manière|de la même façon|pareillement|comme si|tout comme|à l'instar de|par rapport à
en comparaison|comparé à
# summary
en conclusion|pour conclure|en résumé|pour résumer|en bref|bref|en somme|somme toute|au final
tout compte fait|tout bien considéré|en un mot|en d'autres termes|c'est-à-dire|en général
dans l'ensemble|globalement|en fin de compte
# purpose
afin de|afin que|pour que|de peur que|de crainte que|dans le but de|en vue de|à cette fin
à cet effet|dans ce but|de manière à|de façon à
# in pairs
non seulement … mais aussi|non seulement … mais encore|non seulement … mais également|ni … ni
soit … soit|ou bien … ou bien|tantôt … tantôt|d'une part … d'autre part|d'un côté … de l'autre
certes … mais|si … alors|tellement … que|à peine … que|plus … plus|moins … moins|autant … autant
""",
        opening="alors|maintenant",
    ),
    passive=Passive(
        auxiliaries=one_of(
            "est sont était étaient fut furent sera seront serait seraient été être étant soit"
            " soient suis sommes êtes es n'est n'était c'est s'est"
        ),
        participle=re.compile(
            r"\w{2,}(?:é|ée|és|ées)|(?:re|dé|sur|en|sou|com|ap|per|sur)?(?:fait|mis|pris)(?:e|es|s)?"
            r"|(?:dit|écrit|décrit|inscrit|prescrit|produit|construit|conduit|réduit|traduit|détruit"
            r"|ouvert|couvert|offert|découvert|servi|fini|choisi|fourni|garanti|réuni|établi|défini"
            r"|vu|connu|reconnu|vendu|rendu|perdu|reçu|conçu|prévu|retenu|obtenu|tenu|lu|élu|attendu"
            r"|répandu|exclu|inclus|requis|acquis|admis|soumis|permis|transmis|peint|atteint|joint)"
            r"(?:e|es|s)?"
        ),
        not_participles=one_of(
            "année années journée soirée idée idées allé allée allés allées arrivé arrivée arrivés"
            " arrivées resté restée restés restées tombé tombée tombés né née nés nées entré rentré"
            " passé passée retourné monté qualité quantité santé été liberté réalité beauté clé clés"
            " café cafés thé thés marché marchés côté côtés difficulté facilité société université"
            " variété capacité activité sécurité vérité moitié pitié amitié degré degrés durée entrée"
            " arrivée musée lycée"
        ),
        between=one_of("que qui dont où et mais ou quand lorsque parce car si comme pour"),
        before=one_of("le la les un une des du de l' ce cette ces son sa ses leur leurs très trop si"),
    ),
    articles=one_of(
        "le la les un une des du de deux trois quatre cinq six sept huit neuf dix ce cet cette ces"
    ),
    self_reference=either(
        "article|billet|guide|ce post",
        r"""
\bdans (?:cet article|ce billet|ce guide|ce post|l(?:'|’)article (?:suivant|qui suit))\b
\b(?:cet article|ce billet|ce guide|l(?:'|’)article) (?:présente|explore|explique|aborde|décrit|traite|propose|vous)\b
"""
    ),
    assistant=either(
        """
en tant qu|je suis|bien sûr|certainement|avec plaisir|voici|espère que|hésitez pas à me
faites-moi savoir|dites-moi si|mes données d
""",
        r"""
\ben tant qu(?:e |'|’)(?:une? )?(?:IA|intelligence artificielle|(?:grand )?modèle de langage|assistant (?:virtuel|IA))\b
\bje suis (?:une? )?(?:IA|intelligence artificielle|modèle de langage|assistant virtuel)\b
^[ \t]{0,20}(?:Bien sûr|Certainement|Avec plaisir|Voici)\s*[,!.]?\s*(?:voici|je|un paragraphe|une introduction|l(?:'|’)article)\b
\bvoici (?:un|une|le|la|votre|l(?:'|’))\s?(?:\w{1,40} ){0,3}(?:paragraphe|introduction|conclusion|article|brouillon|méta-description)\b
\bj(?:'|’)espère que (?:cela|ça|ceci) (?:vous |t(?:'|’))?aide(?:ra)?\b
\b(?:n(?:'|’)hésitez pas à me (?:dire|demander|contacter)|faites-moi savoir|dites-moi si)\b
\bmes données d(?:'|’)entraînement\b
"""
    ),
    task_talk=either(
        "ce paragraphe",
        r"""
\bce paragraphe\b
"""
    ),
    placeholder=either(
        "[|<|{",
        r"""
[\[<{]\s*(?:insérer|insérez|votre|vos|nom|entreprise|marque|produit|date|ville|sujet|auteur|ajouter|ajoutez)\b[^\]>}\n]{0,200}[\]>}]
"""
    ),
    unfinished=re.compile(
        r"(?:^|\s)(?:et|ou|le|la|les|un|une|des|du|de|parce que|mais|que)(?:…|\.{2,})$",
        re.IGNORECASE,
    ),
    empty_headings=frozenset(
        {"introduction", "conclusion", "résumé", "questions fréquentes", "faq", "en bref"}
    ),
)  # fmt: skip
