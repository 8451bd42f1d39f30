"""Tonight in one screen: an evening from players, tables and closing time, started and undone as one step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from http import HTTPStatus
from itertools import count
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from clubhouse.copies import copy_event
from core.access import Who, open_to
from core.api import APIView
from core.messages import sentence
from core.names import fold, numbered
from core.people_lists import ListedPerson, read_people, refuse_unclear
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from core.text_lengths import MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from engine.errors import Refused
from formats.forecast.finish_times import Pace
from formats.forecast.forecasts import Forecast
from formats.forecast.proposals import fit_lengths, forecast_evening
from formats.presets import PRESETS, with_bracket
from formats.settings import StageSettings
from matches.models import Match
from players import access as club_access
from players.access import Role
from players.actions import Endpoint
from players.actors import Actor, log
from players.clubs.lists import Choices, ListedName, preview_list
from players.clubs.page import say_not_kept
from players.forms import RefusingForm, add_choices, choices_in
from players.models import Club, Player
from players.people.rows import canonical, is_person, lock_club
from players.requests import by
from tournaments.draws.designer.forms import CLOCK_ATTRS
from tournaments.draws.evenings import (
    MAX_PLAYERS,
    ComparedLine,
    Evening,
    FormatOffer,
    Timeline,
    compared,
    format_name,
    here_text,
    is_at_stake,
    lengths_text,
    matches_text,
    offer_of,
    offers_for,
    proposed_stages,
    timeline_of,
    with_lengths,
)
from tournaments.draws.services import MIN_ENTRIES, make_draft, publish_draw, request_draw
from tournaments.draws.undo import unpublish_draw
from tournaments.entries import check_in
from tournaments.entries.lists import enter_name
from tournaments.entries.services import enter, withdraw_all
from tournaments.events.actions import EventAction, division_url_args, event_url_args, form_key
from tournaments.events.api import EventSerializer
from tournaments.events.forms import MAX_TABLES, localise
from tournaments.events.services import (
    create_division,
    create_tournament,
    publish_tournament,
    update_division,
    update_tournament,
)
from tournaments.events.venues import closing_time, first_after, hours_of, tables_of_venue, venue_of
from tournaments.floor.calls import call_suggested, take_out_of_use
from tournaments.floor.evening import add_table, open_floor, set_autopilot
from tournaments.floor.journal import FactTarget, lock_floor, record_all
from tournaments.ledger.fields import AmountField, MinorUnitsField, take_amounts_in
from tournaments.ledger.money import TICKET, Currency
from tournaments.models import Autopilot, CheckIn, Division, Draw, Entry, Floor, FloorEvent, FloorKind, Tournament
from tournaments.state.api import LOCATION, WRITE, example, validated
from tournaments.state.api import by as api_by
from tournaments.state.locks import lock_division, lock_event
from tournaments.state.names import shown_entry
from tournaments.state.places import waiting_list
from tournaments.state.presence import day_of
from tournaments.state.stages import set_stages, stage_settings

UNDO_FOR = timedelta(seconds=60)
"""How long the start of an evening can be undone; e-mails and pushes wait until then."""
ROSTER = 80
"""Players that can be ticked: those of the club's last evenings first."""
LAST_EVENINGS = 5
AROUND_NOW = timedelta(hours=12)
USUAL_EVENING = timedelta(hours=4)
QUARTER = timedelta(minutes=15)
SHOWN_INITIALS = 16
SAME = "same"
"""The format of tonight's event if there is one, else of the last evening."""
SAME_WITHIN = 30
"""Minutes by which an evening may be longer or shorter than another one and still have its match lengths."""


@dataclass(frozen=True, slots=True)
class EveningPlan:
    """What is played tonight: `stages` with match lengths of their own, until `closes_at`.

    `players` and new `names` take part, with whoever else is entered; the entries of `leaving` are withdrawn. `choices`
    say who is meant by names, by their places.
    """

    tables: int
    closes_at: datetime
    stages: Sequence[StageSettings]
    players: Sequence[Player]
    names: Sequence[str] = ()
    leaving: Sequence[Player] = ()
    fee: int | None = None
    """What an entry costs, in minor units; None leaves it as it is planned or was copied."""
    choices: Choices = field(default_factory=dict)


def prepare_evening(
    *,
    club: Club,
    plan: EveningPlan,
    by: Actor,
    now: datetime,
    key: str = "",
    event: Tournament | None = None,
    like: Tournament | None = None,
) -> Division:
    """Return the division of tonight's event with these players and this format; the event is created as a draft.

    `event` is one of tonight that exists, `like` an earlier one whose settings, fees and prizes are copied. Repeating a
    `key` returns the first event of the user. A division that is drawn stays as it is.
    Refused: `name_ambiguous`, `name_of_member`, and what `enter`, `set_stages` and `copy_event` refuse.
    """
    with transaction.atomic():
        lock_club(club)
        row = lock_event((event or _create(club, plan, like, by=by, now=now, key=key)).pk)
        division = row.divisions.exclude(status=Division.Status.CANCELLED).order_by("order", "pk").first()
        if division is None:
            division = create_division(tournament=row, by=by, now=now, name=pgettext("name of a division", "Open"))
        if division.status != Division.Status.ENTRIES:
            return division
        if (row.tables, row.ends_at) != (plan.tables, plan.closes_at):
            update_tournament(tournament=row, by=by, now=now, tables=plan.tables, ends_at=plan.closes_at)
        _enter(division, plan, by=by, now=now)
        division = lock_division(division.pk)
        set_stages(division=division, stages=plan.stages, after=division.seq, by=by, now=now, tell=False)
        division = lock_division(division.pk)
        if plan.fee is not None and plan.fee != division.fee:
            division = update_division(division=division, after=division.seq, by=by, now=now, fee=plan.fee)
        return division


def _create(
    club: Club, plan: EveningPlan, like: Tournament | None, *, by: Actor, now: datetime, key: str
) -> Tournament:
    values: dict[str, Any] = {"starts_at": now, "tables": plan.tables, "ends_at": plan.closes_at}
    if like is None:
        values["name"] = _name_of_today(_("Club night"), club, club.time_zone, now)
        return create_tournament(club=club, by=by, now=now, key=key, **values)
    zone = ZoneInfo(like.time_zone)
    days = (now.astimezone(zone).date() - like.starts_at.astimezone(zone).date()).days
    event = copy_event(tournament=like, by=by, now=now, key=key, shift=timedelta(days=max(days, 1)))
    values |= {"name": _name_of_today(event.name, club, event.time_zone, now, event), "check_in_opens_at": None}
    return update_tournament(tournament=event, by=by, now=now, **values)


def _name_of_today(name: str, club: Club, zone: str, now: datetime, event: Tournament | None = None) -> str:
    """Return a name that no other event than this has in the club today: “Club night (2)” for a second evening."""
    begins, ends = day_of(ZoneInfo(zone), now)
    today = Tournament.objects.filter(club=club, starts_at__gte=begins, starts_at__lt=ends)
    others = today.exclude(status=Tournament.Status.CANCELLED)
    taken = {other for pk, other in others.values_list("pk", "name") if event is None or pk != event.pk}
    first, _bracket, number = name.removesuffix(")").rpartition(" (")
    name = first if len(number) == 1 and number.isdecimal() else name
    return next(other for at in count(1) if (other := numbered(name, at)) not in taken)


def _enter(division: Division, plan: EveningPlan, *, by: Actor, now: datetime) -> None:
    entered = {
        canonical(entry.player).pk: entry
        for entry in division.entries.exclude(status=Entry.Status.OUT).select_related("player__merged_into")
    }
    leaving = [entered[pk].pk for pk in {canonical(player).pk for player in plan.leaving} & entered.keys()]
    withdraw_all(division.entries.filter(pk__in=leaving), by=by, now=now)
    wanted = {canonical(player).pk: player for player in plan.players}
    if new := [player for pk, player in wanted.items() if pk not in entered]:
        enter(division=division, players=new, by=by, now=now)
    for place, name in enumerate(plan.names):
        if (choice := plan.choices.get(place)) != "":
            enter_name(division=division, name=name, player=choice or "", by=by, now=now)


def start_evening(
    *,
    club: Club,
    plan: EveningPlan,
    by: Actor,
    now: datetime,
    key: str = "",
    event: Tournament | None = None,
    like: Tournament | None = None,
    reason: str = "",
) -> Tournament:
    """Start an evening in one transaction: event, entries, check-in, published draw, open floor, first calls.

    If anything is refused or cut off, nothing has happened, and the same request starts it. An evening that was started
    is returned as it is, as is the one that somebody of the club has started within the last minute. The draw is made
    here and not by a worker, so that there is no state between; for the fields that one screen is for it is quick.
    After `undo_start` the same entries give the same draw; another draw needs a `reason`.
    Refused: as `prepare_evening`, `request_draw`, `publish_draw` and `open_floor`.
    """
    with transaction.atomic():
        lock_club(club)
        started = Tournament.objects.select_related("club").filter(club=club, undo_until__gt=now).first()
        if started is not None:
            return started
        if event is not None and lock_event(event.pk).is_open and event.has_floor:
            lock_floor(event.pk, now)
        division = prepare_evening(club=club, plan=plan, by=by, now=now, key=key, event=event, like=like)
        if division.status != Division.Status.ENTRIES:
            return division.tournament
        row = division.tournament
        if row.status == Tournament.Status.DRAFT:
            row = publish_tournament(tournament=row, by=by, now=now)
        row.undo_until = now + UNDO_FOR
        row.save(update_fields=["undo_until"])
        open_floor(tournament=row, by=by, now=now)
        _set_tables(row, plan.tables, by=by, now=now)
        _check_in(division, by=by, now=now)
        _draw(division, reason, by=by, now=now)
        call_suggested(tournament=row, by=by, now=now)
        if any(stage.is_continuous for stage in plan.stages):
            # Nobody is to wait for a director's tap.
            set_autopilot(tournament=row, mode=Autopilot.CALL, by=by, now=now)
        log(by, "evening_started", row.topic, club=club)
    return Tournament.objects.select_related("club").get(pk=row.pk)


def _set_tables(event: Tournament, count: int, *, by: Actor, now: datetime) -> None:
    """Add the tables that are missing, and take those out of use that are not needed tonight."""
    tables = list(event.floor_tables.all())
    labels = {table.label for table in tables}
    free = (str(number) for number in range(1, MAX_TABLES + len(tables)) if str(number) not in labels)
    for _number in range(len(tables), count):
        add_table(tournament=event, label=next(free), by=by, now=now)
    for table in tables[count:]:
        take_out_of_use(table=table, reason=_("not needed"), by=by, now=now)


def _check_in(division: Division, *, by: Actor, now: datetime) -> None:
    """Check everybody in, unless check-in has begun: then only those who were entered now, who are in the room."""
    entries = division.entries.filter(status=Entry.Status.IN)
    if not entries.exclude(checked_in_at=None).exists():
        check_in.mark_all_here(tournament=division.tournament, division=division, by=by, now=now)
        return
    for entry in entries.filter(checked_in_at=None, entered_at=now):
        check_in.mark(entry=entry, state=CheckIn.State.HERE, by=by, now=now)


def _draw(division: Division, reason: str, *, by: Actor, now: datetime) -> None:
    draft = Draw.objects.filter(stage__division=division, state=Draw.State.DRAFT).first()
    entered = set(division.entries.filter(status=Entry.Status.IN).values_list("pk", flat=True))
    if draft is None or {place for place in draft.places if place is not None} != entered:
        requested = request_draw(division=division, by=by, now=now, reason=reason)
        draft = make_draft(draw_id=requested.pk, now=now)
        if draft is not None and draft.refusal:
            raise Refused(draft.refusal["code"], **draft.refusal["params"])
    division.refresh_from_db()
    publish_draw(division=division, after=division.seq, by=by, now=now)


def undo_start(*, tournament: Tournament, by: Actor, now: datetime) -> Tournament:
    """Take back that an evening was started: its calls, its published draw and the opening of its floor.

    The event stays with its entries and arrivals, and its draw stays as a draft, so that the same entries give the same
    draw. Undoing it twice changes nothing. Refused: `start_begun`, `start_undo_over`.
    """
    with transaction.atomic():
        event = lock_event(tournament.pk)
        drawn = [row for row in event.divisions.order_by("pk") if row.status == Division.Status.RUNNING]
        if event.undo_until is None and not drawn:
            return event
        if not event.can_undo_start(now):
            raise Refused("start_undo_over")
        floor = lock_floor(event.pk, now)
        _undo_calls(floor, by=by, now=now)
        for division in drawn:
            unpublish_draw(division=division, by=by, now=now)
        Tournament.objects.filter(pk=event.pk).update(undo_until=None)
        _shut(floor, by=by)
        log(by, "evening_start_undone", event.topic, club=event.club)
    return Tournament.objects.select_related("club").get(pk=event.pk)


def _undo_calls(floor: Floor, *, by: Actor, now: datetime) -> None:
    kinds = (FloorKind.CALLED, FloorKind.AUTOPILOT)
    standing = FloorEvent.objects.filter(tournament=floor.tournament, undone_by=None, kind__in=kinds)
    rows = standing.select_related("table", "fixture__match", "fixture__stage__division")
    targets = [FactTarget(fixture=event.fixture, table=event.table, undoes=event) for event in rows]
    record_all(floor, FloorKind.UNDONE, targets, by=by, now=now)


FLOOR_SETTINGS = [field for field in Floor._meta.concrete_fields if field.name.endswith(("_minutes", "_points"))]


def _shut(floor: Floor, *, by: Actor) -> None:
    """Take back that the floor was opened. Settings that differ from the usual ones are kept with it."""
    if all(getattr(floor, field.name) == field.get_default() for field in FLOOR_SETTINGS):
        Floor.objects.filter(pk=floor.pk).delete()
    log(by, "floor_shut", floor.tournament.topic, club=floor.tournament.club)


# What is known about tonight: an event that was created before, the last evening, and who usually comes.


def event_of_tonight(club: Club, now: datetime) -> Tournament | None:
    """Return the event of a club around now that takes entries in its only division; None if there is none."""
    rows = Tournament.objects.filter(
        club=club,
        status__in=(Tournament.Status.DRAFT, Tournament.Status.PUBLISHED),
        starts_at__gt=now - AROUND_NOW,
        starts_at__lt=now + AROUND_NOW,
    )
    for event in rows.select_related("club").order_by("-starts_at").prefetch_related("divisions"):
        divisions = _played_in(event)
        if len(divisions) == 1 and divisions[0].status == Division.Status.ENTRIES:
            return event
    return None


def _played_in(event: Tournament) -> list[Division]:
    """Return the divisions of an event without cancelled ones and the lists of side events."""
    return [row for row in event.divisions.all() if row.status != Division.Status.CANCELLED and row.offer_id is None]


def last_evening(club: Club) -> Tournament | None:
    """Return the last event of a club with one division that was played; None if there is none."""
    rows = Tournament.objects.filter(club=club, status=Tournament.Status.FINISHED)
    for event in rows.select_related("club").order_by("-starts_at")[:LAST_EVENINGS].prefetch_related("divisions"):
        if len(_played_in(event)) == 1:
            return event
    return None


def regulars(club: Club) -> list[Player]:
    """Return the players of a club to tick: those of its last evenings, then its other members, each by name."""
    recent = Tournament.objects.filter(club=club).exclude(status=Tournament.Status.DRAFT).order_by("-starts_at")
    events = list(recent.values_list("pk", flat=True)[:LAST_EVENINGS])
    entries = Entry.objects.filter(division__tournament__in=events, status=Entry.Status.IN)
    playing = Player.objects.filter(is_person(), pk__in=entries.values("player")).order_by("name_key", "pk")
    members = Player.objects.filter(memberships__club=club, memberships__left_at=None).order_by("name_key", "pk")
    known: dict[int, Player] = {}
    with_accounts = ("user", "merged_into__user")
    for player in [*playing.select_related(*with_accounts), *members.select_related(*with_accounts)]:
        whole = canonical(player)
        if not whole.has_left:
            known.setdefault(whole.pk, whole)
    return list(known.values())[:ROSTER]


def players_of(event: Tournament) -> list[Player]:
    """Return the players who are entered in an event and have not left the site since."""
    rows = Entry.objects.filter(division__tournament=event, status=Entry.Status.IN, number=1)
    rows = rows.select_related("player__user", "player__merged_into__user").order_by("player__name_key")
    return [player for entry in rows if not (player := canonical(entry.player)).has_left]


class PublicIdsField(forms.MultipleChoiceField):
    """Public ids that a page was made with, whether or not they still stand for a choice."""

    def valid_value(self, value: str) -> bool:
        return len(value) == LENGTH


class TonightForm(RefusingForm):
    """The figures of the evening, who plays, and the format; hidden fields say what the page was made for."""

    players = forms.IntegerField(label=gettext_lazy("Players"), min_value=2, max_value=MAX_PLAYERS)
    tables = forms.IntegerField(label=gettext_lazy("Tables"), min_value=1, max_value=MAX_TABLES)
    closes = forms.TimeField(label=gettext_lazy("Closes at"), widget=forms.TimeInput(attrs=CLOCK_ATTRS, format="%H:%M"))
    fee = AmountField(required=False)
    format = forms.ChoiceField(
        label=gettext_lazy("Format"), choices=[(name, name) for name in (SAME, *PRESETS)], required=False
    )
    bracket = forms.BooleanField(required=False)
    here = forms.MultipleChoiceField(label=gettext_lazy("Names"), required=False)
    entered = PublicIdsField(required=False)
    """Who was entered when the page was shown. Who registers or withdraws meanwhile is ticked or unticked by that."""
    names = forms.CharField(
        label=gettext_lazy("New players, one on each line"),
        required=False,
        max_length=MAX_PLAYERS * MAX_NAME_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason (shown to everybody)"), required=False, max_length=MAX_NOTE_LENGTH
    )
    like = forms.BooleanField(required=False)
    use = forms.BooleanField(required=False)
    more = forms.BooleanField(required=False)
    named = forms.IntegerField(required=False, min_value=0)
    proposed = forms.CharField(required=False, max_length=20)
    names_open = forms.BooleanField(required=False)
    names_asked = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    """The names for which the choices were made; they say nothing about others."""
    FIELD_OF: ClassVar[dict[str, str]] = {
        "name_ambiguous": "names",
        "name_of_member": "names",
        "name_partial": "names",
        "already_entered": "names",
        "reason_needed": "reason",
        "evening_needs_players": "names",
    }

    def __init__(self, data: Any = None, *, page: "TonightPage", **options: Any) -> None:
        super().__init__(data, **options)
        currency = page.currency(is_like=bool(self.data.get("like")))
        take_amounts_in(currency, self)
        add_choices(self)
        self.fields["fee"].label = _("Entry fee (%(currency)s)") % {"currency": currency.name}
        # Who has withdrawn since may be ticked, but is no longer in the roster.
        earlier = self.fields["entered"].widget.value_from_datadict(self.data, self.files, self.add_prefix("entered"))
        roster = [(player.public_id, player.name) for player in page.roster]
        self.choose_among("here", roster + [(row, row) for row in earlier or ()])

    def clean_names(self) -> str:
        """The list, if all of it is understood."""
        text: str = self.cleaned_data["names"]
        try:
            refuse_unclear(read_people(text) if text else [])
        except Refused as refused:
            raise ValidationError(sentence(refused.code, refused.params), code=refused.code) from None
        return text

    @property
    def people(self) -> list[ListedPerson]:
        """The new players."""
        text = self.cleaned_data.get("names", "")
        return read_people(text) if text else []

    @property
    def choices(self) -> Choices:
        """Who is meant by the new names."""
        same = self.cleaned_data["names_asked"].split() == self.cleaned_data["names"].split()
        return choices_in(self.cleaned_data) if same else {}

    @property
    def new_names(self) -> list[str]:
        return [person.name for person in self.new_people]

    @property
    def new_people(self) -> list[ListedPerson]:
        """The new players, each once."""
        return list({fold(person.name): person for person in self.people}.values())


@dataclass(frozen=True, slots=True)
class PlayerTick:
    public_id: str
    name: str
    is_here: bool


class TonightPage:
    """The screen: figures, names, the formats for them, and what was played last."""

    questions: Sequence[ListedName] = ()

    def __init__(self, club: Club, now: datetime) -> None:
        self.club, self.now, self.zone = club, now, ZoneInfo(club.time_zone)
        self.event, self.last = event_of_tonight(club, now), last_evening(club)
        self.entered = players_of(self.event) if self.event is not None else []
        self.roster = self._roster()
        self.take(TonightForm(self._initial(), page=self), follow=False)

    def currency(self, *, is_like: bool) -> Currency:
        if (model := self.event or (self.last if is_like else None)) is not None:
            return Currency.of(model)
        return Currency.usual(self.club.currency) if self.club.currency else Currency(TICKET, 0)

    def _fee_of(self, event: Tournament) -> str:
        division = event.divisions.filter(offer=None).exclude(status=Division.Status.CANCELLED).get()
        return Currency.of(event).plain(division.fee) if division.fee else ""

    def take(self, form: TonightForm, *, follow: bool = True) -> None:
        """Show what a form says; with `follow`, also what follows from the changes since the page was made."""
        self.form, self.is_valid = form, form.is_bound and not form.errors
        if follow and self.is_valid:
            self._follow()
        self._choose()

    def _roster(self) -> list[Player]:
        last = players_of(self.last) if self.last is not None else []
        known = {player.pk: player for player in (*self.entered, *last, *regulars(self.club))}
        return list(known.values())

    def _initial(self) -> dict[str, Any]:
        here = self.entered or self._regulars_of_copy()
        players = len(here) or (len(players_of(self.last)) if self.last is not None else 0) or 8
        tables = self.event.tables if self.event is not None else None
        tables = tables or tables_of_venue(venue_of(self.club)) or max(1, players // 2)
        return {
            "players": max(2, players),
            "tables": tables,
            "closes": f"{self._closing_time():%H:%M}",
            "fee": self._fee_of(self.event) if self.event is not None else "",
            "here": [player.public_id for player in here],
            "entered": [player.public_id for player in self.entered],
            "named": len(here),
            "like": self.event is not None,
        }

    def _regulars_of_copy(self) -> list[Player]:
        """Return who is ticked for a copy of the last evening that nobody has entered yet: the players of that."""
        if self.event is None or self.last is None or self.event.name != self.last.name:
            return []
        is_entered = Entry.objects.filter(division__tournament=self.event).exists()
        return [] if is_entered else players_of(self.last)

    def _closing_time(self) -> time:
        """When tonight's event ends, else when the venue closes, else four hours from now."""
        local = self.now.astimezone(self.zone)
        if self.event is not None and self.event.ends_at is not None:
            return self.event.ends_at.astimezone(self.zone).time()
        closes = closing_time(hours_of(venue_of(self.club)), local.replace(tzinfo=None))
        if closes is not None:
            return closes
        usual = (self.now + USUAL_EVENING).astimezone(self.zone)
        return (usual + (QUARTER - timedelta(minutes=usual.minute % 15)) if usual.minute % 15 else usual).time()

    def _follow(self) -> None:
        """Take over the last evening if that was asked for, and count the players again if other ones are ticked.

        Whoever has registered since the page was shown is ticked, and whoever has withdrawn since is not.
        """
        data = {**self.form.cleaned_data, "fee": self.form.data.get("fee")}
        entered = [player.public_id for player in self.entered]
        ticked = [row for row in data["here"] if row in entered or row not in data["entered"]]
        data["here"] = list(dict.fromkeys((*ticked, *(row for row in entered if row not in data["entered"]))))
        data["entered"] = entered
        if data["use"] and self.last is not None and self.event is None:
            closes = self.last.ends_at.astimezone(self.zone).time() if self.last.ends_at is not None else data["closes"]
            data |= {"like": True, "format": SAME, "closes": closes}
            data["tables"] = self.last.tables_for(len(players_of(self.last)))
            data["here"] = [player.public_id for player in players_of(self.last)]
            data["fee"] = self._fee_of(self.last)
        named = len(data["here"]) + len(self.form.new_names)
        if named >= MIN_ENTRIES and named != data["named"]:
            data["players"] = named
        data |= {"named": named, "use": False, "closes": f"{data['closes']:%H:%M}"}
        self.form = TonightForm(data, page=self)
        self.is_valid = self.form.is_valid()

    def _choose(self) -> None:
        """Find the formats, and the one that is chosen: the best, unless another was chosen by hand."""
        self.offers: list[FormatOffer] = []
        self.bracket = 0
        """The places of a bracket that can follow the chosen format; 0 if none can, or one does."""
        self.stages: list[StageSettings] = []
        if not self.is_valid:
            return
        same = self._same_offer()
        others = offers_for(self.evening, self._same_stages() if same else (), ())
        self.offers = [*same, *(offer for offer in others if not offer.is_chosen)]
        fields = self.form.cleaned_data
        best = next((offer.key for offer in self.offers if offer.in_time), self.offers[0].key)
        by_hand = fields["format"] if fields["format"] != fields["proposed"] else ""
        known = {offer.key for offer in self.offers}
        self.chosen = by_hand if by_hand in known else best
        self.proposed = best
        self.stages = self._stages(self.chosen)
        longer = with_bracket(self.stages, fields["players"]) if self.stages else None
        self.bracket = longer[0].qualifiers or 0 if longer is not None else 0
        if longer is not None and fields["bracket"]:
            self.stages = list(longer)

    def _stages(self, key: str) -> list[StageSettings]:
        if key == SAME:
            return self._same_stages()
        return list(proposed_stages(key, self.evening) or ())

    @property
    def evening(self) -> Evening:
        """Tonight, from now on; only of a valid form."""
        fields = self.form.cleaned_data
        starts = self.now.astimezone(self.zone).replace(tzinfo=None, second=0, microsecond=0)
        closes = first_after(starts, fields["closes"])
        divisions = self.model.divisions.all() if self.model is not None else ()
        at_stake = any(map(is_at_stake, divisions))
        return Evening(fields["players"], fields["tables"], starts, closes, at_stake)

    @property
    def model(self) -> Tournament | None:
        """The event whose format can be used: tonight's, else the last one."""
        return self.event if self.event is not None else self.last

    @property
    def is_like_model(self) -> bool:
        return self.model is not None and self.is_valid and bool(self.form.cleaned_data["like"])

    @property
    def offers_last(self) -> bool:
        """Whether the last evening can be taken over."""
        return self.last is not None and self.event is None and not self.is_like_model

    def _same_stages(self) -> list[StageSettings]:
        model, evening = self.model, self.evening
        assert model is not None  # noqa: S101, only asked for with one
        division = model.divisions.filter(offer=None).exclude(status=Division.Status.CANCELLED).get()
        stages = with_lengths(stage_settings(division), division.lengths)
        players = len(players_of(model))
        minutes = (model.ends_at - model.starts_at).total_seconds() / 60 if model.ends_at else evening.minutes
        is_as_long = abs(minutes - evening.minutes) <= SAME_WITHIN
        if is_as_long and (players, model.tables_for(players)) == (evening.players, evening.tables):
            return stages
        fitted, _lengths = fit_lengths(stages, (), evening.players, evening.tables, evening.minutes)
        return list(fitted)

    def _same_offer(self) -> list[FormatOffer]:
        if not self.is_like_model:
            return []
        stages = self._same_stages()
        forecast = forecast_evening(tuple(stages), (), self.evening.players, self.evening.tables)
        if forecast.finish is None or not forecast.possible:
            return []
        offer = offer_of(SAME, stages, forecast.finish, forecast.matches_each, self.evening)
        name = _("As planned: %(format)s") if self.event is not None else _("As last week: %(format)s")
        return [replace(offer, name=name % {"format": offer.name})]

    @property
    def timeline(self) -> Timeline | None:
        """When the chosen format is over."""
        finish = self.forecast.finish if self.stages else None
        return timeline_of(self.evening, finish) if finish is not None else None

    @property
    def compared(self) -> list[ComparedLine]:
        """The chosen format in rounds and without, if it can be paired in both ways."""
        finish = self.forecast.finish if self.stages else None
        return compared(self.stages, (), self.evening, Pace(self.evening.tables), finish) if finish is not None else []

    @property
    def forecast(self) -> Forecast:
        return forecast_evening(tuple(self.stages), (), self.evening.players, self.evening.tables)

    @property
    def title(self) -> str:
        return format_name(self.stages) if self.stages else ""

    @property
    def details(self) -> str:
        """The match lengths of the chosen format."""
        return lengths_text(self.stages, ()) if self.stages else ""

    @property
    def matches_each(self) -> str:
        """How many matches everybody plays."""
        return matches_text(self.forecast.matches_each) if self.stages else ""

    @property
    def named(self) -> int:
        """How many players are ticked or newly named."""
        return len(self.form.cleaned_data["here"]) + len(self.form.new_names) if self.is_valid else 0

    @property
    def players_help(self) -> str:
        if self.event is not None and (here := self._checked_in()):
            return here_text(here, self.named - here)
        return ngettext("%(count)d named", "%(count)d named", self.named) % {"count": self.named}

    def _checked_in(self) -> int:
        rows = Entry.objects.filter(division__tournament=self.event, status=Entry.Status.IN)
        return rows.exclude(checked_in_at=None).count()

    @property
    def names_open(self) -> bool:
        """Whether the names are unfolded: as they were, or because there is something to do."""
        is_needed = self.form.errors.get("names") or self.named < MIN_ENTRIES
        return bool(is_needed or (self.is_valid and self.form.cleaned_data["names_open"]))

    @property
    def reason_needed(self) -> bool:
        """Whether another draw than the one that was taken back needs a reason."""
        return bool(self.form.errors.get("reason") or (self.is_valid and self.form.cleaned_data["reason"]))

    @property
    def calls_at_once(self) -> int:
        return min(self.form.cleaned_data["tables"], self.named // 2) if self.is_valid else 0

    @property
    def ticks(self) -> list[PlayerTick]:
        here = set(self.form["here"].value() or [])
        return [PlayerTick(player.public_id, player.name, player.public_id in here) for player in self.roster]

    @property
    def leaving(self) -> list[Player]:
        """The players who are entered and no longer ticked."""
        here = set(self.form.cleaned_data["here"]) if self.is_valid else set()
        return [player for player in self.entered if player.public_id not in here] if self.is_valid else []

    @property
    def initials(self) -> list[tuple[str, int]]:
        """The initials of the first players who are ticked, each with the number of a colour."""
        rows = [tick for tick in self.ticks if tick.is_here][:SHOWN_INITIALS]
        return [(_initials(tick.name), number % 5) for number, tick in enumerate(rows)]

    @property
    def last_line(self) -> str:
        """What was played last, such as “Swiss, 4 rounds, 5 points, 16 players, done 22:52”."""
        assert self.last is not None  # noqa: S101, only shown with one
        division = self.last.divisions.filter(offer=None).exclude(status=Division.Status.CANCELLED).get()
        stages = with_lengths(stage_settings(division), division.lengths)
        parts = [format_name(stages), lengths_text(stages, ())]
        players = len(players_of(self.last))
        parts.append(ngettext("%(count)s player", "%(count)s players", players) % {"count": players})
        if division.fee:
            parts.append(Currency.of(self.last).with_name(division.fee))
        over = Match.objects.filter(parent_topic=division.topic).aggregate(Max("finished_at"))["finished_at__max"]
        if over is not None and division.status == Division.Status.FINISHED:
            parts.append(_("done %(time)s") % {"time": f"{over.astimezone(self.zone):%H:%M}"})
        return ", ".join(parts)

    def plan(self) -> EveningPlan:
        """Return what is to be played. Refused: `evening_needs_players`."""
        here = set(self.form.cleaned_data["here"])
        players = [player for player in self.roster if player.public_id in here]
        if len(players) + len(self.form.new_names) < MIN_ENTRIES:
            raise Refused("evening_needs_players")
        closes_at = localise(self.evening.closes, self.zone)
        return EveningPlan(
            self.evening.tables,
            closes_at,
            self.stages,
            players,
            self.form.new_names,
            self.leaving,
            self.fee,
            self.form.choices,
        )

    def refuse(self, refused: Refused) -> None:
        """Show why an evening does not start, and ask about every new name of which it is unclear whom it means."""
        if "candidates" in refused.params:
            listed = preview_list(club=self.club, people=self.form.new_people)
            self.questions = [line for line in listed if line.needs_choice]
        self.form.refuse(refused)

    @property
    def fee(self) -> int | None:
        """The fee that was typed, 0 if the field is empty; None if there was no such field."""
        return self.form.cleaned_data["fee"] or 0 if self.form.data.get("fee") is not None else None

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The event to start, and the one it is like."""
        event = self.event
        return {"event": event, "like": self.last if event is None and self.is_like_model else None}


def _initials(name: str) -> str:
    parts = name.split()
    return "".join(part[0] for part in (parts[:1] + parts[-1:] if len(parts) > 1 else parts))


PAGE = "clubhouse/tonight.html"
FRAGMENT = "clubhouse/_tonight.html"


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.KEY)
def tonight(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the screen; a POST starts the evening, or with `more` prepares it and shows all its settings."""
    club, now = club_access.club_as(request.user, slug, Role.DIRECTOR), timezone.now()
    if request.method != "POST":
        return _render(request, TonightPage(club, now))
    page = TonightPage(club, now)
    page.take(TonightForm(request.POST, page=page))
    if not page.form.is_valid():
        return _render(request, page, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    acting: dict[str, Any] = {"by": by(request), "now": now, "key": form_key(request)}
    try:
        if page.form.cleaned_data["more"]:
            division = prepare_evening(club=club, plan=page.plan(), **page.arguments, **acting)
            return redirect("division-settings", *division_url_args(division))
        reason = page.form.cleaned_data["reason"]
        event = start_evening(club=club, plan=page.plan(), reason=reason, **page.arguments, **acting)
    except Refused as refused:
        page.refuse(refused)
        return _render(request, page, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    messages.success(request, _("The evening is started."))
    say_not_kept(request, page.form.people)
    if waiting := [shown_entry(entry, staff=True) for row in event.divisions.all() for entry in waiting_list(row)]:
        messages.warning(request, _("On the waiting list: %(names)s.") % {"names": ", ".join(waiting)})
    return redirect("floor", *event_url_args(event))


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.HARMLESS)
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the screen for other figures; nothing is stored."""
    club = club_access.club_as(request.user, slug, Role.DIRECTOR)
    page = TonightPage(club, timezone.now())
    page.take(TonightForm(request.POST, page=page))
    return _render(request, page)


def _render(request: HttpRequest, page: TonightPage, status: int = HTTPStatus.OK) -> HttpResponse:
    context = {"club": page.club, "page": page, "form": page.form, "key": form_key(request), "now": page.now}
    template = FRAGMENT if is_htmx(request) and status == HTTPStatus.OK else PAGE
    return render(request, template, context, status=status)


# Undoing the start.


class UndoStartForm(RefusingForm):
    """Takes back that the evening was started."""


class UndoStart(EventAction):
    """Undoing the start of an evening; the screen of tonight follows."""

    responses: ClassVar[dict[int, Any]] = {200: EventSerializer, **WRITE}

    def url(self, request: HttpRequest, obj: Tournament) -> str:
        return reverse("floor", args=event_url_args(obj))

    def success_url(self, request: HttpRequest, obj: Tournament, form: Any) -> str:
        return reverse("tonight", args=[obj.club.slug])

    def answer(self, request: Request, obj: Tournament, form: Any) -> Response:
        return Response(EventSerializer(form.instance).data)


@repeated(Repeat.STATE)
def _undo_start(form: UndoStartForm, **acting: Any) -> str:
    """Undo the start of an evening.

    For a minute after it, and while no match has begun. Calls, the published draw and the opening of the floor are
    taken back; entries and arrivals stay, and the draw stays as a draft. Repeating it changes nothing.
    409 `start_begun`, `start_undo_over`.
    """
    form.instance = undo_start(tournament=form.instance, **acting)
    return _("The start is taken back. The same players get the same draw.")


undo = UndoStart("undo-start", UndoStartForm, _undo_start, api=Endpoint("tournaments_undo_start", path="start/undo"))


@extend_schema_field({"type": "string", "pattern": r"^([01]\d|2[0-3]):[0-5]\d$"})
class ClockField(serializers.TimeField):
    """A time of day such as 23:00, without a date or zone."""

    def __init__(self, **options: Any) -> None:
        super().__init__(format="%H:%M", input_formats=["%H:%M"], **options)


class StartSerializer(serializers.Serializer[Any]):
    """An evening to start now."""

    tables = serializers.IntegerField(min_value=1, max_value=MAX_TABLES)
    closes = ClockField(help_text="When the evening is to be over, on the clocks of the club.")
    here = serializers.ListField(
        child=serializers.CharField(max_length=LENGTH),
        max_length=MAX_PLAYERS,
        required=False,
        help_text="Public ids of members of the club, or of players of its last evenings.",
    )
    names = serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME_LENGTH),
        max_length=MAX_PLAYERS,
        required=False,
        help_text="Names of new players, who become members.",
    )
    format = serializers.ChoiceField(
        [SAME, *PRESETS],
        required=False,
        help_text="`same`: as the last evening, with its fee and prizes. Missing: the format that suits best.",
    )
    fee = MinorUnitsField(
        required=False, help_text="Entry fee in minor units of the event's currency. Missing: as planned, or none."
    )
    bracket = serializers.BooleanField(
        default=False, help_text="Whether a bracket of the best follows a Swiss, or lives without rounds."
    )
    reason = serializers.CharField(
        max_length=MAX_NOTE_LENGTH, required=False, help_text="Needed to draw again after the start was undone. Public."
    )


@open_to(post=Who.DIRECTORS)
class Tonight(APIView):
    @extend_schema(
        operation_id="clubs_start_evening",
        summary="Start an evening in one step",
        description=(
            "Creates and publishes the event, or takes the one of tonight that takes entries, with those entered in "
            "it; checks everybody in, publishes the draw, opens the floor and calls the first matches. E-mails and "
            "pushes wait for a minute, in which `tournaments_undo_start` takes it back. An evening that was started "
            "within this minute is returned."
        ),
        parameters=[LOCATION],
        request=StartSerializer,
        examples=example(tables=7, closes="23:00", here=["k7m2p9qd4x", "w3n8r5tb6z"], format="swiss"),
        responses={201: EventSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str) -> Response:
        """Return the event. 409 `reason_needed`, `unpaid_entries`."""
        club, now = club_access.club_as(request.user, slug, Role.DIRECTOR), timezone.now()
        fields = validated(StartSerializer, request)
        here, names, format_ = fields.get("here", []), fields.get("names", []), fields.get("format", "")
        data = {
            "players": max(2, len(here) + len(names)), "tables": fields["tables"], "format": format_, "here": here,
            "fee": fields.get("fee"), "closes": f"{fields['closes']:%H:%M}",
            "names": "\n".join(names), "reason": fields.get("reason", ""),
            "like": format_ == SAME, "bracket": fields["bracket"],
        }  # fmt: skip
        page = TonightPage(club, now)
        page.take(TonightForm(data, page=page))
        if not page.is_valid:
            wrong = page.form.errors.get_json_data()
            raise exceptions.ValidationError({name: [row["message"] for row in rows] for name, rows in wrong.items()})
        event = start_evening(
            club=club, plan=page.plan(), by=api_by(request), now=now,
            reason=data["reason"], **page.arguments,
        )  # fmt: skip
        here_url = request.build_absolute_uri(reverse("api-tournament", args=[event.public_id]))
        return Response(EventSerializer(event).data, status=status.HTTP_201_CREATED, headers={"Location": here_url})
