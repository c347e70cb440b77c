"""Source and foil pairs that were written by hand before there was a surface realiser.

Each says what the surface engine must make of a source: exactly this foil, or none at all. ``at`` is the lemma of the
predicate (PN, RS) or word (AR, HS) that is edited, where a source has several. The words for AR and HS come from the
two small dictionaries here, so that the pairs test the realiser and no lexicon.
"""

from typing import NamedTuple

from alee_mteb.perturbations import Perturbation

PN = Perturbation.POLARITY_NEGATION
RS = Perturbation.ROLE_SWAP
AR = Perturbation.ANTONYM_REPLACEMENT
HS = Perturbation.HYPERNYM_SUBSTITUTION


class Pair(NamedTuple):
    """A source, the kind of edit, the foil (``None``: refused), and the lemma of the edited word."""

    source: str
    kind: Perturbation
    foil: str | None
    at: str | None = None


ANTONYMS: dict[tuple[str, str], list[str]] = {
    ("big", "a"): ["small"],
    ("cheap", "a"): ["expensive"],
    ("expensive", "a"): ["cheap"],
    ("early", "a"): ["late"],
    ("early", "r"): ["late"],
    ("happy", "a"): ["unhappy"],
    ("honest", "a"): ["dishonest"],
    ("good", "a"): ["bad"],
    ("easy", "a"): ["difficult"],
    ("strong", "a"): ["weak"],
    ("cold", "a"): ["hot"],
    ("hot", "a"): ["cold"],
    ("empty", "a"): ["full"],
    ("old", "a"): ["young"],
    ("short", "a"): ["long"],
    ("long", "a"): ["short"],
    ("high", "a"): ["low"],
    ("light", "a"): ["dark"],
    ("quickly", "r"): ["slowly"],
    ("slowly", "r"): ["quickly"],
    ("often", "r"): ["rarely"],
    ("before", "r"): ["after"],
    ("inside", "r"): ["outside"],
    ("win", "v"): ["lose"],
    ("increase", "v"): ["decrease"],
    ("reject", "v"): ["accept"],
    ("love", "v"): ["hate"],
    ("remember", "v"): ["forget"],
    ("give", "v"): ["take"],
    ("winner", "n"): ["loser"],
    ("victory", "n"): ["defeat"],
    ("enemy", "n"): ["friend"],
}
HYPERNYMS: dict[tuple[str, str], list[str]] = {
    ("puppy", "n"): ["dog"],
    ("dog", "n"): ["animal"],
    ("wolf", "n"): ["animal"],
    ("eagle", "n"): ["bird"],
    ("salmon", "n"): ["fish"],
    ("dentist", "n"): ["doctor"],
    ("child", "n"): ["person"],
    ("apple", "n"): ["fruit"],
    ("rice", "n"): ["food"],
    ("beef", "n"): ["meat"],
    ("rose", "n"): ["flower"],
    ("oak", "n"): ["tree"],
    ("violin", "n"): ["instrument"],
    ("hammer", "n"): ["tool"],
    ("knife", "n"): ["tool"],
    ("airplane", "n"): ["vehicle"],
    ("bus", "n"): ["vehicle"],
    ("hotel", "n"): ["building"],
    ("novel", "n"): ["book"],
}

NEGATION = [
    # do-support
    Pair("The committee approved the budget.", PN, "The committee did not approve the budget."),
    Pair("She likes the new teacher.", PN, "She does not like the new teacher."),
    Pair("The children play in the garden.", PN, "The children do not play in the garden."),
    Pair("He really likes jazz.", PN, "He does not really like jazz."),
    Pair("We also invited the neighbors.", PN, "We also did not invite the neighbors."),
    Pair("They used to live in Oslo.", PN, "They did not use to live in Oslo.", "use"),
    Pair("The firm has to pay the fine.", PN, "The firm does not have to pay the fine.", "have"),
    # auxiliaries and the copula
    Pair("The train has left the station.", PN, "The train has not left the station."),
    Pair("They will visit the museum tomorrow.", PN, "They will not visit the museum tomorrow."),
    Pair("The pilot can hear the engineer.", PN, "The pilot cannot hear the engineer.", "possible"),
    Pair("You should talk to him.", PN, "You should not talk to him.", "talk"),
    Pair("The house was built by her uncle.", PN, "The house was not built by her uncle."),
    Pair("The soup is cold.", PN, "The soup is not cold."),
    Pair("Her brother is a doctor.", PN, "Her brother is not a doctor."),
    Pair("The bus has already arrived.", PN, "The bus has not yet arrived."),
    # contractions
    Pair("He's tired.", PN, "He's not tired."),
    Pair("I'm sure about the date.", PN, "I'm not sure about the date."),
    Pair("They've finished the work.", PN, "They haven't finished the work."),
    Pair("I'll call you tomorrow.", PN, "I won't call you tomorrow."),
    Pair("He'd like a coffee.", PN, "He wouldn't like a coffee."),
    Pair("They’ve finished the work.", PN, "They haven’t finished the work."),
    Pair("Let's wait for the bus.", PN, "Let's not wait for the bus.", "wait"),
    # negation that is there goes away
    Pair("The twins did not recognize the magician.", PN, "The twins recognized the magician."),
    Pair("She doesn't eat meat.", PN, "She eats meat."),
    Pair("We didn't see the sign.", PN, "We saw the sign."),
    Pair("The shop isn't open on Sundays.", PN, "The shop is open on Sundays."),
    Pair("You can't park here.", PN, "You can park here."),
    Pair("The pilot cannot hear the engineer.", PN, "The pilot can hear the engineer."),
    Pair("He won't sign the letter.", PN, "He will sign the letter."),
    Pair("He hasn’t signed the letter.", PN, "He has signed the letter."),
    Pair("Do not open the window.", PN, "Open the window."),
    Pair("He has never visited Rome.", PN, "He has visited Rome."),
    Pair("The museum never opens on Mondays.", PN, "The museum opens on Mondays."),
    Pair("Nobody noticed the mistake.", PN, "Somebody noticed the mistake."),
    Pair("She knew nothing about the plan.", PN, "She knew something about the plan."),
    Pair("He has no brothers.", PN, "He has brothers."),
    # any and some, no, not all
    Pair("I have some money.", PN, "I do not have any money."),
    Pair("She did not buy any bread.", PN, "She bought some bread."),
    Pair("There is a problem with the engine.", PN, "There is no problem with the engine."),
    Pair("There are many problems with the engine.", PN, "There are not many problems with the engine."),
    Pair("Everyone likes the new teacher.", PN, "Not everyone likes the new teacher."),
    Pair("All the students passed the exam.", PN, "Not all the students passed the exam."),
    # questions and commands
    Pair("Why does Leyla trust the dentist?", PN, "Why does Leyla not trust the dentist?"),
    Pair("Who repaired the elevator?", PN, "Who did not repair the elevator?"),
    Pair("Does the manager respect the workers?", PN, None),
    Pair("Open the window.", PN, "Do not open the window."),
    # clauses within clauses
    Pair(
        "The woman who greeted the baker lives here.",
        PN,
        "The woman who did not greet the baker lives here.",
        "greet",
    ),
    Pair("He came home and cooked dinner.", PN, "He came home and did not cook dinner.", "cook"),
    Pair("He came home and cooked dinner.", PN, None, "come"),
    Pair("Samir promised to call the teacher.", PN, "Samir promised not to call the teacher.", "call"),
    Pair(
        "The river rose, and the villagers left their homes.",
        PN,
        "The river did not rise, and the villagers left their homes.",
        "rise",
    ),
    Pair("She left before the guests arrived.", PN, None, "arrive"),
    # quotes, whitespace, punctuation
    Pair(
        '"The farmers lost the harvest," the editor wrote.',
        PN,
        '"The farmers did not lose the harvest," the editor wrote.',
        "lose",
    ),
    Pair(
        "“The farmers lost the harvest,” the editor wrote.",
        PN,
        "“The farmers did not lose the harvest,” the editor wrote.",
        "lose",
    ),
    Pair("The  mayor   signed the law , finally .", PN, "The  mayor   did not sign the law , finally ."),
    # refused
    Pair("She hardly knows the man.", PN, None),
    Pair("He is not only a poet but also a painter.", PN, None),
    Pair("The train is late, isn't it?", PN, None, "late"),
    # fragments behind an interjection; participles alone; forms no dictionary has; conjuncts with an auxiliary
    Pair("Oh, and a second cup.", PN, "Oh, and no second cup."),
    Pair("Well, another rainy day.", PN, "Well, no rainy day."),
    Pair("Thanks for the cake.", PN, None),
    Pair("Amused by the whole affair.", PN, "Not amused by the whole affair."),
    Pair("@anna12 looking forward to seeing Bob", PN, "@anna12 not looking forward to seeing Bob", "look"),
    Pair("Sam yeeted the ball over the fence.", PN, "Sam did not yeet the ball over the fence."),
    Pair("thats a bargain", PN, "thats not a bargain"),
    Pair("WE ARE GONNA WIN!", PN, "WE ARE NOT GONNA WIN!"),
    Pair(
        "Ivo sold the van and is looking for a bicycle.",
        PN,
        "Ivo did not sell the van and is looking for a bicycle.",
        "sell",
    ),
    Pair("Ivo sold the van and looked for a bicycle.", PN, None, "sell"),
    Pair("Folks… take one.", PN, "Folks… do not take one."),
]

ROLE_SWAP = [
    # noun phrases
    Pair(
        "The puppy chased the cat into the garden.",
        RS,
        "The cat chased the puppy into the garden.",
    ),
    Pair("Yesterday my sister called the doctor.", RS, "Yesterday the doctor called my sister."),
    Pair("My sister called Anna.", RS, "Anna called my sister."),
    Pair("Her car hit a tree.", RS, "A tree hit her car."),
    Pair(
        "The parrot and the monkey frightened the horse.",
        RS,
        "The horse frightened the parrot and the monkey.",
    ),
    Pair(
        "The president should not blame the generals.",
        RS,
        "The generals should not blame the president.",
        "blame",
    ),
    Pair("Peru will not overtake Chile.", RS, "Chile will not overtake Peru."),
    # pronoun case
    Pair("She helped him.", RS, "He helped her."),
    Pair("I trust them.", RS, "They trust me."),
    Pair("We have seen her.", RS, "She has seen us."),
    Pair("They don't like us.", RS, "We don't like them."),
    # agreement
    Pair("The teacher praises the students.", RS, "The students praise the teacher."),
    Pair("The students praise the teacher.", RS, "The teacher praises the students."),
    Pair("The dogs have bitten the postman.", RS, "The postman has bitten the dogs."),
    Pair("He is watching the girls.", RS, "The girls are watching him."),
    Pair("The knights were attacking the dragon.", RS, "The dragon was attacking the knights."),
    Pair("She doesn't know them.", RS, "They don't know her."),
    # passives
    Pair("Kenji was invited to dinner by Amina.", RS, "Amina was invited to dinner by Kenji."),
    Pair("The prince was welcomed by the fishermen.", RS, "The fishermen were welcomed by the prince."),
    Pair("I was helped by the nurses.", RS, "The nurses were helped by me."),
    Pair("He wasn't invited by the neighbors.", RS, "The neighbors weren't invited by him."),
    # questions
    Pair("Why does Leyla trust the dentist?", RS, "Why does the dentist trust Leyla?"),
    Pair("Did the tourists follow the shepherd?", RS, "Did the shepherd follow the tourists?"),
    Pair("Does the manager respect the workers?", RS, "Do the workers respect the manager?"),
    Pair("Who filmed the surgeon?", RS, "Who was filmed by the surgeon?"),
    # relatives
    Pair(
        "The woman who greeted the baker lives here.",
        RS,
        "The woman who was greeted by the baker lives here.",
        "greet",
    ),
    Pair(
        "The robot that repaired the drone exploded.",
        RS,
        "The robot that was repaired by the drone exploded.",
        "repair",
    ),
    Pair(
        "The sailors who were captured by the pirates have returned.",
        RS,
        "The sailors who captured the pirates have returned.",
        "capture",
    ),
    Pair(
        "The jockey whom the champion overtook lost the race.",
        RS,
        "The jockey who overtook the champion lost the race.",
        "overtake",
    ),
    Pair("The man chasing the thief shouted.", RS, "The man chased by the thief shouted.", "chase"),
    Pair("The thief chased by the man shouted.", RS, "The thief chasing the man shouted.", "chase"),
    # controlled and shared subjects
    Pair("Omar wants to photograph Lucia.", RS, "Omar wants to be photographed by Lucia.", "photograph"),
    Pair("Samir promised to call the teacher.", RS, "Samir promised to be called by the teacher.", "call"),
    Pair("The hunter saw the bear and shot it.", RS, "The hunter saw the bear and was shot by it.", "shoot"),
    # quotes and whitespace
    Pair(
        '"The party deceived the farmers," the editor wrote.',
        RS,
        '"The farmers deceived the party," the editor wrote.',
        "deceive",
    ),
    Pair("The storm,  however, surprised   the sailors.", RS, "The sailors,  however, surprised   the storm."),
    # refused
    Pair("The boy hurt himself.", RS, None),
    Pair("The goalkeeper and the striker blamed each other.", RS, None),
    Pair("The mayor met the governor.", RS, None),
    Pair("The actress married the director.", RS, None),
    Pair("She gave the boy a book.", RS, None),
    Pair("The coach told the players to run.", RS, None, "tell"),
    Pair("They spent three hours at the airport.", RS, None),
    Pair("The ticket cost ten euros.", RS, None),
    Pair("He took a walk.", RS, None),
    Pair("The company praised <b>the workers</b> again.", RS, None),
]

ANTONYM = [
    # capitals and a/an
    Pair("The big dog slept on the porch.", AR, "The small dog slept on the porch."),
    Pair("Big dogs slept on the porch.", AR, "Small dogs slept on the porch."),
    Pair("An early train left the station.", AR, "A late train left the station.", "early"),
    Pair("It was a happy evening.", AR, "It was an unhappy evening.", "happy"),
    Pair("An honest answer helps.", AR, "A dishonest answer helps.", "honest"),
    Pair("An enemy of the king wrote the letter.", AR, "A friend of the king wrote the letter.", "enemy"),
    Pair("It took an unusually big effort.", AR, "It took an unusually small effort.", "big"),
    Pair("It is an EASY test.", AR, "It is a DIFFICULT test.", "easy"),
    # degree
    Pair("The cheaper hotel was closed.", AR, "The more expensive hotel was closed.", "cheap"),
    Pair("This is the cheapest phone in the shop.", AR, "This is the most expensive phone in the shop.", "cheap"),
    Pair("The more expensive hotel was closed.", AR, "The cheaper hotel was closed.", "expensive"),
    Pair("Her second book was better than the film.", AR, "Her second book was worse than the film.", "good"),
    Pair("They chose the best seats.", AR, "They chose the worst seats.", "good"),
    Pair("He was stronger than his brother.", AR, "He was weaker than his brother.", "strong"),
    Pair("Today is colder than yesterday.", AR, "Today is hotter than yesterday.", "cold"),
    Pair("The meeting ended earlier than planned.", AR, "The meeting ended later than planned.", "early"),
    # tense, person and number
    Pair("He won the race in March.", AR, "He lost the race in March."),
    Pair("She has won every race.", AR, "She has lost every race."),
    Pair("The bank rejects such offers.", AR, "The bank accepts such offers."),
    Pair("They love the noise.", AR, "They hate the noise."),
    Pair("The prices increased in June.", AR, "The prices decreased in June."),
    Pair("They are remembering the war.", AR, "They are forgetting the war."),
    Pair("The team will win the match.", AR, "The team will lose the match."),
    Pair("The winners thanked the crowd.", AR, "The losers thanked the crowd."),
    Pair("Victories are sweet.", AR, "Defeats are sweet."),
    # other words
    Pair("He spoke quickly.", AR, "He spoke slowly."),
    Pair("She often visits her aunt.", AR, "She rarely visits her aunt."),
    Pair("The guests left before the concert.", AR, "The guests left after the concert.", "before"),
    Pair("The cat slept inside the barn.", AR, "The cat slept outside the barn.", "inside"),
    Pair("The soup is cold.", AR, "The soup is hot.", "cold"),
    # questions, quotes, punctuation, whitespace
    Pair("Is the test easy?", AR, "Is the test difficult?", "easy"),
    Pair("“Easy tests are rare,” he said.", AR, "“Difficult tests are rare,” he said.", "easy"),
    Pair("A large, empty hall awaited us.", AR, "A large, full hall awaited us.", "empty"),
    Pair("The doors opened  slowly .", AR, "The doors opened  quickly ."),
    # refused
    Pair("The Old Town Hall is in Bern.", AR, None, "old"),
    Pair("They gave up the plan.", AR, None, "give"),
    Pair("He asked for a short-term loan.", AR, None, "short"),
    Pair("The boy is ten years old.", AR, None, "old"),
    Pair("How old is the bridge?", AR, None, "old"),
    Pair("He ate a hot dog.", AR, None, "hot"),
    Pair("She attends a high school in Bonn.", AR, None, "high"),
    Pair("As long as it rains, we stay.", AR, None, "long"),
    Pair("It was the least expensive hotel.", AR, None, "expensive"),
    Pair("The cold soup and the hot tea were free.", AR, None, "cold"),
]

HYPERNYM = [
    # capitals, number, a/an
    Pair("This morning the puppy barked.", HS, "This morning the dog barked."),
    Pair("Puppies need sleep.", HS, "Dogs need sleep."),
    Pair("An apple fell from the table.", HS, "A fruit fell from the table."),
    Pair("She plays a violin in the evening.", HS, "She plays an instrument in the evening."),
    Pair("An oak stood behind the house.", HS, "A tree stood behind the house."),
    Pair("An eagle circled above us.", HS, "A bird circled above us."),
    Pair("She drew an old airplane.", HS, "She drew an old vehicle."),
    Pair("An unusually small puppy barked.", HS, "An unusually small dog barked."),
    Pair("The wolves howled all night.", HS, "The animals howled all night."),
    Pair("The hammer and the knives lay on the floor.", HS, "The hammer and the tools lay on the floor.", "knife"),
    Pair("The children laughed.", HS, "The people laughed."),
    Pair("He bought two salmon.", HS, "He bought two fish."),
    Pair("Old oaks lined the road.", HS, "Old trees lined the road."),
    Pair("The novels were sold.", HS, "The books were sold."),
    Pair("Dentists are busy.", HS, "Doctors are busy."),
    # possessives and determiners
    Pair("The child's toy broke.", HS, "The person's toy broke."),
    Pair("The hotels’ owners protested.", HS, "The buildings’ owners protested."),
    Pair("A dentist's car stopped.", HS, "A doctor's car stopped."),
    Pair("My dentist called.", HS, "My doctor called."),
    Pair("Each puppy has a name.", HS, "Each dog has a name."),
    Pair("No puppies were sold.", HS, "No dogs were sold."),
    Pair("Whose puppy is this?", HS, "Whose dog is this?"),
    # mass nouns
    Pair("They ate rice.", HS, "They ate food."),
    Pair("They cook beef every Sunday.", HS, "They cook meat every Sunday."),
    # clauses, quotes, whitespace
    Pair("The dentist, who lives next door, smiled.", HS, "The doctor, who lives next door, smiled."),
    Pair("“The dentist is here,” she said.", HS, "“The doctor is here,” she said."),
    Pair("He sold the novel  , too .", HS, "He sold the book  , too ."),
    Pair("The airplane was repaired by the crew.", HS, "The vehicle was repaired by the crew."),
    # refused
    Pair("He came by bus.", HS, None),
    Pair("The bus driver waved.", HS, None),
    Pair("The apple pie was good.", HS, None),
    Pair("The Apple store opened.", HS, None),
    Pair("Rose entered the room.", HS, None),
    Pair("The airport hotel was full.", HS, "The airport building was full."),
    Pair("The dogs and other animals slept.", HS, None),
    Pair("The puppy and the dog slept.", HS, None, "puppy"),
    Pair("Hammer the nail into the wall.", HS, None),
    Pair("The clerk showed a puppy-like face.", HS, None),
]

PAIRS = [*NEGATION, *ROLE_SWAP, *ANTONYM, *HYPERNYM]
