"""Formats for evenings: proposed from players, tables and closing time, and kept with the club."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Any, ClassVar, NamedTuple
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from engine.errors import Refused
from formats.forecast.counts import Count
from formats.forecast.durations import REST
from formats.forecast.finish_times import Finish, Pace
from formats.forecast.forecasts import Beside, forecast_stages
from formats.forecast.proposals import RUNS, FormatProposal, fit_lengths, propose_format, propose_formats
from formats.forecast.without_rounds import compare
from formats.plans import check_field
from formats.settings import BY_ROUND, LIVES, PROGRESSIVE, StageSettings, strict
from formats.settings import PairingMode as Mode
from matches.models import PlayMode
from players.actors import Actor
from players.forms import RefusingForm
from players.models import Club
from tournaments.events.forms import shown_local
from tournaments.events.services import create_division
from tournaments.events.venues import first_after
from tournaments.models import Division, Entry, EveningTemplate, Floor, Stage, Tournament
from tournaments.state.format_labels import FORMAT_NAMES, stages_name
from tournaments.state.plans import settings_of
from tournaments.state.stages import set_stages


@dataclass(frozen=True, slots=True)
class Evening:
    """How many play at how many tables, from when until when (local times without a zone)."""

    players: int
    tables: int
    starts: datetime
    closes: datetime
    at_stake: bool = False
    """Whether somebody pays a fee or wins a prize, so that what is proposed without rounds is strict."""

    @property
    def minutes(self) -> float:
        """How long the evening lasts."""
        return (self.closes - self.starts).total_seconds() / 60


@dataclass(frozen=True, slots=True)
class EveningFormat:
    """The format of an evening. `kept` says that the club has played it on such an evening before."""

    evening: Evening
    stages: tuple[StageSettings, ...]
    lengths: tuple[int, ...]
    finish: Finish | None
    kept: bool


def format_for(club: Club, evening: Evening) -> EveningFormat:
    """Return the format that the club keeps for such an evening, or else a proposal."""
    template = EveningTemplate.objects.filter(club=club, **_key(evening)).first()
    if template is not None:
        return format_of(template, evening)
    proposal = propose_format(evening.players, evening.tables, evening.minutes)
    return EveningFormat(evening, proposal.stages, (proposal.length,), proposal.finish, kept=False)


def format_of(template: EveningTemplate, evening: Evening) -> EveningFormat:
    """Return the format of a template, with its forecast for `evening`.

    If that is another evening than the template was kept for, its match lengths change with it.
    """
    stages, lengths = stages_of(template), tuple(template.lengths)
    if not _is_like(template, evening):
        stages, lengths = fit_lengths(stages, lengths, evening.players, evening.tables, evening.minutes)
    pace = Pace(evening.tables, runs=RUNS)
    finish = forecast_stages(stages, evening.players, default_lengths=lengths, pace=pace).finish
    return EveningFormat(evening, stages, lengths, finish, kept=True)


def stages_of(template: EveningTemplate) -> tuple[StageSettings, ...]:
    """Return the stages of a template, with the match lengths that they were kept with."""
    return tuple(StageSettings.of(data["format"], data["settings"]) for data in template.stages)


def _is_like(template: EveningTemplate, evening: Evening) -> bool:
    """Whether a template was kept for as many players, tables and minutes as an evening has."""
    kept = datetime.combine(evening.starts.date(), template.starts)
    minutes = (first_after(kept, template.closes) - kept).total_seconds() / 60
    return (template.players, template.tables, minutes) == (evening.players, evening.tables, evening.minutes)


def keep_format(
    *, club: Club, evening: Evening, stages: Sequence[StageSettings], lengths: Sequence[int], now: datetime
) -> None:
    """Keep a format with the club for evenings like this one, in place of an earlier one."""
    values = {
        "stages": [{"format": stage.format, "settings": stage.as_data()} for stage in stages],
        "lengths": list(lengths),
        "used_at": now,
    }
    EveningTemplate.objects.update_or_create(club=club, **_key(evening), defaults=values)


def create_division_for(
    *,
    tournament: Tournament,
    settings: Mapping[str, Any],
    format_: EveningFormat,
    by: Actor,
    now: datetime,
    key: str = "",
) -> Division:
    """Create a division with the format of an evening, which the club keeps. Refused: as `create_division`.

    Repeating a `key` leaves the first division with the format that it has by now.
    """
    lengths = list(format_.lengths)
    values = {**settings, "match_length": lengths[0], "round_lengths": lengths}
    with transaction.atomic():
        known = set(tournament.divisions.values_list("pk", flat=True))
        division = create_division(tournament=tournament, by=by, now=now, key=key, **values)
        if division.pk in known:
            return division
        set_stages(division=division, stages=format_.stages, after=division.seq, by=by, now=now)
        keep_format(club=tournament.club, evening=format_.evening, stages=format_.stages, lengths=lengths, now=now)
    division.refresh_from_db()
    return division


def _key(evening: Evening) -> dict[str, Any]:
    return {
        "players": evening.players,
        "tables": evening.tables,
        "starts": evening.starts.time(),
        "closes": evening.closes.time(),
    }


def rest_of(event: Tournament) -> float:
    """Return the minutes that players rest between two matches of an event."""
    rest = Floor.objects.filter(tournament=event).values_list("rest_minutes", flat=True).first()
    return REST if rest is None else float(rest)


def divisions_beside(division: Division) -> tuple[Beside, ...]:
    """Return the other divisions of the event that need its tables, with the entries they have by now; two queries."""
    ended = (Division.Status.FINISHED, Division.Status.CANCELLED)
    others = division.tournament.divisions.filter(play_mode=PlayMode.TABLE).exclude(status__in=ended)
    rows = others.exclude(pk=division.pk).annotate(
        count=models.Count("entries", filter=models.Q(entries__status=Entry.Status.IN), distinct=True)
    )
    return tuple(
        Beside(
            tuple(map(settings_of, sorted(row.stages.all(), key=_number))) or (StageSettings(),),
            row.count,
            tuple(row.lengths),
        )
        for row in rows.order_by("order", "pk").prefetch_related("stages")
    )


def _number(stage: Stage) -> int:
    return stage.number


# The format of a new division by number of players and closing time, or as the club played before.


MAX_PLAYERS = 256
"""For larger fields a director sets the format by hand: an evening is too short for them anyway."""
MIN_COMPARED, MAX_COMPARED = 4, 128
"""Players for whom rounds and no rounds are compared."""
TEMPLATES_SHOWN = 8
ONE_HOUR = timedelta(hours=1)
ONE_EVENING = timedelta(hours=24)
"""A shorter event ends when its room closes."""


def local_span(tournament: Tournament) -> tuple[datetime, datetime | None]:
    """Return the local start of an event and, if it lasts one evening, its local end."""
    zone = ZoneInfo(tournament.time_zone)
    starts, ends = tournament.starts_at, tournament.ends_at
    lasts_one_evening = ends is not None and ends - starts < ONE_EVENING
    return shown_local(starts, zone), shown_local(ends, zone) if lasts_one_evening else None


class EveningTemplateForm(RefusingForm):
    """How many players are expected and when the evening is over, or one of the club's templates; all optional."""

    template = forms.TypedChoiceField(
        label=gettext_lazy("Format for the evening"), required=False, coerce=int, empty_value=None
    )
    expected = forms.IntegerField(
        label=gettext_lazy("Players expected"),
        required=False,
        min_value=2,
        max_value=MAX_PLAYERS,
        help_text=gettext_lazy("With a closing time, the format and the match lengths are proposed from it."),
    )
    done_by = forms.TimeField(
        label=gettext_lazy("Done by"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {}

    def __init__(self, data: Any = None, *, tournament: Tournament, starts: datetime, ends: datetime | None) -> None:
        """Offer the templates of the event's club; `starts` and `ends` are the local times of the event."""
        super().__init__(data, initial={"done_by": ends})
        self.tournament, self.starts = tournament, starts
        self.templates = {row.pk: row for row in templates_of(tournament)}
        choices = [(pk, template_label(row)) for pk, row in self.templates.items()]
        self.choose_among("template", [("", _("Proposed for the players expected, or set later")), *choices])
        if not choices:
            del self.fields["template"]

    def clean(self) -> dict[str, Any]:
        """Check that a closing time is known if a number of players is."""
        cleaned = super().clean() or {}
        if cleaned.get("expected") and not cleaned.get("done_by"):
            self.add_error("done_by", ValidationError(_("Enter when the evening is over.")))
        return cleaned

    def format(self) -> EveningFormat | None:
        """Return the format that the valid form asks for; None if it is to be set later."""
        template = self.templates.get(self.cleaned_data.get("template") or 0)
        players, done_by = self.cleaned_data["expected"], self.cleaned_data["done_by"]
        if template is not None:
            return format_of(template, self._evening(players or template.players, done_by or template.closes))
        if players is None:
            return None
        return format_for(self.tournament.club, self._evening(players, self.cleaned_data["done_by"]))

    def _evening(self, players: int, closes: time) -> Evening:
        tables = self.tournament.tables_for(players)
        return Evening(players, tables, self.starts, first_after(self.starts, closes))


def template_label(template: EveningTemplate) -> str:
    """Describe a template, such as “32 players, 12 tables, done by 23:30: Swiss, 4 rounds”."""
    stages = list(stages_of(template))
    return _("%(players)d players, %(tables)d tables, done by %(time)s: %(format)s") % {
        "players": template.players, "tables": template.tables, "time": time_format(template.closes, "H:i"),
        "format": _with_lengths(stages_name(stages), template.lengths),
    }  # fmt: skip


def format_sentence(format_: EveningFormat) -> str:
    """Explain the format of an evening: what it is for, and when it is over."""
    evening, stages = format_.evening, list(format_.stages)
    values = {
        "players": evening.players,
        "tables": evening.tables,
        "close": date_format(evening.closes, "H:i"),
        "format": _with_lengths(stages_name(stages), format_.lengths),
    }
    kept = _("As last time with %(players)d players, %(tables)d tables and an end at %(close)s: %(format)s.")
    proposed = _("For %(players)d players, %(tables)d tables and an end at %(close)s: %(format)s.")
    sentences = [(kept if format_.kept else proposed) % values]
    if format_.finish is not None:
        ends, late = (
            date_format(evening.starts + timedelta(minutes=minutes), "H:i")
            for minutes in (format_.finish.median, format_.finish.late)
        )
        sentences.append(
            _("Likely to be over at %(ends)s; 9 of 10 evenings are over by %(late)s.") % {"ends": ends, "late": late}
        )
        if format_.finish.late > evening.minutes:
            sentences.append(_("That may be after closing time."))
    return " ".join(sentences)


# The formats for an evening as a list to choose from.


@dataclass(frozen=True, slots=True)
class FormatOffer:
    """A format of the list: `key` is its preset, `details` are its match lengths, `duration` is expected."""

    key: str
    name: str
    details: str
    duration: str
    ends: str
    ends_late: str
    matches_each: str
    in_time: bool
    is_too_long: bool
    """Whether it is expected to be over only after closing time; otherwise it may be, if it is not `in_time`."""
    is_chosen: bool = False

    @property
    def css(self) -> str:
        return " ".join(
            ["offer", *(["is-chosen"] if self.is_chosen else []), *(["is-too-long"] if self.is_too_long else [])]
        )


def offers_for(evening: Evening, chosen: Sequence[StageSettings], lengths: Sequence[int]) -> list[FormatOffer]:
    """Return the formats that suit an evening, the best first, then those that are too long.

    A format that is `chosen` already, with its match lengths, is marked.
    """
    resolved = with_lengths(chosen, lengths)
    proposals = propose_formats(evening.players, evening.tables, evening.minutes, at_stake=evening.at_stake)
    return [_offer(proposal, evening, resolved) for proposal in proposals]


def _offer(proposal: FormatProposal, evening: Evening, chosen: Sequence[StageSettings]) -> FormatOffer:
    own = with_lengths(proposal.stages, (proposal.length,))
    is_chosen = own == list(chosen)
    return offer_of(proposal.name, own, proposal.finish, proposal.matches_each, evening, is_chosen=is_chosen)


def offer_of(
    key: str,
    stages: Sequence[StageSettings],
    finish: Finish,
    matches_each: Count,
    evening: Evening,
    *,
    is_chosen: bool = False,
) -> FormatOffer:
    """Return a line of the list for stages with match lengths of their own."""
    return FormatOffer(
        key=key,
        name=format_name(stages),
        details=lengths_text(stages, ()),
        duration=duration_text(finish.median),
        ends=clock_after(evening, finish.median),
        ends_late=clock_after(evening, finish.late),
        matches_each=matches_text(matches_each),
        in_time=finish.late <= evening.minutes,
        is_too_long=finish.median > evening.minutes,
        is_chosen=is_chosen,
    )


def proposed_stages(key: str, evening: Evening) -> tuple[StageSettings, ...] | None:
    """Return the stages of an offer, with their own match lengths; None if it is not among the offers."""
    proposals = propose_formats(evening.players, evening.tables, evening.minutes, at_stake=evening.at_stake)
    chosen = next((proposal for proposal in proposals if proposal.name == key), None)
    return None if chosen is None else tuple(with_lengths(chosen.stages, (chosen.length,)))


def with_lengths(stages: Sequence[StageSettings], lengths: Sequence[int]) -> list[StageSettings]:
    """Return the stages with these match lengths of their own, where they have those of the division."""
    return [stage if stage.lengths else replace(stage, lengths=tuple(lengths)) for stage in stages]


def format_name(stages: Sequence[StageSettings]) -> str:
    """Name a format on a line of its own; a consolation's last chance is not worth the words."""
    if len(stages) == 1 and stages[0].format == PROGRESSIVE:
        return str(FORMAT_NAMES[PROGRESSIVE])
    if len(stages) == 1 and stages[0].twice:
        return f"{stages_name(list(stages))}, {_('twice')}"
    return stages_name(list(stages))


def lengths_text(stages: Sequence[StageSettings], lengths: Sequence[int]) -> str:
    """Describe the match lengths of a format, such as “5 points, 3 in the consolation”."""
    first = stages[0]
    own, lower = first.lengths or tuple(lengths), first.lower_lengths
    points = ngettext("%(length)s point", "%(length)s points", max(own)) % {"length": _listed(own)}
    if first.format != PROGRESSIVE or lower in ((), own):
        return points
    return _("%(points)s, %(lower)s in the consolation") % {"points": points, "lower": _listed(lower)}


def _listed(lengths: Sequence[int]) -> str:
    return " ".join(map(str, lengths))


def matches_text(each: Count) -> str:
    """Say how many matches everybody plays, such as “3–6 matches each”."""
    return ngettext("%(count)s match each", "%(count)s matches each", each.most) % {"count": count_text(each)}


def here_text(here: int, coming: int) -> str:
    """Say how many players are here, and how many are still expected."""
    if coming > 0:
        return _("%(here)d here, %(coming)d on the way") % {"here": here, "coming": coming}
    return _("%(here)d here") % {"here": here}


def count_text(count: Count) -> str:
    """Return a number, or a range such as 24–25."""
    return str(count.least) if count.exact else f"{count.least}–{count.most}"


def duration_text(minutes: float) -> str:
    """Return a duration in hours and minutes, rounded to five minutes, such as “3 h 05”."""
    hours, rest = divmod(5 * round(minutes / 5), 60)
    return _("%(hours)d h %(minutes)s") % {"hours": hours, "minutes": f"{rest:02d}"}


def clock_after(evening: Evening, minutes: float) -> str:
    """Return the time so many minutes after the start."""
    return date_format(evening.starts + timedelta(minutes=minutes), "H:i")


class ComparedLine(NamedTuple):
    """How long a player waits, and when the stage is over, if it is paired in one of the two ways."""

    name: str
    wait: str
    ends: str
    guards: str
    """What this way guards against."""
    is_chosen: bool


def compared(
    stages: Sequence[StageSettings], lengths: Sequence[int], evening: Evening, pace: Pace, finish: Finish
) -> list[ComparedLine]:
    """Return the first stage in rounds and without, side by side; empty if it can be paired in rounds only or not.

    `finish` is when the evening is over as it is; the other way is as much earlier or later as its first stage.
    """
    first = stages[0] if stages else None
    if first is None or first.format not in BY_ROUND or not MIN_COMPARED <= evening.players <= MAX_COMPARED:
        return []
    flow = replace(first, pairing=Mode.CONTINUOUS)
    if evening.at_stake and flow.format == LIVES and not first.is_continuous:
        flow = strict(flow)
    try:
        flow.checked(lengths)
        check_field([flow, *stages[1:]], evening.players)
    except Refused:
        return []
    in_rounds, without = compare(flow, evening.players, lengths, pace)
    own = (without if first.is_continuous else in_rounds).finish.median
    texts = (
        (in_rounds, _("In rounds"), _("Nobody gains anything by being slow."), not first.is_continuous),
        (without, _("Without rounds"), _guards(flow, at_stake=evening.at_stake), first.is_continuous),
    )
    return [
        ComparedLine(
            name,
            ngettext("%(count)d min", "%(count)d min", round(row.wait)) % {"count": round(row.wait)},
            clock_after(evening, finish.median + row.finish.median - own),
            guards,
            is_chosen,
        )
        for row, name, guards, is_chosen in texts
    ]


def is_at_stake(division: Division) -> bool:
    """Whether somebody pays a fee in a division, or wins a prize."""
    return division.fee > 0 or division.prize_plans.exists() or division.side_pools.exists()


def _guards(settings: StageSettings, *, at_stake: bool) -> str:
    """Return what pairing without rounds guards against; the figures are those of docs/formats.md."""
    if not settings.lead:
        return _("Without a lead, whoever is slow has an advantage.")
    if settings.is_missed_by_lot:
        return _("Strict, for fees and prizes: nobody gets ahead of a slow match, and missed matches cost by lot.")
    text = ngettext(
        "For club nights: who sits out skips at most %(count)d match.",
        "For club nights: who sits out skips at most %(count)d matches.",
        settings.lead,
    ) % {"count": settings.lead}
    if settings.format == LIVES:
        text += " " + _("The first match missed is free. Coming or reporting late can double the chance to win.")
        text += " " + _("Choose a lead of 1 (strict): there is a fee or a prize.") if at_stake else ""
    return text


@dataclass(frozen=True, slots=True)
class Timeline:
    """When an evening is over beside its closing time, in percent of a line that ends a little after both."""

    expected: float
    late: float
    closing: float
    ticks: list[tuple[float, str]]
    ends: str
    ends_late: str
    closes: str
    in_time: bool

    @property
    def label_css(self) -> str:
        """Where the label of the end is beside its place, so that it does not overlap that of the closing time."""
        if abs(self.closing - self.expected) > CLOSEST_LABELS:
            return ""
        return "is-before" if self.expected <= self.closing else "is-after"

    @property
    def closing_css(self) -> str:
        """Where the label of the closing time is beside its place."""
        return "is-after" if self.expected <= self.closing else "is-before"


ROOM_FOR_LABELS = 1.4
MAX_TICKS = 5
CLOSEST_LABELS = 24
"""Percent between two labels that would overlap on a phone if both were centred."""
LAST_TICK = 88


def timeline_of(evening: Evening, finish: Finish) -> Timeline:
    """Return the line of an evening that is over at `finish`."""
    span = max(finish.late, evening.minutes) * ROOM_FOR_LABELS
    expected, late, closing = (100 * minutes / span for minutes in (finish.median, finish.late, evening.minutes))
    first = ONE_HOUR - timedelta(minutes=evening.starts.minute) if evening.starts.minute else timedelta(0)
    hours = [first + ONE_HOUR * hour for hour in range(int(span // 60) + 1)]
    step = len(hours) // MAX_TICKS + 1
    ticks = [(hour.total_seconds() / 60, date_format(evening.starts + hour, "H:i")) for hour in hours[::step]]
    return Timeline(
        expected=expected,
        late=late,
        closing=closing,
        ticks=[(100 * minutes / span, text) for minutes, text in ticks if 100 * minutes / span < LAST_TICK],
        ends=clock_after(evening, finish.median),
        ends_late=clock_after(evening, finish.late),
        closes=date_format(evening.closes, "H:i"),
        in_time=finish.late <= evening.minutes,
    )


def _with_lengths(name: str, lengths: Any) -> str:
    return _("%(format)s, to %(lengths)s points") % {"format": name, "lengths": " ".join(map(str, lengths))}


def templates_of(tournament: Tournament) -> list[EveningTemplate]:
    """Return the formats that the club of an event played last."""
    return list(EveningTemplate.objects.filter(club=tournament.club)[:TEMPLATES_SHOWN])
