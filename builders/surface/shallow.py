"""Shallow meaning graphs before they are written in penman notation.

A `Node` is a concept aligned to a token; `Draft` collects nodes as a tree and links between them, and writes them:

    The dog chased him.      (c / chase-01~e.2 :ARG0 (d / dog~e.1) :ARG1 (h / he~e.3))
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_SYMBOL = re.compile(r"[^\W\d_][\w'.-]*")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


@dataclass(eq=False)
class Node:
    """A concept with what hangs on it.

    Attributes:
        token: index of the token it is aligned to; ``None`` for a concept that no word says.
        edges: role and target; a target is a node that is written out here, or a constant.
        links: role and a node that is written out elsewhere.
    """

    concept: str
    token: int | None = None
    edges: list[tuple[str, "Node | str"]] = field(default_factory=list)
    links: list[tuple[str, "Node"]] = field(default_factory=list)

    def add(self, role: str, target: "Node | str | None") -> None:
        """Hang something on the node."""
        if target is not None:
            self.edges.append((role, target))

    def walk(self) -> Iterator["Node"]:
        """This node and all below, in the order in which they are written."""
        yield self
        for _, target in self.edges:
            if isinstance(target, Node):
                yield from target.walk()


#: Source, role and target by what they say: ``("chase", ":ARG0", "dog")``.
Fact = tuple[str, str, str]


def to_penman(top: Node) -> str:
    """The graph in penman notation with alignments (``~e.N``: token N)."""
    names: dict[int, str] = {}
    counts: dict[str, int] = {}
    for node in top.walk():
        letter = next((char for char in node.concept.lower() if "a" <= char <= "z"), "x")
        counts[letter] = counts.get(letter, 0) + 1
        names[id(node)] = letter if counts[letter] == 1 else f"{letter}{counts[letter]}"
    return _write(top, names)


def _write(node: Node, names: dict[int, str]) -> str:
    parts = [f"({names[id(node)]} / {symbol(node.concept)}{_alignment(node)}"]
    written: set[tuple[str, str]] = set()
    for role, target in node.edges:
        if isinstance(target, Node):
            parts.append(f"{role} {_write(target, names)}")
            continue
        constant = target if target in ("-", "+", "interrogative", "imperative") else _constant(target)
        if (role, constant) not in written:
            parts.append(f"{role} {constant}")
        written.add((role, constant))
    for role, linked in node.links:
        if id(linked) in names and (role, names[id(linked)]) not in written:
            parts.append(f"{role} {names[id(linked)]}")
            written.add((role, names[id(linked)]))
    return " ".join(parts) + ")"


def _alignment(node: Node) -> str:
    return "" if node.token is None else f"~e.{node.token}"


def symbol(text: str) -> str:
    """A concept as penman writes it: a bare symbol where it may be one, else a quoted string."""
    return text if _SYMBOL.fullmatch(text) else _quoted(text)


def _constant(text: str) -> str:
    return text if _NUMBER.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    bare = text.replace("\\", "/").replace('"', "'").replace("\n", " ")
    return f'"{bare}"'
