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
# addition
additionally|in addition|furthermore|moreover|besides|also|too|as well as|on top of that
what is more|what's more|not to mention|coupled with|by the same token
# contrast
but|however|although|though|whereas|by contrast|in contrast|in contrast to|on the contrary
contrary to|conversely|on the other hand|on the one hand|instead|instead of|rather than|unlike
as opposed to|otherwise|alternatively|while|whilst|except that|in practice|in reality|in theory
# concession
nevertheless|nonetheless|even so|even though|even if|despite|despite this|in spite of
notwithstanding|regardless|be that as it may|all the same|at the same time|that said
having said that|that being said|after all|in any case|in any event|at any rate|admittedly
it is true that|albeit
# cause
because|because of|since|due to|owing to|thanks to|on account of|on the grounds that
for this reason|for that reason|for these reasons|given that|given this|in view of|in light of
seeing that|inasmuch as|as a result of|by virtue of|as long as|now that
# consequence
therefore|thus|hence|consequently|as a consequence|as a result|accordingly|thereby|in consequence
it follows that|that is why|this is why|this means that|so that|so much so that|in turn|in response
which means|this means
# condition
if|unless|provided that|providing that|on condition that|in case|in the event that|assuming that
if so|if not|in that case|under those circumstances|under these circumstances|or else|insofar as
whether|in this case
# time and order
before|after|afterwards|afterward|after that|before that|beforehand|until|as soon as|once|meanwhile
in the meantime|meantime|simultaneously|subsequently|previously|later on|eventually|finally|lastly
at last|in the end|at first|first of all|to begin with|to start with|in the first place
in the second place|firstly|secondly|thirdly|from then on|so far|until then|by then|by the time
whenever|thereafter|shortly after|shortly afterwards|at this point|when|later|soon|initially
immediately
# example
for example|for instance|such as|to illustrate|as an illustration|by way of example|a case in point
namely|in particular|specifically|particularly|including|in terms of
# emphasis
indeed|in fact|as a matter of fact|above all|most importantly|more importantly|especially|notably
without a doubt|no doubt|undoubtedly|obviously|to be clear|needless to say|it should be noted
of course|unfortunately|fortunately|at least
# comparison
similarly|likewise|in the same way|in the same manner|just as|as if|as though|in comparison
compared to|compared with|by comparison|according to|with regard to|with respect to
# summary
in conclusion|to conclude|in summary|to sum up|to summarize|to summarise|in short|in brief|briefly
in a nutshell|all in all|overall|on the whole|in general|by and large|all things considered
in other words|that is to say|to put it differently|put simply|to put it another way|ultimately
in the final analysis
# purpose
in order to|in order that|so as to|so as not to|for this purpose|to this end|to that end
with this in mind|with a view to
# in pairs
not only … but also|not only … but|both … and|either … or|neither … nor
on the one hand … on the other hand|so … that|such … that|if … then|no sooner … than|hardly … when
just as … so|the more … the more
""",
        # Inside a sentence these are numbers, adjectives and adverbs: "the first cup", "not yet".
        opening="again|then again|further|still|yet|then|rather|to be sure|so|first|second|third|next|now|naturally|importantly",
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
