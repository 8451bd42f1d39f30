"""How the matches of an event are to be played here, as the app that opened them defines it."""

from typing import NamedTuple

from engine.clock import DAY, MINUTE, PRESETS, ClockSettings
from engine.cube import Score
from matches.models import ClockPreset, LiveMatch, PlayMode
from matches.models.reports import NO_SHOW_MINUTES

MAX_SPAN_DAYS = 30
"""Longest turn and longest bank of a match by correspondence, in days."""
MAX_NO_SHOW = 120
"""The most minutes that an event may say."""
MAX_OVERTIME = 2
"""Minutes."""
MAX_DELAY = 120
"""Most minutes by which spectators may be delayed."""


class PlayRules(NamedTuple):
    mode: str = PlayMode.TABLE.value
    clock: str = ClockPreset.TABLE.value
    overtime_minutes: int = 0
    turn_days: int = 2
    """Correspondence: days for each turn."""
    bank_days: int = 0
    """Correspondence: days more for the whole match."""
    flag_rule: str = LiveMatch.FlagRule.MATCH_LOST.value
    spectators_delay: int | None = 0
    """Minutes by which spectators are behind; None: they see the match once it is over."""
    no_show_loses: bool = False
    """A player who is late for an appointment loses the match if the opponent claims it."""
    no_show_minutes: int = NO_SHOW_MINUTES
    """After so many minutes a player is late."""

    @property
    def players_may_open(self) -> bool:
        """Whether the players themselves may open their match for play here."""
        return self.mode != PlayMode.TABLE

    def clock_settings(self, *, length: int, score: Score) -> ClockSettings | None:
        """The clock of a match to `length` points that starts at `score`; None without a clock."""
        if self.clock == ClockPreset.NONE:
            return None
        if self.clock == ClockPreset.CORRESPONDENCE:
            return ClockSettings(self.turn_days * DAY, self.bank_days * DAY, correspondence=True)
        return PRESETS[self.clock].settings(length=length, score=score, overtime=self.overtime_minutes * MINUTE)
