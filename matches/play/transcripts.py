"""A match played here as a transcript, so that the engine adjudicates it like any record sent in."""

from engine.actions import Act
from engine.recording import record
from engine.transcript import Transcript
from matches.models import LiveMatch
from matches.play.services.journal import event_of
from matches.play.services.starting import first_state

_ACTS = frozenset(act.value for act in Act)


def transcript_of(live: LiveMatch) -> Transcript:
    """What was played so far, with the names of the players."""
    match = live.match
    events = (event_of(action) for action in live.actions.order_by("seq") if action.kind in _ACTS)
    names = (match.player_0.name, match.player_1.name)
    return record(first_state(match, live.flag_rule), (event.action for event in events), names)
