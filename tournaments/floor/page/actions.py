"""What staff and helpers can do on the floor: each action with its form, its service and who may use it."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.messages import sentence
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.access import Visitor
from players.actions import MAX_ID, Endpoint, FormSerializer
from players.actors import Actor
from tournaments import access
from tournaments.access import HELPER
from tournaments.draws.round_lengths import change_round_lengths
from tournaments.entries import check_in
from tournaments.events.actions import EventAction, by, event_url_args
from tournaments.events.services import update_tournament
from tournaments.floor import batches, by_hand, calls, endings, evening, hold_ups, length_offers, selectors, undo
from tournaments.floor.api import FloorMatchSerializer, FloorSerializer, floor_body, match_body
from tournaments.floor.kept.notes import take_note
from tournaments.floor.kept.rules import KEPT
from tournaments.floor.page import forms
from tournaments.floor.page.cards import Post, action_url
from tournaments.floor.page.forms import FloorForm
from tournaments.floor.page.sheets import enter_again, undo_reentry
from tournaments.floor.sentences import sentence_of_fact
from tournaments.models import CheckIn, Fixture, FloorEvent, Tournament
from tournaments.results.quick_entry import forfeit_missing, leader_wins, result_summary
from tournaments.results.services import enter_result, undo_window
from tournaments.state.api import WRITE
from tournaments.state.names import display_name

Run = Callable[[Any, Actor, datetime], str]


class UndoActSerializer(FormSerializer):
    """The act to undo."""

    class Meta:
        form = forms.UndoActForm
        extra_kwargs: ClassVar = {"act": {"help_text": "Its name, as `undoable` of the floor has it."}}


class FloorAction(EventAction):
    """What somebody does on the floor of an event; through the API, to a match of the event."""

    responses: ClassVar[dict[int, Any]] = {200: FloorMatchSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Any:
        """Return the event, or the match that the API names."""
        if "fixture" in url:
            return access.fixture_as(user, url["fixture"], self.needed)
        return super().fetch(user, **url)

    def bind(self, obj: Tournament | Fixture, data: Any, now: datetime) -> FloorForm:
        if isinstance(obj, Fixture):
            return self.bind(obj.stage.division.tournament, {**data, "fixture": obj.public_id}, now)
        form: FloorForm = self.form(data, tournament=obj, now=now)
        return form

    def url(self, request: HttpRequest, obj: Tournament) -> str:
        return reverse("floor", args=event_url_args(obj))

    def refused(self, request: HttpRequest, obj: Tournament, form: FloorForm, refused: Refused) -> HttpResponse:
        """With a button that sends a choice about a stage again, as of now, if it was refused as stale."""
        if not ("stage" in form.fields and "seq" in refused.params):
            return super().refused(request, obj, form, refused)
        values = [(name, form.data[name]) for name in form.fields if name in form.data and name != "after"]
        fields = (*values, ("after", str(refused.params["seq"])))
        post = Post(action_url(obj, self.name), _("Do it all the same"), fields, "again")
        context = {"why": sentence(refused.code, refused.params), "post": post}
        messages.error(request, render_to_string("tournaments/floor/_again.html", context, request))
        return redirect(self.url(request, obj))

    def answer(self, request: Request, obj: Any, form: Any) -> Response:
        view = selectors.floor(obj.stage.division.tournament, timezone.now())
        return Response(FloorMatchSerializer(match_body(view, view.matches[obj.pk])).data)


class UndoAction(FloorAction):
    """Undoing the last act; the API answers the floor."""

    responses: ClassVar[dict[int, Any]] = {200: FloorSerializer, **WRITE}

    def answer(self, request: Request, obj: Any, form: Any) -> Response:
        body = floor_body(selectors.floor(obj, timezone.now()), by(request))
        return Response(FloorSerializer(body).data)


class EventFloorAction(FloorAction):
    """What somebody does to a stage without rounds or to a match that leaves the floor; the API answers the floor."""

    responses: ClassVar[dict[int, Any]] = {200: FloorSerializer, **WRITE}

    def answer(self, request: Request, obj: Any, form: Any) -> Response:
        event = obj.stage.division.tournament if isinstance(obj, Fixture) else obj
        body = floor_body(selectors.floor(event, timezone.now()), by(request))
        return Response(FloorSerializer(body).data)


class PairNowSerializer(FormSerializer):
    """The stage to pair."""

    class Meta:
        form = forms.PairNowForm


class ChosenPairSerializer(FormSerializer):
    """Two who are free, by their entries, and why they are paired."""

    class Meta:
        form = forms.ChosenPairForm


class HoldPairingSerializer(FormSerializer):
    """The stage, and whether its pairing is held."""

    class Meta:
        form = forms.HoldPairingForm


class FlowSerializer(FormSerializer):
    """How a running stage is paired without rounds."""

    class Meta:
        form = forms.FlowForm


class EndStageSerializer(FormSerializer):
    """The stage, what follows it, and what becomes of its matches in progress."""

    places = serializers.ChoiceField(
        endings.BRACKETS, allow_null=True, help_text="Of the bracket that follows; null if nothing does."
    )

    class Meta:
        form = forms.EndStageForm


class MissedSerializer(FormSerializer):
    """The missed match, as `flows` of the floor has it, and why it is taken back."""

    class Meta:
        form = forms.MissedForm


class TakeBackPairingSerializer(FormSerializer):
    """Why the pairing is taken back; for a missing player, their side, and of a pair who of the two."""

    class Meta:
        form = forms.UndoPairingForm
        exclude = ("fixture",)


class ShortenSerializer(FormSerializer):
    """A shorter length to which both players have agreed."""

    class Meta:
        form = forms.ShorterMatchForm
        exclude = ("fixture",)
        extra_kwargs: ClassVar = {"agreed": {"help_text": "That both players agree; must be true."}}


class StartScoreSerializer(FormSerializer):
    """The points with which both sides begin, and why."""

    class Meta:
        form = forms.StartScoreForm
        exclude = ("fixture",)


class ProposeLengthSerializer(FormSerializer):
    """A shorter length to propose to both players."""

    class Meta:
        form = forms.ProposeLengthForm
        exclude = ("fixture",)


class WithdrawLengthSerializer(FormSerializer):
    """The offer to withdraw."""

    offer = serializers.IntegerField(min_value=1, max_value=MAX_ID, source="fact")

    class Meta:
        form = forms.WithdrawLengthForm
        exclude = ("fixture",)


class TakeBackLengthSerializer(FormSerializer):
    """The fact that shortened the match, as `shortened.fact` has it."""

    class Meta:
        form = forms.UndoLengthForm
        exclude = ("fixture",)


@repeated(Repeat.STATE)
def _open(form: forms.OpenForm, by: Actor, now: datetime) -> str:
    update_tournament(tournament=form.tournament, by=by, now=now, tables=form.cleaned_data["tables"])
    evening.open_floor(tournament=form.tournament, by=by, now=now)
    return _("The floor is open.")


@repeated(Repeat.STATE)
def _call(form: forms.CallForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    return sentence_of_fact(calls.call(fixture=data["fixture"], table=data["table"], by=by, now=now))


@repeated(Repeat.STATE)
def _move(form: forms.MoveForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    return sentence_of_fact(calls.move(fixture=data["fixture"], table=data["table"], by=by, now=now))


@repeated(Repeat.STATE)
def _score(form: forms.TableScoreForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    score = (data["left"], data["right"])
    return sentence_of_fact(calls.set_running_score(fixture=data["fixture"], score=score, by=by, now=now))


@repeated(Repeat.STATE)
def _undo_score(form: forms.UndoScoreForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    undone = calls.undo_score(fixture=data["fixture"], event=data["fact"], by=by, now=now)
    return sentence_of_fact(undone, undone=True)


@repeated(Repeat.KEY)
def _late(form: forms.LateForm, by: Actor, now: datetime) -> str:
    fixture, minutes = form.cleaned_data["fixture"], form.cleaned_data["minutes"]
    if fixture.match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    player = fixture.match.players[form.cleaned_data["side"]]
    return sentence_of_fact(calls.mark_late(fixture=fixture, player=player, minutes=minutes, by=by, now=now))


@repeated(Repeat.STATE)
def _no_show(form: forms.NoShowForm, by: Actor, now: datetime) -> str:
    fixture, side = form.cleaned_data["fixture"], form.cleaned_data["side"]
    missing = form.cleaned_data["missing"]
    result = forfeit_missing(
        fixture=fixture, side=None if side == "both" else int(side), missing=missing, by=by, now=now
    )
    return f"M{fixture.number} · {result_summary(fixture, result)}."


def _result(form: forms.WonForm, by: Actor, now: datetime) -> str:
    fixture, reason = form.cleaned_data["fixture"], form.cleaned_data["reason"]
    enter_result(
        fixture=fixture, result=form.result, by=by, now=now, after=form.cleaned_data["after"], reason=reason,
        settle_after=undo_window(),
    )  # fmt: skip
    # The page names the result on the button that undoes it.
    return ""


@repeated(Repeat.STATE)
def _start_called(form: FloorForm, by: Actor, now: datetime) -> str:
    started = calls.start_called(tournament=form.tournament, by=by, now=now)
    text = ngettext("%(count)d match has started.", "%(count)d matches have started.", len(started))
    return text % {"count": len(started)}


def _leader_wins(form: forms.LeaderForm, by: Actor, now: datetime) -> str:
    return _close(form, leader_wins((form.cleaned_data["left"], form.cleaned_data["right"])), by, now)


def _settle(form: forms.SettleForm, by: Actor, now: datetime) -> str:
    return _close(form, ResultInput(form.winning_side, kind=Result.Kind.SETTLED), by, now)


def _close(form: forms.ClosingForm, outcome: ResultInput, by: Actor, now: datetime) -> str:
    fixture, after = form.cleaned_data["fixture"], form.cleaned_data["after"]
    result = enter_result(fixture=fixture, result=outcome, by=by, now=now, after=after, settle_after=undo_window())
    return f"M{fixture.number} · {result_summary(fixture, result)}."


@repeated(Repeat.STATE)
def _adjourn(form: forms.AdjournForm, by: Actor, now: datetime) -> str:
    return sentence_of_fact(evening.adjourn(**form.cleaned_data, by=by, now=now))


@repeated(Repeat.STATE)
def _shorten_match(form: forms.ShorterMatchForm, by: Actor, now: datetime) -> str:
    """Shorten a match to which both players have agreed.

    For directors. Repeating it changes nothing.
    """
    data = form.cleaned_data
    return sentence_of_fact(evening.shorten(fixture=data["fixture"], length=data["length"], by=by, now=now))


@repeated(Repeat.STATE)
def _start_score(form: forms.StartScoreForm, by: Actor, now: datetime) -> str:
    """Let an unrated match that has not begun begin at this score, by side.

    For directors. Repeating it changes nothing.
    """
    data = form.cleaned_data
    score = data["left"], data["right"]
    fact = evening.set_start_score(fixture=data["fixture"], score=score, reason=data["reason"], by=by, now=now)
    match = fact.match
    text = sentence_of_fact(fact)
    if match is not None and match.crawford and match.length > 1 and score.count(match.length - 1) == 1:
        return f"{text} {_('The first game is the Crawford game.')}"
    return text


@repeated(Repeat.KEY)
def _propose_length(form: forms.ProposeLengthForm, by: Actor, now: datetime) -> str:
    """Propose a shorter length to both players of a match that is being played.

    For directors. It takes the place of what is on offer; the match changes once both agree.
    """
    data = form.cleaned_data
    fact = length_offers.propose_length(fixture=data["fixture"], length=data["length"], by=by, now=now)
    return sentence_of_fact(fact)


@repeated(Repeat.STATE)
def _withdraw_length(form: forms.WithdrawLengthForm, by: Actor, now: datetime) -> str:
    """Withdraw the length that is on offer, whoever offers it.

    For directors. Repeating it changes nothing.
    """
    data = form.cleaned_data
    offer = data["fact"].pk
    fact = length_offers.decline_length(fixture=data["fixture"], side=None, offer=offer, by=by, now=now)
    return sentence_of_fact(fact)


@repeated(Repeat.STATE)
def _undo_length(form: forms.UndoLengthForm, by: Actor, now: datetime) -> str:
    """Give a match the length back that it had before it was shortened, whoever shortened it.

    For directors. Repeating it changes nothing.
    """
    data = form.cleaned_data
    undone = evening.undo_length(fixture=data["fixture"], event=data["fact"], by=by, now=now)
    return sentence_of_fact(undone, undone=True)


@repeated(Repeat.STATE)
def _reenter(form: forms.ReentryForm, by: Actor, now: datetime) -> str:
    return enter_again(**form.cleaned_data, by=by, now=now)


@repeated(Repeat.STATE)
def _undo_reentry(form: forms.EntryForm, by: Actor, now: datetime) -> str:
    return undo_reentry(entry=form.cleaned_data["entry"], by=by, now=now)


def _with_match(service: Callable[..., FloorEvent]) -> Run:
    """Return what runs a service that takes only a match."""

    @repeated(Repeat.STATE)
    def run(form: forms.FixtureForm, by: Actor, now: datetime) -> str:
        return sentence_of_fact(service(fixture=form.cleaned_data["fixture"], by=by, now=now))

    return run


def _with_table(service: Callable[..., FloorEvent]) -> Run:
    """Return what runs a service that takes only a table."""

    @repeated(Repeat.STATE)
    def run(form: forms.TableForm, by: Actor, now: datetime) -> str:
        return sentence_of_fact(service(table=form.cleaned_data["table"], by=by, now=now))

    return run


@repeated(Repeat.STATE)
def _out(form: forms.OutOfUseForm, by: Actor, now: datetime) -> str:
    return sentence_of_fact(calls.take_out_of_use(**form.cleaned_data, by=by, now=now))


@repeated(Repeat.STATE)
def _here(form: forms.HereForm, by: Actor, now: datetime) -> str:
    players = form.cleaned_data["players"]
    check_in.mark_players_here(tournament=form.tournament, players=players, by=by, now=now)
    if len(players) == 1:
        return _("{name} is here.").format(name=display_name(players[0], staff=True))
    return ngettext("%(count)d player is here.", "%(count)d players are here.", len(players)) % {"count": len(players)}


@repeated(Repeat.STATE)
def _away(form: forms.AwayForm, by: Actor, now: datetime) -> str:
    """Record that a player is away for some minutes, and is not paired or called meanwhile.

    For assistants and helpers. While others play on without rounds, a player who is away misses matches, and two of
    them cost a life.
    """
    entry, until = form.cleaned_data["entry"], now + timedelta(minutes=form.cleaned_data["minutes"])
    person = form.cleaned_data["person"]
    check_in.mark_everywhere(entry=entry, person=person, state=CheckIn.State.AWAY, until=until, by=by, now=now)
    at = time_format(timezone.localtime(until, ZoneInfo(form.tournament.time_zone)), "TIME_FORMAT")
    name = display_name(person or entry.player, staff=True)
    return _("{player} is away until {until}.").format(player=name, until=at)


@repeated(Repeat.STATE)
def _excuse(form: forms.ExcuseForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    state = CheckIn.State.EXCUSED if data["excused"] else CheckIn.State.HERE
    entry = check_in.mark(entry=data["entry"], person=data["person"], state=state, by=by, now=now)
    name = display_name(data["person"], staff=True)
    if not data["excused"]:
        return _("{name} plays again.").format(name=name)
    return check_in.without_text(form.tournament, [entry], now, staff=True)[entry.pk]


@repeated(Repeat.KEY)
def _note(form: forms.FloorNoteForm, by: Actor, now: datetime) -> str:
    take_note(tournament=form.tournament, text=form.cleaned_data["text"], by=by, now=now)
    return _("The note is under “Needs you”.")


def _pair_now(form: forms.PairNowForm, by: Actor, now: datetime) -> str:
    """Pair those who are free in a stage without rounds, and call them.

    For assistants and helpers. A batch that is not due yet needs a reason, which is public. 409 `stale`,
    `reason_needed`, `nobody_to_pair`, `event_paused`.
    """
    data = form.cleaned_data
    batch = batches.pair_now(stage=data["stage"], after=data["after"], reason=data["reason"], by=by, now=now)
    numbers = ", ".join(f"M{row.number}" for row in batch.pairings.all())
    return _("Paired: %(matches)s.") % {"matches": numbers}


def _pair_by_hand(form: forms.ChosenPairForm, by: Actor, now: datetime) -> str:
    """Pair two players whom you choose in a stage without rounds, and call them to the next free table.

    For directors. The reason is public, and the pair counts as set by hand. Both must be free, but may rest, have met
    or have unequal lives. 409 `stale`, `not_free_to_pair`, `pair_not_allowed`, `bracket_follows`, `nobody_to_pair`,
    `event_paused`.
    """
    batch = by_hand.pair_by_hand(**form.cleaned_data, by=by, now=now)
    (pairing,) = batch.pairings.all()
    return _("Paired: %(matches)s.") % {"matches": f"M{pairing.number}"}


@repeated(Repeat.STATE)
def _stop_match(form: forms.FixtureForm, by: Actor, now: datetime) -> str:
    """Stop a match in a stage without rounds that goes on although a corrected result has put a player of it out.

    For directors. The match is void and costs nobody a life. Repeating it changes nothing. 409 `not_a_pairing`,
    `not_to_be_stopped`.
    """
    pairing = hold_ups.stop_match(fixture=form.cleaned_data["fixture"], by=by, now=now)
    return _("{match} is stopped and does not count.").format(match=f"M{pairing.number}")


@repeated(Repeat.STATE)
def _hold_pairing(form: forms.HoldPairingForm, by: Actor, now: datetime) -> str:
    """Hold the pairing of a stage without rounds, or let it go on.

    For assistants and helpers. Repeating it changes nothing.
    """
    held = form.cleaned_data["held"]
    by_hand.hold_pairing(stage=form.cleaned_data["stage"], held=held, by=by, now=now)
    return _("Nobody is paired for now.") if held else _("Players are paired again.")


def _change_flow(form: forms.FlowForm, by: Actor, now: datetime) -> str:
    """Change how a running stage is paired without rounds, from the next pairing on.

    For directors. The change is logged. 409 `stale`, `stage_over`.
    """
    by_hand.change_flow(**form.cleaned_data, by=by, now=now)
    return _("The pairing goes on with the new rules.")


@repeated(Repeat.STATE)
def _end_stage(form: forms.EndStageForm, by: Actor, now: datetime) -> str:
    """Pair nobody any more in a Swiss or lives, and let a bracket of the best follow, or nothing.

    For directors. The matches in progress finish first or, with `stop`, are void and count for nobody, apart from those
    that you play yourself. Equal players go on by the tie-breaks, then by lots. `undo` takes it back until a match of
    the bracket has begun. 409 `stale`, `stage_over`, `bracket_too_large`.
    """
    return sentence_of_fact(endings.end_stage(**form.cleaned_data, by=by, now=now))


@repeated(Repeat.STATE)
def _undo_missed(form: forms.MissedForm, by: Actor, now: datetime) -> str:
    """Take back that a player who was away missed a match, with a public reason.

    For directors. Repeating it changes nothing.
    """
    row = by_hand.undo_missed(**form.cleaned_data, by=by, now=now)
    return _("%(name)s has not missed that match.") % {"name": display_name(row.entry.player, staff=True)}


@repeated(Repeat.STATE)
def _undo_pairing(form: forms.UndoPairingForm, by: Actor, now: datetime) -> str:
    """Take back a pairing without rounds whose match has not begun; both players are free again.

    For directors. A missing player is marked as missing; two who are not to meet are kept apart from now on.
    Repeating it changes nothing. 409 `pairing_begun`, `not_a_pairing`.
    """
    data = form.cleaned_data
    missing = {"side": data["side"], "person": data["person"]}
    pairing = by_hand.undo_pairing(fixture=data["fixture"], code=data["code"], **missing, by=by, now=now)
    return _("M%(number)d is taken back; both are free again.") % {"number": pairing.number}


@repeated(Repeat.STATE)
def _waive_lead(form: forms.FixtureForm, by: Actor, now: datetime) -> str:
    """Let nobody wait for a match in a stage without rounds.

    For directors. Repeating it changes nothing.
    """
    return sentence_of_fact(hold_ups.waive_lead(fixture=form.cleaned_data["fixture"], by=by, now=now))


@repeated(Repeat.STATE)
def _ask_over(form: forms.FixtureForm, by: Actor, now: datetime) -> str:
    """Ask both players of a match whether it is over.

    For assistants and helpers.
    """
    return sentence_of_fact(hold_ups.ask_whether_over(fixture=form.cleaned_data["fixture"], by=by, now=now))


@repeated(Repeat.KEY)
def _pause(form: forms.PauseForm, by: Actor, now: datetime) -> str:
    return sentence_of_fact(evening.pause(tournament=form.tournament, until=form.until_at, by=by, now=now))


@repeated(Repeat.STATE)
def _resume(form: FloorForm, by: Actor, now: datetime) -> str:
    return sentence_of_fact(evening.resume(tournament=form.tournament, by=by, now=now))


@repeated(Repeat.HARMLESS)
def _autopilot(form: forms.AutopilotForm, by: Actor, now: datetime) -> str:
    mode = form.cleaned_data["mode"]
    return sentence_of_fact(evening.set_autopilot(tournament=form.tournament, mode=mode, by=by, now=now))


@repeated(Repeat.STATE)
def _own_hall(form: FloorForm, by: Actor, now: datetime) -> str:
    """Say that an event has a hall of its own: other events of the club do not take its tables. For helpers."""
    return sentence_of_fact(evening.give_own_hall(tournament=form.tournament, by=by, now=now))


@repeated(Repeat.STATE)
def _undo(form: forms.UndoActForm, by: Actor, now: datetime) -> str:
    """Undo what you did last at an event: on the floor, a result, a check-in, a withdrawal, a late entry, a payment.

    For assistants and helpers. The act is named, as `undoable` has it: repeating the request undoes nothing more, and
    an act that is not your last one is refused. A result from which something follows is corrected instead, and a
    payment is booked back. 409 `not_undone_here` if your last act has no undo here.
    """
    return undo.undo(tournament=form.tournament, act=form.cleaned_data["act"], by=by, now=now).undone_text


@repeated(Repeat.STATE)
def _shorten(form: forms.ShortenForm, by: Actor, now: datetime) -> str:
    rounds = change_round_lengths(tournament=form.tournament, changes=form.cleaned_data["changes"], by=by, now=now)
    if not rounds:
        return _("These rounds have that length already.")
    text = ngettext(
        "The length of %(count)d round was changed.", "The length of %(count)d rounds was changed.", len(rounds)
    )
    return text % {"count": len(rounds)}


_ALL = (
    FloorAction("open", forms.OpenForm, _open),
    FloorAction("call", forms.CallForm, _call, HELPER),
    FloorAction("call-again", forms.FixtureForm, _with_match(calls.call_again), HELPER),
    FloorAction("take-back", forms.FixtureForm, _with_match(calls.undo_call), HELPER),
    FloorAction("start", forms.FixtureForm, _with_match(calls.start), HELPER, kept=KEPT["start"]),
    FloorAction("start-called", FloorForm, _start_called, HELPER),
    FloorAction("move", forms.MoveForm, _move, HELPER, kept=KEPT["move"]),
    FloorAction("score", forms.TableScoreForm, _score, HELPER, kept=KEPT["score"]),
    FloorAction("take-back-score", forms.UndoScoreForm, _undo_score, HELPER),
    FloorAction("late", forms.LateForm, _late, HELPER),
    FloorAction("no-show", forms.NoShowForm, _no_show, HELPER),
    FloorAction("excuse", forms.ExcuseForm, _excuse, HELPER),
    FloorAction("clocks", forms.FixtureForm, _with_match(evening.put_clocks_on), HELPER),
    FloorAction("result", forms.WonForm, _result, HELPER, kept=KEPT["result"]),
    FloorAction("leader-wins", forms.LeaderForm, _leader_wins),
    FloorAction("settle", forms.SettleForm, _settle),
    FloorAction("adjourn", forms.AdjournForm, _adjourn),
    FloorAction("let-go-on", forms.FixtureForm, _with_match(evening.let_go_on)),
    FloorAction("shorten-match", forms.ShorterMatchForm, _shorten_match, api=Endpoint(
        "fixtures_shorten", ShortenSerializer, {"length": 5, "agreed": True}
    )),
    FloorAction("start-score", forms.StartScoreForm, _start_score, api=Endpoint(
        "fixtures_start_score", StartScoreSerializer, {"left": 2, "right": 0, "reason": "Agreed by both"}
    )),
    FloorAction("propose-length", forms.ProposeLengthForm, _propose_length, api=Endpoint(
        "fixtures_propose_length", ProposeLengthSerializer, {"length": 5}
    )),
    FloorAction("withdraw-length", forms.WithdrawLengthForm, _withdraw_length, api=Endpoint(
        "fixtures_withdraw_length", WithdrawLengthSerializer, {"offer": 17}
    )),
    FloorAction("take-back-length", forms.UndoLengthForm, _undo_length, api=Endpoint(
        "fixtures_take_back_length", TakeBackLengthSerializer, {"fact": 17}
    )),
    FloorAction("re-enter", forms.ReentryForm, _reenter),
    FloorAction("undo-re-entry", forms.EntryForm, _undo_reentry),
    FloorAction("waive-rest", forms.FixtureForm, _with_match(calls.waive_rest), HELPER),
    FloorAction("pin", forms.FixtureForm, _with_match(calls.pin), HELPER),
    FloorAction("hold", forms.FixtureForm, _with_match(calls.hold), HELPER),
    FloorAction("release", forms.FixtureForm, _with_match(calls.release), HELPER),
    FloorAction("free", forms.TableForm, _with_table(calls.free_table), HELPER),
    FloorAction("out", forms.OutOfUseForm, _out, HELPER),
    FloorAction("here", forms.HereForm, _here, HELPER, kept=KEPT["here"]),
    FloorAction("back", forms.TableForm, _with_table(calls.back_in_use), HELPER),
    FloorAction("away", forms.AwayForm, _away, HELPER, kept=KEPT["away"]),
    FloorAction("note", forms.FloorNoteForm, _note, HELPER, kept=KEPT["note"]),
    EventFloorAction("pair-now", forms.PairNowForm, _pair_now, HELPER, Endpoint(
        "tournaments_pair_now", PairNowSerializer, {"stage": "k7m2p9x4qa", "after": 41}, path="floor/pair-now"
    )),
    EventFloorAction("pair-by-hand", forms.ChosenPairForm, _pair_by_hand, api=Endpoint(
        "tournaments_pair_by_hand", ChosenPairSerializer,
        {"stage": "k7m2p9x4qa", "after": 41, "first": "k7m2p9x4qb", "second": "k7m2p9x4qc", "reason": "Last train"},
        path="floor/pair-by-hand",
    )),
    EventFloorAction("stop-match", forms.FixtureForm, _stop_match, api=Endpoint("fixtures_stop_match")),
    EventFloorAction("hold-pairing", forms.HoldPairingForm, _hold_pairing, HELPER, Endpoint(
        "tournaments_hold_pairing", HoldPairingSerializer, {"stage": "k7m2p9x4qa", "held": True},
        path="floor/hold-pairing",
    )),
    EventFloorAction("flow", forms.FlowForm, _change_flow, api=Endpoint(
        "tournaments_change_flow", FlowSerializer,
        {"stage": "k7m2p9x4qa", "after": 41, "window": 2, "lead": 1, "leader": "plays"}, path="floor/flow",
    )),
    EventFloorAction("end-stage", forms.EndStageForm, _end_stage, api=Endpoint(
        "tournaments_end_stage", EndStageSerializer,
        {"stage": "k7m2p9x4qa", "after": 41, "places": 8, "stop": False}, path="floor/end-stage",
    )),
    EventFloorAction("take-back-missed", forms.MissedForm, _undo_missed, api=Endpoint(
        "tournaments_take_back_missed", MissedSerializer, {"missed": 17, "reason": "The taxi was late"},
        path="floor/take-back-missed",
    )),
    EventFloorAction("take-back-pairing", forms.UndoPairingForm, _undo_pairing, api=Endpoint(
        "fixtures_take_back_pairing", TakeBackPairingSerializer, {"code": "not_these_two"}
    )),
    FloorAction("waive-lead", forms.FixtureForm, _waive_lead, api=Endpoint("fixtures_waive_lead")),
    FloorAction("ask-over", forms.FixtureForm, _ask_over, HELPER, Endpoint("fixtures_ask_over")),
    FloorAction("pause", forms.PauseForm, _pause),
    FloorAction("resume", FloorForm, _resume),
    FloorAction("autopilot", forms.AutopilotForm, _autopilot),
    EventFloorAction("own-hall", FloorForm, _own_hall, HELPER, Endpoint(
        "tournaments_own_hall", path="floor/own-hall"
    )),
    UndoAction("undo", forms.UndoActForm, _undo, HELPER, Endpoint(
        "tournaments_floor_undo", UndoActSerializer, {"act": "result-17"}
    )),
    FloorAction("shorten", forms.ShortenForm, _shorten),
)  # fmt: skip
ACTIONS: Mapping[str, FloorAction] = {action.name: action for action in _ALL}
"""The last part of the URL -> the action."""
