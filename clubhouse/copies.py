"""The next season of a club's leagues, and copies of events: services, page and API."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from core.languages import first_offered
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from formats.settings import LEAGUE, StageSettings
from formats.tables.seasons import next_season
from players.access import Role
from players.actors import Actor, log
from players.models import Player
from players.people.rows import canonical, lock_present
from prizes.prizes import plan_of, pots_of
from prizes.services import PlanInput, SidePoolInput, create_pool, save_plan
from tournaments import access
from tournaments.entries.services import enter
from tournaments.events import api as event_api
from tournaments.events.actions import by, event_url_args, form_key, page, refuse, zone_of
from tournaments.events.forms import SeasonForm, localise
from tournaments.events.services import SETTINGS, create_division, create_tournament
from tournaments.ledger.payments import require_payment
from tournaments.models import CashDesk, Division, Entry, Floor, Stage, Table, Tournament
from tournaments.offers.services import OfferInput, create_offer
from tournaments.state.api import LOCATION, READ, WRITE, example, validated
from tournaments.state.api import by as api_by
from tournaments.state.derivation import states_of
from tournaments.state.forms import IdempotencyKeyForm
from tournaments.state.stages import set_stages, stage_settings

TIMES = ("closes_at", "reentry_until")
COPIED = tuple(name for name in SETTINGS if name not in TIMES)
"""Settings of a division that are copied unchanged."""
FLOOR_SETTINGS = (
    "rest_minutes", "second_call_minutes", "no_show_minutes", "penalty_points", "penalty_first_minutes",
    "penalty_each_minutes", "hold_minutes",
)  # fmt: skip
WEEK = timedelta(days=7)


def leagues_of(tournament: Tournament) -> list[Division]:
    """Return the divisions of an event that are leagues, the highest first."""
    rows = tournament.divisions.filter(stages__format=Stage.Format.LEAGUE).distinct()
    return list(rows.exclude(status=Division.Status.CANCELLED).order_by("order", "pk"))


DraftedDivision = tuple[Division, list[tuple[Player, int]]]
"""A division as it is now, and its players of the next season with the index (from 0) of their current division."""


def preview_season(tournament: Tournament) -> list[DraftedDivision]:
    """Return the divisions of the next season from the final tables of this one; writes nothing.

    Between two divisions as many players move up and down as the higher one says (`moving`). Withdrawn players are
    left out. Refused: `no_league`, `season_not_over`.
    """
    divisions = leagues_of(tournament)
    if not divisions:
        raise Refused("no_league")
    entries: dict[int, tuple[Entry, int]] = {}
    tables: list[list[int]] = []
    moving: list[int] = []
    for index, division in enumerate(divisions):
        if division.status != Division.Status.FINISHED:
            raise Refused("season_not_over", division=division.name)
        league = next(state for state in states_of(division) if state.stage.format == LEAGUE)
        moving.append(league.rows.settings.moving)
        tables.append([row.entry for row in league.tables[0].rows])
        rows = division.entries.filter(pk__in=tables[-1]).select_related("player__user", "player__merged_into__user")
        entries |= {entry.pk: (entry, index) for entry in rows}
    leavers = [
        pk for pk, (entry, _) in entries.items() if entry.status == Entry.Status.OUT or canonical(entry.player).has_left
    ]
    rosters = next_season(tables, moving=moving[:-1], leavers=leavers)
    return [
        (division, [(entries[pk][0].player, entries[pk][1]) for pk in members])
        for division, members in zip(divisions, rosters, strict=True)
    ]


def draft_next_season(
    *, tournament: Tournament, name: str, starts_at: datetime, by: Actor, now: datetime, key: str = ""
) -> Tournament:
    """Create a draft event with the same divisions and the players of `preview_season`; the director sets dates.

    A repeated `key` of the same user returns the first draft. Refused: as `preview_season`, and `name_taken`.
    """
    with transaction.atomic():
        drafted = preview_season(tournament)
        values = {"name": name, "starts_at": starts_at}
        season = _create_like(tournament, values, by=by, now=now, key=key)
        if season.divisions.exists():
            return season
        lock_present(*(player for _before, players in drafted for player, _ in players))
        for before, players in drafted:
            division = create_division(tournament=season, by=by, now=now, **_copied_settings(before))
            enter(division=division, players=[player for player, _ in players], by=by, now=now)
            division.refresh_from_db()
            _copy_stages(before, division, by=by, now=now)
        log(by, "season_drafted", tournament.topic, club=tournament.club, season=season.public_id, name=season.name)
    return season


def copy_event(
    *, tournament: Tournament, by: Actor, now: datetime, key: str = "", shift: timedelta | None = None
) -> Tournament:
    """Create a draft of the same event in a later week: divisions, formats, tables, fees, prizes, pools, side events.

    Players, results and the deadlines of rounds are not copied, nor are cancelled divisions. All times move by `shift`,
    a number of days, by default so many weeks that it is in the future (`weeks_until_next`). A repeated `key` of the
    same user returns the first copy.
    Refused: `no_division`.
    """
    rows = tournament.divisions.filter(offer=None).exclude(status=Division.Status.CANCELLED)
    divisions = list(rows.order_by("order", "pk"))
    if not divisions:
        raise Refused("no_division")
    zone = ZoneInfo(tournament.time_zone)
    shift = shift or weeks_until_next(tournament.starts_at, zone, now) * WEEK
    with transaction.atomic():
        values = {
            "name": tournament.name,
            "starts_at": _moved(tournament.starts_at, shift, zone),
            "ends_at": _moved(tournament.ends_at, shift, zone),
            "check_in_opens_at": _moved(tournament.check_in_opens_at, shift, zone),
            "check_in_closes_at": _moved(tournament.check_in_closes_at, shift, zone),
            "about": tournament.about,
        }
        copy = _create_like(tournament, values, by=by, now=now, key=key)
        if copy.divisions.exists():
            return copy
        _copy_floor(tournament, copy, now)
        pairs = []
        for before in divisions:
            times = {name: _moved(getattr(before, name), shift, zone) for name in TIMES}
            settings = _copied_settings(before) | times
            division = create_division(tournament=copy, by=by, now=now, **settings)
            _copy_stages(before, division, by=by, now=now)
            pairs.append((before, division))
        for offered in tournament.offers.all():
            create_offer(tournament=copy, offer=OfferInput.of(offered), by=by, now=now)
        # The cash desk is the last lock (docs/locking.md), so that no division is created after this.
        for before, division in pairs:
            _copy_prizes(before, division, by=by, now=now)
        if CashDesk.objects.filter(tournament=tournament, draw_needs_payment=True).exists():
            require_payment(tournament=copy, needed=True, by=by, now=now)
        log(by, "event_copied", tournament.topic, club=tournament.club, copy=copy.public_id)
    return copy


def weeks_until_next(starts_at: datetime, zone: ZoneInfo, now: datetime) -> int:
    """Return after how many weeks, at least one, the event's weekday and local time are in the future."""
    weeks = max(1, (now - starts_at) // WEEK)
    return next(number for number in range(weeks, weeks + 3) if starts_at.astimezone(zone) + number * WEEK > now)


def _moved(at: datetime | None, shift: timedelta, zone: ZoneInfo) -> datetime | None:
    """Return the instant with the same local time `shift` later, whatever summer time does."""
    return at.astimezone(zone) + shift if at is not None else None


def _create_like(
    tournament: Tournament, values: Mapping[str, Any], *, by: Actor, now: datetime, key: str
) -> Tournament:
    """Create a draft event with these values at the same place, with the same tables, currency and rules."""
    return create_tournament(
        club=tournament.club,
        by=by,
        now=now,
        key=key,
        time_zone=tournament.time_zone,
        venue=tournament.venue,
        tables=tournament.tables,
        closing_rule=tournament.closing_rule,
        silent_desk=tournament.silent_desk,
        currency=tournament.currency,
        currency_exponent=tournament.currency_exponent,
        rated=tournament.rated,
        season=tournament.season,
        **_languages(tournament),
        **values,
    )


def _languages(tournament: Tournament) -> dict[str, str]:
    """Return the languages that were chosen and are still offered."""
    chosen = {"language": tournament.language, "second_language": tournament.second_language}
    return {field: code for field, code in chosen.items() if first_offered(code) == code}


def _copied_settings(division: Division) -> dict[str, Any]:
    return {field: getattr(division, field) for field in COPIED}


def _copy_stages(before: Division, division: Division, *, by: Actor, now: datetime) -> None:
    stages = [_without_dates(settings) for settings in stage_settings(before)]
    set_stages(division=division, stages=stages, after=division.seq, by=by, now=now)


def _copy_floor(before: Tournament, copy: Tournament, now: datetime) -> None:
    """Copy the tables and the settings of the floor. Services refuse to open the floor of a draft."""
    Table.objects.bulk_create(
        Table(tournament=copy, label=table.label, order=table.order, category=table.category)
        for table in before.floor_tables.all()
    )
    if (floor := Floor.objects.filter(tournament=before).first()) is not None:
        settings = {name: getattr(floor, name) for name in FLOOR_SETTINGS}
        Floor.objects.create(tournament=copy, opened_at=now, **settings)


def _copy_prizes(before: Division, division: Division, *, by: Actor, now: datetime) -> None:
    """Copy the prize plan, published if it was, and the side pools without their members."""
    if (plan := plan_of(before)) is not None:
        copied = PlanInput(
            pots_of(plan), plan.registration, plan.reentry, plan.guaranteed, plan.unit, plan.ties_share, plan.kept
        )
        save_plan(division=division, plan=copied, publish=plan.published, by=by, now=now)
    for pool in before.side_pools.all():
        order = [(bracket, place) for bracket, place in pool.order]
        side_pool = SidePoolInput(pool.name, pool.fee, pool.shares, order, pool.unit, pool.kept)
        create_pool(division=division, pool=side_pool, by=by, now=now)


def _without_dates(settings: StageSettings) -> StageSettings:
    return replace(settings, until="", join_until="")


class SeasonSerializer(serializers.Serializer[Any]):
    """The event to create."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH)
    starts_at = serializers.DateTimeField()


class MovedPlayerSerializer(serializers.Serializer[Any]):
    """A player of a drafted division."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    before = serializers.CharField(help_text="Public id of the current division.")


class DraftedDivisionSerializer(serializers.Serializer[Any]):
    """A division of the next season, the highest first."""

    name = serializers.CharField()
    before = serializers.CharField(help_text="Public id of the division it follows.")
    players = MovedPlayerSerializer(many=True)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class NextSeason(APIView):
    """The preview of the next season, and its draft event."""

    @extend_schema(
        operation_id="tournaments_season",
        summary="Preview promotion and relegation after a league",
        responses={200: DraftedDivisionSerializer(many=True), **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """Writes nothing. 409 `season_not_over`."""
        event = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        drafted = preview_season(event)
        ids = [division.public_id for division, _players in drafted]
        body = [
            {
                "name": division.name,
                "before": division.public_id,
                "players": [
                    {"player": player.public_id, "name": player.full_name, "before": ids[before]}
                    for player, before in players
                ],
            }
            for division, players in drafted
        ]
        return Response(DraftedDivisionSerializer(body, many=True).data)

    @extend_schema(
        operation_id="tournaments_draft_season",
        summary="Draft the next season of a league",
        parameters=[LOCATION],
        request=SeasonSerializer,
        examples=example(name="Monday League, spring", starts_at="2027-01-11T19:00:00+01:00"),
        responses={201: event_api.EventSerializer, **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, tournament: str) -> Response:
        """Creates a draft event with the same divisions. 409 `season_not_over`."""
        event = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(SeasonSerializer, request)
        season = draft_next_season(tournament=event, by=api_by(request), now=timezone.now(), **fields)
        here = request.build_absolute_uri(reverse("api-tournament", args=[season.public_id]))
        return Response(
            event_api.EventSerializer(season).data, status=status.HTTP_201_CREATED, headers={"Location": here}
        )


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def next_season_page(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Preview the next season; a POST creates its draft."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = SeasonForm(request.POST if request.method == "POST" else None)
    try:
        drafted = preview_season(event)
        if form.is_valid():
            starts_at = localise(form.cleaned_data["starts_at"], zone_of(event))
            season = draft_next_season(
                tournament=event, name=form.cleaned_data["name"], starts_at=starts_at,
                by=by(request), now=timezone.now(), key=form_key(request),
            )  # fmt: skip
            messages.success(request, _("%(season)s was created as a draft.") % {"season": season.name})
            return redirect("event", *event_url_args(season))
    except Refused as refused:
        return refuse(request, refused, f"/events/{club}/{slug}/")
    divisions = [
        (division, [(player, _direction(index, before)) for player, before in players])
        for index, (division, players) in enumerate(drafted)
    ]
    context = {
        "tournament": event, "club": event.club, "form": form, "divisions": divisions, "key": form_key(request),
    }  # fmt: skip
    return page(request, "clubhouse/next_season.html", context, form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def copy(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Copy an event to a later week as a draft, then show its settings to confirm the name and date."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = IdempotencyKeyForm(request.POST)
    if not form.is_valid():
        return redirect("event", *event_url_args(event))
    try:
        drafted = copy_event(tournament=event, by=by(request), now=timezone.now(), key=form.cleaned_data["key"])
    except Refused as refused:
        return refuse(request, refused, f"/events/{club}/{slug}/")
    messages.success(request, _("Copied as a draft that only directors see. Check the name and the date."))
    return redirect("event-edit", *event_url_args(drafted))


def _direction(now: int, before: int) -> str:
    """Return "up", "down", or empty for a player who stays."""
    return "up" if now < before else "down" if now > before else ""
