"""The signal with which a match notifies the app that opened it, which it asks by `matches.lifecycle.events`."""

from django.dispatch import Signal

match_settled = Signal()
"""Sent with `match_id` after the commit that wrote a result, and again by the sweep while the match is unsettled.

A receiver opens a transaction of its own, locks its own rows and then the match, reads the result that stands, and
clears `Match.unsettled` in the same transaction. It may be called twice for the same result.
"""
