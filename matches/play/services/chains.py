"""The dice chains of a match played here: committed, revealed link by link, and rolled from (docs/dice.md)."""

import secrets
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Prefetch, Q, prefetch_related_objects

from engine.actions import Act
from engine.cube import Side
from engine.dice import LINK_BYTES, LINKS, Chain, ChainTag, follows, opening_roll, roll
from engine.errors import Refused
from engine.search import Dice
from matches.models import DiceChain, DiceSecret, LiveMatch
from matches.play.live import Kind

SERVER = DiceChain.Owner.SERVER
WAIT_FOR_OPPONENT = timedelta(seconds=10)
"""How long a new chain waits for a link of the opponent before its rolls go on as weak."""
MOST_CHAINS = 30
"""Chains a player may commit to in a match: more devices than anyone changes between."""
Data = dict[str, Any]


class Reveal(NamedTuple):
    """A link that a side reveals for a roll."""

    owner: str
    chain: int
    number: int
    link: str
    weak: bool = False
    """From a chain that the opponent has not yet answered with a link."""

    @property
    def data(self) -> Data:
        """As it is stored and exported."""
        return {"owner": self.owner, "chain": self.chain, "number": self.number, "link": self.link}


class Rolled(NamedTuple):
    """Dice with everything that proves them."""

    dice: Dice
    data: Data


class Chains:
    """The chains of one match, whose row is locked; loaded once for one action."""

    def __init__(self, live: LiveMatch, match_id: str) -> None:
        self.live = live
        self.match_id = match_id
        # Prefetched, so that what shows them after the action does not read them again.
        with_secrets = DiceChain.objects.select_related("secret").order_by("owner", "number")
        prefetch_related_objects([live], Prefetch("chains", with_secrets))
        self._chains = list(live.chains.all())

    def commit(self, owner: str, now: datetime, *, anchor: str | None = None) -> DiceChain:
        """Add a chain: by its anchor if its owner keeps it, else one that the server keeps.

        To commit to the owner's current chain again, from a second tab or after a lost answer, changes nothing.
        Refused: `bad_link`, `too_many_chains`.
        """
        own = self._of(owner)
        if own and anchor == own[-1].anchor:
            return own[-1]
        number = 1 + len(own)
        if owner != SERVER and number > MOST_CHAINS:
            raise Refused("too_many_chains", most=MOST_CHAINS)
        secret: Chain | None = None
        if anchor is None:
            secret = Chain.from_secret(ChainTag(self.match_id, owner, number), secrets.token_bytes(LINK_BYTES))
            anchor = secret.anchor.hex()
        elif len(_bytes(anchor)) != LINK_BYTES:
            raise Refused("bad_link")
        chain = self.live.chains.create(
            owner=owner,
            number=number,
            anchor=anchor,
            latest=anchor,
            opponent_reveals=0 if owner == SERVER else self._reveals(_opponent(owner)),
            kept_by_server=secret is not None,
            committed_at=now,
        )
        if secret is not None:
            DiceSecret.objects.create(chain=chain, checkpoints=secret.checkpoints)
        self._chains.append(chain)
        return chain

    def reveal(self, side: Side, link: str, now: datetime) -> Reveal:
        """Take the next link of a side; `link` is empty where the server keeps the chain.

        Refused: `no_chain`, `chain_waits`, `chain_exhausted`, `bad_link`.
        """
        owner = str(side)
        own = self._of(owner)
        if not own:
            raise Refused("no_chain")
        chain = own[-1]
        weak = self._is_weak(chain)
        # The first chain does not wait: an opponent who is ready already cannot answer before the opening roll.
        waits = chain.number > 1 and not self.live.correspondence
        if weak and waits and now - chain.committed_at < WAIT_FOR_OPPONENT:
            raise Refused("chain_waits")
        value = self._take(chain) if chain.kept_by_server else self._check(chain, link)
        return Reveal(owner, chain.number, self._use(chain, value), value, weak)

    def reveal_for_opening(self, side: Side, link: str, now: datetime) -> Reveal:
        """Like `reveal`, for the next opening roll.

        A side whose game was broken off after it had been ready reveals the same link again, since a roll takes one
        link of each side.
        """
        before = self._ready_for_next_roll(side)
        if before is None or before.chain != self._of(before.owner)[-1].number:
            return self.reveal(side, link, now)
        if link and link != before.link:
            raise Refused("bad_link")
        return before

    def _ready_for_next_roll(self, side: Side) -> Reveal | None:
        """The link with which a side was ready last, unless the roll has been made since."""
        last = self.live.actions.filter(Q(kind=Act.ROLL) | Q(kind=Kind.READY, side=side)).order_by("seq").last()
        return Reveal(**last.data["link"]) if last is not None and last.kind == Kind.READY else None

    def roll(self, side: Side, revealed: Reveal) -> Rolled:
        """The next roll, of the side that revealed a link for it."""
        server, number = self._server_link()
        fresh, latest = _bytes(revealed.link), _bytes(self._latest(_opponent(revealed.owner)))
        dice = roll(_bytes(server.link), self.match_id, number, fresh=fresh, latest=latest)
        return _rolled(dice, number, [revealed.data], server, weak=revealed.weak)

    def opening_roll(self, links: tuple[Data, Data]) -> Rolled:
        """The next roll, an opening, from the links with which both sides were ready; side 0's first."""
        server, number = self._server_link()
        left, right = (_bytes(link["link"]) for link in links)
        dice = opening_roll(_bytes(server.link), self.match_id, number, links=(left, right))
        weak = any(self._is_weak(self._of(link["owner"])[link["chain"] - 1]) for link in links)
        return _rolled(dice, number, list(links), server, weak=weak)

    def _is_weak(self, chain: DiceChain) -> bool:
        """Whether a player's chain was committed after the latest link of the opponent was known."""
        return self._reveals(_opponent(chain.owner)) <= chain.opponent_reveals

    def _server_link(self) -> tuple[Reveal, int]:
        """The server's next link, and the number of the roll it is for."""
        number = 1 + self._reveals(SERVER)
        chain = self._of(SERVER)[-1]
        if chain.used == LINKS:
            chain = self.commit(SERVER, chain.committed_at)
        link = self._take(chain)
        return Reveal(SERVER, chain.number, self._use(chain, link), link), number

    def _take(self, chain: DiceChain) -> str:
        """The next link of a chain whose secret the server has. Refused: `chain_exhausted`."""
        tag = ChainTag(self.match_id, chain.owner, chain.number)
        known = Chain.from_checkpoints(tag, bytes(chain.secret.checkpoints))
        return known.link(chain.used + 1).hex()

    def _check(self, chain: DiceChain, link: str) -> str:
        """The link, if it is the next of its chain."""
        if chain.used == LINKS:
            raise Refused("chain_exhausted")
        tag = ChainTag(self.match_id, chain.owner, chain.number)
        if not follows(tag, _bytes(link), _bytes(chain.latest)):
            raise Refused("bad_link")
        return link

    def _use(self, chain: DiceChain, link: str) -> int:
        chain.used, chain.latest = chain.used + 1, link
        chain.save(update_fields=["used", "latest"])
        return chain.used

    def _latest(self, owner: str) -> str:
        """The link that a side has revealed last."""
        return next(chain.latest for chain in reversed(self._of(owner)) if chain.used)

    def _reveals(self, owner: str) -> int:
        return sum(chain.used for chain in self._of(owner))

    def _of(self, owner: str) -> list[DiceChain]:
        return [chain for chain in self._chains if chain.owner == owner]


def _opponent(owner: str) -> str:
    return str(1 - int(owner))


def _bytes(link: str) -> bytes:
    """A link or anchor in lower-case hexadecimal as bytes. Refused: `bad_link`."""
    try:
        value = bytes.fromhex(link)
    except ValueError:
        raise Refused("bad_link") from None
    if value.hex() != link:
        raise Refused("bad_link")
    return value


def _rolled(dice: Dice, number: int, links: list[Data], server: Reveal, *, weak: bool) -> Rolled:
    return Rolled(dice, {"dice": list(dice), "number": number, "links": links, "server": server.data, "weak": weak})
