"""The forecast on a time axis, drawn on the server, and the same as lines of text; with the closing-time pilot."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.formats.forecast.closing import ClosingOption, Shortening
from tournaments.formats.forecast.finish_times import Finish
from tournaments.formats.forecast.live import RoundTimes
from tournaments.pages.floor.forecast import EveningForecast, ForecastRow

LEFT, RIGHT, TOP, ROW_HEIGHT, BAR = 176.0, 830.0, 26.0, 22.0, 17.0
"""Units of the drawing."""
NARROWEST_LABEL = 24.0
TIME_LABEL, CLOSING_LABEL = 34.0, 56.0
"""The room that the labels of a time and of closing time take."""
HOURS = timedelta(hours=1)
MARGIN = 1.04
LONGEST_LABEL = 27


@dataclass(frozen=True, slots=True)
class Bar:
    """A round on the axis."""

    x: float
    y: float
    width: float
    label: str
    css: str

    @property
    def middle(self) -> float:
        """Where its label stands."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A bracket: its rounds, and the whisker from the median of its end to the 90 %."""

    label: str
    y: float
    bars: tuple[Bar, ...]
    whisker_from: float
    whisker_to: float
    is_late: bool

    @property
    def middle(self) -> float:
        """The height of the whisker."""
        return self.y + BAR / 2

    @property
    def baseline(self) -> float:
        """The height of the text."""
        return self.y + BAR - 4.5

    @property
    def whisker_top(self) -> float:
        """Where the end of the whisker begins."""
        return self.middle - 4

    @property
    def whisker_bottom(self) -> float:
        """Where the end of the whisker ends."""
        return self.middle + 4


@dataclass(frozen=True, slots=True)
class Tick:
    """A time on the axis."""

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
        """The label of the button that applies it."""
        return ngettext("Apply to %(count)d round", "Apply to %(count)d rounds", self.rounds) % {"count": self.rounds}


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything that the forecast shows; empty lines if nothing is left to play."""

    rows: tuple[ChartRow, ...]
    ticks: tuple[Tick, ...]
    height: float
    now_x: float
    closing: Tick | None
    lines: tuple[ChartLine, ...]
    total: ChartLine | None
    next_main: str
    now_label: str

    @property
    def view_box(self) -> str:
        """The view box of the drawing."""
        return f"0 0 {RIGHT + 10:.0f} {self.height:.0f}"


class _Axis:
    """Maps minutes from now to the drawing."""

    def __init__(self, evening: EveningForecast, zone: ZoneInfo) -> None:
        latest = [times.finish.late for times in evening.forecast.rounds]
        closes = evening.closes_at
        if closes is not None:
            latest.append((closes - evening.now) / timedelta(minutes=1))
        self.end = max(30.0, *latest, 0.0) * MARGIN
        self.evening, self.zone = evening, zone

    def x(self, minutes: float) -> float:
        """Return the horizontal place of a time."""
        return round(LEFT + (RIGHT - LEFT) * min(minutes, self.end) / self.end, 1)

    def clock(self, minutes: float) -> str:
        """Return a time as the event's clocks show it."""
        return clock(self.evening.at(minutes), self.zone)

    def ticks(self) -> Iterable[Tick]:
        """Yield up to about eight round times."""
        hours = max(1, round(self.end / 60 / 7))
        at = self.evening.now.astimezone(self.zone).replace(minute=0) + HOURS
        while (minutes := (at - self.evening.now) / timedelta(minutes=1)) < self.end:
            if at.hour % hours == 0:
                yield Tick(self.x(minutes), f"{at:%H:%M}")
            at += HOURS


def clock(at: datetime, zone: ZoneInfo) -> str:
    """Return hours and minutes of an instant in a time zone."""
    return f"{at.astimezone(zone):%H:%M}"


def chart_of(evening: EveningForecast) -> Chart:
    """Return the drawing and the lines of a forecast."""
    zone = ZoneInfo(evening.view.tournament.time_zone)
    axis = _Axis(evening, zone)
    rows = [_chart_row(row, at, evening, axis) for at, row in enumerate(evening.rows)]
    closing = None
    if evening.closes_at is not None:
        minutes = (evening.closes_at - evening.now) / timedelta(minutes=1)
        closing = Tick(axis.x(minutes), clock(evening.closes_at, zone))
    ends = [(row, evening.forecast.finish_of(row.key)) for row in evening.rows]
    next_main = evening.forecast.next_main
    return Chart(
        rows=tuple(rows),
        ticks=tuple(tick for tick in axis.ticks() if _is_apart(tick, closing)),
        height=TOP + ROW_HEIGHT * len(rows),
        now_x=LEFT,
        closing=closing,
        lines=tuple(_line(row.label, finish, evening, axis, row) for row, finish in ends if finish is not None),
        total=_line("", evening.total, evening, axis) if rows else None,
        next_main=axis.clock(next_main) if next_main is not None else "",
        now_label=axis.clock(0),
    )


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
        bars.append(Bar(left, y, width, _fitting(label, width), css))
    finish = evening.forecast.finish_of(row.key) or Finish(0.0, 0.0)
    return ChartRow(
        label=row.label if len(row.label) <= LONGEST_LABEL else f"{row.label[: LONGEST_LABEL - 1]}…",
        y=y,
        bars=tuple(bars),
        whisker_from=axis.x(finish.median),
        whisker_to=axis.x(finish.late),
        is_late=_is_late(finish.median, evening),
    )


def _rounds_of(row: ForecastRow, evening: EveningForecast) -> list[RoundTimes]:
    """Return the rounds of a bracket in order."""
    own = (round_ for round_ in evening.forecast.rounds if round_.row == row.key)
    return sorted(own, key=lambda round_: round_.number)


def _is_apart(tick: Tick, closing: Tick | None) -> bool:
    """Whether the label of a tick overlaps neither the present time nor closing time."""
    from_closing = abs(tick.x - closing.x) if closing is not None else CLOSING_LABEL
    return tick.x - LEFT >= TIME_LABEL and from_closing >= CLOSING_LABEL


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
    lengths = {(match.row, match.round): match.length for match in evening.matches if not match.barrier}
    return " ".join(
        f"{evening.round_ids[row.row, number]}:{lengths[row.row, number]}:{row.length}"
        for row in option.shortenings
        for number in row.rounds
    )
