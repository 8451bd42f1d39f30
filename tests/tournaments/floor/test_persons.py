"""One person under two names at an event: once the two players are merged, they are called, here and told as one.

Carol has an account and plays in one division; C. Berg, whom Alice has entered in the other one, turns out to be her.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

import pytest
from django.http import Http404
from django.test import Client

from engine.errors import Refused
from formats.settings import KNOCKOUT, LIVES, SWISS, StageSettings
from formats.settings import PairingMode as Mode
from matches.access import match_for_player
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Membership, Merge, Notification, Player, User
from players.people.services import merge_players, undo_merge
from tests.event_cast import NOON
from tests.tiers import TEST_SEED
from tests.tournaments.support.played_stages import drawn_as
from tournaments.entries import check_in
from tournaments.entries.arrivals import arrivals_of
from tournaments.events.services import create_division, create_tournament
from tournaments.floor import calls, evening, selectors
from tournaments.floor.flows import Flow, flows_of
from tournaments.floor.notifications import CALLED
from tournaments.floor.page.cards import Cards
from tournaments.floor.page.forecast import evening_forecast
from tournaments.floor.state import FloorMatchState
from tournaments.floor.waiting import waiting_in
from tournaments.models import Autopilot, CheckIn, Division, Entry, Fixture, FloorEvent, FloorKind, Table, Tournament
from tournaments.results import services as results
from tournaments.results.lines import TypedLine, Verb
from tournaments.results.quick_entry import find_fixture
from tournaments.state.integrity import differences
from tournaments.state.names import club_mates

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

FORMATS = {
    "knockout": StageSettings(KNOCKOUT, lengths=(5,)),
    "round robin": StageSettings("roundrobin", lengths=(5,)),
    "swiss without rounds": StageSettings(SWISS, rounds=3, lengths=(5,), pairing=Mode.CONTINUOUS),
    "lives": StageSettings(LIVES, lives=2, lengths=(5,), pairing=Mode.CONTINUOUS),
}
STEPS, MANY_STEPS = 10, 30
AT_TABLES = (FloorMatchState.CALLED, FloorMatchState.PLAYING)


@dataclass
class TwoDivisions:
    """An event at four tables with Carol in one division and C. Berg in the other."""

    tournament: Tournament
    carol: Player
    berg: Player
    by: Actor
    now: datetime = NOON
    merge: Merge | None = None
    chance: Random = field(default_factory=Random)
    together: set[int] = field(default_factory=set)
    """Matches that both were at when they were merged."""

    def fixtures(self, player: Player | None = None) -> list[Fixture]:
        """The matches that can be played, of one of the players if asked."""
        rows = Fixture.objects.filter(stage__division__tournament=self.tournament, status=Fixture.Status.READY)
        rows = rows.select_related("stage__division__tournament__club", "match").order_by("number")
        return [row for row in rows if player is None or player.pk in (row.match.player_0_id, row.match.player_1_id)]

    def of(self, player: Player) -> Fixture:
        """The match of one of the players that can be played."""
        (fixture,) = self.fixtures(player)[:1]
        return fixture

    @property
    def floor(self) -> selectors.FloorView:
        return selectors.floor(self.tournament, self.now)

    def merge_them(self) -> None:
        self.berg.refresh_from_db()
        self.together = set(self.theirs())
        self.merge = merge_players(player=self.berg, into=self.carol, by=self.by, now=self.now)

    def undo_merge(self) -> None:
        assert self.merge is not None
        undo_merge(merge=self.merge, by=self.by, now=self.now)
        self.merge = None

    def theirs(self) -> list[int]:
        """The matches of the two that are called or being played."""
        rows = self.floor.matches.values()
        both = {self.carol.pk, self.berg.pk}
        return [row.fixture for row in rows if row.state in AT_TABLES and both.intersection(row.facts.pair or ())]

    def call_all(self) -> None:
        calls.call_ready(tournament_id=self.tournament.pk, now=self.now)

    def call(self, player: Player) -> FloorEvent:
        return calls.call(fixture=self.of(player), by=self.by, now=self.now)

    def start(self, player: Player) -> None:
        calls.start(fixture=self.of(player), by=self.by, now=self.now)

    def win(self, fixture: Fixture, side: int = 0) -> None:
        score = (5, 3) if side == 0 else (3, 5)
        results.enter_result(fixture=fixture, result=ResultInput(side, score), by=self.by, now=self.now)

    def entry(self, player: Player) -> Entry:
        return Entry.objects.select_related("division__tournament", "player").get(player=player)

    def reasons(self, player: Player) -> list[str]:
        """Why the match of a player waits."""
        return [reason.code for reason in self.floor.matches[self.of(player).pk].reasons]


@pytest.fixture
def make_event(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    carol_player: Player,
    by_alice: Actor,
) -> Callable[..., TwoDivisions]:
    def make(
        first: str = "knockout", second: str = "knockout", *, is_carol_first: bool = True, seed: int = 1
    ) -> TwoDivisions:
        berg = Player.objects.create(name="C. Berg")
        ours = (carol_player, berg) if is_carol_first else (berg, carol_player)
        divisions = [make_division(name=name) for name in ("Open", "Speed")]
        tournament = divisions[0].tournament
        tournament.tables = 4
        tournament.save()
        for division, name, player in zip(divisions, (first, second), ours, strict=True):
            division.tournament = tournament
            drawn_as(division, [FORMATS[name]], [player, *make_players(3)], by_alice)
        evening.open_floor(tournament=tournament, by=by_alice, now=NOON)
        tournament.refresh_from_db()
        return TwoDivisions(tournament, carol_player, berg, by_alice, chance=Random(seed))

    return make


def person_of(player: int) -> int:
    return Player.objects.values_list("merged_into", flat=True).get(pk=player) or player


def check(event: TwoDivisions) -> None:
    """Nobody is at two tables, or suggested for a second one, and each call was made once."""
    view = event.floor
    seated = [row for row in view.matches.values() if row.state in AT_TABLES and row.fixture not in event.together]
    suggested = [view.matches[row.fixture] for row in view.state.suggestions]
    there = Counter(person_of(player) for row in (*seated, *suggested) for player in row.facts.pair or ())
    assert not [player for player, count in there.items() if count > 1], "at two tables"
    facts = FloorEvent.objects.filter(kind=FloorKind.CALLED, undone_by=None).values_list("fixture", flat=True)
    again = set(FloorEvent.objects.filter(kind=FloorKind.FREED).values_list("fixture", flat=True))
    assert not [fixture for fixture, count in Counter(facts).items() if count > 1 and fixture not in again]


# A walk through evenings in the middle of which the two are merged, and separated again.


class Walk:
    """What may happen at the event between two calls."""

    def __init__(self, event: TwoDivisions) -> None:
        self.event, self.chance = event, event.chance

    def step(self) -> None:
        """Let something happen, then call; nobody is at two tables after it."""
        acts = [self.start_one, self.end_one, self.end_one, self.merge_or_separate, self.go_or_come]
        with suppress(Refused):
            self.chance.choice(acts)()
        self.event.now += timedelta(minutes=self.chance.randint(1, 6))
        self.event.call_all()
        check(self.event)
        check_notices(self.event)

    def going_on(self) -> list[Fixture]:
        """The matches that are at tables."""
        matches = self.event.floor.matches
        return [row for row in self.event.fixtures() if matches[row.pk].state in AT_TABLES]

    def start_one(self) -> None:
        """A match that was called begins."""
        if going_on := self.going_on():
            calls.start(fixture=self.chance.choice(going_on), by=self.event.by, now=self.event.now)

    def end_one(self) -> None:
        """A match at a table ends, or somebody does not come to it."""
        if not (going_on := self.going_on()):
            return
        fixture, side = self.chance.choice(going_on), self.chance.randrange(2)
        if self.chance.random() < 0.1:
            results.forfeit(fixture=fixture, side=side, by=self.event.by, now=self.event.now)
        else:
            self.event.win(fixture, side)

    def merge_or_separate(self) -> None:
        """The two turn out to be one person, or not to be after all."""
        if self.event.merge is None:
            self.event.merge_them()
        else:
            self.event.undo_merge()

    def go_or_come(self) -> None:
        """One of the two goes for a walk, or is back."""
        entry = self.event.entry(self.chance.choice([self.event.carol, self.event.berg]))
        state, until = CheckIn.State.HERE, None
        if entry.away_until is None:
            state, until = CheckIn.State.AWAY, self.event.now + timedelta(minutes=10)
        check_in.mark(entry=entry, state=state, until=until, by=self.event.by, now=self.event.now)


def check_notices(event: TwoDivisions) -> None:
    """Carol was just told once of each call of a match of hers, and of those of C. Berg once they are merged."""
    told = Notification.objects.filter(user=event.carol.user_id, kind=CALLED)
    for call in FloorEvent.objects.filter(kind=FloorKind.CALLED, at=event.now).select_related("match"):
        assert call.match is not None
        hers = event.carol.pk in map(person_of, (call.match.player_0_id, call.match.player_1_id))
        assert told.filter(params__event=call.pk).count() == hers


@pytest.mark.slow
@pytest.mark.parametrize("is_carol_first", [True, False], ids=["Carol first", "Carol second"])
@pytest.mark.parametrize("second", FORMATS)
@pytest.mark.parametrize("first", ["knockout", pytest.param("lives", marks=pytest.mark.slow)])
def test_nobody_is_ever_at_two_tables(
    make_event: Callable[..., TwoDivisions], first: str, second: str, *, is_carol_first: bool
) -> None:
    event = make_event(first, second, is_carol_first=is_carol_first, seed=TEST_SEED)
    if is_carol_first:
        event.merge_them()
    evening.set_autopilot(tournament=event.tournament, mode=Autopilot.CALL, by=event.by, now=event.now)
    event.call_all()
    check(event)
    assert len(event.theirs()) == (1 if is_carol_first else 2), "they are one person or two"
    walk = Walk(event)
    for _step in range(STEPS):
        walk.step()
    assert list(differences()) == []


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2))
def test_nobody_is_ever_at_two_tables_in_random_evenings(make_event: Callable[..., TwoDivisions], seed: int) -> None:
    chance = Random(TEST_SEED * 1000 + seed)
    names = sorted(FORMATS)
    event = make_event(chance.choice(names), chance.choice(names), seed=chance.randrange(10**6))
    evening.set_autopilot(tournament=event.tournament, mode=Autopilot.CALL, by=event.by, now=event.now)
    walk = Walk(event)
    for _step in range(MANY_STEPS):
        walk.step()


# What is known of one of the two holds for the person, and for nobody else once they are separated.


def play_one(event: TwoDivisions, player: Player) -> None:
    """Seat a player in a match."""
    event.call(player)
    event.start(player)


def go_away(event: TwoDivisions, player: Player) -> None:
    """Record that a player is away for an hour."""
    until = event.now + timedelta(hours=1)
    entry = event.entry(player)
    check_in.mark(entry=entry, state=CheckIn.State.AWAY, until=until, by=event.by, now=event.now)


def do_not_come(event: TwoDivisions, player: Player) -> None:
    """Forfeit a match before it began."""
    fixture = event.of(player)
    side = (fixture.match.player_0_id, fixture.match.player_1_id).index(player.pk)
    results.forfeit(fixture=fixture, side=side, by=event.by, now=event.now)


def finish_one(event: TwoDivisions, player: Player) -> None:
    """End a match that a player has played."""
    play_one(event, player)
    fixture = event.of(player)
    event.now += timedelta(minutes=30)
    event.win(fixture)


def need_an_accessible_table(event: TwoDivisions, player: Player) -> None:
    """Note that a player needs an accessible table; there is one, and it is out of use."""
    Table.objects.filter(label="4").update(category=Table.Category.ACCESSIBLE)
    evening.set_needs_accessible(tournament=event.tournament, player=player, needed=True, by=event.by, now=event.now)
    theirs = {event.of(event.carol).pk, event.of(event.berg).pk}
    others = [row for row in event.fixtures() if row.pk not in theirs]
    calls.call(fixture=others[0], table=Table.objects.get(label="4"), by=event.by, now=event.now)


WAITS = {
    "busy": play_one,
    "away": go_away,
    "not_here": do_not_come,
    "rests": finish_one,
    "no_accessible_table": need_an_accessible_table,
}
"""Why a match waits -> what happens to its player before."""


@pytest.mark.parametrize("is_merged_first", [True, False], ids=["merged before", "merged after"])
@pytest.mark.parametrize("is_carol", [True, False], ids=["of Carol", "of C. Berg"])
@pytest.mark.parametrize("code", WAITS)
def test_the_match_of_one_waits_for_what_is_known_of_the_other(
    make_event: Callable[..., TwoDivisions], code: str, *, is_carol: bool, is_merged_first: bool
) -> None:
    event = make_event("knockout", "knockout")
    one, other = (event.carol, event.berg) if is_carol else (event.berg, event.carol)
    if is_merged_first:
        event.merge_them()
    WAITS[code](event, one)
    if not is_merged_first:
        assert event.reasons(other) == [], "they are two people"
        event.merge_them()
    assert event.reasons(other) == [code]
    if code in ("busy", "not_here"):
        refusal = {"busy": "player_busy", "not_here": "player_not_here"}[code]
        with pytest.raises(Refused) as refused:
            event.call(other)
        assert refused.value.code == refusal
    event.undo_merge()
    assert event.reasons(other) == []


def test_without_rounds_who_plays_elsewhere_waits(make_event: Callable[..., TwoDivisions]) -> None:
    event = make_event("knockout", "lives")
    (berg_plays,) = event.fixtures(event.berg)
    play_one(event, event.berg)
    event.merge_them()
    event.win(berg_plays)
    event.now += timedelta(minutes=20)
    play_one(event, event.carol)
    flow, view = flow_of(event), event.floor
    assert {row.entry.player_id: row.code for row in waiting_in(flow, view.state, event.now)}[event.berg.pk] == "busy"
    event.undo_merge()
    flow, view = flow_of(event), event.floor
    assert {row.entry.player_id: row.code for row in waiting_in(flow, view.state, event.now)}[event.berg.pk] != "busy"


def test_a_table_says_in_which_other_event_its_players_are_awaited(
    make_event: Callable[..., TwoDivisions], make_players: Callable[[int], list[Player]]
) -> None:
    event, alias = make_event(), Player.objects.create(name="Carol C.")
    by, now, club = event.by, event.now, event.tournament.club
    other = create_tournament(club=club, by=by, now=now, name="Friday Cup", starts_at=now, tables=2)
    division = create_division(tournament=other, by=by, now=now, name="Open", match_length=5)
    drawn_as(division, [FORMATS["knockout"]], [alias, *make_players(3)], by)
    merge_players(player=alias, into=event.carol, by=by, now=now)
    evening.open_floor(tournament=other, by=by, now=now)
    there = TwoDivisions(other, event.carol, alias, by)

    def notes() -> list[str]:
        return [card.note for card in Cards(event.floor, []).all() if card.match]

    event.call(event.carol)
    assert notes() == [""], "nobody has been called there"
    awaited = there.of(alias)
    (busy,) = (row for row in there.fixtures() if row != awaited)
    calls.call(fixture=busy, by=by, now=now)
    assert notes() == [f"{event.carol.name}: also in Friday Cup, M{awaited.number}"]
    event.now += timedelta(hours=13)
    assert notes() == [""], "nobody has been called there since yesterday"


def flow_of(event: TwoDivisions) -> Flow:
    tournament = Tournament.objects.prefetch_related("divisions__stages").get(pk=event.tournament.pk)
    (flow,) = flows_of(tournament, event.floor.state, event.now)
    return flow


# Here under one name is here under both.


def check_in_others(event: TwoDivisions) -> None:
    """Check everybody in but the two, so that calls follow check-in."""
    for entry in Entry.objects.exclude(player__in=(event.carol, event.berg)):
        check_in.mark(entry=entry, state=CheckIn.State.HERE, by=event.by, now=event.now)


@pytest.mark.parametrize("is_carol", [True, False])
def test_who_is_here_under_one_name_is_called_under_both(
    make_event: Callable[..., TwoDivisions], *, is_carol: bool
) -> None:
    event = make_event()
    one, other = (event.carol, event.berg) if is_carol else (event.berg, event.carol)
    check_in_others(event)
    check_in.mark(entry=event.entry(one), state=CheckIn.State.HERE, by=event.by, now=event.now)
    assert event.floor.state.not_here == (other.pk,)
    event.merge_them()
    assert event.floor.state.not_here == ()
    event.undo_merge()
    assert event.floor.state.not_here == (other.pk,)


def test_a_person_is_missing_once_and_here_with_one_tap(make_event: Callable[..., TwoDivisions]) -> None:
    event = make_event()
    check_in_others(event)
    assert event.floor.state.not_here == (event.carol.pk, event.berg.pk)
    event.merge_them()
    (missing,) = event.floor.state.not_here
    players = [Player.objects.get(pk=missing)]
    check_in.mark_players_here(tournament=event.tournament, players=players, by=event.by, now=event.now)
    assert event.floor.state.not_here == ()
    assert all(event.entry(player).checked_in_at for player in (event.carol, event.berg))


def test_the_desk_knows_that_a_person_did_not_come(make_event: Callable[..., TwoDivisions]) -> None:
    event = make_event()
    do_not_come(event, event.berg)
    event.merge_them()
    assert no_shows(event) == {event.carol.pk, event.berg.pk}
    _batch, count = check_in.mark_all_here(tournament=event.tournament, division=None, by=event.by, now=event.now)
    assert count == Entry.objects.count() - 2, "nobody says that the person is here"
    event.now += timedelta(minutes=1)
    check_in.mark(entry=event.entry(event.carol), state=CheckIn.State.HERE, by=event.by, now=event.now)
    assert no_shows(event) == set()
    event.undo_merge()
    assert no_shows(event) == {event.berg.pk}


def no_shows(event: TwoDivisions) -> set[int]:
    """The players of whom the desk says that they did not come."""
    divisions = list(event.tournament.divisions.all())
    rows = arrivals_of(event.tournament, divisions, may_direct=True, several=True, now=event.now)
    return {entry.player_id for row in rows if row.is_no_show for entry in row.entries}


# What the person is told, sees and may do.


def test_the_person_is_told_once_sees_the_match_and_may_play_it(
    make_event: Callable[..., TwoDivisions], carol: User, as_user: Callable[[User | None], Client]
) -> None:
    event = make_event()
    event.merge_them()
    event.call(event.berg)
    (notice,) = Notification.objects.filter(user=carol, kind=CALLED)
    match = event.of(event.berg).match
    assert match is not None
    assert notice.params["match"] == match.public_id
    browser = as_user(carol)
    home = browser.get("/").content.decode()
    assert match.public_id in home
    event_page = browser.get(f"/events/{event.tournament.club.slug}/{event.tournament.slug}/").content.decode()
    assert match.public_id in event_page
    assert match.public_id in browser.get("/my/").content.decode()
    side = (match.player_0_id, match.player_1_id).index(event.berg.pk)
    assert match_for_player(carol, match.public_id).side == side
    event.undo_merge()
    assert match.public_id not in browser.get("/").content.decode()
    with pytest.raises(Http404):
        match_for_player(carol, match.public_id)


@pytest.mark.parametrize("name", ["Carol", "carol"])
def test_a_line_names_the_person(make_event: Callable[..., TwoDivisions], name: str) -> None:
    event = make_event()
    event.merge_them()
    with pytest.raises(Refused) as refused:
        find_fixture(event.tournament, TypedLine(Verb.FORFEIT, names=(name,)), None)
    assert refused.value.code == "line_which_match"
    for player, division in ((event.carol, "Open"), (event.berg, "Speed")):
        row = event.tournament.divisions.get(name=division)
        named = find_fixture(event.tournament, TypedLine(Verb.FORFEIT, names=(name,)), row)
        assert named.match.players[named.side] == player


def test_programs_read_the_matches_of_the_person(make_event: Callable[..., TwoDivisions], client: Client) -> None:
    event = make_event()

    def matches(player: Player) -> set[str]:
        rows = client.get("/api/v1/matches/", {"player": player.public_id}).json()["results"]
        return {row["public_id"] for row in rows}

    apart = [matches(player) for player in (event.carol, event.berg)]
    assert all(apart)
    event.merge_them()
    assert matches(event.carol) == matches(event.berg) == apart[0] | apart[1]
    event.undo_merge()
    assert [matches(player) for player in (event.carol, event.berg)] == apart


def test_members_of_a_club_of_the_person_are_kept_apart(make_event: Callable[..., TwoDivisions]) -> None:
    event = make_event()
    elsewhere = Club.objects.create(name="Elsewhere", slug="elsewhere")
    speed = event.tournament.divisions.get(name="Speed")
    mate = speed.entries.exclude(player=event.berg).select_related("player").first()
    assert mate is not None
    Membership.objects.bulk_create(Membership(club=elsewhere, player=row) for row in (event.carol, mate.player))
    entries = list(speed.entries.values_list("pk", flat=True))
    assert club_mates(speed, entries) == []
    event.merge_them()
    assert [set(group) for group in club_mates(speed, entries)] == [{mate.pk, event.entry(event.berg).pk}]
    event.undo_merge()
    assert club_mates(speed, entries) == []


def test_a_forecast_lets_the_person_play_one_match_at_a_time(make_event: Callable[..., TwoDivisions]) -> None:
    event = make_event()

    def played_by_both() -> bool:
        players = {match.key: set(match.players) for match in evening_forecast(event.floor).matches}
        return bool(players[event.of(event.carol).pk] & players[event.of(event.berg).pk])

    assert not played_by_both()
    event.merge_them()
    assert played_by_both()


def test_who_enters_while_a_page_is_made_stands_for_themselves(make_event: Callable[..., TwoDivisions]) -> None:
    facts = make_event().floor.facts
    erin = Player.objects.create(name="Erin")
    assert list(facts.persons([erin.pk, None])) == [erin.pk]
