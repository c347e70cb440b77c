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
FOCUS = _words("""only merely solely even alone barely nearly almost rather just simply suddenly thankfully somewhat""")
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
#: Ditransitive verbs whose one object, where no receiver is named, is what is acted upon: *she sells them*.
MONOTRANSITIVE = _words("send sell hand bring feed serve supply provide lend order assign")
LIGHT = _words(
    """have do let say try mean think pay spend share bear go come become remain seem name look wait roam arrive happen
    occur rise fall sit stand lie live die suck rock fail begin end consist depend belong last count double fuck"""
)
#: Verbs that are light, or an idiom, with some objects (`LIGHT_OBJECTS`), and plainly transitive with others.
PARTLY_LIGHT = _words("give make take get set put keep feel run open close start stop finish continue cause grow reach")
LIGHT_OBJECTS = _words(
    """sense decision mistake choice use progress effort difference noise call fun love friend peace trouble appearance
    attempt sure mess deal fuss joke comment remark suggestion statement speech claim change move pass will face
    look shot cover care part turn nap break walk bath shower seat step picture photo note breath chance risk
    advantage charge control action hold drag sip bite ride trip test class course responsibility effect shape form
    stock pride aim view issue account sail root rise fall fire foot table stage tone bar goal record example
    precedent stop end pressure strain stress blame emphasis focus trust faith hope eye mind mouth mile pace track
    watch quiet secret comparison check yank plan argument contribution promise company touch grip job work rid word
    wind sleep rest credit message help info information idea need urge like way conclusion agreement offense
    exception leave room space birth thanks permission reason"""
)
#: Prepositions whose phrase at the end of an object may as well belong to the clause, and stays where it is.
ADJUNCT_PREPOSITIONS = _words("in at on during near outside inside after before within around behind beside")
#: Verbs that take a subject with a bare verb: *let him go*, *see her leave*.
CAUSATIVE = _words("let make help have see watch hear feel want expect allow")
#: Verbs whose infinitive says what their object is to do, whoever that is: *forced them to leave*.
OBJECT_CONTROL = _words("force encourage allow enable help permit inspire motivate use compel drive push pressure")
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
            learn:about know:about joke:about invest:in stem:from campaign:for lobby:for depend:on,upon belong:to
            crash:into slam:into bump:into reach:for chase:after motion:to whisper:to bow:to pray:to cling:to cheer:for
            fire:at shoot:at spit:at swear:at scream:at frown:at scowl:at grin:at hiss:at snarl:at claw:at sneer:at
            step:on trample:on spy:on feast:on prey:on stumble:upon preside:over testify:against rebel:against
            plot:against vote:for,against fall:for lead:to grapple:with tamper:with advocate:for
            pay:for ask:for beg:for talk:about speak:about sing:about write:about consist:of"""
        )
    )
}
#: Participles that are prepositions.
PREPOSITION_LIKE = _words(
    "considering concerning regarding including involving excluding following given based starting"
)
#: Verbs of measure and state whose object is no participant.
MEASURE = _words(
    """cost weigh last comprise total number measure span exceed average suit fit be become remain mean constitute
    involve feature represent"""
)
TIME_AND_MONEY = _words(
    """second minute hour day week weekend month year decade century time moment while morning afternoon evening night
    today tomorrow yesterday dollar euro pound cent franc yen rupee percent million billion trillion mile kilometer
    kilometre meter metre foot inch degree kilo kilogram gram ton way home lot bit amount number part kind sort type
    thing fact place point rest one"""
)
TIMES = _words("second minute hour day week weekend month year decade century")
#: Verbs whose past and participle are the base form.
SAME_FORMS = _words("quit put cut set hit let shut hurt cost spread read bet split cast burst shed thrust upset")
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
#: Nouns of which *that* says what they are about: *the claim that they apply*.
CLAUSE_NOUNS = _words(
    """fact idea belief claim obligation thought hope fear notion rule theory view argument promise rumor rumour news
    feeling sense chance risk possibility condition evidence proof concern doubt conclusion assumption suggestion"""
)
#: Nouns that after *by*, bare, say how: *by hand*.
MANNERS = _words(
    """hand mistake accident chance law default email mail phone car bus train plane boat ship bike foot heart name
    force design definition nature necessity contrast comparison post night day means way virtue surprise ear sight"""
)
#: Words that close a message and are read as nouns.
LAUGHS = _words("lol lmao haha hahaha hehe rofl omg tbh imo lmfao xd")
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
