"""The deck of a user: what comes into it, what is shown today, and what an answer changes. Nobody else sees it."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404

from core.locks import for_update
from matches.analysis.access import is_open_to_analysis, side_in_match
from matches.analysis.line import NIGHT_ENDS
from matches.deck.choices import DecisionQuestion, JudgedAnswer, question_of
from matches.deck.schedule import after_answer
from matches.models import Analysis, Card, Decision, Match, Puzzle
from matches.presentation.visibility import Viewer
from matches.review.choice import MOST, decisions_of_night
from players.models import Player, User

MAX_NEW = 10
"""New cards in a week."""
MAX_SHOWN = 8
"""Cards on a day."""
WEEK = timedelta(days=7)


def set_collecting(*, user: User, collects: bool) -> None:
    """Note whether the user wants their own costly decisions as cards. Those that are there stay."""
    Player.objects.filter(user=user).update(collects_decisions=collects)


def collect(*, user: User, viewer: Viewer, now: datetime, today: date) -> None:
    """Make cards of the user's costliest decisions of each night of the last week, if they want it.

    This is done when the deck is looked at and not as an analysis ends: only then are the three of a night known, which
    may have several matches, and whoever never looks has no rows.
    """
    if not Player.objects.filter(user=user, collects_decisions=True).exists():
        return
    own = Q(player_0__in=viewer.players) | Q(player_1__in=viewer.players)
    recent = Match.objects.filter(own, club__isnull=False, finished_at__gt=now - WEEK, finished_at__lte=now)
    nights: dict[tuple[int | None, date], list[Match]] = defaultdict(list)
    for match in recent.select_related("club", "live", "player_0", "player_1").order_by("-finished_at", "pk"):
        assert match.club is not None and match.finished_at is not None  # noqa: S101, PT018 - filtered above
        night = (match.finished_at.astimezone(ZoneInfo(match.club.time_zone)) - NIGHT_ENDS).date()
        nights[match.club_id, night].append(match)
    for matches in nights.values():
        known = set(Card.objects.filter(user=user, match__in=matches).values_list("match", "game", "event", "kind"))
        new = [
            Card(user=user, match=row.match, decision=row.decision, **_place(row.decision), due=today, created_at=now)
            for row in decisions_of_night(matches, viewer)
            if (row.match.pk, *_place(row.decision).values()) not in known and question_of(row.decision) is not None
        ]
        room = min(MOST - len(known), _room(user, now))
        Card.objects.bulk_create(new[: max(0, room)], ignore_conflicts=True)


def add_puzzle(*, user: User, puzzle: Puzzle, now: datetime, today: date) -> bool:
    """Make a card of a puzzle, due tomorrow. Return whether it is in the deck, which takes ten new cards a week."""
    if not Card.objects.filter(user=user, puzzle=puzzle).exists() and _room(user, now):
        card = Card(user=user, puzzle=puzzle, due=today + timedelta(days=1), created_at=now)
        Card.objects.bulk_create([card], ignore_conflicts=True)
    return Card.objects.filter(user=user, puzzle=puzzle).exists()


def card_of(user: User, pk: str | int) -> Card:
    """Return a card of the user; Http404 for anybody else's."""
    card = cards_of(user).filter(pk=pk).first()
    if card is None:
        raise Http404
    return card


def next_card(user: User, viewer: Viewer, today: date) -> tuple[Card, DecisionQuestion] | None:
    """Return the first card of today with its question; None if there is none, or eight have been answered."""
    if cards_of(user).filter(state__answered=today.isoformat()).count() >= MAX_SHOWN:
        return None
    for card in cards_of(user).filter(suspended=False, due__lte=today):
        question = question_on(card, viewer)
        if question is not None:
            return card, question
    return None


def next_day(user: User, today: date) -> date | None:
    """Return the day after today on which a card is due."""
    later = cards_of(user).filter(suspended=False, due__gt=today)
    return later.values_list("due", flat=True).first()


def question_on(card: Card, viewer: Viewer) -> DecisionQuestion | None:
    """Return what a card asks; None for now if its match is being played or analysed again.

    A decision that a newer analysis has replaced is found by its place. If it is no longer one of the user, the card is
    deleted.
    """
    if card.puzzle is not None:
        return DecisionQuestion.of_json(card.puzzle.question)
    match = card.match
    if match is None or not is_open_to_analysis(match):
        return None
    decision = _decision(card, match, viewer)
    question = question_of(decision) if decision is not None else None
    if question is None:
        if not Analysis.objects.filter(match=match, state__in=[Analysis.State.QUEUED, Analysis.State.WORKING]).exists():
            card.delete()
        return None
    if card.decision != decision:
        # What was answered to it last was perhaps an answer to another position.
        known = {name: value for name, value in card.state.items() if name not in ("play", "loss")}
        Card.objects.filter(pk=card.pk).update(decision=decision, state=known)
        card.decision, card.state = decision, known
    return question


@transaction.atomic
def record_answer(*, card: Card, after: date, play: str, answer: JudgedAnswer, today: date) -> None:
    """Count the answer to a card that is due, once: `after` is the day on which it was due when it was asked."""
    locked = for_update(Card.objects.filter(pk=card.pk)).first()
    if locked is not None and locked.due == after <= today and not locked.suspended:
        state, locked.due = after_answer(locked.state, is_right=bool(answer.is_right), today=today)
        locked.state = state | {"play": play, "loss": answer.loss}
        locked.save(update_fields=["state", "due"])


def suspend(*, card: Card, suspended: bool) -> None:
    """Never show a card again, or take that back."""
    Card.objects.filter(pk=card.pk).update(suspended=suspended)


def cards_of(user: User) -> QuerySet[Card]:
    rows = Card.objects.filter(user=user).select_related("match__live", "decision__analysis", "puzzle")
    return rows.order_by("due", "pk")


def _room(user: User, now: datetime) -> int:
    """How many new cards the user may still have this week."""
    return max(0, MAX_NEW - Card.objects.filter(user=user, created_at__gt=now - WEEK).count())


def _place(decision: Decision) -> dict[str, Any]:
    return {"game": decision.game, "event": decision.event, "kind": decision.kind}


def _decision(card: Card, match: Match, viewer: Viewer) -> Decision | None:
    """The decision of a card if it still exists, else the one of the same place in the newest analysis of its match."""
    rows = [card.decision] if card.decision is not None else _at_place(card)
    players = match.player_0_id, match.player_1_id
    own = (row for row in rows if players[side_in_match(row.analysis, row.side)] in viewer.players)
    return next(own, None)


def _at_place(card: Card) -> QuerySet[Decision]:
    done = {"analysis__match": card.match, "analysis__state": Analysis.State.DONE}
    rows = Decision.objects.filter(**done, game=card.game, event=card.event, kind=card.kind)
    # Ours comes before that of a sender ("computed", "sender"), and the newest first.
    return rows.select_related("analysis").order_by("analysis__origin", "-analysis_id")
