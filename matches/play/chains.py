"""The dice chains of a match played here: armed, revealed link by link, and rolled from (docs/dice.md)."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Prefetch, Q, prefetch_related_objects

from engine.actions import Act
from engine.cube import Side
from engine.dice import LINK_BYTES, LINKS, Chain, ChainTag, follows, opening_throws, roll
from engine.errors import Refused
from engine.search import Dice
from matches.models import DiceChain, DiceSecret, LiveMatch
from matches.play.live import EventKind

SERVER = DiceChain.Owner.SERVER
BETWEEN_NEW_CHAINS = timedelta(minutes=1)
"""A player's third chain and every later one is committed this long after the one before, or later."""
MAX_ARMINGS = 100
"""How often a side may change between devices without revealing a link: more than anyone does."""
LINK_FIELDS = ("used", "latest", "seen", "last_reveal")
"""The columns of a chain that change with each link."""
Data = dict[str, Any]


class Arming(NamedTuple):
    """A device of a player has armed its chain: it is to serve from the next link on that the opponent reveals."""

    owner: str
    chain: int
    own_reveals: int
    """How many links its owner had revealed by then."""
    opponent_reveals: int | None = None
    """How many the opponent had; None in matches of older releases."""

    @property
    def data(self) -> Data:
        return {name: value for name, value in self._asdict().items() if value is not None}


class Reveal(NamedTuple):
    owner: str
    chain: int
    number: int
    link: str
    seen: int = 0
    """How many armings of the opponent the device knew that revealed it; none for the server."""

    @property
    def data(self) -> Data:
        data: Data = {"owner": self.owner, "chain": self.chain, "number": self.number, "link": self.link}
        return data if self.owner == SERVER else data | {"seen": self.seen}


class Chains:
    """The chains of one match, whose row is locked; loaded once for one action."""

    def __init__(self, live: LiveMatch, match_id: str, secret_of: Callable[[str], bytes] | None = None) -> None:
        """`secret_of` gives the secret of each chain that the server makes for an owner; by default it is random."""
        self.live = live
        self._secret_of = secret_of or (lambda _owner: secrets.token_bytes(LINK_BYTES))
        self.match_id = match_id
        self._chains = chains_with_secrets(live)

    def commit(self, owner: str, now: datetime, *, anchor: str | None = None) -> DiceChain:
        """Add a chain: by its anchor if its owner keeps it, else one that the server keeps. Refused: `bad_link`."""
        number = 1 + len(self._of(owner))
        secret: Chain | None = None
        if anchor is None:
            secret = Chain.from_secret(ChainTag(self.match_id, owner, number), self._secret_of(owner))
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

    def arm(self, owner: str, now: datetime, *, anchor: str | None = None, number: int | None = None) -> DiceChain:
        """Let a device of a player arm its chain, and commit to it first where it is new.

        Without an `anchor` it is the chain that the server keeps for the player. To arm the chain that was armed last
        changes nothing.

        Refused: `bad_link`, `chain_number_taken` where a new chain was made as number `number` but is not,
        `new_chain_too_soon`, `too_many_armings`.
        """
        chains = self._of(owner)
        matching = [chain for chain in chains if (chain.kept_by_server if anchor is None else chain.anchor == anchor)]
        chain = matching[-1] if matching and matching[-1].used < LINKS else None
        armed = self._armed(owner)
        if chain is not None and armed == chain:
            return chain
        own_reveals = self._reveals(owner)
        if sum(each.own_reveals == own_reveals for each in self.armings(owner)) >= MAX_ARMINGS:
            raise Refused("too_many_armings", most=MAX_ARMINGS)
        if chain is None:
            if anchor is not None and number not in (None, len(chains) + 1):
                raise Refused("chain_number_taken")
            if len(chains) > 1 and now - chains[-1].committed_at < BETWEEN_NEW_CHAINS:
                raise Refused("new_chain_too_soon")
            chain = self.commit(owner, now, anchor=anchor)
        arming = Arming(owner, chain.number, own_reveals, self._reveals(_opponent(owner)))
        self.live.armings = [*(self.live.armings or []), list(arming)]
        self.live.save(update_fields=["armings"])
        return chain

    def armings(self, owner: str) -> list[Arming]:
        """The armings of a side, in order."""
        return [each for each in armings_of(self.live) if each.owner == owner]

    def reveal(self, side: Side, link: str, seen: int | None = None, *, unrolled: int = 0) -> Reveal:
        """Take the next link of a side; `link` is empty where the server keeps the chain.

        It is one of the chain that was armed last, or of the one in force for a roll now. `seen` says how many armings
        of the opponent the device knows, at least those that a page must know that may act now; None: all. `unrolled`
        says how many links of the opponent are for the next roll, which no page knows yet.

        Refused: `no_chain`, `chain_exhausted`, `bad_link`.
        """
        owner = str(side)
        armed = self._armed(owner)
        if armed is None:
            raise Refused("no_chain")
        latest = self._latest(_opponent(owner))
        in_force = self._in_force(owner, latest.seen if latest else 0, self._reveals(owner) + 1)
        chains = [armed] if in_force in (None, armed) else [armed, in_force]
        matching = [chain for chain in chains if chain is not None and self._is_next(chain, link)]
        if not matching:
            raise Refused("chain_exhausted" if link and armed.used == LINKS else "bad_link")
        opponent_armings = len(self.armings(_opponent(owner)))
        if seen is None or seen > opponent_armings:
            seen = opponent_armings
        elif seen < opponent_armings:
            seen = max(seen, self._least_seen(owner, unrolled))
        return self._use(matching[0], link or self._take(matching[0]), seen)

    def _least_seen(self, owner: str, unrolled: int) -> int:
        """How many armings of the opponent whoever reveals the next link of a side must know.

        Each was made before a link of either side that the board shows, without which nobody may act.
        """
        opponent = _opponent(owner)
        shown, own = self._reveals(opponent) - unrolled, self._reveals(owner)
        numbers = [
            number
            for number, arming in enumerate(self.armings(opponent), start=1)
            if arming.own_reveals < shown or _is_before(arming, own)
        ]
        return max(numbers, default=0)

    def reveal_with_play(self, side: Side, link: str, seen: int | None = None) -> Reveal | None:
        """Take the link that a side reveals with a play, so that nobody knows the next roll before it; None if it has
        none to reveal. Refused: `bad_link`.
        """
        armed = self._armed(str(side))
        if not link and (armed is None or not armed.kept_by_server or armed.used == LINKS):
            return None
        return self.reveal(side, link, seen)

    def reveal_for_opening(self, side: Side, link: str, seen: int | None = None) -> Reveal:
        """Like `reveal`, for the next opening roll.

        A side whose game was broken off after it had been ready reveals the same link again, since a roll takes one
        link of each side.
        """
        before = self._ready_for_next_roll(side)
        if before is None:
            other: Side = 0 if side else 1
            return self.reveal(side, link, seen, unrolled=self._ready_for_next_roll(other) is not None)
        if link and link != before.link:
            raise Refused("bad_link")
        return before

    def _ready_for_next_roll(self, side: Side) -> Reveal | None:
        """The link that a side was last ready with, unless the roll has been made since."""
        last = self.live.actions.filter(Q(kind=Act.ROLL) | Q(kind=EventKind.READY, side=side)).order_by("seq").last()
        return (
            Reveal(**({"seen": 1} | last.data["link"])) if last is not None and last.kind == EventKind.READY else None
        )

    def roll(self, side: Side, revealed: Reveal) -> tuple[Dice, Data]:
        """The next roll, of the side that revealed a link for it, and everything that proves it."""
        server, number = self._server_link()
        latest = self._latest(_opponent(revealed.owner))
        assert latest is not None  # noqa: S101, both were ready for the opening roll
        dice = roll(
            _bytes(server.link), self.match_id, number, fresh=_bytes(revealed.link), latest=_bytes(latest.latest)
        )
        return dice, _proof(dice, number, [revealed.data], server, self._weak_by((revealed.data, latest.seen)))

    def opening_roll(self, links: tuple[Data, Data]) -> tuple[Dice, Data]:
        """The next roll, an opening, and its proof, from the links both sides are ready with; side 0's first."""
        server, number = self._server_link()
        left, right = (_bytes(link["link"]) for link in links)
        *equal, dice = opening_throws(_bytes(server.link), self.match_id, number, links=(left, right))
        weak_by = self._weak_by(*((link, other.get("seen", 1)) for link, other in (links, links[::-1])))
        proof = _proof(dice, number, list(links), server, weak_by)
        return dice, {**proof, "equal": [list(throw) for throw in equal]} if equal else proof

    def _weak_by(self, *links: tuple[Data, int]) -> dict[str, str]:
        """By the owner of each latest link that is not of the chain in force, the side whose doing that was.

        Each link comes with how many armings the opponent's has seen. It was the opponent's doing if it would be of the
        chain in force, had theirs seen all armings that were made before it.
        """
        weak_by = {}
        for link, seen in links:
            owner, opponent = link["owner"], _opponent(link["owner"])
            in_force = self._in_force(owner, seen, self._reveals(owner))
            if in_force is None or in_force.number != link["chain"]:
                theirs = self._reveals(opponent)
                before = sum(_is_before(arming, theirs) for arming in self.armings(owner))
                expected = self._in_force(owner, before, self._reveals(owner))
                is_opponents = expected is not None and expected.number == link["chain"]
                weak_by[owner] = opponent if is_opponents else owner
        return weak_by

    def _in_force(self, owner: str, seen: int, reveal: int) -> DiceChain | None:
        """The only chain that gives a player full rolls, as link `reveal` over all their chains.

        It is the one they armed last before that link, among the armings that the opponent's link of the roll has seen.
        """
        for arming in reversed(self.armings(owner)[:seen]):
            if arming.own_reveals < reveal:
                return self._of(owner)[arming.chain - 1]
        return None

    def _armed(self, owner: str) -> DiceChain | None:
        armings = self.armings(owner)
        return self._of(owner)[armings[-1].chain - 1] if armings else None

    def _server_link(self) -> tuple[Reveal, int]:
        """The server's next link, and the number of the roll it is for."""
        number = 1 + self._reveals(SERVER)
        chain = self._of(SERVER)[-1]
        if chain.used == LINKS:
            chain = self.commit(SERVER, chain.committed_at)
        return self._use(chain, self._take(chain), 0), number

    def _take(self, chain: DiceChain) -> str:
        """The next link of a chain whose secret the server has. Refused: `chain_exhausted`."""
        tag = ChainTag(self.match_id, chain.owner, chain.number)
        links = Chain.from_checkpoints(tag, bytes(chain.secret.checkpoints))
        return links.link(chain.used + 1).hex()

    def _is_next(self, chain: DiceChain, link: str) -> bool:
        """Whether this is the next link of a chain: none, where the server keeps it."""
        if chain.kept_by_server:
            return not link
        tag = ChainTag(self.match_id, chain.owner, chain.number)
        return chain.used < LINKS and follows(tag, _bytes(link), _bytes(chain.latest))

    def _use(self, chain: DiceChain, link: str, seen: int) -> Reveal:
        chain.last_reveal = self._reveals(chain.owner) + 1
        chain.used, chain.latest, chain.seen = chain.used + 1, link, seen
        self._save(chain)
        return Reveal(chain.owner, chain.number, chain.used, link, seen)

    def _save(self, chain: DiceChain) -> None:
        chain.save(update_fields=LINK_FIELDS)

    def _latest(self, owner: str) -> DiceChain | None:
        """The chain whose link a side has revealed last."""
        used = [chain for chain in self._of(owner) if chain.used]
        return max(used, key=lambda chain: chain.last_reveal, default=None)

    def _reveals(self, owner: str) -> int:
        return sum(chain.used for chain in self._of(owner))

    def _of(self, owner: str) -> list[DiceChain]:
        return [chain for chain in self._chains if chain.owner == owner]


def chains_with_secrets(live: LiveMatch) -> list[DiceChain]:
    """The chains of a match; prefetched, so that what shows them after an action does not read them again."""
    with_secrets = DiceChain.objects.select_related("secret").order_by("owner", "number")
    prefetch_related_objects([live], Prefetch("chains", with_secrets))
    return list(live.chains.all())


def armings_of(live: LiveMatch) -> list[Arming]:
    """How often and with what the players of a match have armed chains, in order."""
    return [Arming(*each) for each in live.armings or []]


def _is_before(arming: Arming, reveal: int) -> bool:
    """Whether an arming is known to have been made before link `reveal` of the opponent, over all their chains."""
    return arming.opponent_reveals is not None and arming.opponent_reveals < reveal


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


def _proof(dice: Dice, number: int, links: list[Data], server: Reveal, weak_by: dict[str, str]) -> Data:
    proof = {"dice": list(dice), "number": number, "links": links, "server": server.data, "weak": bool(weak_by)}
    return proof | ({"weak_by": weak_by} if weak_by else {})
