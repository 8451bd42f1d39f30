"""The page of a club's puzzle of the day."""

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.deck.cards import add_puzzle
from matches.deck.choices import DecisionQuestion, judged
from matches.deck.page import AnswerForm, answered_scene, asked, verdict
from matches.models import Card, Puzzle
from matches.play.hints import is_in_play
from matches.puzzles import answers
from matches.puzzles.pool import puzzle_of
from players import access as people
from players.models import Club, User
from players.requests import faulty, me, refused_back


class PuzzleForm(AnswerForm):
    puzzle = forms.IntegerField()
    """Which one was shown: at midnight another one takes its place."""


@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.STATE)
def club_puzzle(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask the puzzle of today; POST judges an answer, and keeps the first one of a member of the club."""
    club, now = people.club(slug), timezone.now()
    puzzle = puzzle_of(club, now=now)
    if puzzle is None:
        raise Http404
    member = _member(request, club)
    question = DecisionQuestion.of_json(puzzle.question)
    stored = answers.answer_of(puzzle, member)
    if request.method != "POST":
        return _page(request, club, puzzle, member, play=stored.play if stored is not None else "")
    if stored is not None:
        return redirect("club-puzzle", slug)
    form = PuzzleForm(request.POST, question)
    is_valid = form.is_valid()
    if form.cleaned_data.get("puzzle", puzzle.pk) != puzzle.pk:
        messages.info(request, _("That was the puzzle of another day. This is today’s."))
        return redirect("club-puzzle", slug)
    if not is_valid:
        return faulty(request, form, reverse("club-puzzle", args=[slug]))
    if is_in_play(question.state):
        return refused_back(request, Refused("hint_in_play"), "club-puzzle", slug)
    play = form.cleaned_data["play"]
    judgement = judged(question, play)
    if judgement.is_right is None:
        messages.info(request, _("Choose an answer."))
        return redirect("club-puzzle", slug)
    if member is None:
        return _page(request, club, puzzle, member, play=play)
    answers.record_answer(puzzle=puzzle, user=member, play=play, is_right=judgement.is_right)
    return redirect("club-puzzle", slug)


@open_to(post=Who.OWN)
@repeated(Repeat.HARMLESS)
def keep_puzzle(request: HttpRequest, slug: str, puzzle: str) -> HttpResponse:
    """Put a puzzle that the reader answered wrong into their deck."""
    own, now = answers.wrongly_answered(me(request), people.club(slug), puzzle), timezone.now()
    if add_puzzle(user=me(request), puzzle=own, now=now, today=timezone.localdate(now)):
        messages.success(request, _("It comes back tomorrow in your deck."))
    else:
        messages.info(request, _("Your deck takes no more new cards this week."))
    return redirect("club-puzzle", slug)


def _member(request: HttpRequest, club: Club) -> User | None:
    return me(request) if people.role_given(request.user, club) is not None else None


def _page(request: HttpRequest, club: Club, puzzle: Puzzle, member: User | None, *, play: str) -> HttpResponse:
    """The question, or once there is an answer what it costs."""
    question = DecisionQuestion.of_json(puzzle.question)
    context: dict[str, Any] = {"club": club, "puzzle": puzzle, "difficulty": answers.difficulty_of(puzzle)}
    if member is not None:
        week = answers.week_of(member, club, puzzle.date)
        context |= {"dots": "".join("●" if is_answered else "○" for is_answered in week), "days": sum(week)}
    if not play:
        here, hidden = reverse("club-puzzle", args=[club.slug]), {"puzzle": str(puzzle.pk)}
        # Only what is offered can be judged at once, by anybody and as often as they like.
        context["asked"] = replace(asked(question, here, hidden, reader=request.user), may_move=False)
        return render(request, "matches/puzzles/puzzle.html", context)
    judgement = judged(question, play)
    context |= {
        "scene": answered_scene(question, play, request.user),
        "verdict": verdict(judgement),
        "judgement": judgement,
        "play": play,
        "best": question.best,
    }
    if member is not None and not judgement.is_right:
        context["is_card"] = Card.objects.filter(user=member, puzzle=puzzle).exists()
        context["may_keep"] = not context["is_card"]
    return render(request, "matches/puzzles/puzzle.html", context)
