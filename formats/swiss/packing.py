"""Packs several costs into one integer, so that each outweighs all later ones together."""

from collections.abc import Sequence

MAX_BITS = 126
"""Bits available: the matching computes with signed 128-bit integers and doubles its weights."""


class Packing:
    """Packs the costs of an edge, most important first, so that sums over a whole matching do not overflow.

    `maxima` are the greatest costs of one edge in each field, and `edges` is the greatest number of edges summed. The
    last field is made coarser if everything would not fit into `MAX_BITS` bits.
    """

    def __init__(self, maxima: Sequence[int], edges: int) -> None:
        widths = [(most * edges).bit_length() for most in maxima]
        self._coarser = max(0, sum(widths) - MAX_BITS + 1)
        widths[-1] -= self._coarser
        if widths[-1] < 0:
            raise ValueError("the costs do not fit, even without the last field")
        *self._widths, self._last = widths
        self.top = 1 << sum(widths)
        self._packed: dict[tuple[int, ...], int] = {}
        """All fields but the last, of which many edges have the same."""

    def weight(self, costs: Sequence[int]) -> int:
        """Return a positive weight, which is greater for lower costs."""
        leading = tuple(costs[:-1])
        packed = self._packed.get(leading)
        if packed is None:
            packed = 0
            for cost, width in zip(leading, self._widths, strict=True):
                packed = (packed << width) | cost
            self._packed[leading] = packed = packed << self._last
        return self.top - (packed | (costs[-1] >> self._coarser))
