"""Friendly matches: Bob challenges Carol or everybody; Dave may accept what is open."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from engine.actions import Act
from engine.clock import DAY, MINUTE
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import lock_match
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.lifecycle.play_rules import MAX_SPAN_DAYS
from matches.models import NAMED_FOR, OPEN_FOR, Challenge, LiveMatch, Match, Provisional, RatingPool, Result
from matches.play.acting import ActionInput, act
from matches.play.lobby.services import (
    ChallengeInput,
    accept,
    block,
    bot_player,
    decline,
    expire_challenges,
    make_challenge,
    unblock,
    want_rematch,
    withdraw,
)
from players.actors import SYSTEM, Actor
from players.models import Club, LogEntry, Membership, Player
from tests.matches.play.conftest import START, refused

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def actor(player: Player) -> Actor:
    assert player.user is not None
    return Actor.of(player.user)


def challenge(player: Player, length: int = 5, **wish: Any) -> Challenge:
    return make_challenge(player=player, wish=ChallengeInput(length, **wish), by=actor(player), now=START)


def accepted(row: Challenge, player: Player, *, after: timedelta = timedelta(minutes=1)) -> Match:
    return accept(challenge=row, player=player, by=actor(player), now=START + after)


def state(row: Challenge) -> str:
    return Challenge.objects.get(pk=row.pk).state


def test_whoever_accepts_first_plays_by_the_wish_of_the_challenger(player: Player, dave_player: Player) -> None:
    match = accepted(challenge(player, 7, clock="online"), dave_player)
    assert (match.players, match.length, match.state) == ((player, dave_player), 7, Match.State.LIVE)
    assert (match.rated, match.club, match.parent_topic, match.unsettled) == (False, None, "", False)
    live = LiveMatch.objects.get(match=match)
    assert (live.bank, live.flag_rule, live.server_chains) == (7 * MINUTE, "match_lost", False)
    assert Challenge.objects.get().opponent == dave_player
    verbs = LogEntry.objects.filter(topic=Challenge.objects.get().topic).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["challenge_made", "challenge_accepted"]


def test_accepting_twice_gives_the_same_match(player: Player, dave_player: Player, carol_player: Player) -> None:
    row = challenge(player, clock="correspondence", turn_days=3)
    first = accepted(row, dave_player)
    assert LiveMatch.objects.get(match=first).delay == 3 * DAY
    assert accepted(row, dave_player) == first
    with refused("challenge_gone"):
        accepted(row, carol_player)
    assert Match.objects.count() == 1


def test_a_challenge_by_name_is_for_that_player_alone(
    player: Player, carol_player: Player, dave_player: Player
) -> None:
    row = challenge(player, opponent=carol_player)
    with refused("challenge_of_others"):
        accepted(row, dave_player)
    with refused("challenge_own"):
        accepted(row, player)
    with refused("challenge_of_others"):
        decline(challenge=row, player=dave_player, by=actor(dave_player), now=START)
    with refused("challenge_of_others"):
        withdraw(challenge=row, player=carol_player, by=actor(carol_player), now=START)
    decline(challenge=row, player=carol_player, by=actor(carol_player), now=START)
    decline(challenge=row, player=carol_player, by=actor(carol_player), now=START)
    assert state(row) == "declined"
    with refused("challenge_gone"):
        accepted(row, carol_player)


def test_a_withdrawn_challenge_is_gone(player: Player, dave_player: Player) -> None:
    row = challenge(player)
    withdraw(challenge=row, player=player, by=actor(player), now=START)
    with refused("challenge_gone"):
        accepted(row, dave_player)
    assert not Match.objects.exists()


@pytest.mark.parametrize(("named", "lasts"), [(False, OPEN_FOR), (True, NAMED_FOR)])
def test_a_challenge_expires_even_before_it_is_swept(
    player: Player, carol_player: Player, named: bool, lasts: timedelta
) -> None:
    row = challenge(player, opponent=carol_player if named else None)
    assert expire_challenges(now=START + lasts - timedelta(seconds=1)) == 0
    with refused("challenge_gone"):
        accepted(row, carol_player, after=lasts)
    assert expire_challenges(now=START + lasts) == 1
    assert state(row) == "expired"


def test_five_challenges_at_once_and_no_more(player: Player) -> None:
    rows = [challenge(player) for _ in range(5)]
    with refused("too_many_challenges"):
        challenge(player)
    withdraw(challenge=rows[0], player=player, by=actor(player), now=START)
    challenge(player)


@pytest.mark.parametrize("length", [0, 16])
def test_friendlies_are_short(player: Player, length: int) -> None:
    with refused("bad_length"):
        challenge(player, length)


def test_some_opponents_cannot_be_challenged(player: Player) -> None:
    with refused("challenge_self"):
        challenge(player, opponent=player)
    with refused("opponent_without_account"):
        challenge(player, opponent=Player.objects.create(name="Jens"))
    with refused("challenge_of_bot"):
        challenge(player, opponent=bot_player("club"))
    assert not Challenge.objects.exists()


# Ratings


def test_a_friendly_is_rated_only_where_both_agreed_to_it(player: Player, dave_player: Player) -> None:
    assert accepted(challenge(player, rated=True), dave_player).rated
    assert not accepted(challenge(player), dave_player).rated


def test_the_pool_of_a_club_is_for_its_members(player: Player, carol_player: Player, dave_player: Player) -> None:
    club = Club.objects.create(name="Ace Point", slug="ace-point")
    pool = RatingPool.objects.create(name="Ladder", club=club)
    with refused("pool_of_other_club"):
        challenge(player, rated=True, pool=pool)
    for member in (player, carol_player):
        Membership.objects.create(club=club, player=member)
    row = challenge(player, rated=True, pool=pool)
    with refused("pool_of_other_club"):
        accepted(row, dave_player)
    assert accepted(row, carol_player).pool == pool


# Blocks


@pytest.mark.parametrize("by_challenger", [True, False])
def test_who_has_blocked_the_other_plays_no_friendlies_with_them(
    player: Player, dave_player: Player, by_challenger: bool
) -> None:
    row = challenge(player)
    blocker, blocked = (player, dave_player) if by_challenger else (dave_player, player)
    block(player=blocker, other=blocked, by=actor(blocker), now=START)
    block(player=blocker, other=blocked, by=actor(blocker), now=START)
    with refused("challenge_blocked"):
        accepted(row, dave_player)
    with refused("challenge_blocked"):
        challenge(player, opponent=dave_player)
    unblock(player=blocker, other=blocked, by=actor(blocker))
    accepted(row, dave_player)


def test_blocking_ends_the_challenges_between_the_two(player: Player, carol_player: Player) -> None:
    between, open_to_all = challenge(player, opponent=carol_player), challenge(player)
    block(player=carol_player, other=player, by=actor(carol_player), now=START)
    assert (state(between), state(open_to_all)) == ("declined", "open")
    with refused("block_self"):
        block(player=player, other=player, by=actor(player), now=START)


# Rematches


@pytest.fixture
def finished(player: Player, carol_player: Player) -> Match:
    """A friendly that Carol has won."""
    match = accepted(challenge(player, 3, clock="none", rated=True), carol_player)
    act(match=match, side=0, request=ActionInput(Act.CONCEDE, 0), by=actor(player), now=START)
    match.refresh_from_db()
    return match


def rematch(match: Match, player: Player, *, after: timedelta = timedelta(hours=1)) -> Match | None:
    return want_rematch(match=match, player=player, by=actor(player), now=START + after)


def test_a_rematch_begins_when_both_want_it(finished: Match, player: Player, carol_player: Player) -> None:
    assert rematch(finished, player) is None
    assert rematch(finished, player) is None, "asking twice is asking once"
    again = rematch(finished, carol_player)
    assert again is not None
    assert (again.length, again.rated, again.state) == (3, True, Match.State.LIVE)
    assert LiveMatch.objects.get(match=again).delay is None
    assert rematch(finished, player) == again, "the page of whoever asked first leads to it, too"
    assert Match.objects.count() == 2


def test_a_wish_for_a_rematch_does_not_last_for_ever(finished: Match, player: Player, carol_player: Player) -> None:
    assert rematch(finished, player) is None
    late = timedelta(hours=2) + NAMED_FOR
    assert rematch(finished, carol_player, after=late) is None
    assert rematch(finished, player, after=late) is not None


@pytest.mark.parametrize("asked_first", [True, False])
def test_whoever_wants_a_rematch_knows_of_the_result(
    finished: Match, player: Player, carol_player: Player, asked_first: bool
) -> None:
    """By a record that the winner alone sent, Carol has lost after all."""
    outcome, basis = ResultInput.played((3, 1)), Basis(Result.Source.RECORD)
    with transaction.atomic():
        append_result(lock_match(finished.pk), outcome, basis, by=SYSTEM, now=START)
    if not asked_first:
        rematch(finished, player)
    told = Provisional.objects.get(ended_at=None)
    assert told.told_1 is None
    if asked_first:
        rematch(finished, carol_player)
    else:
        accepted(Challenge.objects.get(rematch_of=finished), carol_player, after=timedelta(hours=1))
    told.refresh_from_db()
    assert told.told_1 == START + timedelta(hours=1)


def test_a_rematch_needs_a_finished_friendly(player: Player, carol_player: Player) -> None:
    running = accepted(challenge(player), carol_player)
    [of_event] = open_matches([Opening((player, carol_player), 3)], settings=MatchSettings(), by=SYSTEM, now=START)
    Match.objects.filter(pk=of_event.pk).update(state=Match.State.SETTLED)
    for match in (running, of_event):
        with refused("no_rematch"):
            rematch(match, player)


def test_a_blocked_player_gets_no_rematch(finished: Match, player: Player, carol_player: Player) -> None:
    assert rematch(finished, player) is None
    block(player=carol_player, other=player, by=actor(carol_player), now=START)
    with refused("challenge_blocked"):
        rematch(finished, player)


@pytest.mark.parametrize("days", [0, MAX_SPAN_DAYS + 1])
def test_a_turn_by_correspondence_takes_some_days_and_at_most_a_month(player: Player, days: int) -> None:
    with refused("bad_days"):
        challenge(player, clock="correspondence", turn_days=days)
