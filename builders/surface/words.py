"""Word lists of the surface engine: what English grammar and idiom do not say by rule."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RELATIVE_PRONOUNS = _words("who whom which that")
#: Verbs whose infinitive is about the subject although an object stands between (*promise her to go*).
SUBJECT_CONTROL = _words("promise use take spend need have")

# --- negation ---
#: Adverbs that stay before a negated auxiliary: *also did not*, *probably will not*.
BEFORE_NOT = _words(
    """also still probably certainly apparently clearly presumably perhaps maybe possibly surely definitely obviously
    then now later soon thus therefore hence instead finally eventually subsequently recently previously suddenly
    meanwhile nevertheless nonetheless however consequently accordingly initially originally ultimately again sometimes
    often usually generally typically currently today reportedly allegedly unfortunately fortunately frequently
    occasionally just simply sure kinda honestly literally basically"""
) - _words("often usually generally typically always")
#: Words that make a clause negative, or nearly so, by themselves.
NEGATIVE = _words("not n't never no nobody nothing none nowhere neither nor hardly scarcely barely rarely seldom")
#: After these, ``not`` does not deny the clause: *not only*.
NOT_FOCUS = _words("only merely solely even alone barely nearly almost rather")
#: Focus words beside which ``not`` would say something else: *did not only win*.
FOCUS = _words("only merely solely even alone barely nearly almost rather")
#: Words that live on a negation and cannot stay without.
POLARITY_ITEMS = _words(
    """yet anymore ever whatsoever either neither nor until much longer slightest least remotely all bother dare avail even"""
)
ANY_TO_SOME = {
    "any": "some",
    "anyone": "someone",
    "anybody": "somebody",
    "anything": "something",
    "anywhere": "somewhere",
}
SOME_TO_ANY = {some: any_ for any_, some in ANY_TO_SOME.items()}
NO_TO_SOME = {"nobody": "somebody", "nothing": "something", "nowhere": "somewhere", "none": "some"}
#: Subordinate clauses that cannot well be negated: *before he did not leave*.
CLOSED_MARKS = _words("before after until till since once than as unless lest like whenever wherever")
#: Subjects whose quantifier is denied instead of the verb: *not everyone*.
UNIVERSAL_PRONOUNS = _words("everyone everybody everything")
UNIVERSAL_DETERMINERS = _words("all every")
#: Subjects and determiners with which a negation is read in two ways.
AMBIGUOUS_SUBJECTS = _words("each both either neither few little none nobody nothing no")
MODALS = {
    "can": "possible",
    "could": "possible",
    "may": "possible",
    "might": "possible",
    "must": "obligate",
    "should": "recommend",
}
FULL_FORMS = {"ca": "can", "wo": "will", "sha": "shall"}
#: Verbs of saying: after a quotation their negation makes nonsense of it.
SAYING = _words(
    """say write add tell ask reply answer explain note state report claim argue insist announce declare admit warn
    observe remark comment continue conclude think believe guess suppose mean shout whisper cry agree recall tweet"""
)
#: Predicates that are phrases rather than statements: *thank you*, *I mean*.
DISCOURSE_VERBS = _words("thank please welcome sorry congratulation mean guess let suppose dang damn rip congrats")

#: Verbs whose infinitive may be negated by itself: *promised not to call*.
INFINITIVE_GOVERNORS = _words(
    """decide promise agree choose try hope plan prefer pretend learn vow swear claim seem appear tend opt threaten
    expect want wish advise ask tell urge warn order remind teach"""
)

# --- role swap ---
SYMMETRIC = _words(
    """meet marry resemble equal match join accompany befriend date divorce kiss hug embrace fight face oppose rival
    complement contact border adjoin touch intersect parallel encounter visit_with play mirror contradict exchange
    cross overlap combine"""
)
DITRANSITIVE = _words(
    """give tell ask order send show offer teach lend sell pay owe hand grant promise award feed bring bet wish deny
    assign serve command urge persuade convince remind beg instruct advise tempt forbid request"""
)
LIGHT = _words(
    """have take make do get give put keep let pay hold set run lose find spend need want feel try mean say think
    know_how cause show see_fit go come bear play draw wear share wait await become remain seem name"""
) - _words("know_how see_fit find show see")
#: Verbs of measure and state whose object is no participant.
MEASURE = _words(
    """cost weigh last contain include comprise total number measure span reach lack own possess involve require exceed
    average run suit fit be become remain mean feature represent constitute earn"""
)
TIME_AND_MONEY = _words(
    """second minute hour day week weekend month year decade century time moment while morning afternoon evening night
    today tomorrow yesterday dollar euro pound cent franc yen rupee percent million billion trillion mile kilometer
    kilometre meter metre foot inch degree kilo kilogram gram ton way home lot bit amount number part kind sort type
    thing fact place point rest one"""
)
REFLEXIVES = _words(
    """myself yourself himself herself itself ourselves yourselves themselves oneself themself another other"""
)
NOMINATIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they", "whom": "who"}
OBJECTIVE = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
#: Pronouns that cannot change places with a noun phrase.
FIXED_PRONOUNS = _words(
    """it this that these those there what which who whom whose whoever whatever something anything nothing everything
    all each one none some any both many much more most few another other such mine yours hers ours theirs same so"""
)
#: Nouns whose relative clause without pronoun says when, where, how or why: *the day we met*.
ADJUNCT_NOUNS = TIME_AND_MONEY | _words("reason period season occasion manner direction extent degree rate speed age")

# --- antonyms and hypernyms ---
#: Concepts of the prepositions that have opposites; AMR keeps them as concepts with an ``:op1``.
PREPOSITION_CONCEPTS = {
    "before": ":time",
    "after": ":time",
    "inside": ":location",
    "outside": ":location",
    "above": ":location",
    "below": ":location",
    "under": ":location",
    "over": ":location",
    "behind": ":location",
}
#: Hypernyms that are no things to count: *some food*, never *a food*.
MASS = _words(
    """food meat water liquid metal money clothing furniture equipment material music information fabric cloth
    jewelry weather literature software machinery fuel energy transport transportation medicine pay wood cereal
    produce footwear luggage art paper stone cash fruit seafood work wine milk fish"""
)
#: Mass hypernyms that may be counted as well.
COUNTABLE_TOO = _words("fruit fish metal liquid material medicine paper stone wine food meat fabric cloth fuel art work")
