"""Drawing lots in a way that anybody can verify.

Algorithm `barpoint-lots/1`. A seed is a secret string of at least 16 bytes. Its SHA-256, in lower-case
hexadecimal, is published when entries close; the seed itself is published with the draw.

1. Draft `d` (from 1) of purpose `p` reads the blocks HMAC-SHA-256(key = seed, message = "p:d:b") for
   b = 0, 1, 2, …; the message is ASCII with decimal numbers. A redraw takes the next `d`.
2. Each block of 32 bytes is four unsigned 64-bit numbers, most significant byte first, used in order.
3. A number below n: take the next 64-bit number v; while v >= 2^64 - (2^64 mod n), take the next; the
   answer is v mod n. For n = 1 the answer is 0 and nothing is taken.
4. To shuffle a list of n: for i = n - 1 down to 1 take j below i + 1 and exchange the items i and j.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from typing import TypeVar

from formats.errors import Refused

ALGORITHM = "barpoint-lots/1"
MIN_SEED_BYTES = 16
WORD = 1 << 64
WORD_BYTES = 8

Item = TypeVar("Item")


def commitment(seed: bytes) -> str:
    """Return the public hash of a seed: SHA-256 in hexadecimal. Raises Refused("seed_too_short")."""
    if len(seed) < MIN_SEED_BYTES:
        raise Refused("seed_too_short", least=MIN_SEED_BYTES, bytes=len(seed))
    return hashlib.sha256(seed).hexdigest()


def lot(seed: bytes, *key: str | int) -> "Lots":
    """Return the lots for the decision named by `key`: the same seed and key always give the same lots.

    The key must name the decision and nothing that differs when it is repeated, so that nobody can get other lots by
    previewing, undoing and applying again. To choose among items that may become unavailable, shuffle all of them in a
    fixed order and take the first available one. In the message above, `p` is "lot:" and the key joined by colons.
    """
    return Lots(seed, ":".join(["lot", *map(str, key)]))


class Lots:
    """A stream of lots for one purpose and draft. Reading advances it, so create a new one for each draw."""

    def __init__(self, seed: bytes, purpose: str, draft: int = 1) -> None:
        if len(seed) < MIN_SEED_BYTES:
            raise Refused("seed_too_short", least=MIN_SEED_BYTES, bytes=len(seed))
        self._seed = seed
        self._prefix = f"{purpose}:{draft}"
        self._block = 0
        self._words: list[int] = []

    def _word(self) -> int:
        if not self._words:
            message = f"{self._prefix}:{self._block}".encode("ascii")
            block = hmac.digest(self._seed, message, "sha256")
            self._block += 1
            starts = range(0, len(block), WORD_BYTES)
            self._words = [int.from_bytes(block[at : at + WORD_BYTES], "big") for at in starts][::-1]
        return self._words.pop()

    def below(self, bound: int) -> int:
        """Return a uniformly distributed integer from 0 to `bound` - 1. Raises ValueError if `bound` < 1."""
        if bound < 1:
            raise ValueError("bound must be at least 1")
        if bound == 1:
            return 0
        limit = WORD - WORD % bound
        word = self._word()
        while word >= limit:
            word = self._word()
        return word % bound

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        drawn = list(items)
        for i in range(len(drawn) - 1, 0, -1):
            j = self.below(i + 1)
            drawn[i], drawn[j] = drawn[j], drawn[i]
        return drawn

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of the items at random. Raises ValueError if there are none."""
        return items[self.below(len(items))]
