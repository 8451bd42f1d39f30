"""What directors do with offers of side events: names with their fees, starts, and closing."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.public_ids import new_form_key
from core.repeats import Repeat, repeated
from engine.errors import Refused
from players.access import Visitor, person_of
from players.actions import Endpoint, FormSerializer
from players.clubs.lists import NEW_PLAYER
from players.forms import RefusingForm
from players.models import Player
from tournaments import access
from tournaments.entries.lists import find_or_add_player
from tournaments.events.actions import EventAction, TournamentAction
from tournaments.events.api import TournamentView
from tournaments.events.offers import ListState, OfferLine, offers_of
from tournaments.ledger.fields import MAX_PLACES, SHARES_HELP, take_amounts_in
from tournaments.ledger.money import WHOLE, Currency
from tournaments.models import Division, Entry, Offer, Tournament
from tournaments.offers import services
from tournaments.offers.forms import JoinListForm, ListedEntryForm, OfferStateForm, SideEventForm, StartListForm
from tournaments.offers.page import jackpots_url, with_form
from tournaments.state.api import READ, WRITE


class RunSerializer(serializers.Serializer[Any]):
    """A list of an offer; its entries and matches are those of its division."""

    division = serializers.CharField(source="division.public_id")
    number = serializers.IntegerField()
    state = serializers.ChoiceField([state.value for state in ListState])
    names = serializers.IntegerField(help_text="How many are on it.")
    size = serializers.IntegerField(source="division.capacity", allow_null=True)
    starts_at = serializers.DateTimeField(source="division.starts_at", allow_null=True)
    seq = serializers.IntegerField(source="division.seq")


class SideEventSerializer(serializers.Serializer[Any]):
    """An offer of side events with its lists; amounts in whole minor units, shares in hundredths of a percent."""

    public_id = serializers.CharField(source="offer.public_id")
    name = serializers.CharField(source="offer.name")
    size = serializers.IntegerField(source="offer.size")
    fee = serializers.IntegerField(source="offer.fee")
    lengths = serializers.ListField(child=serializers.IntegerField(), source="offer.lengths")
    kept = serializers.IntegerField(source="offer.kept")
    shares = serializers.ListField(child=serializers.IntegerField(), source="offer.shares")
    unit = serializers.IntegerField(source="offer.unit")
    rated = serializers.BooleanField(source="offer.rated")
    again = serializers.BooleanField(source="offer.again")
    closed_at = serializers.DateTimeField(source="offer.closed_at", allow_null=True)
    lists = RunSerializer(source="runs", many=True)


class NewSideEventSerializer(FormSerializer):
    """An offer of side events."""

    shares = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=WHOLE),
        min_length=1,
        max_length=MAX_PLACES,
        help_text=SHARES_HELP,
    )

    class Meta:
        form = SideEventForm
        extra_kwargs: ClassVar = {"fee": {"default": 0}, "kept": {"default": 0}, "unit": {"default": 1}}


class JoinListSerializer(FormSerializer):
    """Who joins a list; `player` is a public id or, with a name, `new`."""

    class Meta:
        form = JoinListForm


class ListedEntrySerializer(FormSerializer):
    """An entry of a list."""

    class Meta:
        form = ListedEntryForm


class StartListSerializer(FormSerializer):
    """A list to start."""

    class Meta:
        form = StartListForm


@open_to(get=Who.EVERYBODY)
class Offers(TournamentView):
    @extend_schema(
        operation_id="offers_list",
        summary="List the side events of an event that start themselves",
        description="Each list is a division, whose entries, draw, matches and prizes are those of any division.",
        responses={200: SideEventSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """With the lists of each, the first one first."""
        lines = offers_of(self.get_tournament(), timezone.now())
        return Response(SideEventSerializer(lines, many=True).data)


def line_of(offer: Offer, now: datetime) -> OfferLine:
    return next(line for line in offers_of(offer.tournament, now) if line.offer == offer)


class OfferAction(TournamentAction):
    """What a director does with an offer; the page of the lists follows."""

    responses: ClassVar[dict[int, Any]] = {200: SideEventSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Offer:
        at = (url["club"], url["slug"]) if "club" in url else None
        return access.offer_as(user, url["offer"], self.needed, at)

    def bind(self, obj: Offer, data: Any, now: datetime) -> RefusingForm:
        form = super().bind(obj, data, now)
        if isinstance(form, SideEventForm):
            take_amounts_in(Currency.of(obj.tournament), form)
        if isinstance(form, StartListForm):
            form.choose_from("division", obj.runs.all())
        return form

    def invalid(self, request: HttpRequest, obj: Offer, form: Any) -> HttpResponse:
        if isinstance(form, SideEventForm):
            return with_form(request, obj.tournament, form, obj)
        return super().invalid(request, obj, form)

    def refused(self, request: HttpRequest, obj: Offer, form: Any, refused: Refused) -> HttpResponse:
        if isinstance(form, SideEventForm):
            form.refuse(refused)
            return with_form(request, obj.tournament, form, obj)
        return super().refused(request, obj, form, refused)

    def url(self, request: HttpRequest, obj: Offer) -> str:
        return jackpots_url(obj.tournament)

    def success_url(self, request: HttpRequest, obj: Offer, form: Any) -> str:
        joined = getattr(form, "joined", None)
        return f"{self.url(request, obj)}?tap={joined.public_id}" if joined is not None else self.url(request, obj)

    def answer(self, request: Request, obj: Offer, form: Any) -> Response:
        return Response(SideEventSerializer(line_of(obj, timezone.now())).data)


class NewOfferAction(EventAction):
    """A new offer of an event; `run` leaves it as the form's `instance`."""

    responses: ClassVar[dict[int, Any]] = {201: SideEventSerializer, **WRITE}

    def bind(self, obj: Tournament, data: Any, now: datetime) -> RefusingForm:
        form: SideEventForm = super().bind(obj, data, now)  # type: ignore[assignment]  # the form of the action
        take_amounts_in(Currency.of(obj), form)
        return form

    def invalid(self, request: HttpRequest, obj: Tournament, form: Any) -> HttpResponse:
        return with_form(request, obj, form)

    def refused(self, request: HttpRequest, obj: Tournament, form: Any, refused: Refused) -> HttpResponse:
        form.refuse(refused)
        return with_form(request, obj, form)

    def url(self, request: HttpRequest, obj: Tournament) -> str:
        return jackpots_url(obj)

    def answer(self, request: Request, obj: Tournament, form: Any) -> Response:
        return Response(SideEventSerializer(line_of(form.instance, timezone.now())).data, status=201)


@repeated(Repeat.STATE)
def _add(form: SideEventForm, **acting: Any) -> str:
    """Offer a side event at the desk.

    Its first list takes names at once; each starts by itself 30 seconds after it is full. 422 `name_taken` or
    `bad_shares`.
    """
    form.instance = services.create_offer(tournament=form.instance, offer=form.offer, **acting)
    return _("“%(name)s” is open.") % {"name": form.instance.name}


@repeated(Repeat.STATE)
def _change(form: SideEventForm, **acting: Any) -> str:
    """Change an offer of side events.

    It counts for lists without names and those to come. 422 `name_taken` or `bad_shares`.
    """
    services.update_offer(offer=form.instance, values=form.offer, **acting)
    return _("Saved.")


@repeated(Repeat.KEY)
def _join(form: JoinListForm, **acting: Any) -> str:
    """Put somebody on a list, here and with the fee paid in cash.

    They go on the first list with a free place; the last name starts the countdown and opens the next list. 409
    `fees_changed` if the fee is not `amount`, `already_entered`, `list_again` or `offer_closed`.
    """
    offer, data = form.instance, form.cleaned_data
    joined = services.join(
        offer=offer,
        player=_player(offer, data, acting),
        amount=data["amount"],
        paid=not data["unpaid"],
        key=new_form_key(),
        **acting,
    )
    form.joined = joined  # type: ignore[attr-defined]  # which the page offers to undo
    run = joined.division
    names = run.entries.filter(status=Entry.Status.IN).count()
    text = _("%(name)s is on no. %(run)s of %(offer)s: %(names)s of %(size)s.")
    values = {"run": run.run, "offer": offer.name, "names": names, "size": run.capacity}
    return text % {"name": joined.player.full_name, **values}


def _player(offer: Offer, data: Mapping[str, Any], acting: Mapping[str, Any]) -> Player:
    """Return who joins: one of the club's people, or whoever a name stands for, who may be new to the club."""
    if data["player"] not in ("", NEW_PLAYER):
        return person_of(offer.tournament.club, data["player"])
    run = offer.runs.filter(status=Division.Status.ENTRIES).order_by("run").first()
    if run is None:
        raise Refused("offer_closed", name=offer.name)
    run.tournament = offer.tournament
    return find_or_add_player(division=run, name=data["name"], player=data["player"], by=acting["by"])


@repeated(Repeat.STATE)
def _leave(form: ListedEntryForm, **acting: Any) -> str:
    """Take somebody off a list that has not started.

    The fee is to be refunded. 409 `list_started`.
    """
    entry = _entry(form)
    services.leave(offer=form.instance, entry=entry, **acting)
    return _("%(name)s has withdrawn.") % {"name": entry.player.full_name}


@repeated(Repeat.STATE)
def _undo(form: ListedEntryForm, **acting: Any) -> str:
    """Undo that somebody joined a list, with what was paid in the same step.

    409 `list_started`.
    """
    services.undo_join(offer=form.instance, entry=_entry(form), **acting)
    return _("Undone.")


def _entry(form: ListedEntryForm) -> Entry:
    """Return the entry that a form names. Refused: `choose_a_player`."""
    rows = Entry.objects.filter(division__offer=form.instance, public_id=form.cleaned_data["entry"])
    entry = rows.select_related("player", "division__tournament__club").first()
    if entry is None:
        raise Refused("choose_a_player")
    return entry


@repeated(Repeat.STATE)
def _start(form: StartListForm, **acting: Any) -> str:
    """Start a list that is not full, with all its names or the first of them.

    The others are to be refunded. 409 `list_started` or `stale`, 422 `list_too_short`.
    """
    data = form.cleaned_data
    refunded = services.start(**data, **acting)
    return " ".join([_("No. %(run)s has started.") % {"run": data["division"].run}, *_refunds(len(refunded))])


@repeated(Repeat.STATE)
def _close(form: OfferStateForm, **acting: Any) -> str:
    """Take no more names, and call off the lists that have not started.

    Their fees are to be refunded. 409 `offer_closed`.
    """
    refunded = services.close_offer(offer=form.instance, **acting)
    return " ".join([_("“%(name)s” is closed.") % {"name": form.instance.name}, *_refunds(len(refunded))])


@repeated(Repeat.STATE)
def _reopen(form: OfferStateForm, **acting: Any) -> str:
    """Take names again, on a new list.

    409 `tournament_not_open`.
    """
    services.reopen_offer(offer=form.instance, **acting)
    return _("“%(name)s” is open.") % {"name": form.instance.name}


def _refunds(count: int) -> list[str]:
    """Return a sentence about how many fees are to be refunded; none if there is none."""
    if not count:
        return []
    text = ngettext("%(count)d fee is to be refunded.", "%(count)d fees are to be refunded.", count)
    return [text % {"count": count}]


EXAMPLE = {"name": "Jackpot 100", "size": 8, "fee": 10000, "lengths": [5, 5, 7], "kept": 500, "shares": [7000, 3000]}
ADD = NewOfferAction("add", SideEventForm, _add, api=Endpoint(
    "offers_create", NewSideEventSerializer, EXAMPLE, path="offers/add"
))  # fmt: skip
ACTIONS = (
    OfferAction("change", SideEventForm, _change, api=Endpoint("offers_change", NewSideEventSerializer, EXAMPLE)),
    OfferAction("join", JoinListForm, _join, api=Endpoint(
        "offers_join", JoinListSerializer, {"name": "Elif Ristic", "amount": 10000}
    )),
    OfferAction("leave", ListedEntryForm, _leave, api=Endpoint(
        "offers_leave", ListedEntrySerializer, {"entry": "k3v9w2xq7m"}
    )),
    OfferAction("undo", ListedEntryForm, _undo, api=Endpoint(
        "offers_undo", ListedEntrySerializer, {"entry": "k3v9w2xq7m"}
    )),
    OfferAction("start", StartListForm, _start, api=Endpoint(
        "offers_start", StartListSerializer, {"division": "k3v9w2xq7m", "names": 5, "after": 7}
    )),
    OfferAction("close", OfferStateForm, _close, api=Endpoint("offers_close")),
    OfferAction("reopen", OfferStateForm, _reopen, api=Endpoint("offers_reopen")),
)  # fmt: skip
