"""The demo club with everything in it that strangers must not read."""

from datetime import UTC, datetime, timedelta

from matches.models import ChatMessage, ChatReport, Claim, FriendlyBlock, Match, Objection, Proposal, Result, Submission
from matches.play.lobby import services as lobby
from matches.play.lobby.services import ChallengeInput
from players.actors import SYSTEM, Actor
from players.models import Alias, Player, User
from tournaments.draws.kept_apart import keep_apart
from tournaments.models import CashCount, Division, Entry, Payment, Tournament

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOTE = "spilled-note"
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
    for player in Player.objects.exclude(user__email__startswith="dave"):
        player.initials_only, player.federation_number = True, f"{NUMBER}-{player.pk}"
        player.save()


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
    return {name.casefold() for name in names | surnames} | {NOTE, NUMBER.casefold()}
