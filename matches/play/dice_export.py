"""The dice of a match played here in the format of docs/dice.md, for `tools/verify_dice.py` and the dice page."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.actions import Act
from matches.models import DiceChain, LiveMatch
from matches.play.services.chains import Arming, armings_of
from matches.play.watching.delay import Watched

FORMAT = "barpoint-dice/2"


def dice_of(live: LiveMatch, reader: Watched | None = None) -> dict[str, Any]:
    """Chains, links and rolls of a match so far, or as far as its reader may see it.

    Only what is published anyway: no link ahead of its roll.
    """
    actions, chains = live.actions.filter(kind__in=(Act.ROLL, Act.PLAY)), live.chains.all()
    is_behind = reader is not None and reader.is_behind
    if reader is not None and is_behind:
        actions, chains = actions.filter(seq__lte=reader.last), chains.filter(committed_at__lte=reader.at)
    # Before the chains, so that no roll is listed without its chain.
    rolls = list(_rolls(actions.order_by("seq").values_list("kind", "side", "data")))
    committed = list(chains.order_by("committed_at", "pk"))
    live.refresh_from_db(fields=["armings"])
    armings = armings_of(live)
    if is_behind:
        links = [link for roll in rolls for link in [*roll["links"], *filter(None, [roll.get("play_link")])]]
        used = {owner: sum(link["owner"] == owner for link in links) for owner in ("0", "1")}
        armings = list(armings_up_to(armings, {(chain.owner, chain.number) for chain in committed}, used))
    return {
        "format": FORMAT,
        "match": live.match.public_id,
        "chains": [_chain(chain) for chain in committed],
        "armings": [arming._asdict() for arming in armings],
        "rolls": rolls,
    }


def armings_up_to(
    armings: Iterable[Arming], chains: set[tuple[str, int]], reveals: Mapping[str, int]
) -> Iterator[Arming]:
    """Yield the armings that a reader may know who sees these chains, and so many links of each side."""
    for arming in armings:
        if (arming.owner, arming.chain) not in chains or arming.own_reveals > reveals.get(arming.owner, 0):
            return
        yield arming


def _rolls(actions: Iterable[tuple[str, int | None, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yield the rolls, each with the link that was revealed with its play, or that it was not played."""
    roll: dict[str, Any] | None = None
    for kind, side, data in actions:
        if kind == Act.ROLL:
            if roll is not None:
                yield roll
            roll = {"side": side} | data | {"unplayed": True}
        elif roll is not None:
            del roll["unplayed"]
            if "link" in data:
                roll["play_link"] = data["link"]
    if roll is not None:
        yield roll


def _chain(chain: DiceChain) -> dict[str, Any]:
    data: dict[str, Any] = {"owner": chain.owner, "number": chain.number, "anchor": chain.anchor}
    if chain.owner != DiceChain.Owner.SERVER:
        data |= {"opponent_reveals": chain.opponent_reveals, "kept_by_server": chain.kept_by_server}
    return data
