"""When the evening is expected to end, with its chart."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import count
from zoneinfo import ZoneInfo

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.left_out import within_division
from formats.forecast.brackets import ALL_GROUPS
from formats.forecast.closing import ClosingOption, Shortening, closing_options
from formats.forecast.counts import lives_courses, lives_runs_like, rounds_until_unbeaten, swiss_courses
from formats.forecast.durations import SEATING
from formats.forecast.finish_times import Finish, FinishTimes, Pace, RemainingMatch, RoundTimes, finish_times
from formats.forecast.forecasts import later_stages
from formats.forecast.pace import Observed, observed_pace
from formats.forecast.planned import SECOND_FINAL, Courses, matches_by_round, numbering
from formats.forecast.without_rounds import Running, rest_of_night
from formats.plans import lengths_of, places_before
from formats.settings import BY_ROUND, DOUBLE, GROUPS, KNOCKOUT, LIVES, StageSettings
from players.actors import Actor
from tournaments.floor.endings import Endable, endable_stages
from tournaments.floor.flows import Flow, flows_of
from tournaments.floor.kept.times import untimed_matches
from tournaments.floor.selectors import FloorView
from tournaments.floor.sentences import match_name
from tournaments.floor.state import FloorMatchState, MatchFacts, MatchOnFloor, TableState
from tournaments.floor.times import elapsed
from tournaments.models import Division, Entry, Slot, Stage
from tournaments.standings.brackets import bracket_name
from tournaments.state.format_labels import FORMAT_NAMES
from tournaments.state.plans import settings_of

# The forecast of an event's evening from the state of its floor, in local times, and ways to finish before closing.


OVER = (FloorMatchState.SETTLED, FloorMatchState.REPORTED)
BEGUN = (FloorMatchState.CALLED, FloorMatchState.PLAYING, FloorMatchState.REPORTED)
MIN_PLAYED = 2.0
"""Minutes a point below which a match was not timed: its start was not recorded."""

RoundKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ForecastRow:
    key: str
    label: str
    rounds: dict[int, str]
    """Round number -> name, of the rounds that are not over."""


@dataclass(frozen=True)
class EveningForecast:
    """When the rounds of an event finish. Empty if there is nothing left to play."""

    view: FloorView
    matches: tuple[RemainingMatch, ...]
    pace: Pace
    rows: tuple[ForecastRow, ...]
    begun: frozenset[RoundKey]
    """Rounds in which something has happened."""
    to_be_paired: frozenset[RoundKey]
    """Rounds that have no matches yet."""

    @property
    def now(self) -> datetime:
        """The minute that the forecast counts from."""
        return self.view.now.replace(second=0, microsecond=0)

    @cached_property
    def forecast(self) -> FinishTimes:
        return finish_times(self.matches, self.pace)

    @property
    def total(self) -> Finish:
        """When everything is over, in minutes from now."""
        return self.forecast.total

    def at(self, minutes: float) -> datetime:
        """Return the instant so many minutes from now."""
        return self.now + timedelta(minutes=minutes)

    @property
    def closes_at(self) -> datetime | None:
        """When the venue closes: the end of the event, also while the evening goes on beyond it."""
        ends_at = self.view.tournament.ends_at
        return ends_at if ends_at is not None and ends_at > self.now - MAX_BEYOND else None

    @property
    def late_by(self) -> float:
        """Minutes that the evening is expected to overrun closing time by; 0 if it does not."""
        if self.closes_at is None:
            return 0.0
        return max(0.0, (self.at(self.total.median) - self.closes_at) / timedelta(minutes=1))

    @cached_property
    def options(self) -> tuple[ClosingOption, ...]:
        """Ways to finish earlier, if the evening would overrun closing time."""
        if not self.late_by or (self.closes_at is not None and self.closes_at <= self.now):
            return ()
        return closing_options(self.matches, self.pace, begun=self.begun | self.to_be_paired, late_by=self.late_by)

    @cached_property
    def round_ids(self) -> dict[RoundKey, int]:
        """Row and number -> id of every round that has matches."""
        return {(row_key(match), match.round): match.round_id for match in self.view.facts.matches.values()}


def evening_forecast(view: FloorView) -> EveningForecast:
    """Return the forecast of an event; four queries more than the floor itself, and one for each stage by rounds."""
    facts, pace = view.facts.matches, _pace(view)
    flows = {flow.stage.pk: flow for flow in flows_of(view.tournament, view.state, view.now)}
    keys = {fixture: row_key(match) for fixture, match in facts.items()}
    left = {
        fixture: match
        for fixture, match in facts.items()
        if view.matches[fixture].state not in OVER and not _is_bye(match) and match.stage not in flows
    }
    to_come = _ToCome(view, left, keys, flows, pace)
    needs = _needs(view, left, to_come.gates)
    matches = [_remaining(view, view.matches[fixture], keys[fixture], needs[fixture]) for fixture in left]
    names = {(keys[fixture], match.round): match.round_name for fixture, match in left.items()}
    future_names = {
        (match.row, match.round): _("Without rounds") if match.ends else str(match.round)
        for match in to_come.matches
        if not match.gate
    }
    return EveningForecast(
        view=view,
        matches=(*matches, *to_come.matches),
        pace=pace,
        rows=tuple(_rows(view, keys, future_names | names, to_come.labels)),
        begun=frozenset(
            (keys[fixture], match.round)
            for fixture, match in facts.items()
            if view.matches[fixture].state in BEGUN or match.begun_at is not None
        ),
        to_be_paired=frozenset(future_names),
    )


def row_key(match: MatchFacts) -> str:
    """Return the key of a match's row in the forecast: its stage and bracket."""
    return f"{match.stage}:{match.bracket}"


def _is_bye(match: MatchFacts) -> bool:
    """Whether a fixture is a bye, even if it is not known yet who gets it."""
    return any(source.kind == Slot.Source.BYE for source in match.sources)


def _needs(view: FloorView, left: dict[int, MatchFacts], gates: dict[int, int]) -> dict[int, list[int]]:
    """Return match -> what comes before it: the open matches that feed it, or the gate of its stage."""
    needs: dict[int, list[int]] = {fixture: [] for fixture in left}
    for fixture, match in left.items():
        for following in _following(match, view.facts.matches):
            if following in needs:
                needs[following].append(fixture)
        if match.stage in gates and any(source.kind == Slot.Source.PLACE for source in match.sources):
            needs[fixture].append(gates[match.stage])
    return needs


def _following(match: MatchFacts, facts: Mapping[int, MatchFacts]) -> set[int]:
    """Return the fixtures that wait for a match, directly or behind byes."""
    following: set[int] = set()
    for fixture in match.leads_to:
        if fixture in facts and _is_bye(facts[fixture]):
            following |= _following(facts[fixture], facts)
        else:
            following.add(fixture)
    return following


def _remaining(view: FloorView, match: MatchOnFloor, row: str, needs: Sequence[int]) -> RemainingMatch:
    is_at_table = match.state in (FloorMatchState.CALLED, FloorMatchState.PLAYING)
    return RemainingMatch(
        key=match.fixture,
        row=row,
        round=match.facts.round,
        length=match.facts.length,
        rank=int(match.facts.rank),
        needs=tuple(needs),
        players=tuple(view.facts.people_at(match.facts)),
        played=float(round(match.minutes)) if is_at_table else None,
        score=match.score,
        waits=_waits(view, match),
        # Once its players are known, it is needed.
        played_in=SECOND_FINAL if match.facts.is_conditional and match.facts.pair is None else (),
    )


def _running(match: MatchOnFloor) -> Running:
    has_begun = match.state in (FloorMatchState.PLAYING, FloorMatchState.REPORTED)
    played = float(round(match.minutes)) if has_begun else None
    return Running(match.facts.number, match.facts.length, played, match.score if has_begun else None)


def _waits(view: FloorView, match: MatchOnFloor) -> float:
    """Return the minutes until its players have come to the table, have rested or are back.

    A pause counts for all matches together.
    """
    if match.state == FloorMatchState.CALLED and match.called_at is not None:
        return max(0.0, SEATING - elapsed(match.called_at, view.now, view.facts.pauses))
    if match.state == FloorMatchState.PLAYING:
        return 0.0
    instants = [
        datetime.fromisoformat(reason.params["until"])
        for reason in match.reasons
        if reason.code in ("rests", "away") and "until" in reason.params
    ]
    return max((float(-(-(at - view.now) // timedelta(minutes=1))) for at in instants), default=0.0)


def _pace(view: FloorView) -> Pace:
    in_use = sum(table.state != TableState.OUT for table in view.tables.values())
    pause = view.state.pause
    players = len({player for match in view.matches.values() for player in match.facts.players} - {None})
    paused = 0.0
    if pause is not None and pause.until is not None:
        paused = max(0.0, float(round((pause.until - view.now) / timedelta(minutes=1))))
    minutes_per_point, uncertainty = observed_pace(_observed(view))
    return Pace(
        tables=in_use or view.tournament.tables_for(players),
        minutes_per_point=round(minutes_per_point, 2),
        uncertainty=round(uncertainty, 3),
        rest=float(view.facts.settings.rest),
        paused=paused,
    )


def _observed(view: FloorView) -> Iterable[Observed]:
    """Return the matches with a recorded start and, if they are over, a recorded end.

    Matches that were ever adjourned are left out: the hours in between are not playing time. So are those whose start
    or result was kept without a connection: they have the time of its arrival.
    """
    untimed = view.facts.ever_adjourned | untimed_matches(view.tournament)
    for row in view.matches.values():
        match = row.facts
        if match.fixture in untimed:
            continue
        if row.state == FloorMatchState.PLAYING and row.minutes > 0:
            # Whole minutes, as in the matches: the forecast is the same for a minute, and made once.
            yield Observed(match.length, float(round(row.minutes)), is_over=False)
        elif match.begun_at is not None and match.finished_at is not None:
            minutes = elapsed(match.begun_at, match.finished_at, view.facts.pauses)
            if minutes >= MIN_PLAYED * match.length:
                yield Observed(match.length, minutes)


class _ToCome:
    """The rounds that are still to be paired and the stages that are still to be drawn. Their keys are below 0."""

    def __init__(
        self, view: FloorView, left: dict[int, MatchFacts], keys: dict[int, str], flows: Mapping[int, Flow], pace: Pace
    ) -> None:
        self.view, self.flows, self.pace = view, flows, pace
        self.facts, self.left, self.row_keys = view.facts.matches, left, keys
        self.numbers = numbering(-1, -1)
        self.matches: list[RemainingMatch] = []
        self.gates: dict[int, int] = {}
        """Stage -> the gate behind which those come who qualify for it."""
        self.labels: dict[str, str] = {}
        """Row -> label, of rows in which nothing has been paired."""
        on_floor = {match.stage for match in self.facts.values()}
        prefetch_related_objects([view.tournament], "divisions__stages")
        divisions = view.tournament.divisions.all()
        self.several = len(divisions) > 1
        for division in divisions:
            stages = sorted(division.stages.all(), key=lambda stage: stage.number)
            # A draw that was undone while the page was read has matches, and its stage is planned again.
            if any(stage.pk in on_floor for stage in stages) and stages[0].status != Stage.Status.PLANNED:
                with within_division(division):
                    self._add(division, stages)

    def _add(self, division: Division, stages: Sequence[Stage]) -> None:
        settings = [settings_of(stage) for stage in stages]
        before: list[int] = []
        going_on = 0
        for at, stage in enumerate(stages):
            if stage.status == Stage.Status.PLANNED:
                later = later_stages(
                    settings,
                    stage.number,
                    default_lengths=division.lengths,
                    keys=self.numbers,
                    division=division.pk,
                    after=before,
                    entrants=going_on,
                )
                self._add_stages(division, settings, later)
                return
            own = [fixture for fixture, match in self.left.items() if match.stage == stage.pk]
            if stage.pk in self.flows:
                key, going_on = self._add_flow(division, self.flows[stage.pk])
                own = [key]
            elif stage.format in BY_ROUND and stage.status == Stage.Status.RUNNING:
                own += self._add_rounds(division, stage, settings[: at + 1], own or before)
            elif before and own:
                gate = self.gates[stage.pk] = next(self.numbers)
                self.matches.append(RemainingMatch(gate, str(stage.pk), 0, 0, needs=tuple(before), gate=True))
            before = own

    def _add_flow(self, division: Division, flow: Flow) -> tuple[int, int]:
        """Add a stage without rounds; return its key, and how many are in the bracket that a clock draws, or 0."""
        lengths = lengths_of(flow.pool.settings, "", division.lengths)
        length = lengths[min(max((player.begun for player in flow.pool.players), default=0), len(lengths) - 1)]
        fixtures = {match.number: fixture for fixture, match in self.facts.items() if match.stage == flow.stage.pk}
        # A pairing that was made while the page was read is left out.
        playing = tuple(match for match in flow.pool.playing if match.number in fixtures)
        running = [_running(self.view.matches[fixtures[match.number]]) for match in playing]
        now = self.view.now.replace(second=0, microsecond=0)
        others = sum(match.stage != flow.stage.pk and match.begun_at is not None for match in self.left.values())
        pace = replace(self.pace, tables=max(1, self.pace.tables - others))
        ends, going_on = rest_of_night(replace(flow.pool, playing=playing), running, now=now, length=length, pace=pace)
        row = next((self.row_keys[fixture] for fixture in fixtures.values()), f"{flow.stage.pk}:")
        self._label(division, row, str(FORMAT_NAMES[flow.stage.format]))
        self.matches.append(RemainingMatch(next(self.numbers), row, 1, length, ends=ends))
        return self.matches[-1].key, going_on if flow.pool.switch_at is not None else 0

    def _add_rounds(
        self, division: Division, stage: Stage, settings: Sequence[StageSettings], after: Sequence[int]
    ) -> list[int]:
        """Add the rounds that a stage has still to pair; return the keys of their matches."""
        paired = [match for match in self.facts.values() if match.stage == stage.pk]
        last = max((match.round for match in paired), default=0)
        row = self.row_keys[paired[0].fixture] if paired else f"{stage.pk}:"
        if not paired:
            self._label(division, row, str(FORMAT_NAMES[stage.format]))
        courses = _courses_of_rounds(stage, settings, last, sum(match.round == last for match in paired))
        lengths = lengths_of(settings[-1], "", division.lengths)
        matches = matches_by_round(row, courses, lengths, keys=self.numbers, after=after, first_round=last + 1)
        self.matches += matches
        return [match.key for match in matches if not match.gate]

    def _add_stages(
        self, division: Division, settings: Sequence[StageSettings], matches: Sequence[RemainingMatch]
    ) -> None:
        self.matches += matches
        for row in dict.fromkeys(match.row for match in matches if not match.gate):
            _division, number, bracket = row.split(":")
            stage = settings[int(number) - 1]
            name = str(FORMAT_NAMES[GROUPS]) if bracket == ALL_GROUPS else ""
            self._label(division, row, name or bracket_name(bracket, upper=stage.format == DOUBLE))

    def _label(self, division: Division, row: str, label: str) -> None:
        self.labels[row] = f"{division.name} · {label}" if self.several else label


def _courses_of_rounds(stage: Stage, settings: Sequence[StageSettings], last: int, matches: int) -> Courses:
    own = settings[-1]
    if stage.number == 1:
        players = Entry.objects.filter(division=stage.division_id, status=Entry.Status.IN).count()
    else:
        players = len(places_before(settings[-2], stage.number - 1))
    if own.format == LIVES:
        return lives_courses(lives_runs_like(players, own.lives, last, matches), last)
    if own.rounds is not None:
        return swiss_courses({own.rounds: 1.0}, players // 2, last)
    return swiss_courses(rounds_until_unbeaten(players), players // 2, last)


def _rows(
    view: FloorView, keys: dict[int, str], names: dict[RoundKey, str], labels: dict[str, str]
) -> Iterable[ForecastRow]:
    facts = view.facts.matches
    several = len({match.division_id for match in facts.values()}) > 1
    open_rounds: dict[str, dict[int, str]] = {}
    for (key, number), name in sorted(names.items()):
        open_rounds.setdefault(key, {})[number] = name
    rows = {
        keys[fixture]: f"{match.division} · {match.bracket}" if several else match.bracket
        for fixture, match in facts.items()
    }
    for key, label in (rows | labels).items():
        if key in open_rounds:
            yield ForecastRow(key, label, open_rounds[key])


# The forecast on a time axis, drawn on the server, and the same as lines of text; with the closing-time pilot.


LEFT, RIGHT, TOP, ROW_HEIGHT, BAR = 176.0, 830.0, 26.0, 22.0, 17.0
"""Units of the drawing."""
NARROWEST_LABEL = 24.0
TIME_LABEL, CLOSING_LABEL = 34.0, 56.0
"""The room that the labels of a time and of closing time take."""
HOURS = timedelta(hours=1)
MARGIN = 1.04
MAX_BEYOND = timedelta(hours=8)
"""For how long after closing time an evening still runs late; an event that goes on after that has another end."""
MAX_LABEL_LENGTH = 27


@dataclass(frozen=True, slots=True)
class RoundBar:
    x: float
    y: float
    width: float
    label: str
    css: str

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A bracket: its rounds, and the whisker from the median of its end to the 90 %."""

    label: str
    y: float
    bars: tuple[RoundBar, ...]
    whisker_from: float
    whisker_to: float
    is_late: bool

    @property
    def middle(self) -> float:
        return self.y + BAR / 2

    @property
    def baseline(self) -> float:
        return self.y + BAR - 4.5

    @property
    def whisker_top(self) -> float:
        return self.middle - 4

    @property
    def whisker_bottom(self) -> float:
        return self.middle + 4


@dataclass(frozen=True, slots=True)
class TimeTick:
    x: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A bracket in words: when it is expected to be over, and at the latest in nine of ten cases."""

    label: str
    median: str
    late: str
    is_late: bool
    rounds: str
    """Each round with the time at which it is expected to be over."""


@dataclass(frozen=True, slots=True)
class PilotOption:
    """A way to finish earlier as the page shows it; `value` is what its form sends."""

    text: str
    done: str
    instead: str
    in_time: bool
    value: str
    rounds: int

    @property
    def button(self) -> str:
        return ngettext("Apply to %(count)d round", "Apply to %(count)d rounds", self.rounds) % {"count": self.rounds}


@dataclass(frozen=True, slots=True)
class ForecastChart:
    """Everything that the forecast shows; empty lines if nothing is left to play."""

    rows: tuple[ChartRow, ...]
    ticks: tuple[TimeTick, ...]
    height: float
    now_x: float
    closing: TimeTick | None
    lines: tuple[ChartLine, ...]
    total: ChartLine | None
    next_main: str
    now_label: str
    """Empty where that of closing time stands in its place."""
    beyond: str
    """How far the evening would go beyond closing time, in words; empty if it does not."""

    @property
    def view_box(self) -> str:
        return f"0 0 {RIGHT + 10:.0f} {self.height:.0f}"


class _Axis:
    """Maps minutes from now to the drawing."""

    def __init__(self, evening: EveningForecast, zone: ZoneInfo) -> None:
        latest = [times.finish.late for times in evening.forecast.rounds]
        closes = evening.closes_at
        if closes is not None:
            latest.append((closes - evening.now) / timedelta(minutes=1))
        self.end = max(30.0, *latest, 0.0) * MARGIN
        self.begin = min([0.0, *latest])
        self.evening, self.zone = evening, zone

    def x(self, minutes: float) -> float:
        """Return the horizontal place of a time."""
        return round(LEFT + (RIGHT - LEFT) * (min(minutes, self.end) - self.begin) / (self.end - self.begin), 1)

    def clock(self, minutes: float) -> str:
        """Return a time as the event's clocks show it."""
        return clock(self.evening.at(minutes), self.zone)

    def ticks(self) -> Iterable[TimeTick]:
        """Yield up to about eight round times."""
        hours = max(1, round(self.end / 60 / 7))
        at = self.evening.now.astimezone(self.zone).replace(minute=0) + HOURS
        while (minutes := (at - self.evening.now) / timedelta(minutes=1)) < self.end:
            if at.hour % hours == 0:
                yield TimeTick(self.x(minutes), f"{at:%H:%M}")
            at += HOURS


def clock(at: datetime, zone: ZoneInfo) -> str:
    """Return hours and minutes of an instant in a time zone."""
    return f"{at.astimezone(zone):%H:%M}"


def chart_of(evening: EveningForecast) -> ForecastChart:
    zone = ZoneInfo(evening.view.tournament.time_zone)
    axis = _Axis(evening, zone)
    rows = [_chart_row(row, at, evening, axis) for at, row in enumerate(evening.rows)]
    closing = None
    if evening.closes_at is not None:
        minutes = (evening.closes_at - evening.now) / timedelta(minutes=1)
        closing = TimeTick(axis.x(minutes), clock(evening.closes_at, zone))
    ends = [(row, evening.forecast.finish_of(row.key)) for row in evening.rows]
    next_main = evening.forecast.next_main
    return ForecastChart(
        rows=tuple(rows),
        ticks=tuple(tick for tick in axis.ticks() if _is_apart(tick, axis.x(0), closing)),
        height=TOP + ROW_HEIGHT * len(rows),
        now_x=axis.x(0),
        closing=closing,
        lines=tuple(_line(row.label, finish, evening, axis, row) for row, finish in ends if finish is not None),
        total=_line("", evening.total, evening, axis) if rows else None,
        next_main=axis.clock(next_main) if next_main is not None else "",
        now_label="" if closing is not None and abs(axis.x(0) - closing.x) < CLOSING_LABEL else axis.clock(0),
        beyond=_beyond(evening, closing) if closing is not None else "",
    )


def _beyond(evening: EveningForecast, closing: TimeTick) -> str:
    minutes = round(evening.late_by)
    text = ngettext("%(minutes)d minute beyond %(time)s", "%(minutes)d minutes beyond %(time)s", minutes)
    return text % {"minutes": minutes, "time": closing.label} if minutes else ""


def _chart_row(row: ForecastRow, at: int, evening: EveningForecast, axis: _Axis) -> ChartRow:
    y = TOP + ROW_HEIGHT * at
    times = sorted(
        (round_ for round_ in evening.forecast.rounds if round_.row == row.key), key=lambda round_: round_.number
    )
    bars, before = [], 0.0
    for round_ in times:
        # Rounds of a bracket overlap; on one line each is drawn from the end of the one before.
        begins = max(before, round_.begins)
        left, right = axis.x(begins), axis.x(max(round_.finish.median, begins))
        before = max(before, round_.finish.median)
        width = max(2.0, right - left - 1)
        label = row.rounds.get(round_.number, str(round_.number))
        css = "is-late" if _is_late(round_.finish.median, evening) else "is-on" if _is_on(row, round_, evening) else ""
        bars.append(RoundBar(left, y, width, _fitting(label, width), css))
    finish = evening.forecast.finish_of(row.key) or Finish(0.0, 0.0)
    return ChartRow(
        label=row.label if len(row.label) <= MAX_LABEL_LENGTH else f"{row.label[: MAX_LABEL_LENGTH - 1]}…",
        y=y,
        bars=tuple(bars),
        whisker_from=axis.x(finish.median),
        whisker_to=axis.x(finish.late),
        is_late=_is_late(finish.median, evening),
    )


def _is_apart(tick: TimeTick, now_x: float, closing: TimeTick | None) -> bool:
    """Whether the label of a tick overlaps neither the present time nor closing time."""
    from_closing = abs(tick.x - closing.x) if closing is not None else CLOSING_LABEL
    return tick.x - now_x >= TIME_LABEL and from_closing >= CLOSING_LABEL


def _fitting(label: str, width: float) -> str:
    """Shorten the name of a round to what fits into its bar."""
    characters = int(width / 6.2)
    if len(label) <= characters:
        return label
    return f"{label[: characters - 1]}…" if width >= NARROWEST_LABEL else ""


def _is_on(row: ForecastRow, round_: RoundTimes, evening: EveningForecast) -> bool:
    return (row.key, round_.number) in evening.begun


def _is_late(minutes: float, evening: EveningForecast) -> bool:
    return evening.closes_at is not None and evening.at(minutes) > evening.closes_at


def _line(
    label: str, finish: Finish, evening: EveningForecast, axis: _Axis, row: ForecastRow | None = None
) -> ChartLine:
    rounds: list[str] = []
    if row is not None:
        times = sorted(
            (round_ for round_ in evening.forecast.rounds if round_.row == row.key), key=lambda round_: round_.number
        )
        rounds = [
            f"{row.rounds.get(round_.number, round_.number)} {axis.clock(round_.finish.median)}" for round_ in times
        ]
    is_late = _is_late(finish.median, evening)
    return ChartLine(label, axis.clock(finish.median), axis.clock(finish.late), is_late, " · ".join(rounds))


def pilot_options(evening: EveningForecast) -> list[PilotOption]:
    """Return the ways to finish earlier, the proposed one first; empty if the evening ends in time."""
    zone = ZoneInfo(evening.view.tournament.time_zone)
    rows = {row.key: row for row in evening.rows}
    instead = clock(evening.at(evening.total.median), zone)
    return [
        PilotOption(
            text="; ".join(_shortening_text(row, rows[row.row]) for row in option.shortenings if row.row in rows),
            done=clock(evening.at(evening.total.median - option.gain), zone),
            instead=instead,
            in_time=option.in_time,
            value=_value(option, evening),
            rounds=option.rounds,
        )
        for option in evening.options
    ]


def _shortening_text(shortening: Shortening, row: ForecastRow) -> str:
    first = row.rounds.get(shortening.rounds[0], str(shortening.rounds[0]))
    params = {"bracket": row.label, "points": shortening.length, "was": shortening.was, "round": first}
    return _("%(bracket)s to %(points)s points instead of %(was)s from %(round)s on") % params


def _value(option: ClosingOption, evening: EveningForecast) -> str:
    """Return the option as `round:seen:length` items, for the form that applies it."""
    lengths = {(match.row, match.round): match.length for match in evening.matches if not match.gate}
    return " ".join(
        f"{evening.round_ids[row.row, number]}:{lengths[row.row, number]}:{row.length}"
        for row in option.shortenings
        for number in row.rounds
    )


# What a director can do in mid-evening with a Swiss or lives, with what each would take.


@dataclass(frozen=True, slots=True)
class EndingLine:
    """A way in which a stage can end: the value of its field, its name, and how long the evening then takes."""

    value: str
    name: str
    minutes: int
    ends: str


@dataclass(frozen=True, slots=True)
class EndingChoice:
    """The form in which a director ends a stage in mid-evening."""

    stage: str
    title: str
    after: int
    lines: Sequence[EndingLine]
    running: Sequence[str]
    """The matches that finish first, or are stopped."""
    own: Sequence[str]
    """Those of the director, which finish in any case."""
    is_lives: bool
    as_planned: EndingLine


def ending_choices(evening: EveningForecast, by: Actor) -> list[EndingChoice]:
    """Return the stages that can be ended in mid-evening, with what each way would take from now."""
    stages = endable_stages(evening.view.tournament)
    return [_ending_choice(evening, row, by, several=len(stages) > 1) for row in stages]


def _ending_choice(evening: EveningForecast, endable: Endable, by: Actor, *, several: bool) -> EndingChoice:
    stage, to_stop, name = endable.stage, endable.to_stop(by), _("Then a bracket of %(places)d")
    return EndingChoice(
        stage.public_id,
        stage.division.name if several else "",
        stage.division.seq,
        [
            *(
                _ending_line(evening, str(places), name % {"places": places}, _finish_with(evening, endable, places))
                for places in reversed(endable.brackets)
            ),
            _ending_line(evening, "", _("End here"), _finish_with(evening, endable, None)),
        ],
        [match_name(row) for row in to_stop],
        [match_name(row) for row in endable.open if row not in to_stop],
        endable.state.rows.settings.format == LIVES,
        _ending_line(evening, "", _("As planned"), evening.total),
    )


def _ending_line(evening: EveningForecast, value: str, name: str, finish: Finish) -> EndingLine:
    zone = ZoneInfo(evening.view.tournament.time_zone)
    return EndingLine(value, name, round(finish.median), clock(evening.at(finish.median), zone))


def _finish_with(evening: EveningForecast, endable: Endable, places: int | None) -> Finish:
    """Return when the evening is over if a stage ends with its matches in progress, or with a bracket after them."""
    view, division = evening.view, endable.stage.division
    own = {str(stage.pk) for stage in division.stages.all()}
    others = [match for match in evening.matches if not _is_of(match.row, own, division)]
    running = [
        _remaining(view, view.matches[row.pk], row_key(view.matches[row.pk].facts), ())
        for row in endable.open
        if row.pk in view.matches and view.matches[row.pk].state not in OVER
    ]
    settings = replace(endable.state.rows.settings, ended=True, qualifiers=places, switch_time="")
    bracket = later_stages(
        [settings, StageSettings(KNOCKOUT, lengths=settings.lengths[-1:])] if places else [settings],
        2,
        default_lengths=division.lengths,
        keys=count(min([0, *(match.key for match in evening.matches)]) - 1, -1),
        division=division.pk,
        after=[match.key for match in running],
    )
    return finish_times((*others, *running, *bracket), evening.pace).total


def _is_of(row: str, stages: Collection[str], division: Division) -> bool:
    """Whether a row of the forecast is of a division: of a stage that is drawn, or of one to come."""
    parts = row.split(":")
    return parts[0] == str(division.pk) if len(parts) > 2 else parts[0] in stages
