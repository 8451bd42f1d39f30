"""Each of a pair arrives alone; the pair is here when both are, or when the other one is excused."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.models import LogEntry, Pair, Player, User
from players.people.pairs import pair_of
from players.people.services import merge_players, undo_merge
from tests.event_cast import NOW
from tests.tiers import TEST_SEED
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.entries.check_in import attendees
from tournaments.events import services as events
from tournaments.floor.selectors import load_facts
from tournaments.models import CheckIn, Division, Entry, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

HERE, AWAY, MISSING, EXCUSED = CheckIn.State.HERE, CheckIn.State.AWAY, CheckIn.State.MISSING, CheckIn.State.EXCUSED


@dataclass
class Hall:
    """Alice at the desk of an event with Bob & Carol in the doubles and Bob in the main."""

    main: Division
    doubles: Division
    bob: Player
    carol: Player
    by: Actor
    now: datetime = NOW
    chance: Random = field(default_factory=lambda: Random(TEST_SEED))

    @property
    def event(self) -> Tournament:
        return Tournament.objects.get(pk=self.doubles.tournament_id)

    @property
    def pair(self) -> Entry:
        """The entry of Bob & Carol."""
        return self.doubles.entries.select_related("player", "division__tournament").get()

    @property
    def alone(self) -> Entry:
        """The entry of Bob in the main."""
        return self.main.entries.select_related("player", "division__tournament").get(player=self.bob)

    # Methods, so that a check of one does not say what a later one is.

    def pair_since(self) -> datetime | None:
        return self.pair.checked_in_at

    def pair_away(self) -> datetime | None:
        return self.pair.away_until

    def alone_since(self) -> datetime | None:
        return self.alone.checked_in_at

    def later(self, minutes: int = 1) -> datetime:
        self.now += timedelta(minutes=minutes)
        return self.now

    def mark(self, state: str, person: Player | None = None, entry: Entry | None = None, **values: Any) -> str:
        """Record something and return its batch."""
        check_in.mark(entry=entry or self.pair, state=state, person=person, by=self.by, now=self.later(), **values)
        return CheckIn.objects.latest("pk").batch

    def here(self, *people: Player) -> str:
        return check_in.mark_players_here(tournament=self.event, players=people, by=self.by, now=self.later())

    def undo(self, batch: str) -> int:
        return check_in.undo(tournament=self.event, batch=batch, by=self.by, now=self.later())

    def states(self) -> tuple[str, str]:
        """What is recorded of Bob and of Carol for the doubles."""
        first, second = attendees(self.event, [self.pair], self.now)
        return first.state, second.state


@pytest.fixture
def hall(make_division: Callable[..., Division], bob_player: Player, carol_player: Player, by_alice: Actor) -> Hall:
    main, doubles = (make_division(name=name) for name in ("Main", "Doubles"))
    doubles.tournament, doubles.sides = main.tournament, Division.Sides.TWO
    doubles.save()
    pair = pair_of(bob_player, carol_player)
    entries.enter(division=main, players=[bob_player], by=by_alice, now=NOW)
    entries.enter(division=doubles, players=[pair], by=by_alice, now=NOW)
    events.publish_tournament(tournament=main.tournament, by=by_alice, now=NOW)
    return Hall(main, doubles, bob_player, carol_player, by_alice)


def test_a_pair_is_here_when_both_are_since_the_later(hall: Hall) -> None:
    hall.mark(HERE, hall.bob)
    assert (hall.states(), hall.pair_since()) == ((HERE, MISSING), None)
    hall.mark(HERE, hall.carol)
    assert hall.pair_since() == hall.now
    hall.mark(AWAY, hall.bob, until=hall.now + timedelta(hours=1))
    assert (hall.pair_since(), hall.pair_away()) == (None, hall.now + timedelta(minutes=59))
    assert hall.states() == (AWAY, HERE)


def test_one_tap_on_a_person_checks_them_into_each_of_their_entries_and_nobody_else(hall: Hall) -> None:
    batch = hall.here(hall.bob)
    assert hall.alone_since() == hall.now
    assert hall.states() == (HERE, MISSING)
    assert hall.undo(batch) == 2
    assert (hall.alone_since(), hall.states()) == (None, (MISSING, MISSING))
    with pytest.raises(Refused, match="check_in_changed"):
        hall.undo(batch)


def test_an_undo_leaves_what_was_recorded_of_the_partner_since(hall: Hall) -> None:
    batch = hall.mark(HERE)
    hall.mark(MISSING, hall.carol)
    assert hall.undo(batch) == 1
    assert hall.states() == (MISSING, MISSING)
    first = hall.mark(HERE, hall.bob)
    since = hall.now
    hall.mark(HERE, hall.carol)
    away = hall.mark(AWAY, hall.carol, until=hall.now + timedelta(hours=1))
    hall.undo(away)
    restored = hall.pair_since()
    assert restored is not None
    assert restored > since, "since the later of the two, as before"
    hall.undo(first)
    assert hall.states() == (MISSING, HERE)


def test_a_pair_plays_without_who_is_excused_until_that_is_undone(hall: Hall) -> None:
    hall.mark(HERE, hall.bob)
    batch = hall.mark(EXCUSED, hall.carol)
    assert hall.pair_since() is not None
    assert load_facts(hall.event, hall.now).people_in(hall.pair) == [hall.bob.pk]
    assert LogEntry.objects.get(verb="excused").params["about"] == hall.carol.pk
    hall.here(hall.carol)
    assert hall.states() == (HERE, EXCUSED), "that she is in the hall does not bring her back into the pair"
    hall.undo(batch)
    assert hall.pair_since() is None
    assert load_facts(hall.event, hall.now).people_in(hall.pair) == [hall.bob.pk, hall.carol.pk]


def test_it_stays_so_the_next_day_and_ends_when_they_are_here_for_the_pair(hall: Hall) -> None:
    hall.mark(HERE, hall.bob)
    hall.mark(EXCUSED, hall.carol)
    hall.later(24 * 60)
    check_in.end_days(now=hall.now)
    assert hall.states() == (MISSING, EXCUSED)
    hall.mark(HERE, hall.bob)
    assert hall.pair_since() == hall.now
    hall.mark(HERE, hall.carol)
    assert (hall.states(), hall.pair_since()) == ((HERE, HERE), hall.now)


def test_somebody_has_to_play_and_has_to_be_of_the_pair(hall: Hall, make_players: Any) -> None:
    hall.mark(EXCUSED, hall.carol)
    for code, person, entry in (
        ("pair_needs_one", hall.bob, hall.pair),
        ("not_of_pair", None, hall.pair),
        ("not_of_pair", make_players(1)[0], hall.pair),
        ("not_of_pair", hall.bob, hall.alone),
    ):
        with pytest.raises(Refused, match=code):
            hall.mark(EXCUSED, person, entry)
    assert hall.states() == (MISSING, EXCUSED)


def test_all_here_leaves_out_who_is_away_or_excused(hall: Hall) -> None:
    hall.mark(AWAY, hall.carol, until=NOW + timedelta(hours=1))
    _batch, count = check_in.mark_all_here(tournament=hall.event, division=None, by=hall.by, now=hall.later())
    assert hall.states() == (HERE, AWAY)
    assert count == 1, "Bob, whatever he plays in"
    assert hall.alone_since() == hall.now


def test_players_check_in_themselves_and_not_their_partner(hall: Hall, carol: User) -> None:
    acts: dict[str, Any] = {"tournament": hall.event, "player": hall.carol, "by": Actor.of(carol)}
    assert check_in.check_in_self(present=True, now=hall.event.starts_at, **acts) == 1
    assert hall.states() == (MISSING, HERE)
    hall.mark(EXCUSED, hall.carol)
    with pytest.raises(Refused, match="check_in_not_entered"):
        check_in.check_in_self(present=True, now=hall.event.starts_at, **acts)


def test_of_a_merged_partner_it_is_known_under_either_name(hall: Hall) -> None:
    berg = Player.objects.create(name="C. Berg")
    Pair.objects.filter(player=hall.pair.player).update(second=berg)
    hall.mark(HERE, berg)
    merge = merge_players(player=berg, into=hall.carol, by=hall.by, now=hall.later())
    assert hall.states() == (MISSING, HERE)
    hall.here(hall.carol)
    hall.mark(HERE, hall.bob)
    assert hall.pair_since() == hall.now
    undo_merge(merge=merge, by=hall.by, now=hall.later())
    assert hall.states() == (HERE, HERE)


def test_what_is_stored_follows_from_the_check_ins(hall: Hall) -> None:
    """Whatever is recorded, undone and recorded again in whatever order."""
    batches: list[str] = []
    for _step in range(40):
        person = hall.chance.choice([hall.bob, hall.carol, None])
        state = hall.chance.choice([HERE, HERE, AWAY, MISSING, EXCUSED])
        until = hall.now + timedelta(minutes=30) if state == AWAY else None
        try:
            if batches and hall.chance.random() < 0.3:
                hall.undo(hall.chance.choice(batches))
            elif hall.chance.random() < 0.2:
                batches.append(hall.here(hall.chance.choice([hall.bob, hall.carol])))
            else:
                batches.append(hall.mark(state, person, until=until))
        except Refused as refused:
            assert refused.code in ("pair_needs_one", "not_of_pair", "check_in_changed")  # noqa: PT017
        people = attendees(hall.event, [hall.pair], hall.now)
        playing = [who for who in people if not who.is_excused]
        assert playing, "somebody plays"
        here = [who.since for who in playing if who.is_here and who.since is not None]
        assert hall.pair_since() == (max(here) if len(here) == len(playing) else None)
        assert hall.pair_away() == max((who.until for who in playing if who.until), default=None)
        expected = [who.person for who in playing]
        assert load_facts(hall.event, hall.now).people_in(hall.pair) == expected
