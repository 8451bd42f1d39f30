"""What players do with a match, on its page and through the API: report, answer, object, agree on times and lengths.

Players use their account or a personal link; `instance` of each form is the seat for which it was sent. Every write
that sends the `seq` it is based on can be repeated with its key.
"""

import functools
from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import View, Who, open_to
from core.api import read_after
from core.messages import sentence
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches import access
from matches.access import LINK, MatchSeat, action_url, match_url, seat_of, side_of
from matches.lifecycle import arrivals
from matches.lifecycle.at_tables import Answered, EnteredScore, Offered
from matches.lifecycle.events import events
from matches.lifecycle.own_match import who_decides
from matches.models import Match, Proposal, Submission
from matches.play import starting
from matches.play.api import LiveMatchSerializer, live_response
from matches.play.deciding_ahead import decide_ahead
from matches.records.intake import RecordForm, count_upload, record_in
from matches.records.submissions import RecordFile
from matches.reporting import appointments, kept, objections, records, reports
from matches.reporting.api import ERRORS, IF_MATCH, MatchLengthSerializer, length_response, match_response
from matches.reporting.forms import (
    AcceptTimeForm,
    AheadForm,
    LengthAnswerForm,
    LengthOfferForm,
    NamesForm,
    NoteForm,
    ObjectionForm,
    ReportForm,
    RunningScoreForm,
    TapForm,
    TimesForm,
)
from matches.reporting.page import page, seated, zone_for
from matches.reporting.reports import sheet_thanks
from matches.reporting.serializers import AFTER, MatchSerializer
from players.accounts.serializers import PROBLEM
from players.actions import Endpoint, FormSerializer, UserAction
from players.actors import Actor
from players.kept.acts import Kept

RECORD = r"(?P<record_id>[2-9a-z]{10})"
PROPOSAL = r"(?P<proposal_id>[2-9a-z]{10})"

# Serializers: the fields of the forms, where the API has other names or types for some.


class _Acting:
    exclude = ("key",)
    extra_kwargs: ClassVar = {"after": {"help_text": AFTER}}


class ContestSerializer(FormSerializer):
    """An answer with an optional note."""

    class Meta(_Acting):
        form = NoteForm


class ObjectingSerializer(FormSerializer):
    """An objection to a result."""

    class Meta(_Acting):
        form = ObjectionForm


class RecordNamesSerializer(FormSerializer):
    """Which player of a record is which."""

    left = serializers.IntegerField(min_value=0, max_value=1, help_text="The side of the record's left player.")

    class Meta(_Acting):
        form = NamesForm


class AcceptSerializer(FormSerializer):
    """One of the proposed times."""

    time = serializers.DateTimeField()

    class Meta(_Acting):
        form = AcceptTimeForm


class AheadSerializer(FormSerializer):
    """How the double is answered that may come now."""

    class Meta:
        form = AheadForm
        extra_kwargs: ClassVar = {
            "answer": {"help_text": "`ask` withdraws what was decided."},
            "last": {"help_text": "The number of the last action that you saw (`last` of the board)."},
        }


class AnsweringSerializer(FormSerializer):
    """The offer that is answered."""

    class Meta:
        form = LengthAnswerForm


class MatchAction(UserAction):
    """What a player does with a match; a form that is refused is shown again on its page as it was filled in.

    `at` is the last part of the URL of the page and `api_name` the name of that of the endpoint, if not as usual. One
    without `has_form` is sent to its endpoint by the script of a page.
    """

    responses: ClassVar[dict[int, Any]] = {200: MatchSerializer, **ERRORS}
    permissions = (AllowAny,)
    who = Who.PLAYERS
    takes_sheet: ClassVar[bool] = False
    has_form: ClassVar[bool] = True

    def __init__(
        self,
        name: str,
        form: type[TapForm | RecordForm],
        run: Callable[..., str],
        api: Endpoint | None = None,
        *,
        at: str = "",
        api_name: str = "",
        kept: Kept | None = None,
    ) -> None:
        super().__init__(name, form, run, api=api, kept=kept)
        self.at, self.api_name = at or name, api_name or name

    def find(self, request: Any, **url: str) -> MatchSeat:
        """Return the seat that the request acts for. Raise Http404 or NotAuthenticated without one."""
        if isinstance(request, Request):
            seat = seat_of(request, url["public_id"])
        else:
            seat = seated(request, url.get("public_id", ""), url.get("token", ""))
        if seat.side is None and not self.takes_sheet:
            raise Http404
        return seat._replace(about=self.about(request, seat, **url))

    def about(self, request: Any, seat: MatchSeat, **url: str) -> Any:
        """Return what else the action needs."""

    def bind(self, obj: MatchSeat, data: Any, now: datetime) -> Any:
        return self.form(data, seat=obj)

    def guard(self, view: View) -> View:
        """Let anonymous visitors without a link sign in first, then see the match."""

        for_players = open_to(post=self.who)(view)

        @never_cache
        @functools.wraps(for_players)
        def guarded(request: HttpRequest, **url: str) -> HttpResponseBase:
            if "token" in url or request.user.is_authenticated:
                return for_players(request, **url)
            return redirect_to_login(reverse("match", args=[url["public_id"]]))

        return guarded

    def url(self, request: HttpRequest, obj: MatchSeat) -> str:
        return match_url(obj)

    def invalid(self, request: HttpRequest, obj: MatchSeat, form: Any) -> HttpResponse:
        return page(request, obj.match, obj, filled=form)

    def refused(self, request: HttpRequest, obj: MatchSeat, form: Any, refused: Refused) -> HttpResponse:
        obj.match.refresh_from_db()
        return page(request, obj.match, obj, refused=refused, filled=form)

    def perform(self, request: Any, obj: MatchSeat, form: Any, now: datetime) -> str:
        return self.run(form, by=obj.by, now=now)

    def parameters(self) -> list[OpenApiParameter]:
        return [LINK, IF_MATCH] if "after" in self.form.base_fields else [LINK]

    def values(self, request: Request) -> dict[str, Any]:
        values = super().values(request)
        if "after" not in self.form.base_fields:
            return values
        return {"after": read_after(request, values), **values}

    def answer(self, request: Request, obj: MatchSeat, form: Any) -> Response:
        return match_response(request, obj, next(iter(self.responses)))


class BoardAction(MatchAction):
    """Opens the match for play here; the page goes on at its board."""

    def success_url(self, request: HttpRequest, obj: MatchSeat, form: Any) -> str:
        return action_url(obj, "play")


class ReportAction(MatchAction):
    """Reports a score, also from the score sheet."""

    takes_sheet = True


class ObjectionAction(MatchAction):
    responses: ClassVar[dict[int, Any]] = {201: MatchSerializer, **ERRORS}


class UploadAction(MatchAction):
    def about(self, request: Any, seat: MatchSeat, **url: str) -> Any:
        return request.FILES

    def bind(self, obj: MatchSeat, data: Any, now: datetime) -> Any:
        form = RecordForm(data, obj.about)
        form.instance = obj
        return form

    def perform(self, request: Any, obj: MatchSeat, form: Any, now: datetime) -> str:
        count_upload(request)
        return super().perform(request, obj, form, now)


class NamesAction(MatchAction):
    """Says something about a record of the match."""

    def about(self, request: Any, seat: MatchSeat, **url: str) -> str:
        return url["record_id"]


class TimesAction(MatchAction):
    """Proposes times in the time zone of the page."""

    def about(self, request: Any, seat: MatchSeat, **url: str) -> ZoneInfo:
        return zone_for(request, seat.match, seat)

    def bind(self, obj: MatchSeat, data: Any, now: datetime) -> TimesForm:
        return TimesForm(data, seat=obj, zone=obj.about)


class ProposalAction(MatchAction):
    """Answers a proposal of times, or takes it back."""

    def about(self, request: Any, seat: MatchSeat, **url: str) -> Proposal:
        return access.proposal_of(seat, url["proposal_id"])


class AheadAction(MatchAction):
    """Decides something ahead at a board."""

    has_form = False
    responses: ClassVar[dict[int, Any]] = {200: LiveMatchSerializer, **ERRORS}

    def answer(self, request: Request, obj: MatchSeat, form: Any) -> Response:
        return live_response(request, obj, form.cleaned_data["last"])


class ArrivalAction(MatchAction):
    responses: ClassVar[dict[int, Any]] = {200: MatchSerializer, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM, 409: PROBLEM}


class LengthAction(MatchAction):
    """Offers a shorter length or answers an offer."""

    responses: ClassVar[dict[int, Any]] = {200: MatchLengthSerializer, **ERRORS}

    def answer(self, request: Request, obj: MatchSeat, form: Any) -> Response:
        return length_response(obj)


@repeated(Repeat.STATE)
def _play_here(form: TapForm, **acting: Any) -> str:
    starting.open_by_player(match=form.instance.match, **acting)
    return ""


@repeated(Repeat.HARMLESS)
def _decide_ahead(form: AheadForm, *, by: Actor, now: datetime) -> str:
    """Decide ahead how to answer the double that your opponent may offer now (correspondence).

    It holds for this turn of your opponent, who does not see it, and can be withdrawn until the double arrives.
    """
    decide_ahead(**form.seat, answer=form.decision, last=form.cleaned_data["last"], now=now)
    return ""


def _report(form: ReportForm, **acting: Any) -> str:
    seat = form.instance
    report = reports.ScoreReport(*form.report, form.cleaned_data["note"])
    sent = {"match": seat.match, "report": report, **form.version, **acting}
    if form.cleaned_data["kept"]:
        stored = reports.report_late(side=seat.side, says_side=form.says_side, **sent).report
    elif seat.side is None:
        stored = reports.report_from_sheet(says_side=form.says_side, **sent).report
    else:
        stored = reports.report_score(side=seat.side, **sent).report
    return sheet_thanks(stored) if seat.side is None else _reported(access.refetch(seat.match), stored.is_own_loss)


def _reported(match: Match, is_own_loss: bool) -> str:
    """The message after a report, by what it led to."""
    if match.state == Match.State.SETTLED:
        return _("The result stands.")
    if match.state == Match.State.DISPUTED:
        return f"{_('The other player reported a different result.')} {who_decides(match)}"
    if is_own_loss:
        return _("Reported. It stands soon, unless you withdraw it.")
    return _("Reported. The other player has to confirm it.")


def _confirm(form: NoteForm, **acting: Any) -> str:
    """Confirm the other side's report, or a provisional result.

    The report then stands.
    """
    reports.confirm(**form.seat, **form.version, **acting)
    return _("The result stands.")


def _contest(form: NoteForm, **acting: Any) -> str:
    """Contest the other side's report.

    It makes a dispute, on which a director rules.
    """
    reports.contest(note=form.cleaned_data["note"], **form.seat, **form.version, **acting)
    return f"{_('You contest the report.')} {who_decides(form.instance.match)}"


def _concede(form: NoteForm, **acting: Any) -> str:
    """Concede a dispute by agreeing to the other side's report.

    The report then stands.
    """
    reports.concede(**form.seat, **form.version, **acting)
    return _("The result stands.")


def _withdraw(form: NoteForm, **acting: Any) -> str:
    """Withdraw your own report.

    Possible until the other side has answered it.
    """
    reports.withdraw_report(**form.seat, **form.version, **acting)
    return _("Your report is withdrawn.")


def _acknowledge(form: NoteForm, **acting: Any) -> str:
    """Acknowledge the other side's report, or a provisional result, which starts its waiting time.

    Reading the match does not start it, since a link preview might do that.
    """
    reports.acknowledge(**form.seat, after=form.cleaned_data["after"], **acting)
    return _("Marked as seen.")


def _object(form: ObjectionForm, **acting: Any) -> str:
    """Object to a result that was accepted without your answer.

    Possible once. The result stands until a director decides.
    """
    objections.object_to_result(reason=form.cleaned_data["reason"], **form.seat, **form.version, **acting)
    return _("Your objection was sent to the director. The result stands until the director decides.")


@repeated(Repeat.KEY)
def _send_record(form: RecordForm, **acting: Any) -> str:
    file, seat = form.cleaned_data["file"], form.instance
    data, name = record_in(file, form.cleaned_data["text"])
    record = RecordFile(data, Submission.Source.UPLOAD if file else Submission.Source.PASTE, name)
    sent = records.submit_for_match(match=seat.match, side=seat.side, file=record, **acting)
    if not sent.created and records.is_from_opponent(sent.submission, seat.side):
        return sentence("already_uploaded", {})
    return _("The record has been sent and is being checked.")


def _identify_players(form: NamesForm, **acting: Any) -> str:
    """Say which player of a record is which.

    Only the sender can say it. The names are remembered, so it is asked only once.
    """
    data, seat = form.cleaned_data, form.instance
    record, swapped = access.record_of(seat, seat.about), data["left"] == 1
    records.identify_players(submission=record, swapped=swapped, side=side_of(seat), after=data["after"], **acting)
    return _("Thank you. These names will be remembered.")


def _propose(form: TimesForm, **acting: Any) -> str:
    offer = appointments.Dates(form.times, form.cleaned_data["note"])
    appointments.propose(offer=offer, **form.seat, **form.version, **acting)
    return _("Times proposed.")


def _accept_time(form: AcceptTimeForm, **acting: Any) -> str:
    """Accept one of the proposed times.

    The appointment is binding for both players.
    """
    proposal, side = form.instance.about, side_of(form.instance)
    appointments.accept(proposal=proposal, side=side, time=form.cleaned_data["time"], **form.version, **acting)
    return _("Time agreed.")


def _withdraw_times(form: NoteForm, **acting: Any) -> str:
    """Withdraw your own proposed times.

    Possible until the other player has answered.
    """
    proposal, side = form.instance.about, side_of(form.instance)
    appointments.withdraw_proposal(proposal=proposal, side=side, **form.version, **acting)
    return _("Your proposed times are withdrawn.")


@repeated(Repeat.STATE)
def _arrive(form: TapForm, **acting: Any) -> str:
    """Say that I am here for the appointment.

    From 15 minutes before the time; saying it again changes nothing.
    """
    arrivals.arrive(**form.seat, **acting)
    return _("Your opponent can see that you are here.")


@repeated(Repeat.STATE)
def _claim_no_show(form: TapForm, **acting: Any) -> str:
    """Win by forfeit because the opponent did not come.

    `no_show_minutes` after the time, by whoever was there, where the division has `no_show_loses`.
    """
    arrivals.claim_no_show(**form.seat, **acting)
    return _("You have won the match by forfeit.")


@repeated(Repeat.KEY)
def _enter_score(form: RunningScoreForm, **acting: Any) -> str:
    entered = EnteredScore(**form.seat, score=form.score)
    events().record_score(entered, **acting)
    if max(entered.score) >= entered.match.length:
        return _("That score decides the match. Both of you are asked whether it is over.")
    return _("The score so far is saved.")


@repeated(Repeat.KEY)
def _offer_length(form: LengthOfferForm, **acting: Any) -> str:
    move = Offered(**form.seat, length=form.cleaned_data["length"], score=form.score)
    return _moved(move, _("Offered. The match stays as it is until your opponent agrees."), **acting)


@repeated(Repeat.STATE)
def _accept_length(form: LengthAnswerForm, **acting: Any) -> str:
    """Agree to the shorter length that is on offer.

    The match has the length as soon as both players agree.
    """
    move = Answered(**form.seat, offer=form.cleaned_data["offer"], accepted=True)
    return _moved(move, _("You agree. Your opponent has not answered yet."), **acting)


@repeated(Repeat.STATE)
def _decline_length(form: LengthAnswerForm, **acting: Any) -> str:
    """Decline the shorter length that is on offer, or withdraw it.

    The match keeps its length.
    """
    move = Answered(**form.seat, offer=form.cleaned_data["offer"], accepted=False)
    return _moved(move, _("The match keeps its length."), **acting)


def _moved(move: Offered | Answered, unchanged: str, **acting: Any) -> str:
    """Record an offer or an answer; return the new length if both agree, else that nothing has changed so far."""
    events().record_length(move, **acting)
    length = access.refetch(move.match).length
    if length == move.match.length:
        return unchanged
    return _("Agreed: you play to {length} points.").format(length=length)


_SEEN = ({"after": 1}, "Version 1")
_OFFER = ({"offer": 17}, "An offer")

ACTIONS = (
    ReportAction("claim", ReportForm, _report, kept=kept.REPORT),
    MatchAction("running-score", RunningScoreForm, _enter_score, kept=kept.SCORE),
    LengthAction("offer-length", LengthOfferForm, _offer_length, at="length/offer"),
    LengthAction("accept-length", LengthAnswerForm, _accept_length, Endpoint(
        "matches_accept_length", AnsweringSerializer, *_OFFER, path="length-offers/accept"
    ), at="length/accept"),
    LengthAction("decline-length", LengthAnswerForm, _decline_length, Endpoint(
        "matches_decline_length", AnsweringSerializer, *_OFFER, path="length-offers/decline"
    ), at="length/decline"),
    MatchAction(
        "confirm", NoteForm, _confirm, Endpoint("matches_confirm", ContestSerializer, *_SEEN), kept=kept.CONFIRM
    ),
    MatchAction("contest", NoteForm, _contest, Endpoint(
        "matches_contest", ContestSerializer, {"after": 1, "note": "We are still playing."}, "Not over"
    ), kept=kept.CONTEST),
    MatchAction("concede", NoteForm, _concede, Endpoint("matches_concede", ContestSerializer, *_SEEN)),
    MatchAction("withdraw", NoteForm, _withdraw, Endpoint("matches_withdraw_claim", ContestSerializer, *_SEEN)),
    MatchAction(
        "seen", NoteForm, _acknowledge, Endpoint("matches_acknowledge", ContestSerializer, *_SEEN), kept=kept.SEEN
    ),
    ObjectionAction("object", ObjectionForm, _object, Endpoint(
        "matches_object",
        ObjectingSerializer,
        {"reason": "We did not play.", "after": 3},
        "Never played",
        path="objections",
    ), api_name="objections"),
    NamesAction("names", NamesForm, _identify_players, Endpoint(
        "matches_record_names",
        RecordNamesSerializer,
        {"left": 1, "after": 3},
        "Swapped",
        path=f"records/{RECORD}/names",
    ), at=f"records/{RECORD}/names"),
    TimesAction("times", TimesForm, _propose),
    ProposalAction("accept-time", AcceptTimeForm, _accept_time, Endpoint(
        "matches_accept_time",
        AcceptSerializer,
        {"time": "2026-11-24T19:00:00Z", "after": 1},
        "The first",
        path=f"proposals/{PROPOSAL}/accept",
    ), at=f"times/{PROPOSAL}/accept", api_name="accept"),
    ProposalAction("withdraw-times", NoteForm, _withdraw_times, Endpoint(
        "matches_withdraw_times", ContestSerializer, *_SEEN, path=f"proposals/{PROPOSAL}/withdraw"
    ), at=f"times/{PROPOSAL}/withdraw"),
    BoardAction("play-here", TapForm, _play_here),
    AheadAction("decide-ahead", AheadForm, _decide_ahead, Endpoint(
        "live_decide_ahead", AheadSerializer, {"answer": "take", "last": 41}, "Take the next double", path="live/ahead"
    )),
    ArrivalAction("here", TapForm, _arrive, Endpoint("matches_arrive")),
    ArrivalAction("no-show", TapForm, _claim_no_show, Endpoint("matches_claim_no_show")),
)  # fmt: skip
SEND_RECORD = UploadAction("records", RecordForm, _send_record)
"""Its page checks the length of the body before anything else."""
