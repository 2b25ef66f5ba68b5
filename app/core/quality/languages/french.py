"""French. Flesch after Kandel and Moles."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="fr",
    flesch=(207.0, 1.015, 73.6),
    long_sentence=20,
    transitions=Phrases(
        """
ainsi|alors|alors que|après|après tout|à cause de|à condition que|à cet effet|à l'inverse
à l'opposé|à moins que|à partir de|à savoir|à vrai dire|au contraire|au départ|au fur et à mesure
au lieu de|au moins|au préalable|aussi|aussitôt|autant|autrement|autrement dit|avant|avant tout
bien que|bref|c'est ainsi que|c'est pourquoi|c'est-à-dire|car|cela étant|cependant|certes
comme|conséquemment|contrairement à|d'abord|d'ailleurs|d'autant plus|d'autre part|d'un côté
d'une part|dans ce cas|dans ce cadre|dans ce but|dans ce sens|dans l'ensemble|dans la mesure où
dans tous les cas|de ce fait|de cette façon|de cette manière|de fait|de la même façon
de la même manière|de même|de plus|de surcroît|de toute façon|depuis|désormais|dès lors|dès que
deuxièmement|donc|dorénavant|du coup|du fait de|également|effectivement|en bref|en cas de
en ce qui concerne|en conclusion|en conséquence|en d'autres termes|en définitive|en dépit de
en dernier lieu|en effet|en fait|en fin de compte|en général|en guise de|en outre|en particulier
en premier lieu|en raison de|en réalité|en résumé|en revanche|en règle générale|en somme|en vue de
encore|enfin|ensuite|entre-temps|et puis|étant donné|évidemment|finalement|grâce à|hormis
il est vrai que|il s'ensuit que|inversement|jusqu'à|lorsque|mais|malgré|même si|néanmoins
non seulement|notamment|or|outre|par ailleurs|par conséquent|par contre|par exemple|par la suite
par rapport à|par suite|parce que|pareillement|pendant que|pendant|plus tard|plutôt|pour autant
pour cette raison|pour conclure|pour que|pour résumer|pourtant|pourvu que|précisément|premièrement
puis|puisque|quand|quand même|quant à|quoi qu'il en soit|quoique|sans doute|sauf|selon|si|sinon
soit|somme toute|sous réserve de|suite à|surtout|tandis que|tant que|tel que|telle que|toutefois
tout d'abord|tout compte fait|tout de même|troisièmement|vu que|afin de|afin que|sans|pour finir
ni … ni|soit … soit|non seulement … aussi
"""
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
