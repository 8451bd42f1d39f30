"""Forms of events, divisions, helpers and venues, and fields for local dates and times."""

import zoneinfo
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, ClassVar, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.dates import WEEKDAYS
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy
from rest_framework import serializers

from core.messages import sentence
from core.public_ids import LENGTH
from core.requests import parse_int
from core.text_lengths import MAX_NAME_LENGTH
from core.times import duration
from engine.errors import Refused
from matches.lifecycle.play_rules import MAX_NO_SHOW, MAX_SPAN_DAYS
from matches.models import ClockPreset, LiveMatch, PlayMode
from matches.models.matches import MAX_MATCH
from matches.models.reports import NO_SHOW_MINUTES
from players.actions import serializer_field
from players.forms import LanguageField, RefusingForm, ZoneChoiceField
from tournaments.events.dates import DependentDate, EventStart, dates_of, is_announced, moved_dates
from tournaments.events.services import AFTER_DRAW, MAX_START_ROWS
from tournaments.events.venues import VenueInput
from tournaments.ledger.fields import AmountField, take_amounts_in
from tournaments.ledger.money import Currency
from tournaments.models import Division, Table, Tournament, Venue
from tournaments.models.events import MAX_ENTRIES, MAX_ROUNDS
from tournaments.models.floor import MAX_LABEL_LENGTH
from tournaments.state.changes import Audience

MAX_TABLES = 2000
DURATION = lazy(duration, str)


def _behind(minutes: int) -> str:
    return ngettext("%(minutes)d minute behind", "%(minutes)d minutes behind", minutes) % {"minutes": minutes}


BEHIND = lazy(_behind, str)
AFTER_THE_MATCH = "after"
"""Choice of spectators who see a match once it is over."""
SPECTATORS = (
    ("0", _("Live")),
    *((str(minutes), BEHIND(minutes)) for minutes in (5, 10, 15, 30)),
    (AFTER_THE_MATCH, _("After the match")),
)
CLAIM_WAITS = ((600, _("10 minutes (at a venue)")), (3600, DURATION(3600)), (86400, _("24 hours (online)")))


class LocalField(forms.DateTimeField):
    """A naive date and time in the event's time zone; `localise` makes it an instant. Programs send an instant."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(widget=widget, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"], **options)

    def from_current_timezone(self, value: datetime) -> datetime:
        """Leave the value naive, since the zone may be a field of the same form."""
        return value

    def to_python(self, value: Any) -> datetime | None:
        """Return Django's value without its time zone, or the instant that a program sent."""
        if isinstance(value, datetime):
            return value
        parsed = forms.DateTimeField.to_python(self, value)
        return parsed.replace(tzinfo=None) if parsed is not None else None

    def prepare_value(self, value: Any) -> Any:
        """Return the value unchanged, since it is already local."""
        return value


def lengths_in(text: str) -> list[int]:
    """Return match lengths separated by spaces or commas. Raises ValidationError unless there is one for each round."""
    lengths = [parse_int(word, 0) for word in text.replace(",", " ").split()]
    if not 1 <= len(lengths) <= MAX_ROUNDS or not all(1 <= length <= MAX_MATCH for length in lengths):
        raise ValidationError(sentence("bad_round_lengths", {"most": MAX_MATCH}))
    return lengths


class LengthsField(forms.CharField):
    """Match lengths by round, such as “5 5 7”; programs send numbers."""

    def clean(self, value: Any) -> Any:
        """Return the lengths. Raises ValidationError for anything else."""
        return value if isinstance(value, list) else lengths_in(super().clean(value))


@serializer_field.register
def lengths_in_api(field: LengthsField, **options: Any) -> serializers.ListField:
    length = serializers.IntegerField(min_value=1, max_value=MAX_MATCH)
    text = "By round; the last length applies to all later rounds."
    return serializers.ListField(
        child=length, **{"min_length": 1, "max_length": MAX_ROUNDS, "help_text": text, **options}
    )


Instant = TypeVar("Instant", datetime, datetime | None)


def localise(naive: Instant, zone: tzinfo) -> Instant:
    """Return the instant when clocks in a zone show this time; None for None."""
    return naive.replace(tzinfo=zone) if naive is not None and naive.tzinfo is None else naive


def shown_local(at: Instant, zone: tzinfo) -> Instant:
    """Return what clocks in a zone show at an instant; None for None."""
    return at.astimezone(zone).replace(tzinfo=None) if at is not None else None


class TournamentForm(RefusingForm):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    starts_at = LocalField(label=_("Starts"))
    ends_at = LocalField(label=_("Ends"), required=False)
    closing_rule = forms.ChoiceField(
        label=_("Matches still running at the end"),
        choices=Tournament.ClosingRule.choices,
        initial=Tournament.ClosingRule.ADJOURN,
        help_text=_("The event’s page says so. The floor proposes it at the end, and a director confirms."),
    )
    silent_desk = forms.ChoiceField(
        label=_("If the desk loses its connection"),
        choices=Tournament.SilentDesk.choices,
        initial=Tournament.SilentDesk.WAIT,
        help_text=_("For an autopilot that calls by itself. Closing the pages of the floor stops nothing."),
    )
    check_in_opens_at = LocalField(
        label=_("Check-in opens"),
        required=False,
        help_text=_("Leave empty for two hours before the start."),
    )
    check_in_closes_at = LocalField(
        label=_("Check-in closes"),
        required=False,
        help_text=_("Leave empty for when the draw is published."),
    )
    time_zone = ZoneChoiceField(help_text=_("All times of the event are in this zone. Type a city."))
    language = LanguageField(label=_("Language of wall and paper"), empty=_("As the club"))
    second_language = LanguageField(
        label=_("Second language on paper"),
        empty=pgettext_lazy("language", "None"),
        help_text=_("The headings of printed sheets are in both languages."),
    )
    venue = forms.CharField(label=_("Venue"), max_length=200, required=False)
    tables = forms.IntegerField(
        label=_("Tables"),
        min_value=1,
        max_value=MAX_TABLES,
        required=False,
        help_text=_("Leave empty for as many as the players need."),
    )
    about = forms.CharField(label=_("About"), max_length=4000, required=False, widget=forms.Textarea(attrs={"rows": 4}))
    currency = forms.RegexField(
        label=_("Currency of fees"),
        regex=r"^[A-Za-z]{2,12}$",
        initial="ticket",
        help_text=_("“ticket”, or a currency code such as EUR."),
    )

    FIELD_OF: ClassVar[dict[str, str]] = {**RefusingForm.FIELD_OF, "name_taken": "name", "currency_in_use": "currency"}
    FIELDS = (
        "name", "closing_rule", "silent_desk", "venue", "tables", "about", "currency", "time_zone", "language",
        "second_language",
    )  # fmt: skip
    TIMES = ("starts_at", "ends_at", "check_in_opens_at", "check_in_closes_at")

    def clean(self) -> dict[str, Any]:
        """Convert times to instants in the event's zone, and check that nothing ends before it starts."""
        cleaned = super().clean() or {}
        if zone := cleaned.get("time_zone"):
            for field in self.TIMES:
                cleaned[field] = localise(cleaned.get(field), zoneinfo.ZoneInfo(zone))
        times = self.times(cleaned)
        starts, ends = times.get("starts_at"), times.get("ends_at")
        if starts and ends and ends < starts:
            self.add_error("ends_at", ValidationError(_("The end is before the start.")))
        opens, closes = times.get("check_in_opens_at"), times.get("check_in_closes_at")
        if opens and closes and closes < opens:
            self.add_error("check_in_closes_at", ValidationError(_("Check-in closes before it opens.")))
        if currency := cleaned.get("currency"):
            cleaned["currency"] = currency.lower() if currency.lower() == "ticket" else currency.upper()
            cleaned["currency_exponent"] = Currency.usual(cleaned["currency"]).exponent
        return cleaned

    def times(self, cleaned: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the times that the event is going to have."""
        return cleaned


class EditTournamentForm(TournamentForm):
    """The settings of an event that exists. It asks once more if dates move with the start or people are notified."""

    move = forms.MultipleChoiceField(required=False)
    checked = forms.CharField(max_length=400, required=False)

    def __init__(self, *args: Any, tournament: Tournament, audience: Audience, **kwargs: Any) -> None:
        zone = zoneinfo.ZoneInfo(tournament.time_zone)
        times = {field: shown_local(getattr(tournament, field), zone) for field in self.TIMES}
        # The fields have no seconds, and a time that nobody touched is no change.
        shown = {field: at.replace(second=0, microsecond=0) if at else None for field, at in times.items()}
        kwargs["initial"] = {field: getattr(tournament, field) for field in self.FIELDS} | shown
        super().__init__(*args, **kwargs)
        self.tournament, self.audience = tournament, audience
        self.moved: list[DependentDate] = []
        self.choose_among("move", [(date.key, date.label) for date in dates_of(tournament, {})])

    def times(self, cleaned: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the times of the event once those that depend on its start have moved."""
        values = self.values(cleaned)
        try:
            self.moved = moved_dates(self.tournament, values)
        except Refused as refused:
            self.refuse(refused)
            return cleaned
        start = EventStart.of(self.tournament, values).now
        self.is_announced = is_announced(self.tournament, values)
        self.question = f"{start.isoformat()} {start.tzinfo} {cleaned.get('venue')}".strip()
        stored = {field: getattr(self.tournament, field) for field in self.TIMES}
        moved = {row.key: row.becomes for row, is_ticked in self.offers if is_ticked}
        return {**stored, "starts_at": start, **moved, **values}

    def values(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        names = {*self.changed_data} - {"move", "checked"}
        if "currency" in names:
            names.add("currency_exponent")
        return {name: value for name, value in cleaned.items() if name in names}

    @property
    def offers(self) -> list[tuple[DependentDate, bool]]:
        """The dates that move, each with whether it is ticked: all of them until somebody has seen them."""
        ticked = self.cleaned_data.get("move") if self.cleaned_data.get("checked") else None
        return [(row, ticked is None or row.key in ticked) for row in self.moved]

    @property
    def asks(self) -> bool:
        """Whether a valid form shows what follows before it is saved."""
        follows = self.moved or (self.is_announced and self.audience.divisions)
        return bool(follows) and self.cleaned_data["checked"] != self.question


class DivisionForm(RefusingForm):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    lengths = forms.CharField(
        label=_("Match length by round"),
        max_length=60,
        initial="7",
        help_text=_("In points, for example 5 5 7 9 11. The last length applies to all later rounds."),
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    draw_method = forms.ChoiceField(label=pgettext_lazy("of a tournament", "Draw"), choices=Division.DrawMethod.choices)
    apart = forms.BooleanField(
        label=_("Club-mates in opposite halves"), required=False, help_text=_("Does not apply to members of this club.")
    )
    crawford = forms.BooleanField(label=_("Crawford rule"), required=False, initial=True)
    rated = forms.BooleanField(label=_("Rated"), required=False, initial=True)
    pool_id = forms.TypedChoiceField(
        label=_("Ratings"), choices=[("", _("The site’s ratings"))], required=False, coerce=int, empty_value=None
    )
    is_side = forms.BooleanField(
        label=_("Side event"), required=False, help_text=_("Its matches are called after those of other competitions.")
    )
    start_rule = forms.ChoiceField(
        label=_("Start score"),
        choices=Division.StartRule.choices,
        required=False,
        help_text=_("With a start score nothing is rated."),
    )
    start_cap = forms.IntegerField(
        label=_("Most points at the start"),
        min_value=0,
        max_value=MAX_MATCH - 1,
        required=False,
        help_text=_("Leave empty for half of the match length."),
    )
    start_table = forms.CharField(
        label=_("Table of start scores"),
        required=False,
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("In each line a rating difference and the points that follow from it, such as 300 2."),
    )
    self_registration = forms.BooleanField(label=_("Players can register themselves"), required=False)
    closes_at = LocalField(label=_("Registration closes"), required=False)
    capacity = forms.IntegerField(
        label=_("Places"),
        min_value=2,
        max_value=MAX_ENTRIES,
        required=False,
        help_text=_("Leave empty for no limit. Further entries go on the waiting list."),
    )
    sides = forms.ChoiceField(
        label=_("Who enters"),
        choices=Division.Sides.choices,
        initial=Division.Sides.ONE,
        required=False,
        help_text=_("Pairs play at tables and are entered at the desk, in one line: Ann & Bea."),
    )
    fee = AmountField(label=_("Entry fee"), required=False)
    reentry_until = LocalField(
        label=_("Re-entry until"),
        required=False,
        help_text=_("Until then a player who is out of the main bracket can take a bye. Leave empty for no re-entry."),
    )
    reentry_keeps = forms.BooleanField(
        label=_("After a re-entry the first entry plays on in the consolation"), required=False, initial=True
    )
    deadline_rule = forms.ChoiceField(
        label=_("Matches not played by the deadline"), choices=Division.DeadlineRule.choices
    )
    no_show_loses = forms.BooleanField(
        label=_("A player who is late for an appointment loses the match"),
        required=False,
        help_text=_("If the opponent is there and claims it. Otherwise a director decides."),
    )
    no_show_minutes = forms.IntegerField(
        label=_("Late after, in minutes"),
        min_value=1,
        max_value=MAX_NO_SHOW,
        initial=NO_SHOW_MINUTES,
        required=False,
    )
    extension_hours = forms.IntegerField(label=_("Extension, in hours"), min_value=1, max_value=2000, initial=72)
    claim_wait = forms.TypedChoiceField(
        label=_("If a report is seen but not answered, accept it after"), choices=CLAIM_WAITS, coerce=int
    )
    records_stand = forms.BooleanField(
        label=_("Accept valid match records at once"),
        required=False,
        help_text=_("Otherwise the other player has to confirm the winner’s record, like a reported score."),
    )
    play_mode = forms.ChoiceField(
        label=_("Matches are played"),
        choices=PlayMode.choices,
    )
    clock = forms.ChoiceField(label=_("Clock"), choices=ClockPreset.choices, initial=ClockPreset.TABLE)
    overtime_minutes = forms.TypedChoiceField(
        label=_("Overtime once a player’s time is used up"),
        choices=[(0, _("none")), (1, DURATION(60)), (2, DURATION(120))],
        coerce=int,
    )
    turn_days = forms.IntegerField(
        label=_("Correspondence: days for each turn"), min_value=1, max_value=MAX_SPAN_DAYS, initial=2
    )
    bank_days = forms.IntegerField(
        label=_("Correspondence: extra days for the match"), min_value=0, max_value=MAX_SPAN_DAYS, initial=0
    )
    flag_rule = forms.ChoiceField(label=_("A player who runs out of time loses"), choices=LiveMatch.FlagRule.choices)
    spectators_delay = forms.TypedChoiceField(
        label=_("Spectators see matches"),
        choices=SPECTATORS,
        initial="0",
        coerce=lambda choice: None if choice == AFTER_THE_MATCH else int(choice),
    )
    deadlines = forms.CharField(
        label=_("Deadlines by round"),
        required=False,
        max_length=600,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("One per line in the event’s time zone, such as 2026-11-27 20:00. Use a hyphen for no deadline."),
    )

    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "name_taken": "name",
        "bad_round_lengths": "lengths",
        "pairs_at_tables": "play_mode",
        "pairs_registered": "self_registration",
        "pairs_unrated": "rated",
        "sides_fixed": "sides",
        "bad_deadline": "deadlines",
        "deadlines_by_season": "deadlines",
        "bad_start_table": "start_table",
        "start_unrated": "start_rule",
    }
    TIMES = ("closes_at", "reentry_until")
    BEFORE_DRAW = (
        "start_rule", "start_cap", "start_table",
        "lengths", "draw_method", "apart", "crawford", "rated", "pool_id", "self_registration", "closes_at", "capacity",
        "sides",
    )  # fmt: skip

    def __init__(
        self,
        *args: Any,
        zone: tzinfo,
        currency: Currency,
        drawn: bool = False,
        pools: Sequence[tuple[int, str]] = (),
        waits: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        usual = _("the club’s own ratings, the site’s once the club is accepted") if waits else _("The site’s ratings")
        self.choose_among("pool_id", [("", usual), *pools])
        self._offer_delay(str(self.initial.get("spectators_delay", 0)))
        take_amounts_in(currency, self)
        self.zone, self.drawn = zone, drawn
        if drawn:
            for field in self.BEFORE_DRAW:
                self.fields[field].disabled = True

    def _offer_delay(self, choice: str) -> None:
        """Add the division's delay in minutes to the choices, since the API allows more values than the form."""
        if choice not in dict(SPECTATORS):
            label = ngettext("%(minutes)d minute behind", "%(minutes)d minutes behind", int(choice))
            self.choose_among("spectators_delay", [*SPECTATORS, (choice, label % {"minutes": int(choice)})])

    def clean_lengths(self) -> list[int]:
        return lengths_in(self.cleaned_data["lengths"])

    def clean_deadlines(self) -> list[datetime | None]:
        """Parse one instant per line; empty lines and hyphens are None."""
        lines = [line.strip() for line in self.cleaned_data["deadlines"].splitlines()]
        while lines and not lines[-1].strip("-–"):
            lines.pop()
        return [self._deadline(line) for line in lines]

    def _deadline(self, line: str) -> datetime | None:
        if not line.strip("-–"):
            return None
        try:
            return datetime.fromisoformat(line).replace(tzinfo=self.zone)
        except ValueError:
            raise ValidationError(sentence("bad_deadline", {"text": line[:40]})) from None

    def clean_start_table(self) -> list[list[int]]:
        """Parse a rating difference and points in each line."""
        lines = [line.split() for line in self.cleaned_data["start_table"].splitlines() if line.strip()]
        rows = [[number for word in line if (number := parse_int(word)) is not None] for line in lines]
        if not all(len(line) == len(row) == 2 for line, row in zip(lines, rows, strict=True)):
            raise ValidationError(sentence("bad_start_table", {"most": MAX_START_ROWS}))
        return rows

    def clean_no_show_minutes(self) -> int:
        """Take the usual time where none is given."""
        return self.cleaned_data["no_show_minutes"] or NO_SHOW_MINUTES

    def clean_sides(self) -> str:
        """Leave it as it is where nothing is chosen."""
        return str(self.cleaned_data["sides"] or self.initial.get("sides", Division.Sides.ONE))

    def clean_start_rule(self) -> str:
        """Leave it as it is where nothing is chosen."""
        return str(self.cleaned_data["start_rule"] or self.initial.get("start_rule", Division.StartRule.NONE))

    def clean_fee(self) -> int:
        """An empty one is none."""
        return self.cleaned_data["fee"] or 0

    def settings(self) -> dict[str, Any]:
        """Return the values for the service, without deadlines (which have their own service) and fixed settings."""
        values = {name: value for name, value in self.cleaned_data.items() if name not in ("lengths", "deadlines")}
        lengths = self.cleaned_data["lengths"]
        for time in self.TIMES:
            values[time] = localise(values[time], self.zone)
        values |= {"match_length": lengths[0], "round_lengths": lengths}
        return {name: value for name, value in values.items() if not self.drawn or name in AFTER_DRAW}

    @staticmethod
    def initial_of(division: Division, zone: tzinfo, deadlines: list[datetime | None]) -> dict[str, Any]:
        plain = ("name", "draw_method", "apart", "crawford", "rated", "pool_id", "self_registration", "capacity",
                 "sides", "is_side", "start_rule", "start_cap", "reentry_keeps",
                 "deadline_rule", "no_show_loses", "no_show_minutes", "extension_hours", "claim_wait",
                 "records_stand", "play_mode", "clock", "overtime_minutes", "turn_days", "bank_days",
                 "flag_rule")  # fmt: skip
        delay = division.spectators_delay
        lines = [f"{shown_local(at, zone):%Y-%m-%d %H:%M}" if at else "-" for at in deadlines]
        return {
            **{field: getattr(division, field) for field in plain},
            "spectators_delay": AFTER_THE_MATCH if delay is None else str(delay),
            "lengths": " ".join(map(str, division.lengths)),
            "start_table": "\n".join(f"{least} {points}" for least, points in division.start_table),
            **{time: shown_local(getattr(division, time), zone) for time in DivisionForm.TIMES},
            "fee": Currency.of(division.tournament).plain(division.fee) if division.fee else "",
            "deadlines": "\n".join(lines),
        }


class SeasonForm(RefusingForm):
    """The event of a league's next season."""

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    starts_at = LocalField(label=_("Starts"))
    FIELD_OF: ClassVar[dict[str, str]] = {**RefusingForm.FIELD_OF, "name_taken": "name"}


class HelperForm(RefusingForm):
    email = forms.EmailField(label=_("Email address"), max_length=254)


class RemoveHelperForm(RefusingForm):
    """Which helper to remove, or whose invitation to withdraw."""

    helper = forms.CharField(max_length=LENGTH)


MAX_VENUE_TABLES = 200
CATEGORIES = Table.Category.choices


def _time(label: Any) -> forms.TimeField:
    widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    return forms.TimeField(label=label, required=False, widget=widget)


class VenueForm(RefusingForm):
    """The name of a venue, its opening hours by weekday, and its tables; a table without a label is removed."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    name = forms.CharField(label=_("Venue"), max_length=200, required=False)
    more = forms.IntegerField(
        label=_("More tables"),
        min_value=0,
        max_value=MAX_VENUE_TABLES,
        required=False,
        help_text=_("They get the next numbers. Save, then give them names."),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {}

    def __init__(self, data: Any = None, *, venue: Venue) -> None:
        super().__init__(data, initial={"after": venue.seq, "name": venue.name})
        self.tables = list(venue.tables.all()) if venue.pk else []
        hours = {day.weekday: day for day in venue.hours.all()} if venue.pk else {}
        for weekday in WEEKDAYS:
            day = hours.get(weekday)
            for name, label in (("opens", _("Opens")), ("closes", _("Closes"))):
                self.fields[f"{name}_{weekday}"] = field = _time(label)
                field.initial = getattr(day, name, None)
        for number, table in enumerate(self.tables):
            self.fields[f"label_{number}"] = forms.CharField(
                label=pgettext_lazy("furniture", "Table"),
                max_length=MAX_LABEL_LENGTH,
                required=False,
                initial=table.label,
            )
            self.fields[f"category_{number}"] = forms.ChoiceField(
                label=_("Category"), choices=CATEGORIES, initial=table.category
            )

    @property
    def table_rows(self) -> list[tuple[BoundField, BoundField]]:
        """The fields of each table: label and category."""
        return [(self[f"label_{number}"], self[f"category_{number}"]) for number in range(len(self.tables))]

    @property
    def hour_rows(self) -> list[tuple[Any, BoundField, BoundField]]:
        """The name of each weekday with its fields: opens and closes."""
        return [(name, self[f"opens_{day}"], self[f"closes_{day}"]) for day, name in WEEKDAYS.items()]

    def clean(self) -> dict[str, Any]:
        """Check that each day has both times or neither."""
        cleaned = super().clean() or {}
        for day in WEEKDAYS:
            opens, closes = cleaned.get(f"opens_{day}"), cleaned.get(f"closes_{day}")
            if (opens is None) != (closes is None):
                missing = "opens" if opens is None else "closes"
                self.add_error(f"{missing}_{day}", ValidationError(_("Enter both times, or none.")))
        return cleaned

    def venue(self) -> VenueInput:
        data = self.cleaned_data
        rows = [(data[f"label_{row}"], data[f"category_{row}"]) for row in range(len(self.tables))]
        tables = [(label, category) for label, category in rows if label]
        taken = {label for label, _category in tables}
        number = len(tables)
        for _row in range(min(data["more"] or 0, MAX_VENUE_TABLES - len(tables))):
            number += 1
            while str(number) in taken:
                number += 1
            tables.append((str(number), Table.Category.NORMAL))
        hours = [(day, data[f"opens_{day}"], data[f"closes_{day}"]) for day in WEEKDAYS if data[f"opens_{day}"]]
        return VenueInput(data["name"], tables, hours)
