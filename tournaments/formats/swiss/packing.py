"""Several costs in one whole number, the first weighing more than all that follow together."""

from collections.abc import Sequence

WIDEST = 126
"""Bits that fit: the matching computes in signed 128-bit numbers and doubles its weights."""


class Packing:
    """Costs of an edge, most important first, such that sums over a whole matching never run over.

    `maxima` are the greatest cost of one edge in each field and `edges` the most edges that are summed.
    The last field is made coarser if the whole would not fit into `WIDEST` bits.
    """

    def __init__(self, maxima: Sequence[int], edges: int) -> None:
        widths = [(most * edges).bit_length() for most in maxima]
        self._coarser = max(0, sum(widths) - WIDEST + 1)
        widths[-1] -= self._coarser
        if widths[-1] < 0:
            raise ValueError("the costs do not fit, even without the last field")
        self._widths = widths
        self.top = 1 << sum(widths)

    def weight(self, costs: Sequence[int]) -> int:
        """A positive weight, greater for less cost."""
        packed = 0
        for cost, width in zip(costs[:-1], self._widths[:-1], strict=True):
            packed = (packed << width) | cost
        return self.top - ((packed << self._widths[-1]) | (costs[-1] >> self._coarser))
