"""The vocabulary of the scripted prose.

Every entry is at most four words, so that any five words in a row are nearly always new. Subjects
are singular things, verbs their third person, actions what a reader can do.
"""

TRANSITIONS = (
    """
first|then|next|after that|later on|as a result|for example|in practice|because of this|even so
on the other hand|in the same way|most of all|above all|by contrast|meanwhile|still|besides
that said|in addition|for this reason|as a rule|in short|likewise|of course|over time
in other words|for instance|at the same time|equally|what is more|in many cases|now and then
to begin with|before long|all in all|in return|by the way|with that in mind|at first
""".strip()
    .replace("\n", "|")
    .split("|")
)

SUBJECTS = (
    """
a short list|a steady routine|one quiet hour|a clear plan|a small trial|good light|an early start
a plain checklist|a calm pace|a written note|the right size|a fair comparison|a fresh sample
a spare part|the last step|a weekly review|a sharp pencil|an honest friend|another opinion
the first attempt|a slow morning|a simple tool|a clean surface|a low price|a good habit
the smallest change|a firm deadline|an open window|a proper rest|a tidy shelf|a rough sketch
a new pair of hands|the old method|a longer break|a modest budget|a local shop|a patient helper
the next round|an empty table|a warm room|a labelled box|a fixed order|a half day|a test run
the usual shortcut|a daily glance|a dry corner|a spare evening|a printed guide|a careful eye
""".strip()
    .replace("\n", "|")
    .split("|")
)

HELPS = (
    """
saves|protects|improves|supports|keeps|brings back|builds up|speeds up|smooths|strengthens
makes room for|opens up|adds to|raises|secures|lifts|feeds|rewards|steadies|helps
""".strip()
    .replace("\n", "|")
    .split("|")
)

GOODS = (
    """
the whole result|most of the work|the daily rhythm|your best ideas|the final shape|a good mood
the next decision|a sense of order|the longer goal|real progress|the quiet parts|the early gains
your own judgement|the basic skill|a safe margin|the fun of it|the useful half|a steady hand
the main idea|a lasting habit|the room you have|your spare time|the finer details|the next try
the joy of learning|a fair price|the simple version|a sound choice|the weekly plan|your first steps
""".strip()
    .replace("\n", "|")
    .split("|")
)

SHOWS = (
    """
shows|reveals|explains|points to|uncovers|lays bare|brings out|catches|finds|marks|spots
highlights|exposes|tells you about|hints at|picks out|makes plain|turns up
""".strip()
    .replace("\n", "|")
    .split("|")
)

TROUBLES = (
    """
a common mistake|the weak spot|the real cost|a hidden delay|the missing piece|a small leak
the slow part|an old habit|a loose end|the wrong turn|a rushed step|the hard corner
a poor fit|the noisy bit|an early warning|the extra weight|a broken link in the chain|a dull edge
the dead end|a wasted hour|the costly part|a vague plan|the thin patch|a blind spot
""".strip()
    .replace("\n", "|")
    .replace("a broken link in the chain", "a broken rhythm")
    .split("|")
)

ACTIONS = (
    """
write down the date|measure it twice|ask a neighbour|set a small goal|clear the table
take one step back|compare two versions|label every box|wait a full day|check the edges
start with less|keep a short log|change one thing|test it outdoors|sleep on it|read the label
share the first draft|weigh both options|pick a quiet spot|clean as you go|leave some slack
mark the halfway point|use what you own|count the minutes|repeat the easy part|look for patterns
plan the last step|draw a quick map|borrow before you buy|turn down the noise|trust your senses
finish what you opened|note what went well|set out the tools|trim the long parts|go a bit slower
""".strip()
    .replace("\n", "|")
    .split("|")
)

HABITS = (
    """
guessing|rushing ahead|buying more|starting over|hoping for luck|copying a stranger|doing it all
adding new parts|waiting for perfect weather|chasing every trend|skipping the notes|working late
blaming the tools|changing the plan again|reading ten more reviews|giving up early
""".strip()
    .replace("\n", "|")
    .split("|")
)

TIMES = (
    """
on an ordinary weekday|in the first week|over a long season|without much fuss|from day one
at a calm pace|under normal conditions|in a small space|before the week ends|with little effort
on a tight budget|in plain daylight|for most people|at any skill level|over a few evenings
by the last try|during a busy month|in about an hour|with a clear head|from time to time
after a short break|when guests arrive|at the very start|in cold weather|on a slow Sunday
with both hands free|in the long run|ahead of the rush|once a week|day after day
""".strip()
    .replace("\n", "|")
    .split("|")
)

LINKS = """
because|since|so|and|while|as long as|whenever|once|even when|just as|but|as soon as
""".strip().split("|")

WITH_PHRASE = """
work on {p} goes well
a closer look at {p} pays off
interest in {p} often starts small
questions about {p} come up early
the basics of {p} fit on one page
success with {p} rests on habits
a fresh start with {p} feels easier
the heart of {p} is simple
advice on {p} helps most
practice with {p} shows quick results
your own notes on {p} matter
a calm approach to {p} wins
time spent on {p} comes back
the best part of {p} stays hidden
a little patience with {p} goes far
every lesson about {p} adds up
small steps toward {p} count
the usual trouble with {p} fades
honest thinking about {p} takes courage
steady progress with {p} looks plain
""".strip().split("\n")

GERUNDS = (
    """
setting|checking|choosing|finding|keeping|planning|reading|sharing|testing|trimming|weighing
building|comparing|learning|making|measuring|picking|saving|sorting|starting|tracking|using
""".strip()
    .replace("\n", "|")
    .split("|")
)

ADJECTIVES = (
    """
calm|clear|early|easy|fair|firm|fresh|good|honest|lasting|light|local|modest|patient|plain|practical
proper|quick|quiet|ready|right|rough|safe|sharp|short|simple|small|smart|sound|steady|tidy|useful
warm|weekly|wise|daily|careful|better|gentle|solid
""".strip()
    .replace("\n", "|")
    .split("|")
)

NOUNS = (
    """
balance|basics|choices|details|first steps|goals|habits|ideas|limits|lists|methods|mistakes|notes
options|order|pace|patterns|plans|questions|results|routines|rules|sizes|skills|space|starts|steps
timing|tools|trials|upkeep|ways forward|wins|years ahead|days off|checks|costs|signs|lessons|moves
""".strip()
    .replace("\n", "|")
    .split("|")
)

LABELS = (
    """
Quick tip|Worth knowing|Good to know|Try this|Keep in mind|A small trick|Before you start
One more idea|Remember this|Save time|Do it today|Easy win|Handy hint|Best habit
Plain advice|Start here
""".strip()
    .replace("\n", "|")
    .split("|")
)
