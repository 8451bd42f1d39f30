"""Who is free and waits why, for directors and for the player; nobody else is told who is free."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from formats.continuous.rule import RESTING
from formats.continuous.state import ABSENT, AWAY, BUSY, PairingStep
from formats.graph import EntryId
from formats.settings import LIVES
from tournaments.floor.derivation import floor_state
from tournaments.floor.flow_state import away_until
from tournaments.floor.flows import Flow, flows_of
from tournaments.floor.selectors import load_facts
from tournaments.floor.sentences import waits_for
from tournaments.floor.state import FloorState
from tournaments.models import Entry, Tournament


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who is still in and in no match: since when, and why, as a code of `sentences` with its parameters."""

    entry: Entry
    left: int
    lives: int
    begun: int
    since: datetime
    code: str
    params: Mapping[str, object]

    @property
    def is_here(self) -> bool:
        """Whether the player is here and in no other match."""
        return self.code not in (AWAY, ABSENT, BUSY)


def waiting_in(flow: Flow, floor: FloorState, now: datetime) -> list[Waiting]:
    """Return who waits in a stage without rounds, who has waited longest first."""
    granted = {entry for pair, _table in flow.granted for entry in (pair.first, pair.second)}
    in_match = {entry for match in flow.pool.playing for entry in match.pair}
    settings, rows = flow.pool.settings, flow.state.rows
    lives = settings.lives if settings.format == LIVES else (settings.rounds or 0)
    waiting = []
    for player in flow.pool.players:
        if player.left < 1 or player.entry in in_match:
            continue
        entry = rows.of_division.entries[player.entry]
        code: str
        params: Mapping[str, object]
        code, params = flow.decision.waits.get(player.entry, ("no_opponent", {}))
        if code == AWAY:
            params = {"until": max(away_until(entry, floor), default=None)}
        elif code == "window":
            code, params = _why_not_paired(flow, floor, player.entry in granted, params)
        waiting.append(Waiting(entry, player.left, lives, player.begun, player.joins_at, code, params))
    return sorted(waiting, key=lambda row: (row.since, row.entry.pk))


def _why_not_paired(
    flow: Flow, floor: FloorState, has_table: bool, params: Mapping[str, object]
) -> tuple[str, Mapping[str, object]]:
    """Return why somebody for whom there is an opponent is not paired yet."""
    if floor.pause is not None:
        return "paused", {}
    if flow.held:
        return "held", {}
    if flow.decision.action == PairingStep.AFTER_WINDOW:
        return "window", params
    return ("ready" if has_table else "table"), {}


def why_they_wait(entries: Collection[Entry], now: datetime) -> Mapping[int, str]:
    """Return entry id -> since when and why it waits, or why it plays no more, in words to the player.

    Those that are in a match are left out.

    The entries are those of one reader, in divisions that are being played without rounds.
    """
    own = {entry.pk for entry in entries}
    waits: dict[int, str] = {}
    events = Tournament.objects.filter(divisions__entries__in=own).distinct().select_related("club")
    for event in events.prefetch_related("divisions__stages") if own else ():
        state = floor_state(load_facts(event, now), now)
        for flow in flows_of(event, state, now):
            for row in waiting_in(flow, state, now):
                if row.entry.pk in own:
                    waits[row.entry.pk] = you_wait(row, flow, ZoneInfo(event.time_zone))
            done = YOU_ARE_OUT if flow.pool.settings.format == LIVES else YOU_HAVE_PLAYED_ALL
            waits |= {entry: _(done) for entry in own & finished_in(flow)}
    return waits


YOU_ARE_OUT = gettext_noop("You are out: you have no lives left.")
YOU_HAVE_PLAYED_ALL = gettext_noop("You have played all your matches.")


def finished_in(flow: Flow) -> set[EntryId]:
    """Return who has no lives left, or in a Swiss no matches, and is in no match."""
    in_match = {entry for match in flow.pool.playing for entry in match.pair}
    return {player.entry for player in flow.pool.players if player.left < 1} - in_match


def you_wait(row: Waiting, flow: Flow, zone: ZoneInfo) -> str:
    """Return since when and why somebody waits, in words to them."""
    since = time_format(timezone.localtime(row.since, zone), "TIME_FORMAT")
    parts = [_("Free since %(time)s") % {"time": since}] if row.is_here and row.code != RESTING else []
    if flow.pool.settings.format == LIVES:
        parts.append(ngettext("%(count)d life left", "%(count)d lives left", row.left) % {"count": row.left})
    return f"{' · '.join(parts)}. {waits_for(row.code, row.params, zone, you=True)}"
