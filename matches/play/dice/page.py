"""Context of the dice page, made from the export alone, so that it shows no roll that the export leaves out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from matches.models import DiceChain

SHOWN_DIGITS = 8
"""Of a link in the table; the opened row has all of them."""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShownLink:
    """A link of a chain."""

    chain: int
    number: int
    link: str

    @property
    def short(self) -> str:
        return f"{self.link[:SHOWN_DIGITS]}…"

    @property
    def begins_chain(self) -> bool:
        """Whether it is the first of a chain that replaced another."""
        return self.chain > 1 and self.number == 1


@dataclass(frozen=True, slots=True)
class ShownDie:
    """A die and the side it belongs to."""

    value: int
    side: int


@dataclass(frozen=True, slots=True)
class ShownRoll:
    """A roll and the three links it follows from."""

    number: int
    game: int
    side: int | None
    """None in an opening."""
    roller: str
    """The name of the player who rolled; of both in an opening."""
    dice: tuple[ShownDie, ShownDie]
    server: ShownLink
    first: ShownLink
    """The roller's new link, or side 0's in an opening."""
    second: ShownLink
    """The opponent's latest link, or side 1's new one in an opening."""
    weak: bool

    @property
    def begins_chain(self) -> bool:
        """Whether it takes the first link of a chain that replaced another."""
        return self.first.begins_chain or (self.side is None and self.second.begins_chain)


@dataclass(frozen=True, slots=True)
class ShownChain:
    """A chain that somebody committed to."""

    owner: str
    number: int
    anchor: str
    kept_by_server: bool


def shown_chains(export: Json, names: Sequence[str]) -> list[ShownChain]:
    """All chains in the order in which they were committed to."""
    return [
        ShownChain(
            gettext("Server") if chain["owner"] == DiceChain.Owner.SERVER else names[int(chain["owner"])],
            chain["number"],
            chain["anchor"],
            chain.get("kept_by_server", False),
        )
        for chain in export["chains"]
    ]


def shown_rolls(export: Json, names: Sequence[str]) -> list[ShownRoll]:
    """All rolls; an opening roll begins each game."""
    return list(_rolls(export, names))


def _rolls(export: Json, names: Sequence[str]) -> Iterator[ShownRoll]:
    game = 0
    latest: dict[int, ShownLink] = {}
    for roll in export["rolls"]:
        side = roll["side"]
        game += side is None
        latest |= {int(link["owner"]): _link(link) for link in roll["links"]}
        roller, other = (0, 1) if side is None else (side, 1 - side)
        left, right = roll["dice"]
        yield ShownRoll(
            number=roll["number"],
            game=game,
            side=side,
            roller=gettext("Both") if side is None else names[side],
            dice=(ShownDie(left, roller), ShownDie(right, other if side is None else roller)),
            server=_link(roll["server"]),
            first=latest[roller],
            second=latest[other],
            weak=roll["weak"],
        )


def _link(link: Json) -> ShownLink:
    return ShownLink(link["chain"], link["number"], link["link"])
