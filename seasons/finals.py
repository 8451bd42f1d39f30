"""The final of a season: a draft event of those who qualify, seeded by their ranks."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _l
from django.utils.translation import ngettext

from core.faults import each
from core.locks import lock_row
from core.public_ids import LENGTH as PUBLIC_ID
from core.repeats import Repeat, repeated
from engine.errors import Refused
from formats.settings import KNOCKOUT, StageSettings
from players import access as people
from players.access import Role, Visitor
from players.actions import Endpoint, FormSerializer
from players.actors import SYSTEM, Actor, log
from players.forms import RefusingForm
from players.models import Player
from players.people.rows import lock_club, player_of
from seasons.actions import SeriesAction, series_by_id, series_of
from seasons.forms import FinalForm
from seasons.places import (
    answer_place,
    end_of_day,
    is_drawn,
    offer_places,
    offer_to,
    qualified_in,
    standing_places,
    withdraw_places,
)
from seasons.tables import players_by_public_id
from tournaments.entries.services import enter
from tournaments.events.services import create_division, create_tournament
from tournaments.models import Division, Entry, FinalPlace, Series, Tournament
from tournaments.state.locks import lock_division
from tournaments.state.stages import set_stages, stage_settings

LENGTH = 7
"""Points of a match of the final, until the director chooses."""
LATE_FOR = timedelta(days=1)
"""For how long a sweep looks at a place that nobody has answered about; later a director does."""
LATER = timedelta(days=7)
"""From the last day of a season to its final, until the director chooses."""


def prepare_final(*, series: Series, by: Actor, now: datetime) -> Tournament:
    """Create the final as a draft with a knockout of those who qualify, or bring its entries up to date.

    Those are the holders of its places if places were offered, and otherwise everybody whose rank qualifies. The higher
    ranks are seeded, so that byes go to them; with stages in the plan, they start in the rounds that these name.
    Refused: `series_no_final`, `series_nobody_qualifies`, and as `final_rounds`.
    """
    with transaction.atomic():
        row = _locked(series)
        if row.final is not None and row.final.status != Tournament.Status.CANCELLED:
            _enter_holders(row, by, now, or_everybody=True)
            _set_starts(row, by, now)
            return row.final
        qualified = qualified_in(row)
        if not qualified.places:
            raise Refused("series_no_final")
        players = _holders(row, now) if standing_places(row).exists() else _people(qualified.first)
        if len(players) < 2:
            raise Refused("series_nobody_qualifies")
        zone = ZoneInfo(row.club.time_zone)
        starts = datetime.combine(max(row.last_day, now.astimezone(zone).date()), datetime.min.time(), zone)
        name = _("Final of {season}").format(season=row.name)
        event = create_tournament(
            club=row.club, by=by, now=now, name=name, starts_at=starts + LATER + timedelta(hours=19)
        )
        division = create_division(
            tournament=event, by=by, now=now, name=_("Final"), match_length=LENGTH,
            draw_method=Division.DrawMethod.ENTRY,
        )  # fmt: skip
        enter(division=division, players=players, by=by, now=now)
        division.refresh_from_db()
        first = StageSettings(KNOCKOUT, starts=qualified.rounds.starts)
        set_stages(division=division, stages=[first], after=division.seq, by=by, now=now)
        row.final, row.seq = event, row.seq + 1
        row.save(update_fields=["final", "seq"])
        log(by, "series_final_prepared", row.topic, club=row.club, name=row.name, event=event.public_id)
    return event


def _locked(series: Series) -> Series:
    """Lock a season after its club, and then the division of its final, whose players are locked last."""
    lock_club(series.club)
    row = lock_row(Series, series.pk)
    if (division := _division(row)) is not None:
        lock_division(division.pk)
    return row


def _people(ids: Iterable[str]) -> list[Player]:
    """Return the players with these public ids who have not left the site."""
    ids = list(ids)
    people = players_by_public_id(ids)
    players = [people[public_id].merged_into or people[public_id] for public_id in ids]
    return [player for player in players if not player.has_left]


def _holders(series: Series, now: datetime) -> list[Player]:
    """Return those who hold a place of the final, the better ranks first."""
    places = standing_places(series)
    return [place.player.merged_into or place.player for place in places if place.is_held(now)]


def _division(series: Series) -> Division | None:
    """Return the division of a final that is not drawn."""
    final = series.final
    if final is None or is_drawn(final):
        return None
    return final.divisions.filter(status=Division.Status.ENTRIES).order_by("pk").first()


def _set_starts(series: Series, by: Actor, now: datetime) -> None:
    """Let the ranks start in the rounds that the plan names by now; another format than a knockout stays as it is."""
    division = _division(series)
    if division is None:
        return
    first, *others = stage_settings(division)
    if first.format == KNOCKOUT:
        stages = [replace(first, starts=qualified_in(series).rounds.starts), *others]
        set_stages(division=division, stages=stages, after=division.seq, by=by, now=now)


def _enter_holders(series: Series, by: Actor, now: datetime, *, or_everybody: bool = False) -> None:
    """Let the entries of a final that is not drawn be the holders of its places; the season is locked.

    With `or_everybody` it is everybody whose rank qualifies, if all places were taken back.
    """
    division = _division(series)
    if division is None or not series.final_places.exists():
        return
    places = list(series.final_places.select_related("player__merged_into"))
    invited = {(place.player.merged_into or place.player).pk for place in places}
    asks_nobody = or_everybody and all(place.taken_back_at is not None for place in places)
    players = _people(qualified_in(series).first) if asks_nobody else _holders(series, now)
    holders = {player.pk: player for player in players}
    rows = division.entries.exclude(status=Entry.Status.OUT).select_related("player")
    entries = {row.player.merged_into_id or row.player_id: row for row in rows}
    # Whoever was entered by hand stays.
    leaving = [entry for player, entry in entries.items() if player in invited - holders.keys()]
    missing = [player for pk, player in holders.items() if pk not in entries]
    if leaving or missing:
        enter(division=division, players=missing, instead_of=leaving, by=by, now=now)


def offer(
    *, series: Series, answer_by: date | None, player: Player | None, by: Actor, now: datetime
) -> list[FinalPlace]:
    """Offer the free places of a final to the next ranks, or one of them to a player who shares the rank at the border.

    `answer_by` is the last day for an answer. What is offered already stays, so doing it twice changes nothing.
    Refused: `series_no_final`, `final_drawn`, `final_past`, and as `offer_to`.
    """
    with transaction.atomic():
        row = _locked(series)
        qualified = qualified_in(row)
        if not qualified.places:
            raise Refused("series_no_final")
        if is_drawn(row.final):
            raise Refused("final_drawn", season=row.name)
        until = None
        if answer_by is not None:
            until = end_of_day(answer_by, ZoneInfo(row.club.time_zone))
            if until <= now:
                raise Refused("final_past")
        if player is None:
            offered = offer_places(row, until, by=by, now=now, qualified=qualified)
        else:
            offered = [offer_to(row, player, by=by, now=now, qualified=qualified)]
        _enter_holders(row, by, now)
        if offered:
            row.seq += 1
            row.save(update_fields=["seq"])
    return offered


def answer(
    *, series: Series, player: Player, answer: FinalPlace.Answer, by: Actor, now: datetime, directs: bool
) -> None:
    """Say whether a player comes to the final; if not, the next rank is asked at once.

    Refused: `final_not_offered`, and as `answer_place`.
    """
    with transaction.atomic():
        row = _locked(series)
        own = standing_places(row).filter(Q(player=player) | Q(player__merged_into=player))
        places = sorted(own.select_related("series__club", "series__final"), key=lambda place: not place.is_held(now))
        if not places:
            raise Refused("final_not_offered")
        # Two players who were merged may have a place each: one is enough to come, and both are given up.
        for place in places[:1] if answer == FinalPlace.Answer.COMES else places:
            answer_place(place, answer, by=by, now=now, directs=directs)
        offer_places(row, None, by=SYSTEM, now=now)
        _enter_holders(row, SYSTEM, now)
        row.seq += 1
        row.save(update_fields=["seq"])


def withdraw_places_of(*, series: Series, player: Player | None, by: Actor, now: datetime) -> int:
    """Take back the place of a player in the final, or all offers that nobody has answered; return how many.

    The places stay free until a director offers them again. Doing it twice changes nothing. Refused:
    `final_not_offered`, `final_drawn`.
    """
    with transaction.atomic():
        row = _locked(series)
        places = standing_places(row).select_related("series__club", "series__final", "player__merged_into")
        if player is None:
            places = places.filter(answer="", answer_by__gt=now)
        else:
            own = Q(player=player) | Q(player__merged_into=player)
            places = places.filter(own)
            if not row.final_places.filter(own).exists():
                raise Refused("final_not_offered")
        taken_back = withdraw_places(row, list(places), by=by, now=now)
        if taken_back:
            _enter_holders(row, by, now)
            row.seq += 1
            row.save(update_fields=["seq"])
    return len(taken_back)


def offer_expired(now: datetime) -> int:
    """Offer the places of those who have not answered in time to the next ranks; return how many were offered."""
    late = FinalPlace.objects.filter(answer="", answer_by__range=(now - LATE_FOR, now), taken_back_at=None)
    series = Series.objects.filter(pk__in=late.order_by().values("series")).select_related("club")
    return sum(each("finals", series, lambda row: _offer_next(row, now)))


def _offer_next(series: Series, now: datetime) -> int:
    with transaction.atomic():
        row = _locked(series)
        if is_drawn(row.final):
            return 0
        offered = offer_places(row, None, by=SYSTEM, now=now)
        _enter_holders(row, SYSTEM, now)
        if offered:
            row.seq += 1
            row.save(update_fields=["seq"])
        return len(offered)


class FinalAction(SeriesAction):
    def success_url(self, request: HttpRequest, obj: Series, form: Any) -> str:
        """The event, which is a draft."""
        obj.refresh_from_db()
        assert obj.final is not None  # noqa: S101, it was prepared
        return reverse("event", args=[obj.club.slug, obj.final.slug])


@repeated(Repeat.KEY)
def _prepare(form: Any, by: Actor, now: datetime) -> str:
    """Prepare the final of a season.

    A draft event of those who qualify, seeded by their ranks; if there is one already, nothing changes.
    """
    event = prepare_final(series=form.instance, by=by, now=now)
    return _("{event} is a draft. Choose its day, see who comes, and publish it.").format(event=event.name)


final = FinalAction(
    "final",
    FinalForm,
    _prepare,
    Role.DIRECTOR,
    Endpoint("seasons_prepare_final"),
)


class OfferForm(RefusingForm):
    """The last day for answers; or one of those who share the rank at the border."""

    FIELD_OF = {"final_past": "answer_by"}

    answer_by = forms.DateField(label=_l("Answers by"), required=False)
    player = forms.CharField(max_length=PUBLIC_ID, required=False)

    def clean(self) -> dict[str, Any]:
        """Require the day, unless one player is asked."""
        fields = super().clean() or self.cleaned_data
        if not fields.get("player") and not fields.get("answer_by") and "answer_by" not in self.errors:
            self.add_error(
                "answer_by",
                forms.ValidationError(_("Choose a day to come as the last day for answers."), code="required"),
            )
        return fields


class OfferSerializer(FormSerializer):
    """To whom places are offered."""

    class Meta:
        form = OfferForm
        extra_kwargs: ClassVar = {
            "answer_by": {"help_text": "The last day for an answer."},
            "player": {"help_text": "Public id of one of those who share the rank at the border; else the next ranks."},
        }


class PlaceBackForm(RefusingForm):
    """Whose place is taken back, or that all offers without an answer are."""

    player = forms.CharField(max_length=PUBLIC_ID, required=False)
    all_open = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require one of the two."""
        fields = super().clean() or self.cleaned_data
        if bool(fields.get("player")) == bool(fields.get("all_open")):
            self.add_error(None, forms.ValidationError(_("Choose one place or all open offers."), code="required"))
        return fields


class PlaceBackSerializer(FormSerializer):
    """What is taken back."""

    class Meta:
        form = PlaceBackForm
        extra_kwargs: ClassVar = {
            "player": {"help_text": "Public id of whose place."},
            "all_open": {"help_text": "Instead: all offers that nobody has answered.", "required": False},
        }


class PlaceAnswerForm(RefusingForm):
    """Whether a player comes."""

    answer = forms.ChoiceField(choices=FinalPlace.Answer.choices)
    player = forms.CharField(max_length=PUBLIC_ID, required=False)


class PlaceAnswerSerializer(FormSerializer):
    """Whether a player comes to the final."""

    class Meta:
        form = PlaceAnswerForm
        extra_kwargs: ClassVar = {"player": {"help_text": "Public id, for directors; without it you answer yourself."}}


class AnswerPlaceAction(SeriesAction):
    """An answer of the player, or of a director who was told."""

    def fetch(self, user: Visitor, **url: str) -> Series:
        """Return the season to everybody with an account."""
        if "slug" in url:
            return series_of(url["slug"], url["series"])
        return series_by_id(url["series"])

    def perform(self, request: Any, obj: Series, form: Any, now: datetime) -> str:
        """Answer for oneself, or as a director for somebody else."""
        directs = people.is_at_least(people.role_in(request.user, obj.club), Role.DIRECTOR)
        public_id = form.cleaned_data["player"]
        if public_id and not directs:
            raise PermissionDenied
        player = people.person_of(obj.club, public_id) if public_id else player_of(request.user)
        if player is None:
            raise Refused("final_not_offered")
        form.player, form.directs = player, bool(public_id)
        return super().perform(request, obj, form, now)


@repeated(Repeat.KEY)
def _offer(form: Any, by: Actor, now: datetime) -> str:
    """Offer the places of the final of a season.

    They go to the best ranks, who are told and asked whether they come. Whoever declines, or has not answered by then,
    makes room for the next rank. 409 `series_no_final`, `final_drawn`, `final_full`.
    """
    fields = form.cleaned_data
    player = people.person_of(form.instance.club, fields["player"]) if fields["player"] else None
    offered = offer(series=form.instance, answer_by=fields["answer_by"], player=player, by=by, now=now)
    return ngettext("%(count)d place is offered.", "%(count)d places are offered.", len(offered)) % {
        "count": len(offered)
    }


@repeated(Repeat.STATE)
def _take_back(form: Any, by: Actor, now: datetime) -> str:
    """Take places of the final of a season back.

    That of a `player`, whatever they answered, or else all offers that nobody has answered. Their players are told. The
    places stay free, and nobody moves up, until you offer places again. 409 `final_not_offered`, `final_drawn`.
    """
    public_id = form.cleaned_data["player"]
    player = people.person_of(form.instance.club, public_id) if public_id else None
    count = withdraw_places_of(series=form.instance, player=player, by=by, now=now)
    if not count:
        return _("Nothing was taken back: no such offer is open.")
    return ngettext("%(count)d place was taken back.", "%(count)d places were taken back.", count) % {"count": count}


@repeated(Repeat.STATE)
def _answer(form: Any, by: Actor, now: datetime) -> str:
    """Say whether you come to the final.

    A director answers for a `player`. If somebody does not come, the next rank is asked. 409 `final_not_offered`,
    `final_answer_late`, `final_drawn`, `final_full`.
    """
    choice = FinalPlace.Answer(form.cleaned_data["answer"])
    answer(series=form.instance, player=form.player, answer=choice, by=by, now=now, directs=form.directs)
    if form.directs:
        return _("The answer is noted.")
    return _("See you at the final.") if choice == FinalPlace.Answer.COMES else _("Somebody else is asked.")


ACTIONS = (
    final,
    SeriesAction(
        "offer",
        OfferForm,
        _offer,
        Role.DIRECTOR,
        Endpoint("seasons_offer_places", OfferSerializer, {"answer_by": "2026-12-20"}),
    ),
    SeriesAction(
        "take-back",
        PlaceBackForm,
        _take_back,
        Role.DIRECTOR,
        Endpoint("seasons_take_places_back", PlaceBackSerializer, {"player": "p3n8w5r2cd"}),
    ),
    AnswerPlaceAction(
        "answer",
        PlaceAnswerForm,
        _answer,
        None,
        Endpoint("seasons_answer_place", PlaceAnswerSerializer, {"answer": "comes"}),
    ),
)
