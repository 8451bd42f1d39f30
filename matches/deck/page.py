"""The page of the deck, and a question as this page and others show it."""

from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.lines import check_one_line
from core.messages import sentence
from core.repeats import Repeat, repeated
from engine.cube import doubled
from engine.errors import Refused
from engine.match import MatchState
from engine.match import Phase as MatchPhase
from matches.analysis import labels
from matches.deck import cards
from matches.deck.choices import DecisionQuestion, JudgedAnswer, advised, judged
from matches.models import Card, Decision
from matches.play.api import graph_json
from matches.play.page import THEMES
from matches.play.preferences import preferences_json
from matches.play.public_state import game_json
from matches.presentation.visibility import Viewer
from matches.records.board import Diagram, Scene, draw
from matches.review.choice import sentence_of
from players.access import Visitor
from players.forms import RefusingForm, YesNoField
from players.models import Player, User
from players.requests import faulty, me

# A question as a page shows it. The reader is at the bottom and has the white checkers.


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What `_question.html` needs; its form posts `play` and the `hidden` fields to `url`."""

    url: str
    hidden: dict[str, str]
    prompt: str
    score: str
    scene: Scene
    answers: tuple[tuple[str, str], ...]
    """The values of `play` with their labels."""
    is_play: bool
    may_move: bool
    """Whether the checkers may be moved instead."""
    moving: dict[str, Any] | None
    """What the script needs to let the reader move the checkers; None unless they want to."""


def asked(
    question: DecisionQuestion, url: str, hidden: dict[str, str], *, reader: Visitor, moves: bool = False
) -> AskedQuestion:
    """A question to be answered; with `moves`, by moving the checkers."""
    state = question.state
    diagram = _diagram(state, _names(reader))
    ways = tuple(draw(replace(diagram, paths=labels.paths_of(each.play))).arrows for each in question.choices)
    is_play = state.phase is MatchPhase.TO_PLAY
    return AskedQuestion(
        url=url,
        hidden=hidden,
        prompt=_prompt(state),
        score=score_words(question),
        scene=replace(draw(diagram), ways=ways if is_play else ()),
        answers=tuple((each.play, labels.action(each.play)) for each in question.choices),
        is_play=is_play,
        may_move=is_play,
        moving=_moving(state, reader) if moves and is_play else None,
    )


def answered_scene(question: DecisionQuestion, play: str, reader: Visitor) -> Scene:
    """The board with the best play as solid arrows, and a worse answer as dotted ones."""
    diagram = _diagram(question.state, _names(reader))
    best, chosen = (draw(replace(diagram, paths=labels.paths_of(each))).arrows for each in (question.best, play))
    return replace(
        draw(replace(diagram, paths=labels.paths_of(question.best))), played=chosen if chosen != best else ()
    )


LEAST_COST_SHOWN = 0.001
"""Chance of the match: less would be shown as 0.0 %."""


def verdict(answer: JudgedAnswer) -> str:
    """What an answer cost, in words; as equity in a money session."""
    if not answer.loss:
        return _("Yes, that is the best.")
    cost = labels.number(answer.loss, 3) if answer.cost is None else labels.percent(answer.cost, 1)
    if answer.is_right and answer.cost is not None and answer.cost < LEAST_COST_SHOWN:
        cost = f"< {labels.percent(LEAST_COST_SHOWN, 1)}"
    if answer.is_right:
        return _("Almost the best: it costs {cost}.").format(cost=cost)
    if answer.cost is None:
        return _("Not the best: {lost}.").format(lost=f"{labels.MINUS}{cost}")
    return _("Not the best: it costs {percent} of the match.").format(percent=cost)


def score_words(question: DecisionQuestion) -> str:
    if not question.own_away:
        return _("Money session")
    return _("You need {own}, they need {opposing}.").format(own=question.own_away, opposing=question.opposing_away)


def _prompt(state: MatchState) -> str:
    if state.phase is MatchPhase.TO_PLAY and state.dice is not None:
        return _("How do you play {roll}?").format(roll="-".join(map(str, sorted(state.dice, reverse=True))))
    if state.phase is MatchPhase.DOUBLED:
        return _("Take at {cube}?").format(cube=doubled(state.cube))
    return _("Double to {cube}?").format(cube=doubled(state.cube))


def _diagram(state: MatchState, names: tuple[str, str]) -> Diagram:
    side, is_offered = state.to_act, state.phase is MatchPhase.DOUBLED
    return Diagram(
        # An offered cube is seen by the side that doubled.
        position=state.position.swapped() if is_offered else state.position,
        side=0,
        names=names,
        dice=state.dice,
        cube=state.cube,
        cube_owner=None if state.cube_owner is None else int(state.cube_owner != side),
        offered=is_offered,
        cube_in_play=not state.crawford and state.length != 1,
    )


def _names(reader: Visitor) -> tuple[str, str]:
    return str(reader) if isinstance(reader, User) else _("You"), _("Opponent")


def _moving(state: MatchState, reader: Visitor) -> dict[str, Any]:
    side, names = state.turn or 0, _names(reader)
    return {
        "side": side,
        "names": names if side == 0 else names[::-1],
        "state": game_json(state),
        "graph": graph_json(state),
        "preferences": preferences_json(reader),
        "themes": {name: static(f"matches/board/themes/{name}.css") for name in THEMES},
    }


class AnswerForm(RefusingForm):
    """An answer to a question: one that is offered, or any legal play."""

    play = forms.CharField(max_length=60, validators=[check_one_line])

    def __init__(self, data: Any, question: DecisionQuestion) -> None:
        super().__init__(data)
        self.question = question

    def clean_play(self) -> str:
        """Return the play as the question has it, or as it was sent. Invalid if it is not legal."""
        play: str = self.cleaned_data["play"]
        try:
            outcome = self.question.outcome(play)
        except Refused as refused:
            raise ValidationError(sentence(refused.code, refused.params), refused.code) from None
        known = next((each.play for each in self.question.choices if self.question.outcome(each.play) == outcome), "")
        if not known and isinstance(outcome, str):
            raise ValidationError(_("Choose an answer."), code="invalid_choice")
        return known or play


class CardAnswerForm(AnswerForm):
    after = forms.DateField(widget=forms.HiddenInput)
    """The day on which the card was due when it was shown."""


class DeckPageForm(forms.Form):
    move = forms.BooleanField(required=False)


class CollectForm(forms.Form):
    collects = YesNoField()


class SuspendCardForm(forms.Form):
    suspended = YesNoField()


@never_cache
@open_to(get=Who.SIGNED_IN)
def deck(request: HttpRequest) -> HttpResponse:
    """Ask the next card of today; `?move=1` by moving the checkers."""
    reader, viewer, now = me(request), Viewer.of(request.user), timezone.now()
    today = timezone.localdate(now)
    cards.collect(user=reader, viewer=viewer, now=now, today=today)
    due = cards.next_card(reader, viewer, today)
    form = DeckPageForm(request.GET)
    moves = form.is_valid() and form.cleaned_data["move"]
    return _page(request, asked=_asked(due[0], due[1], reader, moves=moves) if due else None)


@never_cache
@open_to(get=Who.OWN, post=Who.OWN)
@repeated(Repeat.STATE)
def answer(request: HttpRequest, card: str) -> HttpResponse:
    """Take the answer to a card, and show what it cost until the card is due again."""
    reader, viewer, now = me(request), Viewer.of(request.user), timezone.now()
    today, own = timezone.localdate(now), cards.card_of(me(request), card)
    question = cards.question_on(own, viewer)
    if question is None:
        return redirect("deck")
    if request.method == "POST":
        form = CardAnswerForm(request.POST, question)
        if not form.is_valid():
            return faulty(request, form, reverse("deck"))
        play = form.cleaned_data["play"]
        judgement = advised(question, play, now)
        if judgement is None:
            waiting = _asked(own, question, reader, moves=False)
            return _page(request, waiting=replace(waiting, answers=((play, play),)))
        if judgement.is_right is None:
            messages.info(request, _("Nobody can judge this play here. Try another one."))
            return redirect("deck")
        cards.record_answer(card=own, after=form.cleaned_data["after"], play=play, answer=judgement, today=today)
        return redirect("deck-card", own.pk)
    if "play" not in own.state or own.due <= today:
        return redirect("deck")
    return _page(request, answered=_answered(own, question, reader))


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def collect(request: HttpRequest) -> HttpResponse:
    """Note whether the reader's costly decisions come into the deck, and go there if so."""
    form = CollectForm(request.POST)
    if form.is_valid():
        cards.set_collecting(user=me(request), collects=form.cleaned_data["collects"])
        messages.success(request, _("Saved."))
    return redirect("deck")


@open_to(post=Who.OWN)
@repeated(Repeat.HARMLESS)
def suspend(request: HttpRequest, card: str) -> HttpResponse:
    """Never show a card again, or take that back."""
    own, form = cards.card_of(me(request), card), SuspendCardForm(request.POST)
    if form.is_valid():
        cards.suspend(card=own, suspended=form.cleaned_data["suspended"])
    return redirect("deck")


def _asked(own: Card, question: DecisionQuestion, reader: User, *, moves: bool) -> AskedQuestion:
    return asked(
        question, reverse("deck-card", args=[own.pk]), {"after": own.due.isoformat()}, reader=reader, moves=moves
    )


def _answered(own: Card, question: DecisionQuestion, reader: User) -> dict[str, Any]:
    """The last answer to a card, with what it cost."""
    play = own.state["play"]
    judgement = judged(question, play, own.state["loss"])
    return {
        "card": own,
        "scene": answered_scene(question, play, reader),
        "verdict": verdict(judgement),
        "is_play": question.kind == Decision.Kind.PLAY,
        "play": labels.action(play),
        "best": labels.action(question.best),
        "sentence": judgement.sentence or _cube_sentence(own, play),
    }


def _cube_sentence(own: Card, action: str) -> str:
    """What the best action gains over the one of the match, if that was chosen again; empty for a play."""
    decision = own.decision
    is_same = decision is not None and decision.kind != Decision.Kind.PLAY and decision.played == action
    return sentence_of(decision) if decision is not None and is_same else ""


def _page(request: HttpRequest, **context: Any) -> HttpResponse:
    reader = me(request)
    player, suspended = Player.objects.filter(user=reader).first(), list(cards.cards_of(reader).filter(suspended=True))
    collects = player.collects_decisions if player is not None else None
    context |= {
        "asks_to_collect": player is not None and collects is None,
        "collects": collects,
        "suspended": suspended,
        "has_settings": collects is not None or bool(suspended),
        "next_day": cards.next_day(reader, timezone.localdate()),
    }
    return render(request, "matches/deck/deck.html", context)
