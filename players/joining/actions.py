"""What people do about requests to join a club, on pages and through the API."""

from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from players import access
from players.access import Visitor
from players.accounts.serializers import PROBLEM, PROBLEMS, PersonSerializer
from players.actions import Endpoint, FormSerializer, UserAction
from players.actors import Actor
from players.forms import RefusingForm, YesNoField
from players.joining.services import accept_request, ask_to_join, directors_of, refuse_request, withdraw_request
from players.models import Club, JoinRequest, Merge
from players.models.people import MAX_REASON_LENGTH
from players.people.services import home_club, undo_merge
from players.requests import me


class JoinForm(RefusingForm):
    claimed = forms.CharField(required=False, max_length=LENGTH)


class WithdrawRequestForm(RefusingForm):
    """Nothing: an account has one open request to a club."""


class UndoClaimForm(RefusingForm):
    """Nothing: the URL names the claim."""


class AcceptRequestForm(RefusingForm):
    """Whether the player who is claimed becomes the account's."""

    link = YesNoField()


class RefuseForm(RefusingForm):
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=MAX_REASON_LENGTH)


class JoinSerializer(FormSerializer):
    """A request to join."""

    class Meta:
        form = JoinForm
        extra_kwargs: ClassVar = {
            "claimed": {"help_text": "Public id of the player you say you are, one of `claimable_list`; or empty."}
        }


class AcceptRequestSerializer(FormSerializer):
    """Whether the player who is claimed becomes the account's."""

    class Meta:
        form = AcceptRequestForm
        extra_kwargs: ClassVar = {
            "link": {"help_text": "Merge the player who is claimed into the account's, which can be undone."}
        }


class RefuseRequestSerializer(FormSerializer):
    """A refusal."""

    class Meta:
        form = RefuseForm
        extra_kwargs: ClassVar = {"reason": {"help_text": "The account reads it."}}


class JoinRequestSerializer(serializers.ModelSerializer[JoinRequest]):
    """A request to join a club."""

    club = serializers.SlugRelatedField("slug", read_only=True)  # type: ignore[var-annotated]
    player = PersonSerializer(source="user.player", help_text="Of the account that asks.")
    claimed = PersonSerializer(allow_null=True, help_text="Whom the account says it is; null for somebody new.")

    class Meta:
        model = JoinRequest
        fields = ("public_id", "club", "player", "claimed", "state", "reason", "created_at", "decided_at")


class OwnRequestAction(UserAction):
    """What an account does about its own request to a club."""

    who = Who.SIGNED_IN
    permissions = (IsAuthenticated,)
    responses: ClassVar = {204: None, **PROBLEMS}

    def fetch(self, user: Visitor, **url: str) -> Club:
        """Return the club; everybody may ask."""
        return access.club(url["slug"])

    def url(self, request: HttpRequest, obj: Club) -> str:
        return reverse("join-club", args=[obj.slug])

    def answer(self, request: Request, obj: Club, form: Any) -> Response:
        """Nothing: the request is no longer open."""
        return Response(status=status.HTTP_204_NO_CONTENT)


class AskAction(OwnRequestAction):
    responses: ClassVar = {200: JoinRequestSerializer, 429: PROBLEM, **PROBLEMS}

    def perform(self, request: Any, obj: Club, form: Any, now: datetime) -> str:
        """Count the attempt, then run the service."""
        throttle.count(throttle.JOIN_REQUESTS_BY, str(me(request).pk))
        return super().perform(request, obj, form, now)

    def answer(self, request: Request, obj: Club, form: Any) -> Response:
        return Response(JoinRequestSerializer(form.instance).data)


class AnswerRequestAction(UserAction):
    permissions = (IsAuthenticated,)
    responses: ClassVar = {200: JoinRequestSerializer, **PROBLEMS}

    def fetch(self, user: Visitor, **url: str) -> JoinRequest:
        """Return the request to a director of its club."""
        return access.join_request_for_director(user, url["slug"], url["public_id"])

    def url(self, request: HttpRequest, obj: JoinRequest) -> str:
        return reverse("join-requests", args=[obj.club.slug])

    def answer(self, request: Request, obj: JoinRequest, form: Any) -> Response:
        return Response(JoinRequestSerializer(form.instance).data)


@repeated(Repeat.KEY)
def _ask(form: Any, by: Actor, now: datetime) -> str:
    """Ask to join a club.

    The account becomes a member when a director accepts. With `claimed`, it says which player without an account it
    is; nothing is merged before a director has accepted that. Asking again for the same does no harm.
    """
    assert by.user is not None  # noqa: S101, an account asks.
    club = form.instance
    form.instance = ask_to_join(club=club, user=by.user, claimed=form.cleaned_data["claimed"], by=by, now=now)
    if not directors_of(club):
        return _("You have asked to join {club}. Nobody runs it, so the site’s staff answer.").format(club=club.name)
    return _("You have asked to join {club}. Its directors are notified.").format(club=club.name)


@repeated(Repeat.STATE)
def _withdraw(form: Any, by: Actor, now: datetime) -> str:
    """Withdraw your request to join a club.

    Harmless if there is none.
    """
    assert by.user is not None  # noqa: S101, an account asks.
    withdraw_request(club=form.instance, user=by.user, by=by, now=now)
    return _("Your request is withdrawn.")


@repeated(Repeat.STATE)
def _accept(form: Any, by: Actor, now: datetime) -> str:
    """Accept a request to join the club.

    For directors. With `link`, the player who is claimed is merged into the account's; for 30 days `merges_undo`, or
    `my_claims_undo` by the account, separates them.
    """
    row = accept_request(request=form.instance, link=form.cleaned_data["link"], by=by, now=now)
    form.instance = row
    return _("{name} is now a member.").format(name=row.user.display_name)


@repeated(Repeat.STATE)
def _refuse(form: Any, by: Actor, now: datetime) -> str:
    """Refuse a request to join the club.

    For directors. The account is told the reason, and may ask again.
    """
    row = refuse_request(request=form.instance, reason=form.cleaned_data["reason"], by=by, now=now)
    form.instance = row
    return _("The request of {name} is refused.").format(name=row.user.display_name)


class ClaimAction(UserAction):
    """What an account does about a player who was merged into its own."""

    who = Who.OWN
    permissions = (IsAuthenticated,)
    responses: ClassVar = {204: None, **PROBLEMS}

    def fetch(self, user: Visitor, **url: str) -> Merge:
        """Return the merge to the account that claimed the player."""
        return access.own_claim(user, int(url["pk"]))

    def url(self, request: HttpRequest, obj: Merge) -> str:
        return reverse("preferences")

    def answer(self, request: Request, obj: Merge, form: Any) -> Response:
        """Nothing: the players are separate."""
        return Response(status=status.HTTP_204_NO_CONTENT)


@repeated(Repeat.STATE)
def _undo_claim(form: Any, by: Actor, now: datetime) -> str:
    """Say that a player is not you after all.

    For 30 days after a director accepted it. The player has the name, the results and the entries from before.
    """
    merge = undo_merge(merge=form.instance, by=by, now=now, club=home_club(form.instance.player))
    return _("{name} is not you any more.").format(name=merge.player.shown_name)


CLAIMS = (ClaimAction("undo", UndoClaimForm, _undo_claim, api=Endpoint("my_claims_undo")),)
OWN_ACTIONS = (
    AskAction("ask", JoinForm, _ask, api=Endpoint("clubs_ask_to_join", JoinSerializer, {"claimed": "k7m2q9x4ab"})),
    OwnRequestAction("withdraw", WithdrawRequestForm, _withdraw, api=Endpoint("clubs_withdraw_request")),
)
ANSWERS = (
    AnswerRequestAction(
        "accept",
        AcceptRequestForm,
        _accept,
        api=Endpoint("join_requests_accept", AcceptRequestSerializer, {"link": True}),
    ),
    AnswerRequestAction(
        "refuse",
        RefuseForm,
        _refuse,
        api=Endpoint("join_requests_refuse", RefuseRequestSerializer, {"reason": "Bob is another person."}),
    ),
)
