"""What staff and helpers can do on the floor: each action with its form, its service and who may use it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.access import Role
from players.actors import Actor
from tournaments.access import HELPER, Needed
from tournaments.draws.round_lengths import change_round_lengths
from tournaments.events.services import update_tournament
from tournaments.floor import calls, evening, length_offers, undo
from tournaments.floor.page import forms
from tournaments.floor.page.forms import FloorForm
from tournaments.floor.page.sheets import enter_again, undo_reentry
from tournaments.floor.sentences import sentence_of_fact
from tournaments.models import FloorEvent
from tournaments.results.quick_entry import enter_undoable, forfeit_missing, leader_wins, result_summary

Run = Callable[[Any, Actor, datetime], str]


class FloorAction(NamedTuple):
    """An action. `run` takes the valid form, who does it and when, and returns what happened in words."""

    form: type[FloorForm]
    run: Run
    needed: Needed


def _open(form: forms.OpenForm, by: Actor, now: datetime) -> str:
    update_tournament(tournament=form.tournament, by=by, now=now, tables=form.cleaned_data["tables"])
    evening.open_floor(tournament=form.tournament, by=by, now=now)
    return _("The floor is open.")


def _call(form: forms.CallForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    return sentence_of_fact(calls.call(fixture=data["fixture"], table=data["table"], by=by, now=now))


def _move(form: forms.MoveForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    return sentence_of_fact(calls.move(fixture=data["fixture"], table=data["table"], by=by, now=now))


def _score(form: forms.ScoreForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    score = (data["left"], data["right"])
    return sentence_of_fact(calls.set_running_score(fixture=data["fixture"], score=score, by=by, now=now))


def _take_back_score(form: forms.TakeBackScoreForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    undone = calls.take_back_score(fixture=data["fixture"], event=data["fact"], by=by, now=now)
    return sentence_of_fact(undone, undone=True)


def _late(form: forms.LateForm, by: Actor, now: datetime) -> str:
    fixture, minutes = form.cleaned_data["fixture"], form.cleaned_data["minutes"]
    if fixture.match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    player = fixture.match.players[form.cleaned_data["side"]]
    return sentence_of_fact(calls.mark_late(fixture=fixture, player=player, minutes=minutes, by=by, now=now))


def _no_show(form: forms.NoShowForm, by: Actor, now: datetime) -> str:
    fixture, side = form.cleaned_data["fixture"], form.cleaned_data["side"]
    result = forfeit_missing(fixture=fixture, side=None if side == "both" else int(side), by=by, now=now)
    summary = f"M{fixture.number} · {result_summary(fixture, result)}."
    return summary + " " + _("Enter “undo” in the line to take it back.")


def _leader_wins(form: forms.LeaderForm, by: Actor, now: datetime) -> str:
    return _close(form, leader_wins((form.cleaned_data["left"], form.cleaned_data["right"])), by, now)


def _settle(form: forms.SettleForm, by: Actor, now: datetime) -> str:
    return _close(form, ResultInput(form.winning_side, kind=Result.Kind.SETTLED), by, now)


def _close(form: forms.ClosingForm, outcome: ResultInput, by: Actor, now: datetime) -> str:
    fixture, after = form.cleaned_data["fixture"], form.cleaned_data["after"]
    result = enter_undoable(fixture=fixture, result=outcome, by=by, now=now, after=after)
    summary = f"M{fixture.number} · {result_summary(fixture, result)}."
    return summary + " " + _("Enter “undo” in the line to take it back.")


def _adjourn(form: forms.AdjournForm, by: Actor, now: datetime) -> str:
    return sentence_of_fact(evening.adjourn(**form.cleaned_data, by=by, now=now))


def _shorten_match(form: forms.ShorterMatchForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    return sentence_of_fact(evening.shorten(fixture=data["fixture"], length=data["length"], by=by, now=now))


def _propose_length(form: forms.ProposeLengthForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    fact = length_offers.propose_length(fixture=data["fixture"], length=data["length"], by=by, now=now)
    return sentence_of_fact(fact)


def _withdraw_length(form: forms.LengthFactForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    offer = data["fact"].pk
    fact = length_offers.decline_length(fixture=data["fixture"], side=None, offer=offer, by=by, now=now)
    return sentence_of_fact(fact)


def _take_back_length(form: forms.LengthFactForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    undone = evening.take_back_length(fixture=data["fixture"], event=data["fact"], by=by, now=now)
    return sentence_of_fact(undone, undone=True)


def _reenter(form: forms.ReentryForm, by: Actor, now: datetime) -> str:
    return enter_again(**form.cleaned_data, by=by, now=now)


def _undo_reentry(form: forms.EntryForm, by: Actor, now: datetime) -> str:
    return undo_reentry(entry=form.cleaned_data["entry"], by=by, now=now)


def _with_match(service: Callable[..., FloorEvent]) -> Run:
    """Return what runs a service that takes only a match."""

    def run(form: forms.FixtureForm, by: Actor, now: datetime) -> str:
        return sentence_of_fact(service(fixture=form.cleaned_data["fixture"], by=by, now=now))

    return run


def _with_table(service: Callable[..., FloorEvent]) -> Run:
    """Return what runs a service that takes only a table."""

    def run(form: forms.TableForm, by: Actor, now: datetime) -> str:
        return sentence_of_fact(service(table=form.cleaned_data["table"], by=by, now=now))

    return run


def _out(form: forms.OutOfUseForm, by: Actor, now: datetime) -> str:
    data = form.cleaned_data
    return sentence_of_fact(calls.take_out_of_use(table=data["table"], reason=data["reason"], by=by, now=now))


def _pause(form: forms.PauseForm, by: Actor, now: datetime) -> str:
    return sentence_of_fact(evening.pause(tournament=form.tournament, until=form.until_at, by=by, now=now))


def _resume(form: FloorForm, by: Actor, now: datetime) -> str:
    return sentence_of_fact(evening.resume(tournament=form.tournament, by=by, now=now))


def _autopilot(form: forms.AutopilotForm, by: Actor, now: datetime) -> str:
    mode = form.cleaned_data["mode"]
    return sentence_of_fact(evening.set_autopilot(tournament=form.tournament, mode=mode, by=by, now=now))


def _undo(form: forms.UndoForm, by: Actor, now: datetime) -> str:
    undone = undo.undo(tournament=form.tournament, event=form.cleaned_data["fact"], by=by, now=now)
    return sentence_of_fact(undone, undone=True)


def _shorten(form: forms.ShortenForm, by: Actor, _now: datetime) -> str:
    rounds = change_round_lengths(tournament=form.tournament, changes=form.cleaned_data["changes"], by=by)
    if not rounds:
        return _("These rounds have that length already.")
    text = ngettext(
        "The length of %(count)d round was changed.", "The length of %(count)d rounds was changed.", len(rounds)
    )
    return text % {"count": len(rounds)}


ACTIONS: Mapping[str, FloorAction] = {
    "open": FloorAction(forms.OpenForm, _open, Role.DIRECTOR),
    "call": FloorAction(forms.CallForm, _call, HELPER),
    "call-again": FloorAction(forms.FixtureForm, _with_match(calls.call_again), HELPER),
    "take-back": FloorAction(forms.FixtureForm, _with_match(calls.take_back), HELPER),
    "start": FloorAction(forms.FixtureForm, _with_match(calls.start), HELPER),
    "move": FloorAction(forms.MoveForm, _move, HELPER),
    "score": FloorAction(forms.ScoreForm, _score, HELPER),
    "take-back-score": FloorAction(forms.TakeBackScoreForm, _take_back_score, HELPER),
    "late": FloorAction(forms.LateForm, _late, HELPER),
    "no-show": FloorAction(forms.NoShowForm, _no_show, HELPER),
    "clocks": FloorAction(forms.FixtureForm, _with_match(evening.put_clocks_on), HELPER),
    "leader-wins": FloorAction(forms.LeaderForm, _leader_wins, Role.DIRECTOR),
    "settle": FloorAction(forms.SettleForm, _settle, Role.DIRECTOR),
    "adjourn": FloorAction(forms.AdjournForm, _adjourn, Role.DIRECTOR),
    "let-go-on": FloorAction(forms.FixtureForm, _with_match(evening.let_go_on), Role.DIRECTOR),
    "shorten-match": FloorAction(forms.ShorterMatchForm, _shorten_match, Role.DIRECTOR),
    "propose-length": FloorAction(forms.ProposeLengthForm, _propose_length, Role.DIRECTOR),
    "withdraw-length": FloorAction(forms.LengthFactForm, _withdraw_length, Role.DIRECTOR),
    "take-back-length": FloorAction(forms.LengthFactForm, _take_back_length, Role.DIRECTOR),
    "re-enter": FloorAction(forms.ReentryForm, _reenter, Role.DIRECTOR),
    "undo-re-entry": FloorAction(forms.EntryForm, _undo_reentry, Role.DIRECTOR),
    "waive-rest": FloorAction(forms.FixtureForm, _with_match(calls.waive_rest), HELPER),
    "pin": FloorAction(forms.FixtureForm, _with_match(calls.pin), HELPER),
    "hold": FloorAction(forms.FixtureForm, _with_match(calls.hold), HELPER),
    "release": FloorAction(forms.FixtureForm, _with_match(calls.release), HELPER),
    "free": FloorAction(forms.TableForm, _with_table(calls.free_table), HELPER),
    "out": FloorAction(forms.OutOfUseForm, _out, HELPER),
    "back": FloorAction(forms.TableForm, _with_table(calls.back_in_use), HELPER),
    "pause": FloorAction(forms.PauseForm, _pause, Role.DIRECTOR),
    "resume": FloorAction(FloorForm, _resume, Role.DIRECTOR),
    "autopilot": FloorAction(forms.AutopilotForm, _autopilot, Role.DIRECTOR),
    "undo": FloorAction(forms.UndoForm, _undo, HELPER),
    "shorten": FloorAction(forms.ShortenForm, _shorten, Role.DIRECTOR),
}
"""The last part of the URL -> the action."""
