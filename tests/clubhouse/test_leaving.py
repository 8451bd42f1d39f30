"""Deleting an account ends what its player takes part in, with the consequences that a withdrawal has."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from clubhouse.tonight import players_of, regulars
from engine.errors import Refused
from formats.settings import LIVES, StageSettings
from formats.settings import PairingMode as Mode
from matches.models import Match, Proposal, Result
from matches.play.starting import PlaySettings, start
from matches.reporting.appointments import Dates, accept, propose
from players.actors import SYSTEM, Actor
from players.clubs.services import add_player
from players.models import Membership, Notification, Player, User
from players.notifications.kinds import texts_of
from players.people.erasure import erase_player
from players.people.leaving import lift_suspension, suspend
from players.people.stored_elsewhere import taking_part
from seasons.finals import answer, offer, prepare_final
from seasons.places import GIVEN_UP
from seasons.services import enter_season
from tests.api.test_parity import fields_of, writing
from tests.event_cast import NOON, RunningEvent
from tests.seasons.test_belonging import change
from tests.seasons.test_places import IN_A_WEEK, entered, names_of, season
from tests.seasons.test_places import cast as season_cast
from tests.tournaments.support.entries import refusal_code
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.entries.arrivals import members_called
from tournaments.entries.late import enter_late
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.substitutions import undo_substitution
from tournaments.events import services as events
from tournaments.models import CheckIn, Division, Entry, FinalPlace, Fixture, Slot, Substitution, Tournament
from tournaments.offers.services import OfferInput, create_offer
from tournaments.state.notifications import LEFT, WALKOVER

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
cast = season_cast
FLOW = StageSettings(LIVES, lives=2, lengths=(5,), pairing=Mode.CONTINUOUS)
STATES: dict[str, StageSettings] = {
    "knockout": StageSettings("knockout"),
    "progressive": StageSettings("progressive"),
    "league": StageSettings("league"),
    "groups": StageSettings("groups", groups=2),
    "swiss": StageSettings("swiss", rounds=4),
    "lives": StageSettings(LIVES),
    "without rounds": FLOW,
}

BY_ROUND = ("swiss", "lives", "without rounds")
"""Played to the second round; the others are in the middle of their first."""


@pytest.fixture
def people(make_players: Callable[[int], list[Player]], bob_player: Player, carol_player: Player) -> list[Player]:
    """Bob, Carol and six players without an account."""
    return [bob_player, carol_player, *make_players(6)]


@pytest.fixture
def begun(make_division: Callable[..., Division], people: list[Player], by_alice: Actor) -> Callable[..., Any]:
    def make(*stages: StageSettings, **settings: Any) -> DivisionDriver:
        driver = DivisionDriver(make_division(match_length=5, **settings), by_alice)
        driver.enter(people)
        return driver.begin(*stages)

    return make


def leave(player: Player, now: Any = NOON) -> Player:
    player.refresh_from_db()
    by = Actor.of(player.user) if player.user is not None else SYSTEM
    return erase_player(player=player, by=by, now=now)


def status_of(player: Player, division: Division) -> str:
    return division.entries.filter(player=player).latest("pk").status


def open_matches(player: Player) -> list[Match]:
    """The matches of a player that are neither decided nor void."""
    over = (Match.State.SETTLED, Match.State.VOID)
    return [match for match in Match.objects.exclude(state__in=over) if player in match.players]


def told(user: User, kind: str) -> list[Notification]:
    return list(Notification.objects.filter(user=user, kind=kind))


@pytest.mark.parametrize(
    "state", [pytest.param(name, marks=[] if name in ("knockout", "swiss") else pytest.mark.slow) for name in STATES]
)
def test_who_deletes_their_account_is_not_paired_again(
    begun: Callable[..., DivisionDriver], people: Sequence[Player], alice: User, state: str
) -> None:
    driver, bob = begun(STATES[state]), people[0]
    assert open_matches(bob) or state == "without rounds"
    for fixture in driver.ready()[: 4 if state in BY_ROUND else 2]:
        driver.report(fixture, 0)
    driver.work()
    finished = set(Result.objects.filter(match__player_0=bob).values_list("match", flat=True))

    leave(bob, driver.now())

    assert status_of(bob, driver.division) == Entry.Status.OUT
    assert is_clean()
    driver.play_out()
    assert is_clean()
    assert open_matches(bob) == []
    assert finished <= set(Result.objects.exclude(kind=Result.Kind.VOID).values_list("match", flat=True))
    later = Slot.objects.filter(fixture__stage__division=driver.division, entry__player=bob, fixture__match=None)
    assert not later.filter(fixture__status=Fixture.Status.READY).exists()
    assert [row.params["player"] for row in told(alice, LEFT)] == [bob.pk]


def test_results_of_a_finished_event_stay(begun: Callable[..., DivisionDriver], people: Sequence[Player]) -> None:
    driver = begun(StageSettings("knockout"))
    driver.play_out()
    results = list(Result.objects.values_list("match", "winner", "kind"))
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    leave(people[0], driver.now())
    assert status_of(people[0], driver.division) == Entry.Status.IN
    assert list(Result.objects.values_list("match", "winner", "kind")) == results
    assert is_clean()


def test_the_opponent_wins_by_walkover_and_is_told(running: RunningEvent, bob_player: Player, carol: User) -> None:
    leave(bob_player)
    result = Result.objects.get(match=running.fixture.match)
    own = running.fixture.slots.get(entry=running.entry).side
    assert (result.kind, result.winner) == (Result.Kind.WALKOVER, 1 - own)
    sentences = [text.sentence for text in texts_of(told(carol, WALKOVER))]
    assert sentences == ["Former member has withdrawn. You win by walkover."]
    assert is_clean()


def test_a_board_that_is_open_ends_with_the_match(running: RunningEvent, bob_player: Player, carol: User) -> None:
    match = running.fixture.match
    assert match is not None
    start(match=match, settings=PlaySettings(), by=Actor.of(carol), now=NOON)
    leave(bob_player)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    assert is_clean()


def test_an_appointment_ends_with_the_match(running: RunningEvent, bob_player: Player, carol: User) -> None:
    match = running.fixture.match
    assert match is not None
    side = match.players.index(bob_player)
    at = NOON.replace(hour=20)
    proposal = propose(match=match, side=side, offer=Dates([at]), by=SYSTEM, now=NOON)
    accept(proposal=proposal, side=1 - side, time=at, by=Actor.of(carol), now=NOON)
    leave(bob_player)
    assert not Proposal.objects.filter(match__state=Match.State.OPEN).exists()


def test_the_waiting_list_moves_up_and_who_waits_leaves_it(
    open_division: Division, bob_player: Player, carol_player: Player, make_players: Callable[[int], list[Player]]
) -> None:
    Division.objects.filter(pk=open_division.pk).update(capacity=2)
    first, dave, erin = make_players(3)
    for player in (first, bob_player, dave, carol_player, erin):
        entries.enter(division=open_division, players=[player], by=SYSTEM, now=NOON)
    leave(dave)
    assert status_of(dave, open_division) == Entry.Status.OUT
    leave(bob_player)
    assert status_of(carol_player, open_division) == Entry.Status.IN
    assert status_of(erin, open_division) == Entry.Status.WAITING
    assert [row.user for row in Notification.objects.filter(kind="moved_up")] == [carol_player.user]
    assert is_clean()


def test_who_is_checked_in_leaves_as_well(open_division: Division, bob_player: Player, alice: User) -> None:
    (entry,) = entries.enter(division=open_division, players=[bob_player], by=SYSTEM, now=NOON)
    check_in.mark(entry=entry, state=CheckIn.State.HERE, by=SYSTEM, now=NOON)
    leave(bob_player)
    assert status_of(bob_player, open_division) == Entry.Status.OUT
    assert len(told(alice, LEFT)) == 1


def test_a_person_in_two_events_under_two_merged_players(
    club: Any, open_division: Division, bob_player: Player, by_alice: Actor
) -> None:
    other = events.create_tournament(club=club, by=by_alice, now=NOON, name="Spring", starts_at=NOON)
    second = events.create_division(tournament=other, by=by_alice, now=NOON, name="Main")
    robert = Player.objects.create(name="Robert")
    entries.enter(division=second, players=[robert], by=SYSTEM, now=NOON)
    entries.enter(division=open_division, players=[bob_player], by=SYSTEM, now=NOON)
    Player.objects.filter(pk=robert.pk).update(merged_into=bob_player)
    leave(bob_player)
    assert not Entry.objects.exclude(status=Entry.Status.OUT).exists()
    assert is_clean()


def test_a_place_in_the_final_goes_to_the_next_rank(cast: list[Player], alice: User) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    final = prepare_final(series=row, by=SYSTEM, now=NOON)
    leave(cast[0])
    assert names_of(row, FinalPlace.State.OFFERED) == ["Player 2", "Player 3", "Player 4"]
    assert entered(final) == ["Player 2", "Player 3", "Player 4"]
    leave(cast[4])
    leave(cast[2])
    assert entered(final) == ["Player 2", "Player 4", "Player 6"], "nobody is asked who has left"
    assert len(told(alice, LEFT)) == 2
    assert (
        refusal_code(
            lambda: answer(
                series=row, player=cast[0], answer=FinalPlace.Answer.COMES, by=SYSTEM, now=NOON, directs=True
            )
        )
        == "former_member"
    )
    assert is_clean()


def test_a_final_without_offers_is_prepared_without_who_has_left(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    leave(cast[1])
    assert entered(prepare_final(series=row, by=SYSTEM, now=NOON)) == ["Player 1", "Player 3"]


def test_the_directors_learn_of_a_place_in_a_final_that_is_not_prepared(cast: list[Player], alice: User) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    leave(cast[1])
    (text,) = texts_of(told(alice, GIVEN_UP.code))
    assert text.sentence == "A player has left and gives up the place in the final of Autumn."


def test_leaving_twice_withdraws_once(running: RunningEvent, bob_player: Player) -> None:
    leave(bob_player)
    before = list(Result.objects.values_list("pk", flat=True))
    assert refusal_code(lambda: erase_player(player=bob_player, by=SYSTEM, now=NOON)) == "erased"
    assert list(Result.objects.values_list("pk", flat=True)) == before


def test_a_refused_deletion_withdraws_from_nothing(running: RunningEvent, bob_player: Player) -> None:
    def refuse(player: Player) -> None:
        raise Refused("account_decides", name=player.name)

    assert refusal_code(lambda: erase_player(player=bob_player, by=SYSTEM, now=NOON, check=refuse)) == "account_decides"
    assert status_of(bob_player, running.division) == Entry.Status.IN


def test_what_ends_is_listed_before(running: RunningEvent, bob_player: Player) -> None:
    (listed,) = taking_part([bob_player], NOON)
    assert listed.text == "Winter Open · Open"
    assert listed.url == running.division_url
    leave(bob_player)
    assert taking_part([bob_player], NOON) == []


def test_an_event_that_is_not_published_is_not_named(
    make_division: Callable[..., Division], bob_player: Player, tournament: Tournament
) -> None:
    division = make_division()
    entries.enter(division=division, players=[bob_player], by=SYSTEM, now=NOON)
    assert taking_part([bob_player], NOON) == []
    leave(bob_player)
    assert status_of(bob_player, division) == Entry.Status.OUT


# A suspension ends the same, and can be undone.


def test_a_suspension_is_undone_with_its_withdrawals(
    begun: Callable[..., DivisionDriver], people: Sequence[Player], alice: User, bob: User
) -> None:
    driver = begun(StageSettings("knockout"))
    for _twice in range(2):
        suspend(user=bob, by=SYSTEM, now=driver.now())
    assert status_of(people[0], driver.division) == Entry.Status.OUT
    assert open_matches(people[0]) == []
    assert is_clean()
    assert lift_suspension(user=bob, by=SYSTEM, now=driver.now()) == []
    assert lift_suspension(user=bob, by=SYSTEM, now=driver.now()) == [], "twice is harmless"
    assert status_of(people[0], driver.division) == Entry.Status.IN
    assert len(open_matches(people[0])) == 1
    assert {text.sentence for text in texts_of(told(alice, LEFT))} == {
        "Bob is suspended and withdrawn.",
        "Bob is no longer suspended and plays again.",
    }
    assert is_clean()
    # And once more.
    suspend(user=bob, by=SYSTEM, now=driver.now())
    assert status_of(people[0], driver.division) == Entry.Status.OUT
    assert is_clean()


def test_what_cannot_be_undone_is_listed(
    begun: Callable[..., DivisionDriver], people: Sequence[Player], bob: User, cast: list[Player]
) -> None:
    row = season(cast, range(80, 0, -10), 3)
    FinalPlace.objects.create(series=row, player=people[0], rank=1, answer_by=NOON.replace(year=2027))
    driver = begun(StageSettings("knockout"))
    own = open_matches(people[0])[0]
    suspend(user=bob, by=SYSTEM, now=driver.now())
    # Bob's opponent goes on and begins the next match.
    opponent = next(player for player in own.players if player != people[0])
    for fixture in driver.ready():
        driver.report(fixture, 0)
    driver.report(next(row for row in driver.ready() if row.match and opponent in row.match.players), 0)
    before = list(Result.objects.values_list("pk", "winner"))
    parts = lift_suspension(user=bob, by=SYSTEM, now=driver.now())
    assert [part.text.partition(":")[0] for part in parts] == ["Winter Open · Main", "Place in the final of Autumn"]
    assert status_of(people[0], driver.division) == Entry.Status.OUT
    assert list(Result.objects.values_list("pk", "winner")) == before
    assert is_clean()


def test_a_director_cannot_suspend_themselves(alice: User, club: Any) -> None:
    assert refusal_code(lambda: suspend(user=alice, by=Actor.of(alice), now=NOON)) == "suspend_self"


def test_a_director_cannot_win_by_suspending_their_opponent(running: RunningEvent, bob: User, carol: User) -> None:
    assert refusal_code(lambda: suspend(user=bob, by=Actor.of(carol), now=NOON)) == "own_match"
    assert status_of(running.entry.player, running.division) == Entry.Status.IN


# Nothing is asked of somebody who has left.


Ask = Callable[[Player, RunningEvent, Division], object]
ACT: dict[str, Any] = {"by": SYSTEM, "now": NOON}


def _place(player: Player) -> FinalPlace:
    row = season([player], [80], 1)
    return FinalPlace.objects.create(series=row, player=player, rank=1, answer_by=NOON.replace(year=2027))


def _late(player: Player, event: RunningEvent, _open: Division) -> object:
    return enter_late(division=event.division, players=[player], **ACT)


def _undo_substitution(player: Player, event: RunningEvent, _open: Division) -> object:
    entry = event.division.entries.filter(status=Entry.Status.IN).exclude(player=player).latest("pk")
    Substitution.objects.create(entry=entry, before=player, after=entry.player)
    event.division.refresh_from_db()
    return undo_substitution(entry=entry, after=event.division.seq, **ACT)


def _return(player: Player, event: RunningEvent, _open: Division) -> object:
    entry = Entry.objects.select_related("division__tournament__club", "player").get(pk=event.entry.pk)
    return bring_back(entry=entry, seen=preview_return(entry=entry).mark, **ACT)


def _come(player: Player, _event: RunningEvent, _open: Division) -> object:
    return answer(series=_place(player).series, player=player, answer=FinalPlace.Answer.COMES, directs=True, **ACT)


def _times(player: Player, event: RunningEvent, _open: Division) -> object:
    match = event.fixture.match
    assert match is not None
    Match.objects.filter(pk=match.pk).update(state=Match.State.OPEN)
    side = 1 - match.players.index(player)
    return propose(match=match, side=side, offer=Dates([NOON.replace(hour=20)]), **ACT)


ASKS: dict[str, Ask] = {
    "enter": lambda player, _event, division: entries.enter(division=division, players=[player], **ACT),
    "register": lambda player, _event, division: entries.register(division=division, player=player, **ACT),
    "enter late": _late,
    "undo a substitution": _undo_substitution,
    "let back in": _return,
    "season": lambda player, _event, _open: enter_season(series=season([player], [80], 1), player=player, **ACT),
    "final": _come,
    "times to play": _times,
    "club": lambda player, event, _open: add_player(club=event.tournament.club, player=player, by=SYSTEM),
}


@pytest.mark.parametrize("left", ["former_member", "suspended"])
def test_nothing_is_asked_of_somebody_who_has_left(
    running: RunningEvent, make_division: Callable[..., Division], bob_player: Player, bob: User, left: str
) -> None:
    division = make_division(name="Second", self_registration=True)
    if left == "suspended":
        suspend(user=bob, by=SYSTEM, now=NOON)
    else:
        leave(bob_player)
    player = Player.objects.get(pk=bob_player.pk)
    codes = {}
    for name, ask in ASKS.items():
        with transaction.atomic():
            codes[name] = refusal_code(partial(ask, player, running, division))
            transaction.set_rollback(True)
    assert codes == dict.fromkeys(ASKS, left) | ({"club": "erased"} if left == "former_member" else {})


def test_who_has_left_is_not_proposed_at_the_arrivals_desk(
    running: RunningEvent, make_division: Callable[..., Division], bob_player: Player, bob: User
) -> None:
    division = make_division(name="Second")
    assert [row.player for row in members_called(division, "Bob")] == [bob_player]
    suspend(user=bob, by=SYSTEM, now=NOON)
    assert members_called(division, "Bob") == []


def test_who_has_left_is_not_ticked_when_an_evening_starts_as_the_last(
    begun: Callable[..., DivisionDriver], people: Sequence[Player], bob: User
) -> None:
    driver = begun(StageSettings("knockout"))
    driver.play_out()
    event = driver.division.tournament
    assert people[0] in players_of(event)
    suspend(user=bob, by=SYSTEM, now=driver.now())
    assert people[0] not in players_of(event)
    assert people[0] not in regulars(event.club)


# Leaving a club.


def test_leaving_a_club_gives_up_only_what_is_for_members(
    running: RunningEvent, bob_player: Player, bob: User, cast: list[Player], club: Any, as_user: Any
) -> None:
    row = change(season([bob_player, *cast], range(90, 0, -10), 2), belongs="members")
    offer(series=row, answer_by=timezone.localdate() + timedelta(days=7), player=None, by=SYSTEM, now=NOON)
    final = prepare_final(series=row, by=SYSTEM, now=NOON)
    assert entered(final) == ["Bob", "Player 1"]
    client = as_user(bob)
    asked = client.post("/clubs/harbour/leave/")
    assert asked.status_code == 409
    assert "final of Autumn" in asked.content.decode()
    assert Membership.objects.get(club=club, player=bob_player).left_at is None

    assert client.post("/clubs/harbour/leave/", {"gives_up": "on"}).status_code == 302
    assert Membership.objects.get(club=club, player=bob_player).left_at is not None
    assert entered(final) == ["Player 1", "Player 2"]
    assert status_of(bob_player, running.division) == Entry.Status.IN, "an event for everybody"
    assert is_clean()


# The pages.


def test_the_page_lists_the_events_before_the_account_is_deleted(
    running: RunningEvent, bob_player: Player, bob: User, as_user: Any
) -> None:
    client = as_user(bob)
    page = client.get(reverse("delete-account")).content.decode()
    assert running.division_url in page
    client.post(reverse("delete-account"), {"password": "crawford-1969", "sure": "on"})
    assert status_of(bob_player, running.division) == Entry.Status.OUT


def test_the_staff_suspends_after_a_list_and_lifts_it(
    running: RunningEvent, bob_player: Player, bob: User, as_user: Any, alice: User
) -> None:
    staff = User.objects.create_superuser("root@example.org", "crawford-1969", display_name="Root")
    client, users = as_user(staff), reverse("admin:players_user_changelist")
    chosen = {"action": "suspend_accounts", "_selected_action": [bob.pk]}
    page = client.post(users, chosen).content.decode()
    assert running.division_url in page
    assert status_of(bob_player, running.division) == Entry.Status.IN
    client.post(users, {**chosen, "confirmed": "1"})
    bob.refresh_from_db()
    assert (bob.is_active, status_of(bob_player, running.division)) == (False, Entry.Status.OUT)
    client.post(users, {"action": "lift_suspensions", "_selected_action": [bob.pk]})
    bob.refresh_from_db()
    assert (bob.is_active, status_of(bob_player, running.division)) == (True, Entry.Status.IN)
    assert client.get(reverse("admin:players_user_delete", args=[bob.pk])).status_code == 403
    client.post(users, {**chosen, "_selected_action": [staff.pk], "confirmed": "1"})
    staff.refresh_from_db()
    assert staff.is_active


RECORDS = {
    "blocks_create": "who is blocked is not asked",
    "cash_payments_create": "money of an entry",
    "members_merge": "who is the same person",
    "ownerless_answer": "the site's staff choose among accounts that can sign in",
    "practice_start": "the opponent is a bot",
    "seasons_give_points": "a result",
    "seasons_pay_pool": "money that is due",
    "seasons_save_view": "who is shown in a table",
    "seasons_take_places_back": "nothing is left to take back",
    "titles_award": "a result",
}
"""Operations that name a player and ask nothing of them."""


@pytest.mark.slow
def test_no_operation_that_names_a_player_asks_one_who_has_left(
    running: RunningEvent, make_division: Callable[..., Division], bob_player: Player, carol: User, as_user: Any
) -> None:
    division, row = make_division(name="Second"), season([bob_player], [80], 1)
    FinalPlace.objects.create(series=row, player=bob_player, rank=1, answer_by=NOON.replace(year=2027))
    change(row, belongs="entered")
    [entry] = entries.enter(division=division, players=[Player.objects.create(name="Elif")], by=SYSTEM, now=NOON)
    division.refresh_from_db()
    jackpot = create_offer(tournament=running.tournament, offer=OfferInput("Jackpot", 4, [5]), by=SYSTEM, now=NOON)
    api, who = "/api/v1", {"player": bob_player.public_id}
    asks: dict[str, tuple[str, dict[str, Any]]] = {
        "challenges_create": (f"{api}/challenges/", {"opponent": bob_player.public_id, "length": 3}),
        "entries_create": (f"{api}/divisions/{division.public_id}/entries/", {**who, "name": "Bob"}),
        "entries_substitute": (
            f"{api}/entries/{entry.public_id}/substitute/",
            {**who, "name": "Bob", "after": division.seq},
        ),
        "members_create": (f"{api}/clubs/harbour/members/", who),
        "offers_join": (f"{api}/offers/{jackpot.public_id}/join/", {**who, "amount": 0}),
        "seasons_answer_place": (f"{api}/seasons/{row.public_id}/answer/", {**who, "answer": "comes"}),
        "seasons_enter": (f"{api}/seasons/{row.public_id}/entry/", {**who, "enters": "yes"}),
        "seasons_offer_places": (f"{api}/seasons/{row.public_id}/offer/", who),
    }
    named = {name for name in writing() if {"player", "players", "opponent", "into"} & fields_of(name).keys()}
    assert named == asks.keys() | RECORDS.keys(), "decide what it does with a player who has left"
    alice = as_user(running.tournament.club.memberships.get(role="owner").player.user)

    def ask() -> dict[str, str]:
        answers = {}
        for name, (url, body) in asks.items():
            client = as_user(carol) if name == "challenges_create" else alice
            with transaction.atomic():
                response = client.post(url, body, content_type="application/json")
                transaction.set_rollback(True)
            answers[name] = response.json()["code"] if response.status_code >= 400 else ""
        return answers

    before = ask()
    assert {name for name, code in before.items() if code} == {"members_create"}, before
    assert before["members_create"] == "already_member"

    suspend(user=bob_player.user, by=SYSTEM, now=NOON)  # type: ignore[arg-type]
    suspended = ask()
    assert suspended == dict.fromkeys(asks, "suspended")
    lift_suspension(user=bob_player.user, by=SYSTEM, now=NOON)  # type: ignore[arg-type]
    leave(bob_player)
    assert set(ask().values()) == {"choose_a_player", "erased", "former_member", "not_found"}
