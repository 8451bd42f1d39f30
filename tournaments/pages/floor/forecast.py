"""The forecast of an event's evening from the state of its floor, in local times, and ways to finish before closing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.db.models import prefetch_related_objects

from tournaments.floor.facts import MatchFacts
from tournaments.floor.selectors import FloorView, MatchView
from tournaments.floor.state import MatchState, TableState
from tournaments.floor.times import elapsed
from tournaments.formats.forecast.closing import ClosingOption, closing_options
from tournaments.formats.forecast.counts import lives_runs
from tournaments.formats.forecast.finish_times import Finish, length_of
from tournaments.formats.forecast.live import FloorPace, LiveForecast, RemainingMatch, live_forecast
from tournaments.formats.forecast.pace import Observed, observed_pace
from tournaments.formats.settings import BY_ROUND, LIVES
from tournaments.models import Entry, FloorKind, Stage
from tournaments.state.plans import settings_of

OVER = (MatchState.SETTLED, MatchState.REPORTED)
BEGUN = (MatchState.CALLED, MatchState.PLAYING, MatchState.REPORTED)
SEATING = 1.5
"""Minutes from a call to the first roll."""
LEAST_PLAYED = 2.0
"""Minutes a point below which a match was not timed: its start was not recorded."""

RoundKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """A bracket of a division as a row of the forecast."""

    key: str
    label: str
    rank: int
    rounds: dict[int, str]
    """Round number -> name, of the rounds that are not over."""


@dataclass(frozen=True)
class EveningForecast:
    """When the rounds of an event finish. Empty if there is nothing left to play."""

    view: FloorView
    matches: tuple[RemainingMatch, ...]
    pace: FloorPace
    rows: tuple[ForecastRow, ...]
    begun: frozenset[RoundKey]
    """Rounds in which something has happened."""
    to_be_paired: frozenset[RoundKey]
    """Rounds that have no matches yet."""

    @property
    def now(self) -> datetime:
        """The minute from which the forecast counts."""
        return self.view.now.replace(second=0, microsecond=0)

    @cached_property
    def forecast(self) -> LiveForecast:
        """The simulated rest of the evening."""
        return live_forecast(self.matches, self.pace)

    @property
    def total(self) -> Finish:
        """When everything is over, in minutes from now."""
        return self.forecast.total

    def at(self, minutes: float) -> datetime:
        """Return the instant so many minutes from now."""
        return self.now + timedelta(minutes=minutes)

    @property
    def closes_at(self) -> datetime | None:
        """When the venue closes: the end of the event, if that is still ahead."""
        ends_at = self.view.tournament.ends_at
        return ends_at if ends_at is not None and ends_at > self.now else None

    @property
    def late_by(self) -> float:
        """Minutes by which the evening is expected to overrun closing time; 0 if it does not."""
        if self.closes_at is None:
            return 0.0
        return max(0.0, (self.at(self.total.median) - self.closes_at) / timedelta(minutes=1))

    @cached_property
    def options(self) -> tuple[ClosingOption, ...]:
        """Ways to finish earlier, if the evening would overrun closing time."""
        if not self.late_by:
            return ()
        return closing_options(self.matches, self.pace, begun=self.begun | self.to_be_paired, late_by=self.late_by)

    @cached_property
    def round_ids(self) -> dict[RoundKey, int]:
        """Row and number -> id of every round that has matches."""
        shown = ((self.view.matches[match.fixture], match) for match in self.view.facts.matches)
        return {(row_key(view, match), match.round): view.round_id for view, match in shown}


def evening_forecast(view: FloorView) -> EveningForecast:
    """Return the forecast of an event; two queries more than the floor itself where rounds are paired one by one."""
    facts = {match.fixture: match for match in view.facts.matches}
    keys = {fixture: row_key(view.matches[fixture], match) for fixture, match in facts.items()}
    left = {fixture: match for fixture, match in facts.items() if view.matches[fixture].state not in OVER}
    needs = _needs(left)
    matches = [_remaining(view, match, keys[fixture], needs[fixture]) for fixture, match in left.items()]
    names = {(keys[fixture], match.round): view.matches[fixture].round for fixture, match in left.items()}
    future, future_names = _rounds_to_be_paired(view, facts, keys)
    return EveningForecast(
        view=view,
        matches=(*matches, *future),
        pace=_pace(view),
        rows=tuple(_rows(view, facts, keys, names | future_names)),
        begun=frozenset(
            (keys[fixture], match.round)
            for fixture, match in facts.items()
            if view.matches[fixture].state in BEGUN or match.begun_at is not None
        ),
        to_be_paired=frozenset(future_names),
    )


def row_key(match: MatchView, facts: MatchFacts) -> str:
    """Return the key of the row in which a match is forecast: its stage and bracket."""
    return f"{facts.stage}:{match.bracket}"


def _needs(left: dict[int, MatchFacts]) -> dict[int, list[int]]:
    """Return match -> the open matches that come before it: those that feed it, and its players' earlier ones."""
    needs: dict[int, list[int]] = {fixture: [] for fixture in left}
    latest: dict[tuple[int, int], int] = {}
    for fixture, match in sorted(left.items(), key=lambda item: (item[1].stage, item[1].round, item[1].number)):
        for following in match.leads_to:
            if following in needs:
                needs[following].append(fixture)
        for player in match.pair or ():
            earlier = latest.get((match.stage, player))
            if earlier is not None:
                needs[fixture].append(earlier)
            latest[match.stage, player] = fixture
    return needs


def _remaining(view: FloorView, match: MatchFacts, row: str, needs: Sequence[int]) -> RemainingMatch:
    on_floor = view.matches[match.fixture].row
    is_at_table = on_floor.state in (MatchState.CALLED, MatchState.PLAYING)
    return RemainingMatch(
        key=match.fixture,
        row=row,
        round=match.round,
        length=match.length,
        rank=int(match.rank),
        needs=tuple(needs),
        played=float(round(on_floor.minutes)) if is_at_table else None,
        score=on_floor.score,
        waits=_waits(view, match),
    )


def _waits(view: FloorView, match: MatchFacts) -> float:
    """Return the minutes until its players have come to the table, have rested or are back.

    A pause counts for all matches together.
    """
    on_floor = view.matches[match.fixture].row
    if on_floor.state == MatchState.CALLED and on_floor.called_at is not None:
        return max(0.0, SEATING - elapsed(on_floor.called_at, view.now, view.state.pauses))
    if on_floor.state == MatchState.PLAYING:
        return 0.0
    instants = [
        datetime.fromisoformat(reason.params["until"])
        for reason in view.matches[match.fixture].row.reasons
        if reason.code in ("rests", "away") and "until" in reason.params
    ]
    return max((float(-(-(at - view.now) // timedelta(minutes=1))) for at in instants), default=0.0)


def _pace(view: FloorView) -> FloorPace:
    in_use = sum(table.row.state != TableState.OUT for table in view.tables.values())
    pause, players = view.state.pause, len(view.names)
    paused = 0.0
    if pause is not None and pause.until is not None:
        paused = max(0.0, float(round((pause.until - view.now) / timedelta(minutes=1))))
    minutes_per_point, uncertainty = observed_pace(_observed(view))
    return FloorPace(
        tables=in_use or view.tournament.tables_for(players),
        minutes_per_point=round(minutes_per_point, 2),
        uncertainty=round(uncertainty, 3),
        seating=SEATING,
        rest=float(view.facts.settings.rest),
        paused=paused,
    )


def _observed(view: FloorView) -> Iterable[Observed]:
    """Return the matches whose start was recorded and, if they are over, whose end was.

    Matches that were ever adjourned are left out: the hours in between are not playing time.
    """
    adjourned = {fact.fixture for fact in view.facts.facts if fact.kind == FloorKind.ADJOURNED}
    for match in view.facts.matches:
        if match.fixture in adjourned:
            continue
        on_floor = view.matches[match.fixture].row
        if on_floor.state == MatchState.PLAYING and on_floor.minutes > 0:
            # Whole minutes, as in the matches: the forecast is the same for a minute, and made once.
            yield Observed(match.length, float(round(on_floor.minutes)), is_over=False)
        elif match.begun_at is not None and match.finished_at is not None:
            minutes = elapsed(match.begun_at, match.finished_at, view.state.pauses)
            if minutes >= LEAST_PLAYED * match.length:
                yield Observed(match.length, minutes)


def _rounds_to_be_paired(
    view: FloorView, facts: dict[int, MatchFacts], keys: dict[int, str]
) -> tuple[list[RemainingMatch], dict[RoundKey, str]]:
    """Return matches that stand for the rounds a Swiss or lives stage has still to pair, and the rounds' names.

    Each waits for the whole round before it. Their keys are negative.
    """
    prefetch_related_objects([view.tournament], "divisions__stages")
    stages = [stage for division in view.tournament.divisions.all() for stage in division.stages.all()]
    matches: list[RemainingMatch] = []
    names: dict[RoundKey, str] = {}
    for stage in stages:
        if stage.format not in BY_ROUND or stage.status != Stage.Status.RUNNING:
            continue
        paired = [match for match in facts.values() if match.stage == stage.pk]
        if not paired:
            continue
        row, last = keys[paired[0].fixture], max(match.round for match in paired)
        before = [match.fixture for match in paired if match.round == last]
        counts = _counts_of_future_rounds(stage, last, len(before))
        settings = settings_of(stage)
        for number, count in enumerate(counts, start=last + 1):
            gate = -(len(matches) + 1)
            length = length_of(settings.lengths or tuple(stage.division.lengths), number)
            matches.append(RemainingMatch(gate, row, number, 0, needs=tuple(before), barrier=True))
            before = [gate - 1 - at for at in range(count)]
            matches += [RemainingMatch(key, row, number, length, needs=(gate,)) for key in before]
            names[row, number] = str(number)
    return matches, names


def _counts_of_future_rounds(stage: Stage, last: int, matches: int) -> Sequence[int]:
    """Return the expected number of matches of each round after `last`."""
    settings = settings_of(stage)
    if settings.format == LIVES:
        entries = Entry.objects.filter(division=stage.division_id, status=Entry.Status.IN).count()
        runs = lives_runs(entries, settings.lives)
        return runs[len(runs) // 2].matches[last:]
    rounds = settings.rounds if settings.rounds is not None else (2 * matches).bit_length()
    return [matches] * max(0, rounds - last)


def _rows(
    view: FloorView, facts: dict[int, MatchFacts], keys: dict[int, str], names: dict[RoundKey, str]
) -> Iterable[ForecastRow]:
    several = len({match.division_id for match in view.matches.values()}) > 1
    open_rounds: dict[str, dict[int, str]] = {}
    for (key, number), name in sorted(names.items()):
        open_rounds.setdefault(key, {})[number] = name
    seen: set[str] = set()
    for fixture, match in facts.items():
        key, shown = keys[fixture], view.matches[fixture]
        if key in seen or key not in open_rounds:
            continue
        seen.add(key)
        label = f"{shown.division} · {shown.bracket}" if several else shown.bracket
        yield ForecastRow(key, label, int(match.rank), open_rounds[key])
