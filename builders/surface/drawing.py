"""From a dependency parse to a shallow AMR graph.

    Omar wants to photograph Lucia.    (w / want-01~e.1
                                          :ARG0 (p / person~e.0 :name (n / name :op1 "Omar"))
                                          :ARG1 (p2 / photograph-01~e.3
                                             :ARG1 (p3 / person~e.4 :name (n2 / name :op1 "Lucia"))
                                             :ARG0 p))

Verbs are frames; an adjective after *be* is a frame, other predicates hang on ``be-01`` (``be-02``: *there is*); modal
verbs are frames above their verb; shared and controlled subjects are links. Roles beyond ARG0 to ARG2 say what the
words say (``:prep-against``), no more: the graph is there to find edits and to compare two sentences.
"""

from builders.surface import syntax, words
from builders.surface.fragments import denial, is_fragment_head
from builders.surface.negators import negators
from builders.surface.nouns import (
    QUESTION_TAGS,
    concept_of,
    is_concept_preposition,
    is_name,
    name_tokens,
    noun_node,
    preposition_role,
)
from builders.surface.reading import Reading
from builders.surface.roles import CLAUSE_ROLES, asks, implied_subject, mode_of, relative_role
from builders.surface.shallow import Node
from builders.surface.tokens import Token
from builders.surface.wordsets import word_set

_SKIPPED = word_set(
    "aux auxpass punct cc preconj mark case det predet expl neg intj possessive prt dep meta agent conj quantmod"
)
_MODIFIER_ROLES = {"advmod": ":manner", "npadvmod": ":time", "amod": ":mod", "compound": ":mod", "nmod": ":mod"}


def draw(reading: Reading) -> Node | None:
    """The shallow graph of a sentence; ``None`` if it has no word in it."""
    tops = [node for sentence in _roots(reading) if (node := _Drawing().draw(sentence)) is not None]
    if len(tops) <= 1:
        return tops[0] if tops else None
    several = Node("multi-sentence")
    for place, node in enumerate(tops, 1):
        several.add(f":snt{place}", node)
    return several


def _roots(reading: Reading) -> list[Token]:
    return [token for token in reading.doc if token.dep_ == "ROOT" and any(t.is_alpha for t in token.subtree)]


class _Drawing:
    """The graph of one spaCy sentence on its way."""

    def __init__(self) -> None:
        self._nodes: dict[int, Node] = {}  # token → the node that says it
        self._groups: dict[int, Node] = {}  # token → the node that stands for it and what is coordinated with it
        self._predicates: list[tuple[Token, Node]] = []

    def draw(self, root: Token) -> Node | None:
        top = self._group(root)
        if top is None:
            return None
        self._link_subjects()
        return top

    def _group(self, token: Token) -> Node | None:
        """The node of a token with everything coordinated to it."""
        parts = [node for member in syntax.members(token) if (node := self._node(member)) is not None]
        if len(parts) <= 1:
            group = parts[0] if parts else None
        else:
            group = Node("or" if syntax.coordinator(token) in ("or", "nor") else "and")
            for place, part in enumerate(parts, 1):
                group.add(f":op{place}", part)
        if group is not None:
            self._groups[token.i] = group
        return group

    def _node(self, token: Token) -> Node | None:
        if syntax.is_predicate(token):
            return self._clause(token)
        if token.is_punct or token.dep_ == "punct":
            return self._only_child(token)
        if token.pos_ in ("ADP", "SCONJ") and token.dep_ in ("prep", "ROOT", "pcomp", "conj", "dative"):
            return self._phrase(token)
        node = self._modifier(token) if token.pos_ in ("ADJ", "ADV", "DET") else noun_node(token, asks(token))
        if is_fragment_head(token):
            node.concept += "-01"
            if denial(token) is not None:
                node.add(":polarity", "-")
        self._nodes[token.i] = node
        self._hang_all(node, token, skip=self._name_parts(token))
        return node

    @staticmethod
    def _name_parts(token: Token) -> set[int]:
        return {part.i for part in name_tokens(token)} if is_name(token) else set()

    def _modifier(self, token: Token) -> Node:
        if token.tag_ in QUESTION_TAGS:
            return Node("amr-unknown" if asks(token) else token.lower_, token.i)
        return Node(concept_of(token), token.i)

    def _only_child(self, token: Token) -> Node | None:
        """Punctuation has no node; what hangs on it still needs a place."""
        found = [node for part in token.children if (node := self._argument(part)) is not None]
        if len(found) <= 1:
            return found[0] if found else None
        several = Node("and")
        for place, node in enumerate(found, 1):
            several.add(f":op{place}", node)
        return several

    def _phrase(self, preposition: Token) -> Node | None:
        """A preposition where a node is wanted: its concept or what it governs."""
        inner = [node for part in preposition.children if (node := self._argument(part)) is not None]
        if not is_concept_preposition(preposition) and inner:
            first, *others = inner
            for other in others:
                first.add(":mod", other)
            return first
        node = Node(preposition.lower_, preposition.i)
        self._nodes[preposition.i] = node
        for place, part in enumerate(inner, 1):
            node.add(f":op{place}", part)
        return node

    def _argument(self, token: Token) -> Node | None:
        return None if token.dep_ in _SKIPPED else self._group(token)

    # --- clauses ---

    def _clause(self, verb: Token) -> Node:
        """The node of a clause: the modal above the predicate, or the predicate itself."""
        node, about = self._predicate(verb)
        self._nodes[verb.i] = node
        self._predicates.append((verb, node))
        top = node
        modal = syntax.modal(verb)
        if modal is not None and modal.lemma_.lower() in words.MODALS:
            top = Node(f"{words.MODALS[modal.lemma_.lower()]}-01", modal.i)
        elif modal is not None and modal.lower_ in ("ca", "can", "could"):
            top = Node("possible-01", modal.i)
        negative = bool(negators(verb))
        mode = mode_of(verb)
        if negative:
            (top if top.concept == "possible-01" else node).add(":polarity", "-")
        for marked in [node] if top is node else [top, node]:
            if mode is not None:
                marked.add(":mode", mode)
        self._hang_clause(node, verb, about)
        if top is not node:
            top.add(":ARG1", node)
        return top

    def _predicate(self, verb: Token) -> tuple[Node, Token | None]:
        """The frame of a verb, and the adjective that stands for the copula, if one does."""
        if not syntax.is_copula(verb):
            particle = syntax.child(verb, "prt")
            lemma = verb.lemma_.lower() + (f"-{particle.lower_}" if particle is not None else "")
            return Node(f"{lemma}-01", verb.i), None
        expletive = syntax.child(verb, "expl")
        if expletive is not None and expletive.tag_ == "EX":
            return Node("be-02", verb.i), None
        adjective = syntax.child(verb, "acomp")
        if adjective is not None and adjective.pos_ == "ADJ" and not syntax.children(adjective, "conj"):
            return Node(f"{concept_of(adjective)}-01", adjective.i), adjective
        return Node("be-01", verb.i), None

    def _hang_clause(self, node: Node, verb: Token, adjective: Token | None) -> None:
        passive = syntax.is_passive(verb)
        taken: set[str] = set()
        if adjective is not None:
            self._nodes[adjective.i] = self._groups[adjective.i] = node
        for part in verb.children:
            if adjective is not None and part.i == adjective.i:
                self._hang_all(node, adjective)
                continue
            role = self._clause_role(part, verb, passive, taken)
            if role is None:
                continue
            target = part
            if part.dep_ == "agent" or part == syntax.object_preposition(verb):
                target = syntax.child(part, "pobj")
            if target is not None and not syntax.is_relative_pronoun(target):
                taken.add(role)
                self._hang(node, role, target)

    def _clause_role(self, part: Token, verb: Token, passive: bool, taken: set[str]) -> str | None:
        dep = part.dep_
        copula = syntax.is_copula(verb)
        if dep in ("nsubj", "csubj"):
            return ":ARG1" if copula or passive else ":ARG0"
        if dep in ("nsubjpass", "csubjpass"):
            return ":ARG1"
        if dep == "agent":
            return ":ARG0"
        if dep == "dobj" or part == syntax.object_preposition(verb):
            return ":ARG1"
        if dep in ("dative", "oprd"):
            return ":ARG2"
        if dep in ("attr", "acomp"):
            if copula and syntax.child(verb, "expl") is not None:
                return ":ARG1"
            return ":ARG2"
        if dep in ("ccomp", "xcomp"):
            return ":ARG2" if ":ARG1" in taken or passive or copula else ":ARG1"
        return None if dep in _SKIPPED else self._role(part)

    # --- everything else ---

    def _hang_all(self, node: Node, token: Token, skip: set[int] | None = None) -> None:
        for part in token.children:
            if skip and part.i in skip:
                continue
            if part.dep_ in ("det", "predet"):
                if part.lower_ not in ("the", "a", "an", "no"):
                    node.add(":mod", Node(part.lower_, part.i))
            elif part.dep_ not in _SKIPPED:
                self._hang(node, self._role(part), part)

    def _role(self, part: Token) -> str:
        dep = part.dep_
        if dep == "relcl":
            return relative_role(part)
        if dep == "acl":
            if syntax.is_infinitive(part):
                return ":purpose"
            return ":ARG1-of" if syntax.is_passive(part) else ":ARG0-of"
        if dep == "advcl":
            mark = syntax.child(part, "mark", "advmod")
            return CLAUSE_ROLES.get(mark.lower_, ":manner") if mark is not None else ":manner"
        if dep in ("prep", "dative") and part.pos_ in ("ADP", "SCONJ"):
            if is_concept_preposition(part):
                return words.PREPOSITION_CONCEPTS[part.lower_]
            return preposition_role(part)
        if dep == "nummod":
            return ":quant"
        if dep == "poss":
            return ":poss"
        if part.tag_ in ("RB", "RBR", "RBS") and dep == "advmod":
            return ":degree" if part.head.pos_ in ("ADJ", "ADV") else ":manner"
        return _MODIFIER_ROLES.get(dep, ":mod")

    def _hang(self, node: Node, role: str, part: Token) -> None:
        if part.dep_ == "nummod" and part.text[0].isdigit() and not list(part.children):
            node.add(role, part.text)
            return
        found = self._group(part)
        if found is None:
            return
        if role in (":ARG0-of", ":ARG1-of") and not _is_frame_of(found, self._nodes.get(part.i)):
            # a modal or a coordination stands above the verb: the noun is an argument of the verb inside
            node.add(":mod", found)
            inner = self._nodes.get(part.i)
            if inner is not None:
                inner.links.append((role[:-3], node))
            return
        node.add(role, found)

    def _link_subjects(self) -> None:
        for verb, node in self._predicates:
            who = syntax.shared_subject(verb)
            if who is None or (verb.dep_ == "acl" and who == verb.head):
                continue
            who = syntax.antecedent(who)
            target = self._groups.get(who.i) or self._nodes.get(who.i)
            role = ":ARG1" if syntax.is_copula(verb) or syntax.is_passive(verb) else ":ARG0"
            if target is not None and target is not node and not any(edge[0] == role for edge in node.edges):
                node.links.append((role, target))
        for verb, node in self._predicates:
            implied = implied_subject(verb)
            if implied is not None:
                node.add(":ARG1" if syntax.is_passive(verb) else ":ARG0", Node(implied))


def _is_frame_of(found: Node, inner: Node | None) -> bool:
    return found is inner
