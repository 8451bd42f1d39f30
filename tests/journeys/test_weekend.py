"""A weekend in one hall: doubles, a jackpot beside the main, a place for everybody, and a start score."""

import re
from collections.abc import Sequence
from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from formats.elimination.places import certain_places
from formats.settings import KNOCKOUT, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Membership, Player, User
from players.people.pairs import pair_of
from seasons.services import SeriesInput, create_series
from tests.browser.conftest import Check
from tests.browser.test_floor import NAMES
from tests.journeys.conftest import Journey
from tests.journeys.evenings import account_of
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.entries.event_links import path_for
from tournaments.events import services as events
from tournaments.floor import calls
from tournaments.floor import evening as opening
from tournaments.models import Division, Fixture, Floor, Offer, Tournament
from tournaments.offers import services as offers
from tournaments.offers.services import OfferInput
from tournaments.results.services import enter_result
from tournaments.state.derivation import states_of
from tournaments.state.stages import set_stages

LENGTH = 5
TO_5 = StageSettings(KNOCKOUT, lengths=(LENGTH,))


@pytest.fixture
def by(alice: User) -> Actor:
    return Actor.of(alice)


@pytest.fixture
def people(club: Club) -> list[Player]:
    """The club's nineteen players."""
    rows = [Player.objects.create(name=name) for name in NAMES]
    Membership.objects.bulk_create(Membership(club=club, player=row) for row in rows)
    return rows


@pytest.fixture
def weekend(club: Club, by: Actor) -> Tournament:
    """A published event of today at six tables, with fees in euros and without rests."""
    now = timezone.now()
    event = events.create_tournament(
        club=club, by=by, now=now, name="Harbour Weekend", starts_at=now, tables=6, ends_at=now + timedelta(hours=9)
    )
    event.currency, event.currency_exponent = "EUR", 2
    event.save(update_fields=["currency", "currency_exponent"])
    Floor.objects.create(tournament=event, rest_minutes=0)
    return event


def division_of(event: Tournament, by: Actor, players: Sequence[Player], **settings: object) -> Division:
    """A division of the event to 5 points, with these entries."""
    now = timezone.now()
    event.refresh_from_db()
    division = events.create_division(tournament=event, by=by, now=now, **{"match_length": LENGTH, **settings})
    entries.enter(division=division, players=players, by=by, now=now)
    event.refresh_from_db()
    if event.status == Tournament.Status.DRAFT:
        events.publish_tournament(tournament=event, by=by, now=now)
    division.refresh_from_db()
    return division


def draw(division: Division, by: Actor, stage: StageSettings = TO_5) -> None:
    """Draw and publish."""
    now = timezone.now()
    division.refresh_from_db()
    set_stages(division=division, stages=[stage], after=division.seq, by=by, now=now)
    draws.make_draft(draw_id=draws.request_draw(division=division, by=by, now=now).pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=now)


def open_floor(event: Tournament, by: Actor) -> None:
    opening.open_floor(tournament=Tournament.objects.get(pk=event.pk), by=by, now=timezone.now())


def play(division: Division, by: Actor, chance: Random) -> None:
    """Finish all matches of a division."""
    ready = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
    while fixture := ready.select_related("match").order_by("number").first():
        assert fixture.match is not None
        winner, length = chance.randrange(2), fixture.match.length
        score = (length, 3) if winner == 0 else (3, length)
        enter_result(fixture=fixture, result=ResultInput(winner, score), by=by, now=timezone.now())


def match_of(division: Division, player: Player) -> Fixture:
    """The first match of a player or a pair."""
    rows = Fixture.objects.filter(stage__division=division, slots__entry__player=player)
    return rows.select_related("match", "stage__division__tournament__club").earliest("number")


@pytest.mark.slow
@pytest.mark.journey("doubles of 8: late, in the main, gone home, substituted")
def test_doubles(
    journey: Journey, weekend: Tournament, people: list[Player], alice: User, by: Actor, looked_at: Check
) -> None:
    main = division_of(weekend, by, people[:4], name="Main")
    pairs = [pair_of(people[0], people[4]), *(pair_of(*people[at : at + 2]) for at in range(5, 17, 2))]
    doubles = division_of(weekend, by, pairs, name="Doubles", sides="two", fee=2001, is_side=True)
    draw(main, by)
    open_floor(weekend, by)
    first = match_of(main, people[0])
    calls.call(fixture=first, by=by, now=timezone.now())
    calls.start(fixture=first, by=by, now=timezone.now())

    # The eighth pair is entered by one line; Ann is here and pays her half, Bea is late.
    desk = journey.on_phone(alice)
    desk.tap("Harbour Weekend")
    desk.tap("Floor")
    desk.tap(re.compile("^Arrivals"))
    desk.tap("Doubles")
    desk.type("Name, or Ann & Bea", "Ann Berg & Bea Kral")
    desk.tap(re.compile("^Enter Ann Berg"))
    desk.sees("Ann Berg")
    desk.tap("All here")
    desk.sees("16\nhere")
    desk.tap(re.compile("^Bea Kral"))
    desk.sees("1\nmissing")
    looked_at(desk._page)
    # One is substituted before the draw.
    desk.tap(f"More · {people[16].name}")
    desk.tap("Substitute…")
    desk.type("Who plays instead?", "Ines Duarte & Cara New")
    desk.tap("Substitute")
    desk.sees("Cara New")
    draw(doubles, by)

    # On the floor each match waits for whom it lacks: the late partner, the substitute, and one who plays in the main.
    maja, mei = people[0].name, people[4].name
    floor = journey.at_desk(alice)
    floor.tap("Harbour Weekend")
    floor.tap("Floor")
    floor.sees("Bea Kral is not here.")
    floor.sees(f"{maja} is at M{first.number}.")
    looked_at(floor._page)
    desk.tap("Doubles")
    for name in ("Bea Kral", "Cara New"):
        desk.sees(name)
        desk.tap(re.compile(f"^{name} Owes"))
    floor.tap(re.compile("^Floor"))
    floor.does_not_see("Bea Kral is not here.")

    # Mei goes home: Maja plays without her, once she is back from the main.
    before = floor.taps
    floor.tap(re.compile(f"{maja} is at M{first.number}"))
    floor._page.locator("dialog[open]").wait_for()
    looked_at(floor._page)
    floor.tap(f"Plays without {mei}")
    floor.sees(f"{maja} plays without {mei}.")
    assert floor.taps - before <= 3
    floor.tap(re.compile("^Floor"))
    floor.type("Quick entry", f"m{first.number} 5-3")
    floor.press("Enter")
    floor.does_not_see(f"{maja} is at M{first.number}.")
    number = match_of(doubles, pairs[0]).number
    floor.type("Quick entry", f"m{number} 5-3")
    floor.press("Enter")
    floor.sees("5–3", within=f"M{number}")
    looked_at(floor._page)
    play(doubles, by, Random(2))

    # Everybody sees it.
    guest = journey.on_phone()
    guest.tap("Events")
    guest.tap("Harbour Weekend")
    guest.tap("Bracket", within="Doubles")
    guest.sees(f"{maja} plays without {mei}")
    guest.sees("Ann Berg & Bea Kral")
    guest.sees("Ines Duarte & Cara New")
    looked_at(guest._page)


@pytest.mark.journey("a jackpot of 8: entered, full, played beside the main, paid")
def test_a_jackpot(
    journey: Journey, weekend: Tournament, people: list[Player], alice: User, by: Actor, looked_at: Check
) -> None:
    main = division_of(weekend, by, people[:8], name="Main")
    jackpot = OfferInput("Jackpot 100", 8, [LENGTH], fee=10000, kept=500, shares=(7000, 3000))
    weekend.refresh_from_db()
    offers.create_offer(tournament=weekend, offer=jackpot, by=by, now=timezone.now())
    draw(main, by)
    open_floor(weekend, by)
    director = journey.on_phone(alice)
    director.tap("Harbour Weekend")
    director.tap("Enter a name")
    for number, name in enumerate(NAMES[:8]):
        director.tap(re.compile(f"^{name}"))
        if number < 7:
            director.sees(f"{name} is on no. 1 of Jackpot 100: {number + 1} of 8")
    director.sees("starts in")
    looked_at(director._page)
    offers.start_lists(timezone.now() + timedelta(seconds=31))
    director.tap(re.compile("^Floor"))
    director.tap("Next")
    director.sees("Jackpot 100 no. 1")
    looked_at(director._page)
    run = Offer.objects.get().runs.get(run=1)
    play(run, by, Random(1))
    director.tap(re.compile("^Prizes"))
    director.sees("8 × 100.00 − 40.00 for the club = 760.00")
    looked_at(director._page)
    director.tap("Pay 532.00 EUR")
    director.tap("Pay 228.00 EUR")
    director.does_not_see("Prizes still to be paid")


@pytest.mark.usefixtures("draw_worker")
@pytest.mark.journey("13 players, a place for everybody, prizes and season")
def test_a_place_for_everybody(
    journey: Journey, weekend: Tournament, people: list[Player], club: Club, alice: User, by: Actor, looked_at: Check
) -> None:
    today = timezone.localdate()
    days = SeriesInput("Autumn", today - timedelta(days=60), today + timedelta(days=30), "motor_racing")
    create_series(club=club, series=days, by=by, now=timezone.now())
    division = division_of(weekend, by, people[:13], name="Open", fee=1000)
    director = journey.at_desk(alice)
    director.tap("Harbour Weekend")
    director.tap("Floor")
    director.tap_text("Draw")
    director.tap(re.compile("Everybody plays to the end"))
    director.sees("Format: Everybody plays to the end")
    looked_at(director._page)
    director.tap("Draw", role="button")
    director.tap(re.compile("^Publish"))
    assert director.taps <= 6
    play(division, by, Random(3))

    # Everybody has a place, which prizes and points of the season follow.
    names = dict(division.entries.values_list("pk", "player__name"))
    order = certain_places(states_of(division)[0].progress)
    places = {placing.first: names[entry] for placing in order for entry in placing.entries}
    assert sorted(places) == list(range(1, 14))
    director.tap("Floor")
    director.tap("Prizes", role="link")
    director.tap("Publish prizes")
    for where, name, share in (
        ("Winner", places[1], "65.00"),
        ("Finalist", places[2], "39.00"),
        ("3", places[3], "26.00"),
    ):
        director.sees(re.compile(rf"{where}\s+{name}[\s\d%]+{share}"))
    looked_at(director._page)
    guest = journey.on_phone()
    guest.tap("Events")
    guest.tap("Harbour Weekend")
    guest.tap("Bracket")
    for place, name in places.items():
        guest.sees(re.compile(rf"\n{place}\s*\n{re.escape(name)}"))
    looked_at(guest._page)
    guest.tap("Harbour Weekend", first=True)
    guest.tap("Autumn")
    for place, points in enumerate((27, 20, 17, 14, 12, 10, 8, 6, 4, 3), start=1):
        guest.sees(re.compile(rf"\n{place}\s+{places[place]}\s+{points}\n"))
    looked_at(guest._page)


@pytest.mark.journey("a match that begins 2–0")
def test_a_start_score(
    journey: Journey, weekend: Tournament, people: list[Player], club: Club, alice: User, by: Actor, looked_at: Check
) -> None:
    division = division_of(weekend, by, people[:2], name="Open", rated=False)
    draw(division, by)
    open_floor(weekend, by)
    fixture = match_of(division, people[0])
    assert fixture.match is not None
    first, second = fixture.match.players
    calls.call(fixture=fixture, by=by, now=timezone.now())
    director = journey.on_phone(alice)
    director.tap("Harbour Weekend")
    director.tap("Floor")
    director.tap(re.compile("^Table 1"))
    director.tap_text("Start score…")
    director.type(first.name, "2")
    director.type("Reason", "House rule")
    looked_at(director._page)
    director.tap("Save", within="Start score…")
    director.sees(f"Undo: start · M1 {first.name} – {second.name} begins at 2–0.")

    # Both see it before they sit down, and the winner's points are counted from there.
    player = journey.on_phone(account_of(first, "first@example.org", club))
    player.tap("My matches")
    player.sees("5 points, from 2–0")
    looked_at(player._page)
    director.tap(re.compile("^Table 1"))
    director.sees("5 pt, from 2–0")
    looked_at(director._page)
    director.tap("Start")
    director.sees("5 pt, from 2–0")
    looked_at(director._page)
    director.tap(re.compile("^Table 1"))
    director.tap(second.name, role="radio")
    director.tap("2", role="radio")
    director.tap(f"{second.name} wins 5–2")
    director.tap("Harbour Weekend", first=True)
    director.tap("Bracket")
    director.sees(re.compile("from (2–0|0–2)"))
    looked_at(director._page)


@pytest.mark.journey("a result of a pair by a partner's link")
def test_a_result_of_a_pair_by_link(
    journey: Journey, weekend: Tournament, people: list[Player], by: Actor, looked_at: Check
) -> None:
    sides = [pair_of(*people[:2]), pair_of(*people[2:4])]
    doubles = division_of(weekend, by, sides, name="Doubles", sides="two")
    draw(doubles, by)
    open_floor(weekend, by)
    fixture = match_of(doubles, sides[0])
    calls.call(fixture=fixture, by=by, now=timezone.now())
    calls.start(fixture=fixture, by=by, now=timezone.now())
    reporter = journey.on_phone(address=path_for(weekend, people[1], 0))
    reporter.sees(f"You play with {people[0].name}.")
    looked_at(reporter._page)
    reporter.tap("We won", role="radio")
    reporter.tap("3", role="radio", within="Points of the other pair")
    reporter.tap(re.compile("^We won .–3$"))
    reporter.sees("has to confirm it")
    looked_at(reporter._page)
    partner = journey.on_phone(address=path_for(weekend, people[0], 0))
    partner.sees("Reported for you both: 5–3")
    looked_at(partner._page)
