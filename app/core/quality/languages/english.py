"""English."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

_IRREGULAR = """
awoken beaten become begun bent bet bid bitten bled blown bound bought broken brought built burnt
burst cast caught chosen clung come cost cut dealt done drawn dreamt driven drunk dug eaten fallen
fed felt fought found flown forbidden forecast foreseen forgiven forgotten frozen given gone gotten
ground grown had heard held hidden hit hung hurt kept knelt knit known laid lain leant learnt led
left lent let lit lost made meant met misled mistaken misunderstood outdone overcome overdone
overheard overridden overseen overtaken overthrown paid proven put quit read rebuilt redone
retold rewritten rid ridden risen run said sawn seen sent set sewn shaken shaven shed shone shot
shown shrunk shut slain slept slid slit smelt sold sought sown spelt spent spilt split spoilt
spoken spread sprung spun stolen stood stricken struck strung stuck stung sung sunk swept swollen
sworn swum swung taken taught thought thrown thrust told torn trodden undergone understood
undertaken undone upheld upset wept withdrawn withheld withstood woken won worn wound woven written
wrung
"""

RULES = Rules(
    hyphenation="en_US",
    flesch=(206.835, 1.015, 84.6),
    long_sentence=20,
    transitions=Phrases(
        """
accordingly|additionally|afterward|afterwards|albeit|also|although|altogether|another|basically
because|before|besides|but|certainly|chiefly|comparatively|concurrently|consequently|contrarily
conversely|correspondingly|despite|doubtedly|during|e.g.|earlier|emphatically|equally|especially
eventually|evidently|explicitly|finally|firstly|following|formerly|forthwith|fourthly|further
furthermore|generally|hence|henceforth|however|i.e.|identically|importantly|indeed|initially
instead|last|lastly|later|lest|likewise|markedly|meanwhile|moreover|nevertheless|nonetheless|nor
notably|notwithstanding|obviously|occasionally|otherwise|overall|particularly|presently|previously
rather|regardless|secondly|shortly|significantly|similarly|simultaneously|since|so|soon
specifically|still|straightaway|subsequently|surely|surprisingly|than|then|thereafter|therefore
thereupon|thirdly|though|thus|till|too|undeniably|undoubtedly|unless|unlike|unquestionably|until
when|whenever|whereas|while|whether|if|whilst|yet|first|including|namely|according to|actually|mostly|suddenly|anyway
above all|after all|after that|all in all|all of a sudden|all things considered|analogous to
although this may be true|another key point|as a matter of fact|as a result|as a rule
as an illustration|as can be seen|as has been noted|as I have noted|as I have said
as I have shown|as long as|as much as|as opposed to|as shown above|as soon as|as well as
at any rate|at first|at last|at least|at length|at that time|at the present time|at the same time
at this instant|at this point|at this time|balanced against|being that|by all means|by and large
by comparison|by contrast|by the same token|by the time|by the way|compared to|be that as it may
coupled with|different from|due to|equally important|even if|even more|even so|even though
first of all|first thing to remember|for a moment|for example|for fear that|for instance
for one thing|for that reason|for the most part|for the purpose of|for the same reason
for this purpose|for this reason|from time to time|given that|given these points|granted
important to realize|in a word|in addition|in another case|in any case|in any event|in brief
in case|in conclusion|in contrast|in detail|in due time|in effect|in either case|in essence
in fact|in general|in light of|in like fashion|in like manner|in order that|in order to
in other words|in particular|in reality|in return|in short|in similar fashion|in spite of|in sum
in summary|in that case|in the event that|in the final analysis|in the first place
in the fourth place|in the hope that|in the light of|in the long run|in the meantime
in the same fashion|in the same way|in the second place|in the third place|in this case
in this situation|in time|in truth|in view of|inasmuch as|it follows that|just as|last but not least
later on|most compelling evidence|most important|most of all|must be remembered|not only
not to mention|note that|now that|of course|on account of|on balance|on condition that|on one hand
on the condition that|on the contrary|on the negative side|on the one hand|on the other hand
on the positive side|on the whole|on this occasion|once|once in a while|only if
owing to|point often overlooked|prior to|provided that|seeing that|seeing as|so as to|so far
so long as|so that|sooner or later|such as|summing up|take the case of|that is|that is to say
that said|then again|this time|to be sure|to begin with|to clarify|to conclude|to demonstrate
to emphasize|to enumerate|to explain|to illustrate|to list|to point out|to put it another way
to put it differently|to repeat|to rephrase it|to say nothing of|to sum up|to summarize
to that end|to the end that|to this end|together with|under those circumstances|until now
up against|up to the present time|vis a vis|what is more|while it may be true|while this may be true
with attention to|with the result that|with this in mind|with this intention|with this purpose in mind
without a doubt|without delay|without doubt|without reservation
both … and|either … or|if … then|neither … nor|not only … also|whether … or|no sooner … than
"""
    ),
    passive=Passive(
        auxiliaries=one_of(
            "am is are was were be been being get gets got gotten getting it's that's he's she's"
            " there's what's i'm we're you're they're isn't aren't wasn't weren't"
        ),
        participle=re.compile(
            r"[a-z'-]{2,}(?<!e)ed|[a-z-]{1,}(?:freed|agreed|guaranteed)|"
            + "|".join(_IRREGULAR.split())
        ),
        not_participles=one_of(
            "hundred naked sacred wicked rugged ragged wretched aged indeed unused red bed shed"
            " sled embed infrared kindred hatred thoroughbred"
        ),
        between=one_of(
            "to which who whom whose that after although as because before if though unless until"
            " when whenever where whereas wherever whether while why but and or nor than since"
            " once how what having"
        ),
        before=one_of(
            "a an the my your his her its our their this these those every each some any no many"
            " few several most more very so too in with without of by at all"
        ),
    ),
    articles=one_of("the a an one two three four five six seven eight nine ten this that these those"),
    self_reference=either(
        "post|article|guide|we'll|we’ll|we will|let's|let’s|let us",
        r"""
\b(?:in|throughout) (?:this|the following) (?:blog )?(?:post|article|guide)\b
\b(?:this|the) (?:blog )?(?:post|article) (?:will|explores?|discusses|covers|aims|introduces|explains|examines|looks at|describes|provides|highlights|delves)\b
\bthis guide (?:will|explores?|covers|aims|introduces|explains|walks|provides)\b
\b(?:we(?:'|’)ll|we will|let(?:'|’)s|let us) (?:explore|dive into|delve into|discuss|take a (?:closer )?look at|look into|walk (?:you )?through)\b
"""
    ),
    assistant=either(
        """
as an ai|as a ai|artificial intelligence|language model|virtual assistant|m ai|m a ai|m an ai|sure
certainly|absolutely|of course|paragraph|introduction|conclusion|article|blog post|draft|version
meta description|i hope th|let me know|my training data|my knowledge cutoff
""",
        r"""
\bas an? (?:ai|artificial intelligence)(?: (?:language )?(?:model|assistant|chatbot))?(?:\s*[,.;:!?]| (?:i|my|we)\b|[^.!?\n]{0,80},\s*I\b)
\bas an? (?:ai )?(?:large )?language model\b
\bI(?:'|’)?\s?a?m (?:an? )?(?:ai|(?:large )?language model|virtual assistant)\b
^[ \t]{0,20}(?:sure|certainly|absolutely|of course)\s*[,!.]\s*(?:here|I\b|let me)
\bhere(?:'s|’s| is| are) (?:a|an|the|your) (?:\w{1,40} ){0,3}(?:paragraph|introduction|conclusion|article|blog post|draft|version|meta description)\b
\bI hope (?:this|that) helps\b
\blet me know if you\b
\bmy (?:training data|knowledge cutoff)\b
"""
    ),
    task_talk=either(
        "as requested|per your|the phrase|this paragraph",
        r"""
\b(?:as requested|per your (?:request|instructions))\b
\bthe phrase ["“]
\bthis paragraph\b
"""
    ),
    placeholder=either(
        "[|<|{",
        r"""
[\[<{]\s*(?:insert|your|enter|placeholder)\b[^\]>}\n]{0,200}[\]>}]
[\[<{]\s*(?:add|company|brand|product|business|client|name|link|keyword|topic|date|city|author|phone)\b(?!-)[^\]>}\n,.|]{0,40}[\]>}]
"""
    ),
    # The second group may end a sentence ("what it is made of."), but not before an ellipsis.
    unfinished=re.compile(
        r"\b(?:and|or|but|the|an|because|such as|(?-i:a))[.…]*$|\b(?:of|to|with|for)(?:…|\.{2,})$",
        re.IGNORECASE,
    ),
    empty_headings=frozenset(
        {
            "introduction", "intro", "conclusion", "summary", "final thoughts", "overview",
            "frequently asked questions", "faq", "faqs",
        }
    ),
)  # fmt: skip
