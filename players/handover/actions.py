"""What people do about the ownership of a club, on pages and through the API."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import View, Who
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from engine.errors import Refused
from players import access
from players.access import Role, Visitor
from players.accounts.serializers import PROBLEM, PROBLEMS, PersonSerializer
from players.actions import Endpoint, FormSerializer, UserAction
from players.actors import Actor
from players.clubs.owners import next_in_charge
from players.forms import OwnerOfferForm, RefusingForm
from players.handover import services
from players.models import Club, OwnerOffer
from players.models.people import MAX_REASON_LENGTH


class UndoOfferForm(RefusingForm):
    """The password, without which an accepted offer is not taken back."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        required=False,
        strip=False,
        max_length=128,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class AskForOwnerForm(RefusingForm):
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=MAX_REASON_LENGTH)


class AnswerRequestForm(AskForOwnerForm):
    """The one to appoint, or nobody; the members read why."""

    player = forms.CharField(label=gettext_lazy("New owner"), required=False, max_length=LENGTH)


class NewOwnerOfferSerializer(FormSerializer):
    """An offer to own the club."""

    class Meta:
        form = OwnerOfferForm
        extra_kwargs: ClassVar = {"then": {"help_text": "Your role once the member has accepted."}}


class UndoOfferSerializer(FormSerializer):
    """The password."""

    class Meta:
        form = UndoOfferForm
        extra_kwargs: ClassVar = {
            "password": {"help_text": "Needed once the offer was accepted.", "trim_whitespace": False}
        }


class AskForOwnerSerializer(FormSerializer):
    """Why the club needs an owner."""

    class Meta:
        form = AskForOwnerForm
        extra_kwargs: ClassVar = {"reason": {"help_text": "The owners and the site's staff read it."}}


class AnswerRequestSerializer(FormSerializer):
    """The new owner, or none."""

    class Meta:
        form = AnswerRequestForm
        extra_kwargs: ClassVar = {
            "player": {
                "help_text": "Public id of a member with an account, or of one who asks to join; empty: nobody."
            },
            "reason": {"help_text": "The members read it."},
        }


class OwnerOfferSerializer(serializers.ModelSerializer[OwnerOffer]):
    """An offer to own a club, or a request for an owner."""

    club = serializers.SlugRelatedField("slug", read_only=True)  # type: ignore[var-annotated]
    player = PersonSerializer(allow_null=True, help_text="Who is asked; of a request, who was made owner.")
    by = PersonSerializer(source="by.player", allow_null=True, default=None, help_text="Who offers or asks.")

    class Meta:
        model = OwnerOffer
        fields = ("public_id", "club", "kind", "player", "by", "then", "reason", "answer", "state", "created_at",
                  "expires_at", "decided_at")  # fmt: skip


class OwnershipAction(UserAction):
    """What is done about the ownership of a club: `fetch` and `page` say to what, and where it goes on."""

    permissions = (IsAuthenticated,)
    responses: ClassVar = {200: OwnerOfferSerializer, 429: PROBLEM, **PROBLEMS}
    who = Who.OWN

    def __init__(self, who: Who, fetch: Callable[..., Any], page: Callable[..., str], *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.who, self.fetch, self.page = who, fetch, page  # type: ignore[method-assign]

    def guard(self, view: View) -> View:
        return sensitive_post_parameters("password")(super().guard(view))

    def url(self, request: HttpRequest, obj: Any) -> str:
        return self.page(obj)

    def answer(self, request: Request, obj: Any, form: Any) -> Response:
        return Response(OwnerOfferSerializer(form.instance).data)


def club_in_charge(user: Visitor, slug: str) -> Club:
    """Return a club to its owners and directors, to its assistants if it has none, else to members with an account."""
    club = access.club(slug)
    if access.role_given(user, club) != Role.OWNER and user.pk not in next_in_charge(club):
        raise PermissionDenied
    return club


@repeated(Repeat.STATE)
def _offer(form: Any, by: Actor, now: datetime) -> str:
    """Ask a member to be an owner of the club.

    For owners. Nothing changes before the member accepts, within 14 days; all owners are told.
    """
    row = services.offer_ownership(membership=form.instance, then=form.cleaned_data["then"], by=by, now=now)
    form.instance = row
    return _("{name} is asked. Nothing changes before they accept.").format(name=row.player.name if row.player else "")


@repeated(Repeat.STATE)
def _accept(form: Any, by: Actor, now: datetime) -> str:
    """Accept an offer and become an owner of the club.

    For the member who is asked. The giver can take it back for 72 hours.
    """
    form.instance = services.accept_offer(offer=form.instance, by=by, now=now)
    return _("You are now an owner of {club}.").format(club=form.instance.club.name)


@repeated(Repeat.STATE)
def _decline(form: Any, by: Actor, now: datetime) -> str:
    """Decline an offer, or say that you are here.

    For the member who is asked; a request for an owner ends when one of the owners answers it so.
    """
    form.instance = services.decline(offer=form.instance, by=by, now=now)
    return _("Thank you. This is settled, and who asked is told.")


@repeated(Repeat.STATE)
def _undo(form: Any, by: Actor, now: datetime) -> str:
    """Take an offer or a request back.

    For whoever made it; within 72 hours of the acceptance with the `password`. Everybody then has the role of before.
    """
    assert by.user is not None  # noqa: S101, an account sends it.
    if password := form.cleaned_data["password"]:
        throttle.count(throttle.PASSWORD_OF, str(by.user.pk))
        if not by.user.check_password(password):
            raise Refused("wrong_password")
    form.instance = services.undo_offer(offer=form.instance, is_confirmed=bool(password), by=by, now=now)
    return _("This is taken back.")


@repeated(Repeat.STATE)
def _ask(form: Any, by: Actor, now: datetime) -> str:
    """Say that nobody runs the club.

    For directors; if there are none, for assistants, else for members. The owners are asked by e-mail; after 14 days,
    or at once if no owner can sign in, the site's staff choose an owner.
    """
    assert by.user is not None  # noqa: S101, an account asks.
    throttle.count(throttle.OWNER_REQUESTS_BY, str(by.user.pk))
    form.instance = services.ask_for_owner(club=form.instance, reason=form.cleaned_data["reason"], by=by, now=now)
    return _("You have asked for an owner.")


@repeated(Repeat.STATE)
def _answer(form: Any, by: Actor, now: datetime) -> str:
    """Choose an owner for a club that nobody runs, or dismiss the request.

    For those who run the site. All members are told the reason.
    """
    chosen = form.cleaned_data["player"]
    player = services.candidates(form.instance.club).filter(public_id=chosen).first()
    if chosen and player is None:
        raise Refused("owner_unknown")
    reason = form.cleaned_data["reason"]
    form.instance = services.answer_request(request=form.instance, player=player, reason=reason, by=by, now=now)
    return _("The members of {club} are told.").format(club=form.instance.club.name)


def _of_staff(user: Visitor, slug: str) -> OwnerOffer:
    """Return the request of a club to those who run the site; else 403."""
    access.club_or_site(user, "")
    return get_object_or_404(
        OwnerOffer.objects.filter(kind=OwnerOffer.Kind.REQUEST, club__slug=slug).order_by("-pk")[:1]
    )


def _offer_page(offer: OwnerOffer) -> str:
    return reverse("owner-offer", args=[offer.public_id])


OFFER = OwnershipAction(
    Who.OWNERS,
    access.member_for_owner,
    lambda member: reverse("club-member", args=[member.club.slug, member.player.public_id]),
    "owner",
    OwnerOfferForm,
    _offer,
    api=Endpoint("members_offer_ownership", NewOwnerOfferSerializer, {"then": "director"}),
)
OFFERS = tuple(
    OwnershipAction(Who.OWN, access.owner_offer, _offer_page, name, form, run, api=endpoint)
    for name, form, run, endpoint in (
        ("accept", RefusingForm, _accept, Endpoint("owner_offers_accept")),
        ("decline", RefusingForm, _decline, Endpoint("owner_offers_decline")),
        (
            "undo",
            UndoOfferForm,
            _undo,
            Endpoint("owner_offers_undo", UndoOfferSerializer, {"password": "crawford-1969"}),
        ),
    )
)
ASK = OwnershipAction(
    Who.DIRECTORS,
    club_in_charge,
    lambda club: reverse("club-nobody", args=[club.slug]),
    "nobody",
    AskForOwnerForm,
    _ask,
    api=Endpoint("clubs_ask_for_owner", AskForOwnerSerializer, {"reason": "Olga has moved away."}),
)
ANSWER = OwnershipAction(
    Who.SITE,
    _of_staff,
    lambda request: reverse("ownerless-clubs"),
    "answer",
    AnswerRequestForm,
    _answer,
    api=Endpoint("ownerless_answer", AnswerRequestSerializer, {"player": "k7m2q9x4ab", "reason": "She directs it."}),
)
