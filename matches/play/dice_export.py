"""The dice of a match played here in the format of docs/dice.md, for `tools/verify_dice.py` and the dice page."""

from typing import Any

from engine.actions import Act
from matches.models import DiceChain, LiveMatch
from matches.play.watching.delay import Watched

FORMAT = "barpoint-dice/1"


def dice_of(live: LiveMatch, reader: Watched | None = None) -> dict[str, Any]:
    """Chains, links and rolls of a match so far, or as far as its reader may see it.

    Only what is published anyway: no link ahead of its roll.
    """
    actions, chains = live.actions.filter(kind=Act.ROLL), live.chains.all()
    if reader is not None and reader.is_behind:
        actions, chains = actions.filter(seq__lte=reader.last), chains.filter(committed_at__lte=reader.at)
    # Before the chains, so that no roll is listed without its chain.
    rolls = list(actions.order_by("seq").values_list("side", "data"))
    return {
        "format": FORMAT,
        "match": live.match.public_id,
        "chains": [_chain(chain) for chain in chains.order_by("committed_at", "pk")],
        "rolls": [{"side": side} | data for side, data in rolls],
    }


def _chain(chain: DiceChain) -> dict[str, Any]:
    data: dict[str, Any] = {"owner": chain.owner, "number": chain.number, "anchor": chain.anchor}
    if chain.owner != DiceChain.Owner.SERVER:
        data |= {"opponent_reveals": chain.opponent_reveals, "kept_by_server": chain.kept_by_server}
    return data
