"""Matches that spectators see with a delay, and the topic that they watch meanwhile."""

from matches.models import LiveMatch, Match

WATCH = "watch"
OVER = 1_000_000_000
"""Added to the number of a match that is over: higher than any action of it that spectators saw before."""


def is_delayed(live: LiveMatch, match: Match) -> bool:
    """Whether spectators do not see the match as it stands: it is played here with a delay, and not over yet."""
    return live.spectators_delay != 0 and match.state != Match.State.SETTLED


def is_behind_for_spectators(match: Match) -> bool:
    """Whether spectators see a match with a delay; it need not be one that is played here."""
    if match.state not in (Match.State.LIVE, Match.State.VOID):
        return False
    live: LiveMatch | None = getattr(match, "live", None)
    return live is not None and is_delayed(live, match)


def seq_for(match: Match, *, is_insider: bool) -> int:
    """The `seq` of a match for its reader; 0 for spectators who are behind, as it would show when somebody acts."""
    return match.seq if is_insider or not is_behind_for_spectators(match) else 0


def watch_topic(public_id: str) -> str:
    return f"{WATCH}:{public_id}"
