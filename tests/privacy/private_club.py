"""The demo club with everything in it that strangers must not read."""

from datetime import timedelta

from django.db.models import Q

from matches.models import (
    Card,
    ChatMessage,
    ChatReport,
    Claim,
    Decision,
    FriendlyBlock,
    Match,
    Objection,
    Proposal,
    PuzzleAnswer,
    Result,
    Submission,
)
from matches.play.lobby import services as lobby
from matches.play.lobby.services import ChallengeInput
from matches.puzzles.pool import puzzle_of
from players.actors import SYSTEM, Actor
from players.models import Alias, Player, User
from players.people.pairs import pair_of, rename_pairs
from players.people.rows import is_person
from tests.clock import NOON as NOW
from tests.event_cast import publish
from tests.matches.analysis.rows import analysis_of
from tournaments.draws.kept_apart import keep_apart
from tournaments.entries.services import enter
from tournaments.events.services import create_division
from tournaments.models import CashCount, Division, Entry, Letter, Payment, Tournament

NOTE = "spilled-note"
OWN = "spilled-decision"
"""In Bob's decisions, his cards, answers and letters: nobody else may read it, whatever they are in the club."""
NUMBER = "FED-4711"
MIN_SURNAME_LENGTH = 4
"""Letters; a shorter surname could be part of another word."""


def make_private() -> None:
    """Make everybody show only initials, with a number and notes; some are kept apart."""
    for claim in Claim.objects.all():
        claim.note, claim.answer_note = f"{NOTE} {claim.pk}", f"{NOTE} answer {claim.pk}"
        claim.save()
    open_ = Match.objects.filter(state=Match.State.OPEN).order_by("pk")
    for match in open_[:2]:
        Proposal.objects.create(match=match, side=0, times=[(NOW + timedelta(days=1)).isoformat()], note=NOTE)
    for claim in Claim.objects.order_by("pk")[:2]:
        Objection.objects.create(match=claim.match, claim=claim, side=0, reason=NOTE, answer=NOTE)
    for division in Division.objects.filter(status=Division.Status.ENTRIES):
        first, second = division.entries.filter(status=Entry.Status.IN)[:2]
        keep_apart(first=first, second=second, by=SYSTEM, now=NOW)
    bob, alice = (User.objects.get(email=f"{name}@example.org") for name in ("bob", "alice"))
    Submission.objects.filter(match__isnull=False).update(submitter=bob)
    Result.objects.update(user=alice)
    Payment.objects.update(note=NOTE)
    for event in Tournament.objects.all():
        CashCount.objects.create(tournament=event, expected=1, counted=2, note=NOTE)
    talk_in_a_friendly(bob, alice)
    keep_to_himself(bob)
    play_doubles()
    for player in Player.objects.filter(is_person()).exclude(user__email__startswith="dave"):
        player.initials_only, player.federation_number = True, f"{NUMBER}-{player.pk}"
        player.save()
    rename_pairs(Player.objects.all())


def play_doubles() -> None:
    """Four who play in a running event play doubles there as well."""
    event = Tournament.objects.filter(status=Tournament.Status.RUNNING).order_by("pk")[0]
    entered = Entry.objects.filter(division__tournament=event, status=Entry.Status.IN, player__merged_into=None)
    first, second, third, fourth = Player.objects.filter(pk__in=entered.values("player")).order_by("pk")[:4]
    division = create_division(tournament=event, by=SYSTEM, now=NOW, name="Doubles", match_length=5)
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    division.refresh_from_db()
    pairs = [pair_of(first, second), pair_of(third, fourth)]
    enter(division=division, players=pairs, by=SYSTEM, now=NOW)
    publish(division, SYSTEM)


def keep_to_himself(bob: User) -> None:
    """Have a match of Bob analysed, who shows it to nobody, repeats a decision and a puzzle, and got a letter."""
    own = Match.objects.filter(Q(player_0__user=bob) | Q(player_1__user=bob), state=Match.State.SETTLED)
    match = own.filter(submissions__state=Submission.State.DONE).order_by("pk")[0]
    Player.objects.filter(user=bob).update(analysis_visibility=Player.AnalysisVisibility.PRIVATE)
    analysis = analysis_of(match.submissions.all()[0], match=match, now=NOW)
    side = match.players.index(bob.player)
    decisions = Decision.objects.filter(analysis=analysis, side=side, error__gt=0)
    decisions.update(best=OWN)
    decision = decisions[0]
    event, state = Tournament.objects.get(divisions__public_id=match.parent_topic.split(":")[1]), {"note": OWN}
    place = {"match": match, "game": decision.game, "event": decision.event}
    Card.objects.create(user=bob, **place, decision=decision, state=state, due=NOW)
    puzzle = puzzle_of(event.club, now=NOW)
    assert puzzle is not None
    Card.objects.create(user=bob, puzzle=puzzle, state=state, due=NOW)
    PuzzleAnswer.objects.create(user=bob, puzzle=puzzle, play=OWN)
    Letter.objects.create(user=bob, event=event, facts={"note": OWN}, sent_at=NOW)


def talk_in_a_friendly(bob: User, alice: User) -> None:
    """Bob and Alice play here and talk; Carol comments, Alice reports it and blocks her; a challenge is open."""
    by, carol = Actor.of(bob), User.objects.get(email="carol@example.org")
    offered = lobby.make_challenge(player=bob.player, wish=ChallengeInput(5), by=by, now=NOW)
    match = lobby.accept(challenge=offered, player=alice.player, by=by, now=NOW)
    ChatMessage.objects.create(match=match, room="players", side=0, user=bob, text=NOTE)
    comment = ChatMessage.objects.create(match=match, room="spectators", user=carol, text="Nice!")
    ChatReport.objects.create(message=comment, side=1, user=alice, reason=NOTE)
    FriendlyBlock.objects.create(player=alice.player, blocked=carol.player)
    lobby.make_challenge(player=alice.player, wish=ChallengeInput(3), by=by, now=NOW)


def secrets() -> set[str]:
    """Return what no response may contain, in lower case."""
    hidden = Player.objects.filter(initials_only=True)
    names = set(hidden.values_list("name", flat=True)) | set(Alias.objects.values_list("name", flat=True))
    surnames = {surname for name in names if len(surname := name.split()[-1]) >= MIN_SURNAME_LENGTH}
    return {name.casefold() for name in names | surnames} | {NOTE, OWN, NUMBER.casefold()}
