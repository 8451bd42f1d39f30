"""Somebody deletes their account while others draw, enter or challenge them: they never stay in anything."""

from functools import partial
from typing import Any

from matches.models import Challenge, Match
from matches.play.lobby.services import ChallengeInput, accept, make_challenge
from players.actors import SYSTEM
from players.models import Player, User
from players.people.erasure import erase_player
from players.people.leaving import suspend
from players.people.stored_elsewhere import has_open
from seasons.finals import answer, offer
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tests.matches.cast import player_of
from tests.seasons.test_places import IN_A_WEEK, season
from tests.tournaments.support.swiss_rounds import is_clean
from tournaments.draws.services import publish_draw
from tournaments.entries.services import enter
from tournaments.events.services import create_division
from tournaments.models import Division, Entry, FinalPlace

pytestmark = POSTGRESQL_ONLY


def still_in(player: Player) -> list[Entry]:
    return list(Entry.objects.filter(player=player).exclude(status=Entry.Status.OUT))


def leave(player: Player) -> None:
    erase_player(player=player, by=SYSTEM, now=NOON)


def test_who_leaves_while_a_director_draws(builder: EventBuilder) -> None:
    division, bob = builder.drafted(4), builder.cast[0]
    draw = partial(publish_draw, division=division, after=division.seq, **builder.acts)
    outcomes = at_once(draw, partial(leave, bob))
    # Either the draw is refused because the entries have changed, or the match is a walkover.
    assert faults(outcomes) == []
    assert set(refusals(outcomes)) <= {"stale"}
    assert still_in(bob) == []
    open_matches = Match.objects.exclude(state__in=(Match.State.SETTLED, Match.State.VOID))
    assert not [match for match in open_matches if bob in match.players]
    assert is_clean()


def entering(builder: EventBuilder) -> tuple[Player, list[Any]]:
    """Bob is entered in an event while he leaves."""
    division = create_division(tournament=builder.event(), name="Main", **builder.acts)
    bob = builder.cast[0]
    return bob, at_once(partial(enter, division=division, players=[bob], **builder.acts), partial(leave, bob))


def test_who_leaves_while_a_director_enters_them(builder: EventBuilder) -> None:
    bob, outcomes = entering(builder)
    assert faults(outcomes) == []
    assert refusals(outcomes) in ([], ["former_member"], ["stale"])
    bob.refresh_from_db()
    assert still_in(bob) == [] or bob.erased_at is None
    assert is_clean()


def test_control_without_the_lock_of_the_player_a_former_member_is_entered(builder: EventBuilder) -> None:
    with without_locks(Player):
        bob, outcomes = entering(builder)
    bob.refresh_from_db()
    assert faults(outcomes) == []
    assert bob.erased_at is not None
    assert len(still_in(bob)) == 1


def test_all_who_play_in_two_events_leave_at_once(builder: EventBuilder) -> None:
    for _event in range(2):
        builder.drawn(4)
    players = builder.cast[:4]
    outcomes = at_once(*(partial(leave, player) for player in players))
    assert faults(outcomes) == []
    assert refusals(outcomes) == []
    # Who is left over has won; both events are finished.
    assert not has_open(players, NOON)
    assert is_clean()


def test_a_challenge_is_accepted_while_who_made_it_is_suspended(db: Any, bob: User, carol: User) -> None:
    player, other = player_of(bob), player_of(carol)
    row = make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=NOON)
    outcomes = at_once(
        partial(accept, challenge=row, player=other, by=SYSTEM, now=NOON),
        partial(make_challenge, player=other, wish=ChallengeInput(3, player), by=SYSTEM, now=NOON),
        partial(suspend, user=bob, by=SYSTEM, now=NOON),
    )
    assert faults(outcomes) == []
    assert set(refusals(outcomes)) <= {"challenge_gone", "suspended", "stale"}
    bob.refresh_from_db()
    assert bob.is_active or not has_open([player], NOON)
    assert Challenge.objects.exists()


def test_nobody_is_offered_a_place_who_leaves_at_that_moment(builder: EventBuilder) -> None:
    row = season(builder.cast, range(80, 0, -10), 2)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    decline: dict[str, Any] = {"answer": FinalPlace.Answer.DECLINED, "by": SYSTEM, "now": NOON, "directs": False}
    outcomes = at_once(
        partial(answer, series=row, player=builder.cast[0], **decline),
        partial(answer, series=row, player=builder.cast[1], **decline),
        partial(leave, builder.cast[2]),
    )
    assert faults(outcomes) == []
    assert set(refusals(outcomes)) <= {"stale"}
    gone = Player.objects.get(pk=builder.cast[2].pk)
    assert gone.erased_at is None or not has_open([gone], NOON)
    assert sum(place.is_held(NOON) for place in row.final_places.all()) == 2


def test_an_account_is_suspended_by_two_at_once(builder: EventBuilder, bob: User) -> None:
    division: Division = builder.drafted(4)
    player = player_of(bob)
    enter(division=division, players=[player], **builder.acts)
    outcomes = at_once(*[partial(suspend, user=bob, by=SYSTEM, now=NOON)] * 2)
    assert faults(outcomes) == []
    assert refusals(outcomes) == []
    assert len(Entry.objects.filter(player=player, status=Entry.Status.OUT)) == 1
    assert is_clean()
