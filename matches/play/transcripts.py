"""A match played here as a transcript, so that the engine adjudicates it like any record sent in."""

from collections.abc import Iterator
from dataclasses import replace

from engine.actions import Act
from engine.recording import record
from engine.transcript import Game, Kind, Transcript
from matches.models import LiveMatch, Match
from matches.play.services.journal import event_of
from matches.play.services.starting import first_state

_ACTS = frozenset(act.value for act in Act)


def transcript_of(live: LiveMatch, *, until: int | None = None) -> Transcript:
    """What was played so far, or up to action `until`, with the names of the players."""
    match = live.match
    actions = live.actions.filter(kind__in=_ACTS).order_by("seq")
    if until is not None:
        actions = actions.filter(seq__lte=until)
    events = (event_of(action) for action in actions)
    names = (match.player_0.name, match.player_1.name)
    return record(first_state(match, live.flag_rule), (event.action for event in events), names)


def transcript_to_analyse(match: Match) -> Transcript:
    """A match played here, with the plays marked that the site made for a player: forced ones and automatic bear-offs.

    Raises LiveMatch.DoesNotExist if the match was not played here.
    """
    live = LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=match.pk)
    plays = live.actions.filter(kind=Act.PLAY).order_by("seq")
    automatic = (bool(action.data.get("forced")) for action in plays)
    transcript = transcript_of(live)
    return replace(transcript, games=tuple(_marked(game, automatic) for game in transcript.games))


def _marked(game: Game, automatic: Iterator[bool]) -> Game:
    events = tuple(
        event._replace(extra={"automatic": True})
        if event.kind is Kind.PLAY and event.moves is not None and next(automatic)
        else event
        for event in game.events
    )
    return replace(game, events=events)
