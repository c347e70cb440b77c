"""Word lists of the surface engine: what English grammar and idiom do not say by rule."""

from builders.surface.wordsets import word_set as _words

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
NOT_FOCUS = _words("only just merely simply even necessarily solely so all every everyone everybody everything until")
#: Focus words beside which ``not`` would say something else: *did not only win*.
FOCUS = _words("only merely solely even alone barely nearly almost rather")
#: Words that live on a negation and cannot stay without.
POLARITY_ITEMS = _words(
    """yet anymore ever whatsoever either neither nor until much longer slightest least remotely all bother dare avail
    even"""
)
#: Those that live on a negation in a clause above theirs as well.
POLARITY_ITEMS_BELOW = _words("even ever anymore whatsoever slightest")
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
    """meet marry resemble equal match befriend date divorce kiss hug embrace fight border adjoin touch intersect
    parallel encounter mirror contradict overlap combine confront face headline"""
)
DITRANSITIVE = _words(
    """give tell ask order send show offer teach lend sell pay owe hand grant promise award feed bring bet wish deny
    assign serve provide supply command urge persuade convince remind beg instruct advise tempt forbid request"""
)
LIGHT = _words(
    """have take make do get give put let pay set run spend feel try mean say think cause go come bear share wait await
    become remain seem name look roam arrive happen occur rise fall sit stand lie live die suck rock keep fail begin
    start stop continue finish end consist depend belong last open close count double grow catch_up fuck hotbox"""
)
#: Prepositions whose phrase at the end of an object may as well belong to the clause, and stays where it is.
ADJUNCT_PREPOSITIONS = _words("in at on during near outside inside after before within around behind beside")
#: Verbs that take a subject with a bare verb: *let him go*, *see her leave*.
CAUSATIVE = _words("let make help have see watch hear feel want expect allow")
#: Verbs whose object comes after a preposition, by verb: PropBank's ARG1 (*listen to her*, *rely on it*).
PREPOSITIONAL_OBJECTS = {
    verb: frozenset(prepositions.split(","))
    for verb, prepositions in (
        pair.split(":")
        for pair in _words(
            """listen:to look:at,for wait:for rely:on laugh:at believe:in care:about,for stare:at glance:at gaze:at
            think:of,about dream:of,about search:for shout:at yell:at smile:at worry:about complain:about respond:to
            react:to object:to refer:to focus:on comment:on concentrate:on insist:on protest:against benefit:from
            suffer:from recover:from approve:of deal:with cope:with interfere:with sympathize:with struggle:with
            flirt:with aim:at bark:at growl:at wave:at nod:at wink:at point:at peer:at call:for apologize:to adhere:to
            cater:to contribute:to appeal:to subscribe:to yearn:for long:for root:for vouch:for hunt:for dispose:of
            learn:about know:about joke:about invest:in stem:from campaign:for lobby:for"""
        )
    )
}
#: Participles that are prepositions.
PREPOSITION_LIKE = _words(
    "considering concerning regarding including involving excluding following given based starting"
)
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
    """it that there what which who whom whose whoever whatever something anything nothing everything
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
COUNTABLE_TOO = _words(
    "fruit fish metal liquid material medicine paper stone wine food meat fabric cloth fuel art work"
)
