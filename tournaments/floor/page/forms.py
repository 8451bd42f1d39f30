"""Forms of the floor."""

from datetime import datetime, time, timedelta
from hashlib import sha256
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.requests import parse_int
from formats.settings import MAX_LEAD, MAX_WINDOW, Leader
from matches.lifecycle.finish import ResultInput
from players.forms import RefusingForm, YesNoField
from players.models import Player
from tournaments.draws.round_lengths import RoundLength
from tournaments.entries.check_in import partners_in
from tournaments.floor.closing_time import CLOSING_RULES, MAX_POINTS_LEFT, RunningMatch
from tournaments.floor.desk import DeskPage
from tournaments.floor.endings import BRACKETS
from tournaments.floor.evening import MAX_POSITION, FloorPlan
from tournaments.floor.selectors import settings_of
from tournaments.floor.state import FloorSettings
from tournaments.floor.undo import UndoableAct, act_named
from tournaments.models import (
    Autopilot,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    MissedMatch,
    Pairing,
    Stage,
    Table,
    Tournament,
)
from tournaments.models.floor import MAX_LABEL_LENGTH
from tournaments.state.format_labels import LEADER_NAMES

# The form of a floor: its settings and its tables.


MAX_MINUTES = 240
MINUTES = ("rest", "hold", "second_call", "no_show", "penalty_first", "penalty_each")


class FloorSettingsForm(RefusingForm):
    """The minutes and rules of a floor, the label and category of each table, and one more table."""

    rest = forms.IntegerField(min_value=0, max_value=MAX_MINUTES, label=_("Minutes of rest between matches"))
    hold = forms.IntegerField(
        min_value=0,
        max_value=MAX_MINUTES,
        label=_("Minutes for which a match waits for a better one"),
        help_text=_("Whoever is wanted so soon in a competition that comes first is not called elsewhere. 0: never."),
    )
    second_call = forms.IntegerField(min_value=1, max_value=MAX_MINUTES, label=_("Minutes until the second call"))
    no_show = forms.IntegerField(
        min_value=1, max_value=MAX_MINUTES, label=_("Minutes until a player counts as a no-show")
    )
    penalty_points = forms.BooleanField(required=False, label=_("Penalty points for lateness"))
    penalty_first = forms.IntegerField(
        min_value=1, max_value=MAX_MINUTES, label=_("Minutes until the first penalty point")
    )
    penalty_each = forms.IntegerField(
        min_value=1, max_value=MAX_MINUTES, label=_("Minutes for each further penalty point")
    )
    new_label = forms.CharField(required=False, max_length=MAX_LABEL_LENGTH, label=_("Name of a new table"))
    new_category = forms.ChoiceField(choices=Table.Category.choices, label=_("Category"), required=False)

    def __init__(self, data: Any = None, *, tournament: Tournament) -> None:
        settings = settings_of(Floor.objects.filter(tournament=tournament).first())
        initial = {name: getattr(settings, name) for name in (*MINUTES, "penalty_points")}
        super().__init__(data, initial=initial)
        self.tables = list(tournament.floor_tables.all())
        for table in self.tables:
            self.fields[f"label_{table.public_id}"] = forms.CharField(
                max_length=MAX_LABEL_LENGTH,
                label=_("Table %(table)s") % {"table": table.label},
                initial=table.label,
            )
            self.fields[f"category_{table.public_id}"] = forms.ChoiceField(
                choices=Table.Category.choices,
                label=format_lazy(_("Category of table {table}"), table=table.label),
                initial=table.category,
            )

    @property
    def rows(self) -> list[tuple[Any, Any]]:
        """The fields of each table: label and category."""
        return [(self[f"label_{row.public_id}"], self[f"category_{row.public_id}"]) for row in self.tables]

    @property
    def plan(self) -> FloorPlan:
        """What the valid form asks for."""
        data = self.cleaned_data
        plans: list[tuple[Table | None, str, str]] = [
            (row, data[f"label_{row.public_id}"], data[f"category_{row.public_id}"]) for row in self.tables
        ]
        if data["new_label"]:
            plans.append((None, data["new_label"], data["new_category"] or Table.Category.NORMAL))
        settings = {name: data[name] for name in (*MINUTES, "penalty_points")}
        return FloorPlan(FloorSettings(**settings), plans)


class DeskForm(forms.Form):
    """A page of the staff: a name that it makes up, and whether it was left."""

    page = forms.RegexField(r"^[a-z0-9]{1,16}\Z")
    left = forms.BooleanField(required=False)

    def page_of(self, session_key: str) -> DeskPage:
        return DeskPage(sha256(session_key.encode()).hexdigest()[:12], self.cleaned_data["page"])


# Forms of what a director does on the floor.


NOT_A_CHOICE = forms.ModelChoiceField.default_error_messages["invalid_choice"]
"""What a field says that names something that is not of the event."""
MAX_REASON_LENGTH = 80
MAX_ACT = 40
MAX_NOTE = 200
MAX_TABLES = 200
MAX_POINTS = 25
MAX_CHANGES = 2000
MAX_MATCHES = 8000


class FloorForm(RefusingForm):
    """An action on the floor of an event, at a moment."""

    FIXTURES: ClassVar[tuple[str, ...]] = ("fixture",)
    TABLES: ClassVar[tuple[str, ...]] = ("table",)
    FACTS: ClassVar[tuple[str, ...]] = ("fact",)
    ENTRIES: ClassVar[tuple[str, ...]] = ("entry",)
    typed_at: datetime | None = None
    """When it was typed, if it was kept without a connection and that is known."""

    def __init__(self, *args: Any, tournament: Tournament, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament, self.now = tournament, now
        own = Fixture.objects.filter(stage__division__tournament=tournament)
        fixtures = own.select_related("stage__division", "match__player_0", "match__player_1")
        self._limit(self.FIXTURES, fixtures)
        self._limit(self.TABLES, tournament.floor_tables.all())
        self._limit(self.FACTS, tournament.floor_events.all())
        entries = Entry.objects.filter(division__tournament=tournament)
        self._limit(self.ENTRIES, entries.select_related("player", "division__tournament__club"))

    def _limit(self, names: tuple[str, ...], rows: Any) -> None:
        for name in names:
            field = self.fields.get(name)
            if isinstance(field, forms.ModelChoiceField):
                field.queryset = rows


class FixtureForm(FloorForm):
    fixture = forms.ModelChoiceField(Fixture.objects.none(), to_field_name="public_id")


class CallForm(FixtureForm):
    """A call to a table; without one, to the table that is suggested."""

    table = forms.ModelChoiceField(Table.objects.none(), to_field_name="public_id", required=False)


class MoveForm(FixtureForm):
    """The table a match is played at."""

    table = forms.ModelChoiceField(
        Table.objects.none(), to_field_name="public_id", label=pgettext_lazy("furniture", "Table")
    )


class TableScoreForm(FixtureForm):
    left = forms.IntegerField(min_value=0, max_value=MAX_POINTS)
    right = forms.IntegerField(min_value=0, max_value=MAX_POINTS)


class UndoScoreForm(FixtureForm):
    fact = forms.ModelChoiceField(FloorEvent.objects.none())


class ClosingForm(FixtureForm):
    """A result at closing time: `after` is the match's `seq` as the sheet showed it."""

    after = forms.IntegerField(min_value=0)


class WonForm(ClosingForm):
    """Who won a match that was played to its end, and the points of the other player."""

    winner = forms.TypedChoiceField(choices=[(0, "0"), (1, "1")], coerce=int)
    points = forms.IntegerField(min_value=0, max_value=MAX_POINTS)
    reason = forms.CharField(max_length=MAX_REASON_LENGTH, required=False)

    @property
    def result(self) -> ResultInput:
        """The result; the winner has as many points as the match is long."""
        match = self.cleaned_data["fixture"].match
        winner, points = self.cleaned_data["winner"], self.cleaned_data["points"]
        length = match.length if match is not None else 0
        return ResultInput(winner, (length, points) if winner == 0 else (points, length))


class LeaderForm(ClosingForm):
    """The score that the leader wins by."""

    left = forms.IntegerField(min_value=0, max_value=MAX_POINTS)
    right = forms.IntegerField(min_value=0, max_value=MAX_POINTS)


class SettleForm(ClosingForm):
    """Who wins a match that the players settle between them."""

    winner = forms.ChoiceField(choices=[(value, value) for value in ("0", "1", "nobody")])

    @property
    def winning_side(self) -> int | None:
        """The side that wins; None: nobody."""
        chosen = self.cleaned_data["winner"]
        return None if chosen == "nobody" else int(chosen)


class AdjournForm(FixtureForm):
    """Who is on roll in an adjourned match, and its position, as far as that is known."""

    on_roll = forms.TypedChoiceField(
        choices=[(value, value) for value in ("", "0", "1")],
        coerce=int,
        empty_value=None,
        required=False,
    )
    position = forms.CharField(max_length=MAX_POSITION, required=False)


class StartScoreForm(FixtureForm):
    """The points with which both sides begin, and why."""

    left = forms.IntegerField(min_value=0, max_value=MAX_POINTS)
    right = forms.IntegerField(min_value=0, max_value=MAX_POINTS)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON_LENGTH)


class ShorterMatchForm(FixtureForm):
    """A shorter length, and that both players agree to it."""

    length = forms.IntegerField(min_value=1, max_value=MAX_POINTS)
    agreed = forms.BooleanField(label=_("Both players agree"))


class ProposeLengthForm(FixtureForm):
    """A shorter length to propose to both players."""

    length = forms.IntegerField(min_value=1, max_value=MAX_POINTS)


class WithdrawLengthForm(FixtureForm):
    """The fact that offered a shorter length."""

    fact = forms.ModelChoiceField(FloorEvent.objects.none())


class UndoLengthForm(FixtureForm):
    """The fact that shortened the match."""

    fact = forms.ModelChoiceField(FloorEvent.objects.none())

    def clean_fact(self) -> FloorEvent:
        """Refuse a fact that did not shorten this match."""
        fact: FloorEvent = self.cleaned_data["fact"]
        if fact.kind != FloorKind.SHORTENED or fact.fixture != self.cleaned_data.get("fixture"):
            raise ValidationError(NOT_A_CHOICE, code="unknown")
        return fact


class EntryForm(FloorForm):
    entry = forms.ModelChoiceField(Entry.objects.none(), to_field_name="public_id")


class ReentryForm(EntryForm):
    """A player who enters again, with the number of their newest entry as it was shown."""

    number = forms.IntegerField(min_value=1)


class NoShowForm(FixtureForm):
    """Which side did not come to a match; if that is a pair, who of the two is missing."""

    side = forms.ChoiceField(choices=[(value, value) for value in ("0", "1", "both")])
    missing = forms.ModelMultipleChoiceField(Player.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limit(("missing",), partners_in(self.tournament))


class EntryPersonForm(EntryForm):
    """An entry, and of a pair one of the two."""

    person = forms.ModelChoiceField(Player.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limit(("person",), partners_in(self.tournament))


class ExcuseForm(EntryPersonForm):
    """One of a pair, and whether the other one plays without them."""

    excused = YesNoField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["person"].required = True


class LateForm(FixtureForm):
    """A player who is late, and by how many minutes."""

    side = forms.TypedChoiceField(choices=[(0, "0"), (1, "1")], coerce=int)
    minutes = forms.IntegerField(min_value=0, max_value=240)


class TableForm(FloorForm):
    table = forms.ModelChoiceField(Table.objects.none(), to_field_name="public_id")


class OutOfUseForm(TableForm):
    """Why a table is taken out of use, and the table to which the match that is there goes; none: the queue."""

    TABLES = ("table", "move_to")

    reason = forms.CharField(max_length=MAX_REASON_LENGTH, required=False, label=_("Reason"))
    move_to = forms.ModelChoiceField(Table.objects.none(), to_field_name="public_id", required=False)


class AwayForm(EntryPersonForm):
    """A player who is away for some minutes, or one of a pair."""

    minutes = forms.IntegerField(min_value=1, max_value=MAX_MINUTES)


class FloorNoteForm(FloorForm):
    """What the staff are to see later, such as "Ann paid 20"."""

    text = forms.CharField(max_length=MAX_NOTE, label=_("Note"))


class StageActionForm(FloorForm):
    """An action on a stage without rounds."""

    stage = forms.ModelChoiceField(Stage.objects.none(), to_field_name="public_id")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stages = Stage.objects.filter(division__tournament=self.tournament)
        self._limit(("stage",), stages.select_related("division__tournament__club"))


class PairNowForm(StageActionForm):
    """The stage to pair, as it was shown: `after` is the `seq` of its division."""

    after = forms.IntegerField(min_value=0)
    reason = forms.CharField(max_length=MAX_REASON_LENGTH, required=False, label=_("Reason (shown to everybody)"))


class TwoFreeForm(StageActionForm):
    """Two who are free and may be paired."""

    first = forms.ModelChoiceField(Entry.objects.none(), to_field_name="public_id", label=_("First player"))
    second = forms.ModelChoiceField(Entry.objects.none(), to_field_name="public_id", label=_("Second player"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        entries = Entry.objects.filter(division__tournament=self.tournament)
        self._limit(("first", "second"), entries.select_related("player"))


class ChosenPairForm(TwoFreeForm):
    """Two who are free and are to be paired, and why. `after` is the `seq` of the division."""

    after = forms.IntegerField(min_value=0)
    reason = forms.CharField(max_length=MAX_REASON_LENGTH, label=_("Reason (shown to everybody)"))


class HoldPairingForm(StageActionForm):
    held = YesNoField()


class FlowForm(PairNowForm):
    """How a running stage is paired without rounds."""

    # Django's way to leave out a field of the form that this one is made from.
    reason = None  # type: ignore[assignment]
    window = forms.IntegerField(min_value=0, max_value=MAX_WINDOW, label=_("Minutes until a pair is made"))
    lead = forms.IntegerField(min_value=0, max_value=MAX_LEAD, label=_("Matches that a player may be ahead"))
    leader = forms.TypedChoiceField(
        choices=list(LEADER_NAMES), coerce=Leader, label=_("Players with unequal lives meet")
    )
    switch_time = forms.TimeField(required=False, label=_("The bracket is drawn at the latest at"))
    late_until = forms.TimeField(required=False, label=_("Late entries until"))

    def clean_switch_time(self) -> str | None:
        """Return HH:MM, "" for no time, or None if the field was not sent."""
        return self._time_of_day("switch_time")

    def clean_late_until(self) -> str | None:
        """Return HH:MM, "" for no time, or None if the field was not sent."""
        return self._time_of_day("late_until")

    def _time_of_day(self, name: str) -> str | None:
        at = self.cleaned_data[name]
        return f"{at:%H:%M}" if at is not None else "" if name in self.data else None


class EndStageForm(PairNowForm):
    """What follows a stage that is ended in mid-evening, and what becomes of the matches in progress."""

    # Django's way to leave out a field of the form that this one is made from.
    reason = None  # type: ignore[assignment]
    places = forms.TypedChoiceField(
        choices=[("", ""), *((places, str(places)) for places in BRACKETS)],
        coerce=int,
        empty_value=None,
        required=False,
    )
    stop = YesNoField()


class MissedForm(FloorForm):
    """A missed match to take back, and why."""

    missed = forms.ModelChoiceField(MissedMatch.objects.none())
    reason = forms.CharField(max_length=MAX_REASON_LENGTH, label=_("Reason (shown to everybody)"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = MissedMatch.objects.filter(stage__division__tournament=self.tournament)
        self._limit(("missed",), rows.select_related("stage", "entry__player"))


class UndoPairingForm(FixtureForm):
    """Why a pairing is taken back; for a missing player, their side, and of a pair who of the two."""

    code = forms.ChoiceField(
        choices=[(code.value, code.label) for code in (Pairing.TakenBack.MISSING, Pairing.TakenBack.NOT_THESE_TWO)]
    )
    side = forms.TypedChoiceField(
        choices=[(value, value) for value in ("", "0", "1")],
        coerce=int,
        empty_value=None,
        required=False,
    )
    person = forms.ModelChoiceField(Player.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limit(("person",), partners_in(self.tournament))

    def clean(self) -> dict[str, Any]:
        """Require the side of a missing player."""
        cleaned = super().clean() or {}
        if cleaned.get("code") == Pairing.TakenBack.MISSING and cleaned.get("side") is None:
            self.add_error("side", ValidationError(_("Choose who is missing."), code="required"))
        return cleaned


class HereForm(FloorForm):
    """The players who are here: their public ids, separated by spaces."""

    players = forms.CharField(max_length=MAX_MATCHES)

    def clean_players(self) -> list[Player]:
        chosen = set(self.cleaned_data["players"].split())
        entered = Entry.objects.filter(division__tournament=self.tournament).exclude(status=Entry.Status.OUT)
        here = Q(pk__in=entered.values("player")) | Q(pk__in=partners_in(self.tournament).values("pk"))
        players = list(Player.objects.filter(here, public_id__in=chosen))
        if not players or len(players) != len(chosen):
            raise ValidationError(NOT_A_CHOICE)
        return players


class OpenForm(FloorForm):
    """The number of tables to open a floor with."""

    tables = forms.IntegerField(min_value=1, max_value=MAX_TABLES, label=_("Tables"))


class UndoActForm(FloorForm):
    act = forms.CharField(max_length=MAX_ACT)

    def clean_act(self) -> UndoableAct:
        act = act_named(self.tournament, self.cleaned_data["act"])
        if act is None:
            raise ValidationError(NOT_A_CHOICE, code="unknown")
        return act


class PauseForm(FloorForm):
    """When the pause ends; empty while nobody knows."""

    until = forms.TimeField(required=False, widget=forms.TimeInput(attrs={"type": "time"}))

    @property
    def until_at(self) -> datetime | None:
        """The next instant when the event's clocks show the time."""
        until: time | None = self.cleaned_data["until"]
        if until is None:
            return None
        today = self.now.astimezone(ZoneInfo(self.tournament.time_zone))
        at = today.replace(hour=until.hour, minute=until.minute, second=0, microsecond=0)
        return at if at > self.now else at + timedelta(days=1)


class AutopilotForm(FloorForm):
    """Whether matches are suggested or called by themselves."""

    mode = forms.TypedChoiceField(choices=[(mode.value, mode.value) for mode in Autopilot], coerce=Autopilot)


class ClosingTimeForm(FloorForm):
    """What to do with the matches that still run, as `fixture:left:right` items with the scores that were shown."""

    rule = forms.ChoiceField(choices=[(rule, rule) for rule in CLOSING_RULES])
    points = forms.IntegerField(min_value=1, max_value=MAX_POINTS_LEFT, required=False)
    running = forms.CharField(max_length=MAX_MATCHES)

    def clean(self) -> dict[str, Any]:
        """Require the points that leaders still need if matches are shortened."""
        cleaned = super().clean() or {}
        if cleaned.get("rule") == Tournament.ClosingRule.SHORTEN and not cleaned.get("points"):
            self.add_error("points", ValidationError(_("Choose how many points the leaders still need.")))
        return cleaned

    def clean_running(self) -> list[RunningMatch]:
        """Return the matches of this event, each with its score."""
        scores: dict[str, tuple[int, int]] = {}
        for item in self.cleaned_data["running"].split():
            public_id, *points = item.split(":")
            if len(points) != 2 or not all(point.isdecimal() and len(point) <= 2 for point in points):
                raise ValidationError(NOT_A_CHOICE)
            scores[public_id] = (int(points[0]), int(points[1]))
        rows = Fixture.objects.filter(stage__division__tournament=self.tournament, public_id__in=scores)
        fixtures = rows.select_related("stage__division").order_by("number")
        if len(fixtures) != len(scores):
            raise ValidationError(NOT_A_CHOICE)
        return [RunningMatch(fixture, scores[fixture.public_id]) for fixture in fixtures]


class ShortenForm(FloorForm):
    """New lengths of rounds that nobody has begun, as `round:seen:length` items."""

    changes = forms.CharField(max_length=MAX_CHANGES)

    def clean_changes(self) -> list[RoundLength]:
        """Parse the items; raise ValidationError for anything else."""
        changes = []
        for item in self.cleaned_data["changes"].split():
            parts = item.split(":")
            numbers = [number for part in parts if (number := parse_int(part)) is not None]
            if not len(parts) == len(numbers) == len(RoundLength._fields):
                raise ValidationError(NOT_A_CHOICE)
            changes.append(RoundLength(*numbers))
        return changes
