"""English."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

# With mis-, out-, over-, re- and under- before them as well.
_IRREGULAR = """
awoken beaten become begun bent bet bid bitten bled blown bought bound broadcast broken brought
built burnt burst cast caught chosen clung come cost cut dealt done drawn dreamt driven drunk dug
eaten fallen fed felt flown flung forbidden forecast foreseen foretold forgiven forgotten forsaken
fought found frozen given gone gotten ground grown had heard held hewn hidden hit hung hurt kept
knelt knit known laid lain leant learnt led left lent let lit lost made meant met mown paid
proofread proven put quit read ridden risen run rung said sawn seen sent set sewn shaken shaven shed
shone shorn shot shown shrunk shut slain slept slid slit slung smelt sold sought sown spat spelt
spent spilt split spoilt spoken spread sprung spun stolen stood strewn stricken struck strung stuck
stung sublet sung sunk swept swollen sworn swum swung taken taught thought thrown thrust told torn
trodden typeset unbound understood undone unfrozen unwound upheld upset wept withdrawn withheld
withstood woken won worn wound woven written wrung
"""

RULES = Rules(
    hyphenation="en_US",
    flesch=(206.835, 1.015, 84.6),
    long_sentence=20,
    transitions=Phrases(
        """
# one thing more
additionally|also|as well as|besides|equally|furthermore|in addition|likewise|moreover
not to mention|on top of that|what is more|what's more
# the other side
albeit|alternatively|although|anyway|but|by contrast|contrary to|conversely|despite|even so
even though|except that|having said that|however|in any case|in contrast|in spite of|instead
nevertheless|nonetheless|notwithstanding|on the contrary|on the one hand|on the other|rather
regardless|that said|then again|though|unlike|whereas|while|whilst
# the cause, the purpose and what follows
accordingly|as a consequence|as a result|because|consequently|due to|for that reason
for the sake of|for this reason|given that|hence|in order that|in order to|in response|in turn
in view of|lest|on account of|owing to|seeing that|since|so|so as to|so that|thanks to|that is why
that's why|this is why|thereby|therefore|this means|thus|which means
# the condition
as long as|assuming that|even if|if|if so|in case|in that case|in the event of|on condition that
only if|otherwise|provided that|providing that|supposing|unless|whether
# the time and the order
after|afterward|afterwards|as soon as|at first|at last|at once|at the same time|at this point
before|beforehand|by the time|earlier|eventually|ever since|finally|first of all|firstly
for now|from then on|from there|henceforth|immediately|in the end|in the meantime|in the past
initially|last of all|lastly|later|meanwhile|nowadays|once|over time|previously|prior to|secondly
simultaneously|soon|subsequently|then|thereafter|thirdly|to begin with|to start with|until|up to now
when|whenever
# the example, the detail and the same in other words
especially|for example|for instance|i.e.|e.g.|in detail|in other words|in particular|including
namely|notably|particularly|put another way|put differently|put simply|specifically|such as
that is to say|to be precise|to illustrate|to name but a few|to put it simply
# the likeness
as if|as though|by comparison|by the same token|compared to|compared with|in comparison|in like manner
in the same way|just as|similarly|the same goes for|the same way
# the rule, the stress and the sum
above all|after all|all in all|all the more|actually|as a rule|as ever|as usual|at any rate|at least
broadly speaking|by and large|by the way|certainly|clearly|even more|even better|even worse
first and foremost|for the most part|frankly|generally|importantly|in a nutshell|in a word|in brief
in conclusion|in effect|in essence|in fact|in general|in practice|in principle|in reality|in short
in sum|in summary|in the long run|in theory|in truth|indeed|last but not least|more often than not
more importantly|most importantly|needless to say|not least|obviously|of course|on average
on balance|on the whole|overall|strictly speaking|to be fair|to be sure|to conclude|to sum up
to summarise|to summarize|ultimately|undoubtedly|unfortunately|fortunately|luckily|without doubt
# as to what
according to|as far as|as for|as regards|with regard to|with respect to|in terms of|in this case
in light of|in the light of|this way|that way|to this end|to that end|with that in mind
with this in mind
# in pairs
both … and|either … or|if … then|neither … nor|no sooner … than|not only … but|whether … or
""",
        # Inside a sentence these are numbers, adjectives and adverbs: "the first cup", "not yet".
        opening="again|and|first|fourth|last|next|nor|now|or|plus|second|still|third|yet",
    ),
    passive=Passive(
        auxiliaries=one_of(
            "am is are was were be been being get gets got gotten getting it's that's he's she's"
            " there's what's i'm we're you're they're isn't aren't wasn't weren't"
        ),
        participle=re.compile(
            r"[a-z'-]{2,}(?<!e)ed|(?:dis)?agreed|decreed|freed|guaranteed|refereed|"
            + rf"(?:mis|out|over|re|under)?(?:{'|'.join(_IRREGULAR.split())})"
        ),
        not_participles=one_of(
            "hundred naked sacred wicked rugged ragged wretched aged indeed unused red bed shed"
            " sled embed infrared kindred hatred thoroughbred"
            " flawed talented gifted skilled jagged dogged crooked outcast outlet output outset"
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
        instead=one_of(
            "a an the my your his its our their this these have has had do does did can could"
            " may might must shall should will would"
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
