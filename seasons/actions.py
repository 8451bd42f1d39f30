"""What directors do about the seasons of their club, on pages and through the API."""

from datetime import datetime
from typing import Any, ClassVar

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.public_ids import LENGTH, new_form_key
from core.repeats import Repeat, repeated
from engine.errors import Refused
from formats.series.plan import Eligibility, plan_from, plan_json
from formats.series.presets import preset
from players import access as people
from players.access import Role, Visitor
from players.actions import Endpoint, FormSerializer, UserAction
from players.actors import Actor
from players.models import Club
from players.people.rows import player_of
from seasons import services
from seasons.forms import (
    CloseSeasonForm,
    CountEventForm,
    DetailsForm,
    LeaveOutForm,
    PayPoolForm,
    PointsBackForm,
    PointsForm,
    RemoveSeriesForm,
    RemoveViewForm,
    ReopenForm,
    SeasonEntryForm,
    SeasonPlanForm,
    SeasonPoolForm,
    SeriesForm,
    ViewForm,
)
from seasons.pool import SeasonPoolInput, pay_due, pool_data, set_pool
from seasons.season_views import ViewInput, remove_view, save_view, view_of
from seasons.tables import closing_of, names_of_table, newest_plan, season_table, table_of, table_of_view
from tournaments.access import VISIBLE
from tournaments.ledger.money import Currency
from tournaments.ledger.payments import PaymentInput
from tournaments.models import Series, SeriesFeeShare, SeriesView, Tournament
from tournaments.state.api import WRITE
from tournaments.state.names import display_name


class SeasonRowSerializer(serializers.Serializer[Any]):
    """A row of the table."""

    rank = serializers.IntegerField(allow_null=True, help_text="Null without enough events.")
    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    total = serializers.CharField(help_text="Exact: 12, 25/2 or nine decimals.")
    points = serializers.DictField(child=serializers.CharField(), help_text="Public id of an event -> points.")
    counted = serializers.ListField(child=serializers.CharField(), help_text="The events that count.")
    more_events = serializers.IntegerField(help_text="Events missing for a rank.")


class SeasonEventSerializer(serializers.Serializer[Any]):
    """An event whose points count."""

    event = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    day = serializers.DateField(allow_null=True, help_text="Null if an imported season does not tell.")


class SeriesSummarySerializer(serializers.ModelSerializer[Series]):
    """A season in a list."""

    class Meta:
        model = Series
        fields = ("public_id", "name", "slug", "first_day", "last_day", "seq")


class GivenPointsSerializer(serializers.Serializer[Any]):
    """Points that were given by hand."""

    id = serializers.IntegerField()
    event = serializers.CharField(help_text="Public id.")
    player = serializers.CharField(help_text="Public id.")
    points = serializers.CharField()
    reason = serializers.CharField()


class FeeShareSerializer(serializers.ModelSerializer[SeriesFeeShare]):
    """The part of each entry fee that goes to the pool of a season, of evenings whose cash desk is not closed."""

    class Meta:
        model = SeriesFeeShare
        fields = ("percent", "amount", "currency", "currency_exponent", "shares")


class PoolEveningSerializer(serializers.Serializer[Any]):
    """What an evening brings."""

    event = serializers.CharField(help_text="Public id.")
    amount = serializers.IntegerField(help_text="In whole minor units.")
    is_fixed = serializers.BooleanField(help_text="Whether its cash desk was closed with this share.")


class PoolDueSerializer(serializers.Serializer[Any]):
    """What a player is due for the places from `first` to `last`."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    first = serializers.IntegerField()
    last = serializers.IntegerField()
    amount = serializers.IntegerField(help_text="In whole minor units.")
    paid = serializers.IntegerField(
        allow_null=True, help_text="What was paid of it, in whole minor units; null for others than directors."
    )


class PayPoolSerializer(FormSerializer):
    """A payment out of the pool of a season."""

    class Meta:
        form = PayPoolForm
        extra_kwargs: ClassVar = {
            "player": {"help_text": "Public id."},
            "event": {"help_text": "Public id of the event of the club from whose cash desk it is paid."},
            "amount": {"help_text": "What you saw as still due, in whole minor units."},
            "method": {"help_text": "Only cash is in the box."},
            "key": {"help_text": "Repeating a key pays only once."},
        }


class SeasonPoolSerializer(serializers.Serializer[Any]):
    """The pool of a season in one currency."""

    currency = serializers.CharField()
    currency_exponent = serializers.IntegerField()
    amount = serializers.IntegerField(help_text="In whole minor units.")
    evenings = PoolEveningSerializer(many=True)
    due = PoolDueSerializer(many=True, help_text="Empty until the season is closed.")


class SeasonViewSerializer(serializers.ModelSerializer[SeriesView]):
    """A part of the players who have a table of their own."""

    class Meta:
        model = SeriesView
        fields = ("public_id", "name", "rule")


class SeriesSerializer(serializers.Serializer[Any]):
    """A season with its plan and its table."""

    public_id = serializers.CharField()
    club = serializers.CharField()
    name = serializers.CharField()
    slug = serializers.CharField()
    first_day = serializers.DateField()
    last_day = serializers.DateField()
    pairs = serializers.ChoiceField(Series.PairPoints.choices, help_text="What each of a pair gets of its points.")
    seq = serializers.IntegerField()
    closed_at = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField(help_text="Of the plan.")
    plan = serializers.JSONField(help_text="As in docs/series.md.")
    events = SeasonEventSerializer(many=True)
    view = serializers.CharField(allow_null=True, help_text="Public id of the view whose rows these are; null: all.")
    views = SeasonViewSerializer(many=True)
    rows = SeasonRowSerializer(many=True)
    entered = serializers.ListField(
        child=serializers.CharField(), help_text="Public ids of players who have entered the season."
    )
    points_by_hand = GivenPointsSerializer(many=True)
    final = serializers.CharField(allow_null=True, help_text="Public id of the event of the final.")
    fee_share = FeeShareSerializer(allow_null=True, help_text="Null if none was ever set.")
    pools = SeasonPoolSerializer(many=True, help_text="One for each currency in which evenings brought something.")


def season_data(user: Visitor, series: Series, view: SeriesView | None = None) -> dict[str, Any]:
    """Return a season as the API shows it to a reader: the announced table once it is closed.

    Its rows are those of a view, if one is given.
    """
    closing = closing_of(series)
    version = closing.plan if closing is not None else newest_plan(series)
    part = view_of(view) if view is not None else None
    if closing is not None:
        table = closing.table
        rows = table_of_view(table, part)["rows"] if part is not None else table["rows"]
    else:
        standing = season_table(series, version=version)
        table = table_of(standing)
        rows = table_of(standing.seen_by(part))["rows"] if part is not None else table["rows"]
    names = names_of_table(user, series.club, table)
    share = series.fee_shares.order_by("-number").first()
    return {
        "public_id": series.public_id, "club": series.club.slug, "name": series.name, "slug": series.slug,
        "first_day": series.first_day, "last_day": series.last_day, "pairs": series.pairs, "seq": series.seq,
        "closed_at": closing.at if closing is not None else None, "version": version.number, "plan": version.plan,
        "events": table["events"],
        "points_by_hand": [
            {"id": row.pk, "event": row.tournament.public_id, "player": row.player.public_id, "points": row.points,
             "reason": row.reason}
            for row in series.points_by_hand.select_related("tournament", "player")
        ],
        "final": series.final.public_id if series.final is not None and series.final.status in VISIBLE else None,
        "fee_share": FeeShareSerializer(share).data if share is not None else None,
        "pools": pool_data(
            series, closing.table if closing is not None else None, names,
            directs=people.is_at_least(people.role_in(user, series.club), Role.DIRECTOR),
        ) if share is not None else [],
        "view": view.public_id if view is not None else None,
        "views": SeasonViewSerializer(series.views.all(), many=True).data,
        "entered": [
            (row.player.merged_into or row.player).public_id
            for row in series.entries.select_related("player__merged_into")
        ],
        "rows": [{**row, "name": names.get(row["player"], "")} for row in rows],
    }  # fmt: skip


class NewSeasonSerializer(FormSerializer):
    """A new season; the club's events of its days count."""

    first_day = serializers.DateField()
    last_day = serializers.DateField()

    class Meta:
        form = SeriesForm
        extra_kwargs: ClassVar = {
            "like": {"help_text": "Public id of a season whose plan is copied."},
            "key": {"help_text": "Repeating it returns the first season."},
        }


class SeasonDetailsSerializer(FormSerializer):
    """The name and the days of a season, and what pairs get in it."""

    first_day = serializers.DateField()
    last_day = serializers.DateField()

    class Meta:
        form = DetailsForm
        extra_kwargs: ClassVar = {"pairs": {"help_text": "What each of a pair gets of its points; empty: as before."}}


class CountedEventSerializer(FormSerializer):
    """An event that counts."""

    class Meta:
        form = CountEventForm
        extra_kwargs: ClassVar = {
            "event": {"help_text": "Public id."},
            "kind": {"help_text": "A class of the plan, such as `double`; `by_month` leaves it to the plan."},
            "weight": {"help_text": "A number such as 1.5 or 1/3."},
            "shares": {"help_text": "Of the first places, such as `4, 2, 1, 1`, where the plan gives shares."},
        }


class LeftOutEventSerializer(FormSerializer):
    """An event that no longer counts."""

    class Meta:
        form = LeaveOutForm


class PointsByHandSerializer(FormSerializer):
    """Points by hand."""

    class Meta:
        form = PointsForm
        extra_kwargs: ClassVar = {
            "event": {"help_text": "Public id."},
            "player": {"help_text": "Public id."},
            "points": {"help_text": "A number such as 2, -1.5 or 1/3."},
        }


class PointsBackSerializer(FormSerializer):
    """Points by hand that are taken back."""

    class Meta:
        form = PointsBackForm
        extra_kwargs: ClassVar = {"given": {"help_text": "The `id` in `points_by_hand`."}}


class FeeShareSettingsSerializer(FormSerializer):
    """The part of each entry fee that goes to the pool."""

    percent = serializers.CharField(
        max_length=12, required=False, allow_blank=True,
        help_text="Such as `20` or `12.5`; neither this nor an amount ends the share.",
    )  # fmt: skip
    amount = serializers.CharField(
        max_length=24, required=False, allow_blank=True,
        help_text="Instead, with the decimals of the currency, such as `2.50`.",
    )  # fmt: skip

    class Meta:
        form = SeasonPoolForm
        extra_kwargs: ClassVar = {
            "currency": {"help_text": "Of the amount; that of the newest evening if left out."},
            "shares": {"help_text": "Percentages of the pool by place, such as `50 30 20`."},
        }


class SeasonEntrySerializer(FormSerializer):
    """Whether a player enters a season."""

    class Meta:
        form = SeasonEntryForm
        extra_kwargs: ClassVar = {"player": {"help_text": "Public id, for directors; without it you enter yourself."}}


class ViewSettingsSerializer(FormSerializer):
    """A view that is added or changed."""

    players = serializers.ListField(
        child=serializers.CharField(max_length=LENGTH),
        required=False,
        help_text="Public ids, by the rule `players`.",
    )

    class Meta:
        form = ViewForm
        extra_kwargs: ClassVar = {
            "rule": {"help_text": "`class-6.5` is the club class whose highest performance rating is 6.5."},
            "view": {"help_text": "Public id of a view that is changed; a new one if left out."},
        }


class RemovedViewSerializer(FormSerializer):
    """A view that is removed."""

    class Meta:
        form = RemoveViewForm
        extra_kwargs: ClassVar = {"view": {"help_text": "Public id."}}


class SeriesPlanSerializer(FormSerializer):
    """A plan."""

    plan = serializers.JSONField(help_text="As in docs/series.md.")

    class Meta:
        form = SeasonPlanForm


class CloseSeriesSerializer(FormSerializer):
    """What was seen."""

    class Meta:
        form = CloseSeasonForm
        extra_kwargs: ClassVar = {"after": {"required": True}}


class ReopenSeriesSerializer(FormSerializer):
    """Why a season is opened again."""

    class Meta:
        form = ReopenForm


def series_of(club: str, slug: str) -> Series:
    """Return the season with this address; seasons are public as their club is."""
    row = Series.objects.select_related("club").filter(club__slug=club, slug=slug).first()
    if row is None:
        raise Http404
    return row


class CreateAction(UserAction):
    """Making a season of a club."""

    responses: ClassVar = {200: SeriesSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Club:
        return people.club_as(user, url["slug"], self.needed)

    def url(self, request: HttpRequest, obj: Club) -> str:
        return reverse("series-new", args=[obj.slug])

    def success_url(self, request: HttpRequest, obj: Club, form: Any) -> str:
        return series_url(form.instance)

    def answer(self, request: Request, obj: Club, form: Any) -> Response:
        return Response(SeriesSerializer(season_data(request.user, form.instance)).data)


class SeriesAction(UserAction):
    responses: ClassVar = {200: SeriesSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Series:
        """Return the season to a director of its club."""
        if "series" in url and "slug" not in url:
            row = series_by_id(url["series"])
        else:
            row = series_of(url["slug"], url["series"])
        people.require(user, row.club, self.needed)
        return row

    def url(self, request: HttpRequest, obj: Series) -> str:
        return series_url(obj)

    def success_url(self, request: HttpRequest, obj: Series, form: Any) -> str:
        return series_url(obj)

    def answer(self, request: Request, obj: Series, form: Any) -> Response:
        obj.refresh_from_db()
        return Response(SeriesSerializer(season_data(request.user, obj)).data)


STAYING = ("details", "pool", "count", "leave-out", "points", "points-back", "view", "remove-view")
"""Actions after which a director stays on the page of a season's points and evenings."""


class EditAction(SeriesAction):
    """What is done on the page of a season's points and evenings."""

    def url(self, request: HttpRequest, obj: Series) -> str:
        """The page of its points and evenings."""
        return edit_url(obj)

    def success_url(self, request: HttpRequest, obj: Series, form: Any) -> str:
        """The season, unless more is to be changed."""
        return edit_url(obj) if self.name in STAYING else series_url(obj)


class RemoveAction(EditAction):
    responses: ClassVar = {204: None, **WRITE}

    def success_url(self, request: HttpRequest, obj: Series, form: Any) -> str:
        return reverse("series-list", args=[obj.club.slug])

    def answer(self, request: Request, obj: Series, form: Any) -> Response:
        return Response(status=status.HTTP_204_NO_CONTENT)


class SeasonEntryAction(SeriesAction):
    """An entry for a season: by the player, or by a director."""

    def fetch(self, user: Visitor, **url: str) -> Series:
        """Return the season to everybody with an account."""
        return series_of(url["slug"], url["series"]) if "slug" in url else series_by_id(url["series"])

    def perform(self, request: Any, obj: Series, form: Any, now: datetime) -> str:
        """Enter oneself where entries are asked for, or as a director somebody else."""
        public_id = form.cleaned_data["player"]
        if public_id:
            people.require(request.user, obj.club, Role.DIRECTOR)
        elif newest_plan(obj).plan.get("belongs") != Eligibility.ENTERED:
            raise Refused("series_no_entries")
        player = people.person_of(obj.club, public_id) if public_id else player_of(request.user)
        if player is None:
            raise Refused("series_no_player")
        form.player = player
        return super().perform(request, obj, form, now)

    def success_url(self, request: HttpRequest, obj: Series, form: Any) -> str:
        """The page where it was pressed: the season, or that of its points and evenings for a director."""
        return edit_url(obj) if form.cleaned_data["player"] else series_url(obj)


def series_by_id(public_id: str) -> Series:
    row = Series.objects.select_related("club").filter(public_id=public_id).first()
    if row is None:
        raise Http404
    return row


def series_url(series: Series) -> str:
    """Return the permanent address of a season."""
    return reverse("series", args=[series.club.slug, series.slug])


def edit_url(series: Series) -> str:
    """Return the address of the page of its points and evenings."""
    return reverse("series-edit", args=[series.club.slug, series.slug])


def _event(series: Series, public_id: str) -> Tournament:
    row = Tournament.objects.filter(club=series.club, public_id=public_id, status__in=VISIBLE).first()
    if row is None:
        raise Http404
    return row


@repeated(Repeat.KEY)
def _create(form: Any, by: Actor, now: datetime) -> str:
    """Make a season.

    It begins with the plan of a preset or of an earlier season; the club's events of its days count.
    """
    fields, club = form.cleaned_data, form.instance
    like = Series.objects.filter(club=club, public_id=fields["like"]).first() if fields["like"] else None
    if fields["like"] and like is None:
        raise Http404
    series = services.SeriesInput(
        fields["name"], fields["first_day"], fields["last_day"], fields["preset"] or "usual", like
    )
    form.instance = services.create_series(club=club, series=series, by=by, now=now, key=fields["key"])
    return _("{name} is ready.").format(name=series.name)


def _details(form: Any, by: Actor, now: datetime) -> str:
    """Change the name and the days of a season, and what pairs get in it.

    Events of days that are new to it count; its address stays.
    """
    fields = form.cleaned_data
    days = fields["first_day"], fields["last_day"]
    services.change_details(
        series=form.instance, name=fields["name"], days=days, pairs=fields["pairs"], after=fields["after"], by=by
    )
    return _("Saved.")


@repeated(Repeat.STATE)
def _remove(form: Any, by: Actor, now: datetime) -> str:
    """Remove a season on which nothing rests.

    409 `series_in_use` as long as evenings count in it, or once anything else does.
    """
    services.remove_series(series=form.instance, by=by)
    return _("{name} is removed.").format(name=form.instance.name)


@repeated(Repeat.HARMLESS)
def _count(form: Any, by: Actor, now: datetime) -> str:
    """Count an event in a season.

    Or change its class, weight or shares. Events that are published on its days count by themselves.
    """
    fields, series = form.cleaned_data, form.instance
    counts_as = services.CountsAs(fields["kind"], fields["weight"], fields["shares"])
    services.count_events(series=series, events=[_event(series, fields["event"])], by=by, counts_as=counts_as)
    return _("The table is up to date.")


@repeated(Repeat.HARMLESS)
def _leave_out(form: Any, by: Actor, now: datetime) -> str:
    """Let an event no longer count in a season.

    The event itself does not change.
    """
    event = _event(form.instance, form.cleaned_data["event"])
    services.leave_out(series=form.instance, event=event, by=by)
    return _("The table is up to date.")


@repeated(Repeat.KEY)
def _give_points(form: Any, by: Actor, now: datetime) -> str:
    """Give points by hand.

    They are added to what the plan gives the player for that event, and shown with their reason.
    """
    fields, series = form.cleaned_data, form.instance
    given = services.PointsInput(
        _event(series, fields["event"]),
        people.person_of(series.club, fields["player"]),
        fields["points"],
        fields["reason"],
    )
    services.give_points(series=series, given=given, by=by, now=now)
    return _("The table is up to date.")


@repeated(Repeat.HARMLESS)
def _enter(form: Any, by: Actor, now: datetime) -> str:
    """Enter a season, or take the entry back.

    Where a plan says so, only those who have entered are in the table. A director enters a `player`.
    """
    if form.cleaned_data["enters"] == "yes":
        services.enter_season(series=form.instance, player=form.player, by=by, now=now)
        return _("{name} has entered the season.").format(name=form.player.shown_name)
    services.leave_season(series=form.instance, player=form.player, by=by)
    return _("The table is up to date.")


def _set_pool(form: Any, by: Actor, now: datetime) -> str:
    """Set the part of each entry fee for the pool of a season.

    It counts for evenings whose cash desk is not closed; what closed ones brought stays.
    """
    fields, series = form.cleaned_data, form.instance
    settings = SeasonPoolInput(fields["percent"], fields["amount"], fields["currency"], fields["shares"])
    set_pool(series=series, pool=settings, after=fields["after"], by=by, now=now)
    return _("Saved.")


@repeated(Repeat.KEY)
def _pay_pool(form: Any, by: Actor, now: datetime) -> str:
    """Pay a player what is still due to them of the pool of a closed season.

    It is a payment at the cash desk of the event, where it can be taken back. 409 `series_not_closed`, `cash_closed`,
    `pool_due_changed`.
    """
    fields, series = form.cleaned_data, form.instance
    player = people.person_of(series.club, fields["player"])
    event = _event(series, fields["event"])
    payment = PaymentInput(fields["amount"], fields["key"] or new_form_key(), fields["method"])
    pay_due(series=series, player=player, tournament=event, payment=payment, by=by, now=now)
    amounts = {"amount": Currency.of(event).with_name(fields["amount"]), "name": display_name(player, staff=True)}
    return _("%(amount)s paid to %(name)s.") % amounts


@repeated(Repeat.KEY)
def _save_view(form: Any, by: Actor, now: datetime) -> str:
    """Add a view of the table of a season, or change one.

    It ranks a part of the players, such as ladies or members, with the same points.
    """
    fields = form.cleaned_data
    players = people.persons_of(form.instance.club, fields["players"])
    if any(player.erased_at is not None for player in players):
        raise Http404
    view = ViewInput(fields["name"], fields["rule"], players)
    save_view(series=form.instance, view=view, by=by, changed=fields["view"])
    return _("Saved.")


@repeated(Repeat.HARMLESS)
def _remove_view(form: Any, by: Actor, now: datetime) -> str:
    """Remove a view of the table of a season.

    Harmless if that was done before.
    """
    remove_view(series=form.instance, view=form.cleaned_data["view"], by=by)
    return _("Saved.")


@repeated(Repeat.HARMLESS)
def _undo_points(form: Any, by: Actor, now: datetime) -> str:
    """Take back points given by hand.

    Harmless if that was done before.
    """
    services.undo_points(series=form.instance, given=form.cleaned_data["given"], by=by)
    return _("The table is up to date.")


def _change_plan(form: Any, by: Actor, now: datetime) -> str:
    """Change the plan of a season.

    The new version applies to all its events; earlier versions are kept.
    """
    fields, series = form.cleaned_data, form.instance
    named, known = (plan_from(plan).players or frozenset() for plan in (fields["plan"], newest_plan(series).plan))
    people.persons_of(series.club, named - known)
    services.change_plan(series=series, plan=fields["plan"], after=fields["after"], by=by, now=now)
    return _("Saved.")


def _close(form: Any, by: Actor, now: datetime) -> str:
    """Close a season.

    Its table stays as it is now, whatever is corrected later.
    """
    services.close_series(series=form.instance, after=form.cleaned_data["after"], by=by, now=now)
    return _("The season is closed.")


def _reopen(form: Any, by: Actor, now: datetime) -> str:
    """Open a closed season again.

    The table that was announced is kept in the archive.
    """
    fields = form.cleaned_data
    services.reopen_series(series=form.instance, reason=fields["reason"], after=fields["after"], by=by, now=now)
    return _("This season is open.")


create = CreateAction(
    "create",
    SeriesForm,
    _create,
    Role.DIRECTOR,
    Endpoint(
        "seasons_create",
        NewSeasonSerializer,
        {"name": "Spring 2027", "preset": "usual", "first_day": "2027-01-01", "last_day": "2027-06-30"},
    ),
)
ACTIONS = (
    EditAction(
        "details",
        DetailsForm,
        _details,
        Role.DIRECTOR,
        Endpoint(
            "seasons_change_details",
            SeasonDetailsSerializer,
            {"name": "Spring 2027", "first_day": "2027-01-01", "last_day": "2027-06-30", "after": 3},
        ),
    ),
    RemoveAction("remove", RemoveSeriesForm, _remove, Role.DIRECTOR, Endpoint("seasons_remove")),
    EditAction(
        "count",
        CountEventForm,
        _count,
        Role.DIRECTOR,
        Endpoint("seasons_count", CountedEventSerializer, {"event": "k7m2x9q4ab", "kind": "double"}),
    ),
    EditAction(
        "leave-out",
        LeaveOutForm,
        _leave_out,
        Role.DIRECTOR,
        Endpoint("seasons_leave_out", LeftOutEventSerializer, {"event": "k7m2x9q4ab"}),
    ),
    EditAction(
        "points",
        PointsForm,
        _give_points,
        Role.DIRECTOR,
        Endpoint(
            "seasons_give_points",
            PointsByHandSerializer,
            {"event": "k7m2x9q4ab", "player": "p3n8w5r2cd", "points": "-1", "reason": "Came late twice."},
        ),
    ),
    EditAction(
        "points-back",
        PointsBackForm,
        _undo_points,
        Role.DIRECTOR,
        Endpoint("seasons_take_points_back", PointsBackSerializer, {"given": 3}),
    ),
    SeasonEntryAction(
        "entry",
        SeasonEntryForm,
        _enter,
        None,
        Endpoint("seasons_enter", SeasonEntrySerializer, {"enters": "yes"}),
    ),
    EditAction(
        "pool",
        SeasonPoolForm,
        _set_pool,
        Role.DIRECTOR,
        Endpoint("seasons_set_pool", FeeShareSettingsSerializer, {"percent": "20", "shares": "50 30 20", "after": 3}),
    ),
    SeriesAction(
        "pay-pool",
        PayPoolForm,
        _pay_pool,
        Role.DIRECTOR,
        Endpoint(
            "seasons_pay_pool",
            PayPoolSerializer,
            {"player": "p3n8w5r2cd", "event": "k7m2x9q4ab", "amount": 4800, "method": "cash"},
        ),
    ),
    EditAction(
        "view",
        ViewForm,
        _save_view,
        Role.DIRECTOR,
        Endpoint(
            "seasons_save_view",
            ViewSettingsSerializer,
            {"name": "Ladies", "rule": "players", "players": ["p3n8w5r2cd"]},
        ),
    ),
    EditAction(
        "remove-view",
        RemoveViewForm,
        _remove_view,
        Role.DIRECTOR,
        Endpoint("seasons_remove_view", RemovedViewSerializer, {"view": "v3n8w5r2cd"}),
    ),
    EditAction(
        "plan",
        SeasonPlanForm,
        _change_plan,
        Role.DIRECTOR,
        Endpoint("seasons_change_plan", SeriesPlanSerializer, {"plan": plan_json(preset("usual").plan), "after": 3}),
    ),
    EditAction(
        "close", CloseSeasonForm, _close, Role.DIRECTOR, Endpoint("seasons_close", CloseSeriesSerializer, {"after": 4})
    ),
    EditAction(
        "reopen",
        ReopenForm,
        _reopen,
        Role.DIRECTOR,
        Endpoint("seasons_reopen", ReopenSeriesSerializer, {"reason": "A night was missing.", "after": 5}),
    ),
)
