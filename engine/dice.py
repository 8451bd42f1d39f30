"""Dice that nobody can choose, and that only their roller could know beforehand (docs/dice.md).

Each side and the server commit to a hash chain before the first roll, by publishing its anchor. A link is revealed for
every roll and can be checked against the one before it, so nobody can choose a link once the anchor is known. The dice
follow from one link of each:

    HMAC-SHA-256(server's link k, "barpoint/1" | match | k | block | roller's fresh link | opponent's latest link)

Bytes of 252 and more are skipped; the first byte b that is left gives the dice of b mod 36.
"""

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.errors import Refused
from engine.search import Dice

LINKS = 4096
"""Links of a chain that can be revealed."""
LINK_BYTES = 32
_CHECKPOINT = 64
_VERSION = b"barpoint/1"
_ROLLS = 36
_USABLE = 252
"""The largest multiple of 36 that a byte can hold; larger bytes would favour some rolls."""
_DIE = 6


class ChainTag(NamedTuple):
    """Which chain a link belongs to. It is hashed with every link, so that no chain can pass for another."""

    match: str
    owner: str
    """`0`, `1` or `server`."""
    number: int = 1
    """A side that lost its chain starts another; chains are numbered from 1."""

    @property
    def prefix(self) -> bytes:
        return _VERSION + f"|{self.match}|{self.owner}|{self.number}|".encode()


def previous(tag: ChainTag, link: bytes) -> bytes:
    """The link before `link`: its SHA-256 with the tag in front."""
    return hashlib.sha256(tag.prefix + link).digest()


class Chain:
    """A hash chain whose secret is known: link 0 is the anchor, link `LINKS` the secret itself.

    Every 64th link is kept, so that a link costs at most 63 hashes.
    """

    def __init__(self, tag: ChainTag, kept: Mapping[int, bytes]) -> None:
        """Use `from_secret` or `from_checkpoints`."""
        self.tag = tag
        self._kept = kept

    @classmethod
    def from_secret(cls, tag: ChainTag, secret: bytes) -> "Chain":
        """Compute the chain; raises Refused (`bad_link`) unless `secret` has 32 bytes."""
        if len(secret) != LINK_BYTES:
            raise Refused("bad_link")
        kept = {LINKS: secret}
        link = secret
        for number in range(LINKS - 1, -1, -1):
            link = previous(tag, link)
            if number % _CHECKPOINT == 0:
                kept[number] = link
        return cls(tag, kept)

    @classmethod
    def from_checkpoints(cls, tag: ChainTag, checkpoints: bytes) -> "Chain":
        """The chain whose `checkpoints` were stored; nothing is computed or checked."""
        links = (checkpoints[at : at + LINK_BYTES] for at in range(0, len(checkpoints), LINK_BYTES))
        return cls(tag, dict(zip(range(0, LINKS + 1, _CHECKPOINT), links, strict=True)))

    @property
    def checkpoints(self) -> bytes:
        """The anchor and every 64th link, one after the other. Secret."""
        return b"".join(self._kept[number] for number in range(0, LINKS + 1, _CHECKPOINT))

    @property
    def anchor(self) -> bytes:
        """Link 0, published before anything is rolled."""
        return self._kept[0]

    def link(self, number: int) -> bytes:
        """Link `number`; raises Refused (`chain_exhausted`) unless 1 ≤ number ≤ `LINKS`."""
        if not 1 <= number <= LINKS:
            raise Refused("chain_exhausted")
        kept = -(-number // _CHECKPOINT) * _CHECKPOINT
        link = self._kept[kept]
        for _ in range(kept - number):
            link = previous(self.tag, link)
        return link


def follows(tag: ChainTag, link: bytes, known: bytes, *, distance: int = 1) -> bool:
    """Whether `link` lies `distance` links after the link `known` of the same chain."""
    if len(link) != LINK_BYTES or not 1 <= distance <= LINKS:
        return False
    for _ in range(distance):
        link = previous(tag, link)
    return hmac.compare_digest(link, known)


def roll(key: bytes, match: str, number: int, *, fresh: bytes, latest: bytes) -> Dice:
    """Roll `number` of a match: `key` is the server's link, `fresh` the roller's, `latest` the opponent's last."""
    return next(_rolls(key, match, number, fresh, latest))


def opening_roll(key: bytes, match: str, number: int, *, links: tuple[bytes, bytes]) -> Dice:
    """An opening roll, the die of side 0 first, from the links both sides revealed by being ready.

    Equal dice are rolled again from the same stream.
    """
    return opening_throws(key, match, number, links=links)[-1]


def opening_throws(key: bytes, match: str, number: int, *, links: tuple[bytes, bytes]) -> list[Dice]:
    """The opening roll with the throws of equal dice before it, in their order."""
    throws: list[Dice] = []
    for dice in _rolls(key, match, number, *links):
        throws.append(dice)
        if dice[0] != dice[1]:
            break
    return throws


def _rolls(key: bytes, match: str, number: int, first: bytes, second: bytes) -> Iterator[Dice]:
    """One roll after the other from the stream that these links begin."""
    block = 0
    while True:
        message = b"|".join(
            (_VERSION, match.encode(), b"%d" % number, b"%d" % block, first.hex().encode(), second.hex().encode())
        )
        for byte in hmac.digest(key, message, "sha256"):
            if byte < _USABLE:
                left, right = divmod(byte % _ROLLS, _DIE)
                yield left + 1, right + 1
        block += 1
