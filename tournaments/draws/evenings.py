"""Formats for evenings: proposed from players, tables and closing time, and kept with the club."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matches.models import PlayMode
from players.actors import Actor
from players.forms import RefusingForm
from players.models import Club
from tournaments.events.forms import shown_local
from tournaments.events.services import create_division
from tournaments.formats.forecast.durations import REST
from tournaments.formats.forecast.finish_times import Finish, Pace
from tournaments.formats.forecast.forecasts import Beside, forecast_stages
from tournaments.formats.forecast.proposals import RUNS, propose_format
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Entry, EveningTemplate, Floor, Stage, Tournament
from tournaments.state.format_labels import stages_name
from tournaments.state.plans import settings_of
from tournaments.state.stages import set_stages


@dataclass(frozen=True, slots=True)
class Evening:
    """How many play at how many tables, from when until when (local times without a zone)."""

    players: int
    tables: int
    starts: datetime
    closes: datetime

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
    """Return the format of a template, with its forecast for `evening`."""
    stages = tuple(StageSettings.of(data["format"], data["settings"]) for data in template.stages)
    lengths = tuple(template.lengths)
    pace = Pace(evening.tables, runs=RUNS)
    finish = forecast_stages(stages, evening.players, default_lengths=lengths, pace=pace).finish
    return EveningFormat(evening, stages, lengths, finish, kept=True)


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


def first_after(starts: datetime, closes: time) -> datetime:
    """Return the first instant after `starts` when clocks show `closes`; both are local."""
    ends = datetime.combine(starts.date(), closes)
    return ends if ends > starts else ends + timedelta(days=1)


def rest_of(event: Tournament) -> float:
    """Return the minutes that players rest between two matches of an event."""
    rest = Floor.objects.filter(tournament=event).values_list("rest_minutes", flat=True).first()
    return REST if rest is None else float(rest)


def divisions_beside(division: Division) -> tuple[Beside, ...]:
    """Return the other divisions of the event that need its tables, with the entries they have by now; two queries."""
    ended = (Division.Status.FINISHED, Division.Status.CANCELLED)
    others = division.tournament.divisions.filter(play_mode=PlayMode.TABLE).exclude(status__in=ended)
    rows = others.exclude(pk=division.pk).annotate(
        count=Count("entries", filter=Q(entries__status=Entry.Status.IN), distinct=True)
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


MOST_PLAYERS = 256
"""For larger fields a director sets the format by hand: an evening is too short for them anyway."""
TEMPLATES_SHOWN = 8
ONE_EVENING = timedelta(hours=24)
"""A shorter event ends when its room closes."""


def local_span(tournament: Tournament) -> tuple[datetime, datetime | None]:
    """Return the local start of an event and, if it lasts one evening, its local end."""
    zone = ZoneInfo(tournament.time_zone)
    starts, ends = tournament.starts_at, tournament.ends_at
    lasts_one_evening = ends is not None and ends - starts < ONE_EVENING
    local_starts, local_ends = shown_local(starts, zone), shown_local(ends, zone)
    assert local_starts is not None  # noqa: S101, an event has a start
    return local_starts, local_ends if lasts_one_evening else None


class EveningTemplateForm(RefusingForm):
    """How many players are expected and when the evening is over, or one of the club's templates; all optional."""

    template = forms.TypedChoiceField(
        label=gettext_lazy("Format for the evening"), required=False, coerce=int, empty_value=None
    )
    expected = forms.IntegerField(
        label=gettext_lazy("Players expected"),
        required=False,
        min_value=2,
        max_value=MOST_PLAYERS,
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
        self.templates = {row.pk: row for row in _templates(tournament)}
        choices = [(pk, template_label(row)) for pk, row in self.templates.items()]
        field = self.fields["template"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101, declared above
        field.choices = [("", _("Proposed for the players expected, or set later")), *choices]
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
        if template is not None:
            return format_of(template, self._evening(template.players, template.closes))
        players = self.cleaned_data["expected"]
        if players is None:
            return None
        return format_for(self.tournament.club, self._evening(players, self.cleaned_data["done_by"]))

    def _evening(self, players: int, closes: time) -> Evening:
        tables = self.tournament.tables_for(players)
        return Evening(players, tables, self.starts, first_after(self.starts, closes))


def template_label(template: EveningTemplate) -> str:
    """Describe a template, such as “32 players, 12 tables, done by 23:30: Swiss, 4 rounds”."""
    stages = [StageSettings.of(data["format"], data["settings"]) for data in template.stages]
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
            _("It is likely to be over at %(ends)s, and in nine of ten evenings by %(late)s.")
            % {"ends": ends, "late": late}
        )
        if format_.finish.late > evening.minutes:
            sentences.append(_("That may be after closing time."))
    return " ".join(sentences)


def _with_lengths(name: str, lengths: Any) -> str:
    return _("%(format)s, to %(lengths)s points") % {"format": name, "lengths": " ".join(map(str, lengths))}


def _templates(tournament: Tournament) -> list[EveningTemplate]:
    return list(EveningTemplate.objects.filter(club=tournament.club)[:TEMPLATES_SHOWN])
