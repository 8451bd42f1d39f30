"""Deciding a kept act: directors decide all of them, helpers and assistants the notes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.repeats import Repeat, repeated
from players.access import Role, Visitor, is_at_least
from players.actions import Endpoint
from players.actors import Actor
from players.forms import RefusingForm
from players.kept.acts import NOTE
from players.models import KeptAct
from tournaments.access import HELPER, require_in
from tournaments.events.actions import EventAction, event_url_args
from tournaments.floor.kept import decisions
from tournaments.floor.kept.entering import enter
from tournaments.floor.kept.needs import kept_acts_of
from tournaments.models import Tournament
from tournaments.state.api import WRITE


class DecideForm(RefusingForm):
    """Nothing: the URL names the act."""


class ActOfEvent(NamedTuple):
    """A kept act with the event that it is about."""

    tournament: Tournament
    act: KeptAct


class DecidedActSerializer(serializers.Serializer[Any]):
    """A kept act that was decided."""

    act = serializers.IntegerField(source="pk")
    decision = serializers.ChoiceField(KeptAct.Decision.choices)
    decided_at = serializers.DateTimeField()


class DecideAction(EventAction):
    """What somebody decides about a kept act of an event."""

    responses: ClassVar[dict[int, Any]] = {200: DecidedActSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Any:
        """Return the act that a URL names to somebody who may decide it."""
        number = url.pop("kept")
        event = super().fetch(user, **url)
        act = act_of(event, number)
        if not may_decide(act, require_in(user, event, HELPER)):
            raise PermissionDenied
        return ActOfEvent(event, act)

    def url(self, request: HttpRequest, obj: ActOfEvent) -> str:
        # An event without a floor has a console.
        return reverse("console", args=event_url_args(obj.tournament))

    def answer(self, request: Request, obj: ActOfEvent, form: Any) -> Response:
        return Response(DecidedActSerializer(form.instance.act).data)


def may_decide(act: KeptAct, role: Role | None) -> bool:
    """Whether somebody with this role may decide a kept act; None: a helper of the event."""
    return act.action == NOTE or is_at_least(role, Role.DIRECTOR)


def act_of(tournament: Tournament, number: str) -> KeptAct:
    """Return a kept act of an event or one of its matches; 404 if it has no such act."""
    act = kept_acts_of(tournament).filter(pk=number).first()
    if act is None:
        raise Http404
    return act


@repeated(Repeat.STATE)
def _leave(form: DecideForm, by: Actor, now: datetime) -> str:
    """Leave everything as it is, although something that was kept differs from it or was refused.

    For directors; a note also for assistants and helpers. Repeating it changes nothing. 409 `kept_decided`.
    """
    event, act = form.instance
    form.instance = ActOfEvent(event, decisions.leave(tournament=event, act=act, by=by, now=now))
    return _("Left as it is.")


@repeated(Repeat.STATE)
def _enter(form: DecideForm, by: Actor, now: datetime) -> str:
    """Do on the floor what was kept, once what its reader saw has become true.

    For directors; it counts as entered by you, now. Repeating it changes nothing. 409 `kept_still_differs`,
    `kept_decided`, and what the action itself refuses.
    """
    event, act = form.instance
    form.instance = ActOfEvent(event, enter(tournament=event, act=act, by=by, now=now))
    return _("Entered.")


_ALL = (
    DecideAction("leave", DecideForm, _leave, HELPER, Endpoint("tournaments_leave_kept")),
    DecideAction("enter", DecideForm, _enter, HELPER, Endpoint("tournaments_enter_kept")),
)
ACTIONS: Mapping[str, DecideAction] = {action.name: action for action in _ALL}
