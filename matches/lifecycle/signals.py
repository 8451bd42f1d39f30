"""The only edge that points upward: a match told to whoever made it that a result stands."""

from django.dispatch import Signal

match_settled = Signal()
"""Sent after the commit that wrote a result, and again by the sweep while the match is unsettled: `match_id`.

Receivers open a transaction of their own, lock what they own first and the match after it, read the result that stands,
and clear `Match.unsettled` in the same transaction. They may be told twice.
"""
