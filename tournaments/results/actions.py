"""What directors and helpers decide about one match, on its page and through the API.

Results, forfeits, rulings, accepted records, answers to objections, deadlines and withdrawals.
"""

from datetime import datetime
from typing import Any, ClassVar

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response

from core.messages import status_of
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from matches.reporting import objections
from matches.reporting.records import RecordRuling
from players.access import Visitor
from players.actions import Endpoint, FormSerializer
from tournaments import access
from tournaments.entries.previews import withdrawal_view
from tournaments.events import deadlines
from tournaments.events.actions import TournamentAction, event_url_args, missed, zone_of
from tournaments.events.forms import localise
from tournaments.models import Fixture
from tournaments.results import services as results
from tournaments.results.api import ScoreField, fixture_response
from tournaments.results.forms import (
    AS_RECORDED,
    BOTH,
    NOBODY,
    AcceptRecordForm,
    AnswerObjectionForm,
    DecisionForm,
    DueForm,
    ForfeitForm,
    ResultForm,
    RulingForm,
    WithdrawPlayerForm,
)
from tournaments.results.page.fixture import SentForm, render_fixture
from tournaments.results.quick_entry import result_summary
from tournaments.state.api import WRITE, FixtureSerializer
from tournaments.state.names import match_names, shown_entry

# Serializers: the fields of the forms, where the API has other names or types for some.


class SidesField(ScoreField):
    """The points of both sides, which a form has as `left` and `right`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(source="*", **options)

    def run_validation(self, data: Any = empty) -> dict[str, int]:
        return dict(zip(("left", "right"), super().run_validation(data) or (), strict=False))


class WinnerField(serializers.IntegerField):
    """A side, or null, for which a form has a name of its own."""

    def __init__(self, *, null: str, **options: Any) -> None:
        super().__init__(min_value=0, max_value=1, allow_null=True, **options)
        self.null = null

    def run_validation(self, data: Any = empty) -> Any:
        side = super().run_validation(data)
        return self.null if side is None else side


class PlayedScoreSerializer(FormSerializer):
    """The score of a match that was played."""

    score = SidesField()

    class Meta:
        form = ResultForm
        exclude = ("left", "right", "winner", "points")
        extra_kwargs: ClassVar = {"after": {"help_text": "The match's `seq` you saw."}}

    def validate_score(self, score: dict[str, int]) -> dict[str, int]:
        if score["left"] == score["right"]:
            raise serializers.ValidationError(_("Nobody has won."), code="draw")
        return score


class ForfeitSerializer(FormSerializer):
    """The side that forfeits, or both."""

    class Meta:
        form = ForfeitForm


class ObjectionAnswerSerializer(FormSerializer):
    """The answer to a player's objection."""

    class Meta:
        form = AnswerObjectionForm
        extra_kwargs: ClassVar = {
            "objection": {"help_text": "Its public id, as in the match."},
            "upheld": {"help_text": "If upheld, the result still has to be corrected."},
            "reason": {"required": True, "help_text": "Both players see it."},
        }


class RulingSerializer(FormSerializer):
    """A director's ruling."""

    winner = WinnerField(null=NOBODY)
    score = SidesField(required=False, allow_null=True)

    class Meta:
        form = RulingForm
        exclude = ("left", "right")
        extra_kwargs: ClassVar = {"reason": {"required": True}}


class DueSerializer(FormSerializer):
    """A later deadline for one match."""

    class Meta:
        form = DueForm


class SideSerializer(FormSerializer):
    """Which of the two players withdraws, and from what."""

    side = serializers.IntegerField(min_value=0, max_value=1)

    class Meta:
        form = WithdrawPlayerForm
        exclude = ("confirmed",)


class WaivedSerializer(serializers.Serializer[Any]):
    """A finding that is waived."""

    code = serializers.CharField(max_length=60)
    game = serializers.IntegerField(allow_null=True, required=False, default=None)
    ply = serializers.IntegerField(allow_null=True, required=False, default=None)


class AcceptRecordSerializer(FormSerializer):
    """A rejected record to accept by ruling."""

    submission = serializers.CharField(max_length=10, source="record")
    waived = WaivedSerializer(many=True, source="waive")
    winner = WinnerField(
        null=AS_RECORDED, required=False, default=None, help_text="With `score`, if the record is incomplete."
    )
    score = SidesField(required=False, allow_null=True, default=None)

    class Meta:
        form = AcceptRecordForm
        exclude = ("left", "right")
        extra_kwargs: ClassVar = {"swapped": {"allow_null": True, "default": None}}


class FixtureAction(TournamentAction):
    """A decision on a fixture. The page goes on at the console; a refused form is shown again as it was filled in."""

    responses: ClassVar[dict[int, Any]] = {200: FixtureSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Fixture:
        at = (url["club"], url["slug"]) if "club" in url else None
        return access.fixture_as(user, url["fixture"], self.needed, at)

    def bind(self, obj: Fixture, data: Any, now: datetime) -> DecisionForm:
        form: DecisionForm = self.form(data, names=match_names(obj, staff=True))
        form.instance = obj
        return form

    def url(self, request: HttpRequest, obj: Fixture) -> str:
        return reverse("console", args=event_url_args(obj.stage.division.tournament))

    def invalid(self, request: HttpRequest, obj: Fixture, form: DecisionForm) -> HttpResponse:
        return render_fixture(request, obj, SentForm(self.name, form))

    def refused(self, request: HttpRequest, obj: Fixture, form: DecisionForm, refused: Refused) -> HttpResponse:
        """Show what has changed since, if the page was stale."""
        form.refuse(refused)
        fresh = access.fixture_as(request.user, obj.public_id, access.HELPER)
        topics = [fresh.match.topic] if fresh.match else []
        return render_fixture(
            request,
            fresh,
            SentForm(self.name, form),
            missed=missed(request, refused, obj.stage.division.tournament, topics),
            successor_begun=refused.code == "successor_begun",
            status=status_of(refused.code),
        )

    def answer(self, request: Request, obj: Fixture, form: Any) -> Response:
        return fixture_response(request, obj)


class WithdrawPlayerAction(FixtureAction):
    """The withdrawal of a player on the page of a match, after its preview."""

    def question(self, request: HttpRequest, obj: Fixture, form: Any) -> HttpResponse | None:
        """Show what follows from the withdrawal, until that is confirmed."""
        data = form.cleaned_data
        if data["confirmed"]:
            return None
        try:
            entry, preview = results.preview_withdrawal_of_side(
                fixture=obj, side=int(data["side"]), scope=data["scope"]
            )
        except Refused as refused:
            return self.refused(request, obj, form, refused)
        event = obj.stage.division.tournament
        context = {
            "club": event.club,
            "tournament": event,
            "division": obj.stage.division,
            "title": f"{_('Withdraw')} · {shown_entry(entry, staff=True)}",
            "parts": withdrawal_view(preview),
            "action": request.path,
            "hidden": {"side": data["side"], "scope": data["scope"], "reason": data["reason"], "confirmed": "on"},
            "button": _("Withdraw"),
            "is_danger": True,
            "cancel_url": reverse("fixture", args=[*event_url_args(event), obj.public_id]),
        }
        return render(request, "tournaments/entries/entry_preview.html", context)


class AnswerObjectionAction(FixtureAction):
    """The answer to an objection; after one that is upheld, the page goes on at the correction."""

    def success_url(self, request: HttpRequest, obj: Fixture, form: AnswerObjectionForm) -> str:
        if form.cleaned_data["upheld"]:
            return reverse("fixture-correct", args=(*event_url_args(obj.stage.division.tournament), obj.public_id))
        return super().success_url(request, obj, form)


def _summary(fixture: Fixture, result: Result) -> str:
    fixture.refresh_from_db()
    return f"M{fixture.number} · {result_summary(fixture, result)}"


def _enter_result(form: ResultForm, **acting: Any) -> str:
    """Enter the score of a match that was played.

    For assistants and helpers. Sending the same result twice records it once.
    """
    assert form.score is not None  # noqa: S101, both fields are required
    outcome = ResultInput.played(form.score)
    result = results.enter_result(
        fixture=form.instance, result=outcome, settle_after=results.undo_window(), **form.common, **acting
    )
    return _summary(form.instance, result)


def _forfeit(form: ForfeitForm, **acting: Any) -> str:
    """Record a forfeit by one side or both.

    For assistants and helpers.
    """
    side = None if form.cleaned_data["side"] == BOTH else int(form.cleaned_data["side"])
    acting |= {"settle_after": results.undo_window()}
    return _summary(form.instance, results.forfeit(fixture=form.instance, side=side, **form.common, **acting))


def _rule(form: RulingForm, **acting: Any) -> str:
    """Rule on a match.

    For directors; ends a dispute. The reason is shown to both players.
    """
    outcome = {"winner": form.winning_side, "score": form.score, "kind": form.cleaned_data["kind"]}
    return _summary(form.instance, results.rule(fixture=form.instance, **outcome, **form.common, **acting))


def _accept(form: AcceptRecordForm, **acting: Any) -> str:
    """Accept a rejected record by ruling, naming the findings waived.

    For directors. 422 `findings_not_waived` names what is missing.
    """
    data, match = form.cleaned_data, form.instance.match
    record = match.submissions.filter(public_id=data["record"]).first() if match is not None else None
    if record is None:
        raise Http404
    ruling = RecordRuling(
        waived=data["waive"],
        swapped=data["swapped"],
        winner=form.winning_side,
        score=form.score,
        reason=data["reason"],
    )
    result = results.accept_record(
        fixture=form.instance, submission=record, ruling=ruling, after=data["after"], **acting
    )
    return _summary(form.instance, result)


def _answer_objection(form: AnswerObjectionForm, **acting: Any) -> str:
    """Uphold or dismiss a player's objection to the result.

    For directors. Upheld, the result still stands until it is corrected.
    """
    data = form.cleaned_data
    objections.answer_objection(
        objection=access.objection_of(form.instance, data["objection"]),
        upheld=data["upheld"],
        answer=data["reason"],
        after=data["after"],
        **acting,
    )
    return _("Objection upheld.") if data["upheld"] else _("Objection dismissed.")


def _extend(form: DueForm, **acting: Any) -> str:
    """Move the deadline of one match.

    For directors. 422 `deadline_not_ahead` for an instant that has passed.
    """
    due_at = localise(form.cleaned_data["due_at"], zone_of(form.instance.stage.division.tournament))
    deadlines.extend_deadline(fixture=form.instance, due_at=due_at, **form.common, **acting)
    return _("M%(number)d has a new deadline.") % {"number": form.instance.number}


@repeated(Repeat.STATE)
def _withdraw(form: WithdrawPlayerForm, **acting: Any) -> str:
    """Withdraw one of the two from this bracket, the division or the event.

    For directors.
    """
    side, scope = int(form.cleaned_data["side"]), form.cleaned_data["scope"]
    entry = results.withdraw_side(fixture=form.instance, side=side, scope=scope, **form.common, **acting)
    return _("%(name)s has withdrawn.") % {"name": entry.player.full_name}


ACTIONS = (
    FixtureAction("result", ResultForm, _enter_result, access.HELPER, Endpoint(
        "fixtures_result", PlayedScoreSerializer, {"score": [11, 7], "after": 0}, "11–7"
    )),
    FixtureAction("forfeit", ForfeitForm, _forfeit, access.HELPER, Endpoint(
        "fixtures_forfeit", ForfeitSerializer, {"side": "1", "reason": "did not come", "after": 0}, "Side 1"
    )),
    FixtureAction("rule", RulingForm, _rule, api=Endpoint(
        "fixtures_rule",
        RulingSerializer,
        {"winner": 0, "score": [11, 9], "reason": "sheet signed", "after": 2},
        "Ruling",
    )),
    FixtureAction("accept", AcceptRecordForm, _accept, api=Endpoint(
        "fixtures_accept_record",
        AcceptRecordSerializer,
        {
            "submission": "k7m2q9x4ab",
            "waived": [{"code": "illegal_play", "game": 2, "ply": 17}],
            "reason": "Both agree.",
            "after": 2,
        },
    )),
    AnswerObjectionAction("objection", AnswerObjectionForm, _answer_objection, api=Endpoint(
        "fixtures_objection",
        ObjectionAnswerSerializer,
        {"objection": "k3m9x2p7qa", "upheld": False, "reason": "Two saw it end.", "after": 4},
        "Dismissed",
    )),
    FixtureAction("extend", DueForm, _extend, api=Endpoint(
        "fixtures_deadline",
        DueSerializer,
        {"due_at": "2026-12-04T20:00:00+01:00", "after": 1},
        path="deadline",
        method="put",
    )),
    WithdrawPlayerAction("withdraw", WithdrawPlayerForm, _withdraw, api=Endpoint(
        "fixtures_withdraw", SideSerializer, {"side": 1, "scope": "division", "reason": "Ill."}
    )),
)  # fmt: skip
