"""Words whose opposites stand in other contexts than they do themselves, for `builders.surface.opposites`."""

from builders.surface.wordsets import word_set

QUOTES = frozenset({'"', "``", "''", "“", "”"})
DENYING = word_set("not n't nt never no nobody nothing none hardly neither nor without cannot")
#: Adverbs of degree, frequency and time, and quantities: under a negation their opposites do not exclude each other.
GRADED = word_set(
    """fully partially completely entirely totally wholly partly extremely incredibly considerably slightly
    significantly substantially greatly drastically dramatically always usually often normally typically
    commonly frequently regularly constantly occasionally rarely immediately eventually exactly approximately
    roughly many forever indefinitely temporarily permanently vastly hugely massively thoroughly instantly"""
)
#: Adjectives whose denied opposite is a double negation nobody writes: *was not unsure*, *is not unable*.
NO_LITOTES = word_set("unsure unable unaware unwilling unlikely incapable unprepared")
#: Opposites that a *that* clause or a question may follow.
BEFORE_CLAUSES = word_set(
    """believe doubt claim deny admit confirm acknowledge affirm reveal conceal disclose forget remember hope
    fear agree disagree prove disprove accept reject forbid underestimate overestimate overstate understate
    exaggerate ignore disregard heed love hate like dislike support oppose shout whisper scream mutter murmur
    prevent"""
)
#: Opposites that an infinitive may follow.
BEFORE_INFINITIVES = word_set(
    """cease begin start continue forget remember agree refuse love hate like forbid allow permit authorize
    authorise enable pretend"""
)
#: Opposites that an *-ing* form may follow.
BEFORE_GERUNDS = word_set(
    """start stop begin cease continue resume finish love hate like dislike remember forget deny admit forbid
    allow permit oppose support"""
)
#: Adjectives with which no clause goes.
WITHOUT_CLAUSES = word_set(
    """calm restless trivial ordinary rested relaxed dim quiet poor careless tiny plain minor slow fast warm
    cool hot cold negligible full closed obscure"""
)
#: Verbs without an object.
INTRANSITIVE = word_set(
    """rise fall appear vanish disappear disagree agree laugh weep descend soar plunge plummet thrive wither
    subside smile frown"""
)
#: Verbs that need an object.
TRANSITIVE = word_set(
    """destroy reject deny forbid criticize criticise praise oppose exclude include release possess conceal
    reveal insult provide prevent demolish harm despise impede"""
)
#: Verbs of giving and taking, which keep two objects with their opposites.
WITH_TWO_OBJECTS = word_set("sell buy")
#: Prepositions after which the opposite governs otherwise, also at a distance: *bought it from him*.
PREPOSITIONS = {
    "buy": "from",
    "purchase": "from",
    "sell": "to as into",
    "begin": "by with as at",
    "start": "by with as at",
    "continue": "by with as",
    "condemn": "to",
    "stop": "from",
    "include": "in among",
    "exclude": "from",
    "admit": "to into",
    "allow": "in into through on",
    "permit": "in into",
    "conceal": "from",
    "reveal": "to as",
    "disclose": "to",
    "deny": "to",
    "withhold": "from",
    "remember": "as for",
    "favor": "over",
    "favour": "over",
    "accept": "into as",
    "assist": "with in",
    "join": "in for",
    "welcome": "to into as",
    "perish": "in",
    "gain": "from",
    "convict": "of",
    "expand": "into to",
    "enter": "into as",
    "attract": "to",
    "attack": "with",
    "build": "on upon from into around of",
    "create": "from of",
    "divide": "into by between among",
    "trust": "with in to",
}
#: Verbs that have their opposite with a clause only: *claimed that*, but *claimed the prize*.
CLAIMING = word_set("claim")
#: Objects that do not go with the opposite: *start a family*.
OBJECTS = {"start": "career business family company life school job work university"}
#: Adverbs that do not go with the opposite: *open wide*.
ADVERBS = {"open": ("wide",), "shut": ("tight",), "close": ("tight",)}
#: Verbs that tell how something is said: they may introduce speech.
SPEAKING = word_set("shout whisper scream yell murmur mutter")
#: Adjectives that have their opposite as predicates only: *the reason is clear*, but *a clear day*.
PREDICATES = word_set("clear available possible obvious evident")
#: Adjectives that name people after *the*.
GROUPS = word_set(
    """rich poor young elderly guilty innocent employed unemployed weak strong wealthy needy injured affluent
    powerful dead"""
)
MALE = word_set(
    """man boy father dad brother son husband king prince nephew uncle grandfather grandson boyfriend groom"""
)
FEMALE = word_set(
    """woman girl mother mom sister daughter wife queen princess niece aunt grandmother granddaughter
    girlfriend bride"""
)
HE, SHE = word_set("he him his himself"), word_set("she her hers herself")
FESTIVE = word_set("birthday anniversary holiday holidays christmas easter halloween thanksgiving hour returns")
SMALL, LARGE = (
    word_set("little small tiny wee mini miniature petite"),
    word_set("big large huge giant gigantic massive"),
)
SPEEDS = (word_set("fast quick quickly rapid rapidly swift swiftly"), word_set("slow slowly gradual gradually"))
#: Adjectives that go with one gender only.
OF_ONE_GENDER = word_set("pregnant bearded")
#: Verbs of putting together.
JOINING = word_set("pull put bring come get hold gather piece stick tie join mix glue sew bind press draw pack call")
#: Plurals that are not the singular's: *ends* are also aims, *abilities* talents.
OTHER_IN_PLURAL = word_set(
    "end beginning heaven misunderstanding ability inability silence noise creation darkness freedom majority"
)
#: Nouns that one verb has as its object and the opposite has not: *suffer defeat*, *make a noise*.
OBJECTS_OF = {
    "truth": "know tell speak say learn face accept hear admit",
    "defeat": "suffer concede admit accept",
    "victory": "win clinch secure claim",
    "courage": "take pluck muster gather summon",
    "comfort": "take find",
    "noise": "make",
    "peace": "make",
    "pride": "take swallow",
    "difference": "make tell",
    "war": "wage declare",
    "advantage": "take",
    "punishment": "mete",
    "success": "achieve",
    "failure": "suffer",
}
OPENING = word_set("beginning starting ending continuing")
