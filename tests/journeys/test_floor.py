"""A director with a phone in one hand, during the evening."""

import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from clubhouse.tonight import EveningPlan, start_evening
from formats.settings import KNOCKOUT, StageSettings
from matches.models import Result
from matches.reporting.deadlines import announce_unsettled
from players.actors import Actor
from players.models import Club, Player, User
from tests.browser.test_floor import NAMES, evening
from tests.journeys.conftest import Journey
from tests.journeys.evenings import entered_event, last_week
from tests.journeys.person import Person
from tournaments.entries import check_in
from tournaments.floor.calls import call_ready
from tournaments.floor.evening import set_autopilot
from tournaments.models import Autopilot, Division, Entry, Fixture, Tournament

__all__ = ["evening"]


@pytest.mark.journey("arrivals and fees of 19")
def test_nineteen_arrive_and_pay(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, fee=10)
    director = journey.on_phone(alice)
    director.tap("Friday Knockout")
    director.tap("Console")
    director.tap(re.compile("^Arrivals"))
    for name in NAMES:
        director.tap(f"{name} is here and paid")
    director.sees("19\nhere")
    director.does_not_see("Owes")


@pytest.mark.journey("all of 19 here and paid")
def test_all_of_nineteen_are_here_and_have_paid(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, fee=10)
    director = journey.on_phone(alice)
    director.tap("Friday Knockout")
    director.tap("Console")
    director.tap(re.compile("^Arrivals"))
    before = director.taps
    director.tap_text("All here and paid…")
    director.tap("19 players are here, 190 tickets paid in cash")
    director.sees("19\nhere")
    director.does_not_see("Owes")
    assert director.taps - before == 2


@pytest.fixture
def _time_to_undo(settings: Any, transactional_db: None) -> Iterator[None]:
    """As long as on a real site; a thread settles what is due, as a worker would."""
    settings.RESULT_UNDO_SECONDS = 5.0
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.2):
            announce_unsettled(now=timezone.now())
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join(10)


def enter_a_result(director: Person) -> None:
    """Enter a result by four taps on the floor, and see it undoable and then settled."""
    director.tap("Saturday Night")
    director.tap("Floor")
    winner = director.reads(r"\n2\nM\d+\n.*\n(.+)\n")
    arrived = director.taps
    director.tap(re.compile("^Table 2"))
    director.tap(winner, role="radio")
    director.tap("4", role="radio")
    director.tap(f"{winner} wins 7–4")
    assert director.taps - arrived == 4
    # On a phone the act stands before the name.
    director.sees(re.compile(rf"Undo: (result · )?{re.escape(winner)} wins 7–4 · Table 2"))
    director.sees("7–4", within="Just in")
    director.sees(re.compile(r"\n2\n(Free|Next)"))


@pytest.mark.usefixtures("_time_to_undo")
@pytest.mark.journey("result on a phone")
def test_a_result_on_the_phone(journey: Journey, evening: Tournament, alice: User) -> None:
    enter_a_result(journey.on_phone(alice))


@pytest.mark.usefixtures("_time_to_undo")
@pytest.mark.journey("result at a desk")
def test_a_result_at_the_desk(journey: Journey, evening: Tournament, alice: User) -> None:
    enter_a_result(journey.at_desk(alice))


@pytest.mark.journey("result by a line, and taken back")
def test_a_result_by_a_line(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.at_desk(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    number = director.reads(r"\n1\nM(\d+)\n")
    director.type("Quick entry", f"m{number} 7-4")
    director.press("Enter")
    director.sees("7–4", within="Just in")
    # The cursor is back in the line. Entered twice, it is refused.
    director.type("Quick entry", "undo")
    director.press("Enter")
    director.does_not_see("7–4")


@pytest.mark.journey("two lines typed fast on a slow line")
def test_two_lines_on_a_slow_line(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.at_desk(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    first, second = (director.reads(rf"\n{table}\nM(\d+)\n") for table in (1, 2))
    director.has_slow_line()
    for line in (f"m{first} 7-4", f"m{second} 7-2"):
        director.type("Quick entry", line)
        director.press("Enter")
    director.sees("Sending…")
    for score in ("7–4", "7–2"):
        director.sees(score, within="Just in")
    director.does_not_see("Sending…")


@pytest.mark.journey("two events in one hall")
def test_two_events_in_one_hall(journey: Journey, evening: Tournament, club: Club, alice: User) -> None:
    people = [Player.objects.create(name=name) for name in NAMES[:6]]
    plan = EveningPlan(4, timezone.now() + timedelta(hours=4), (StageSettings(KNOCKOUT, lengths=(5,)),), people)
    doubles = start_evening(club=club, plan=plan, by=Actor.of(alice), now=timezone.now())
    Tournament.objects.filter(pk=doubles.pk).update(name="Doubles")
    director = journey.on_phone(alice)
    director.tap("Doubles")
    director.tap("Floor")
    director.sees("4 taken by other events")
    director.sees(re.compile(r"\n1\nTaken\nSaturday Night: M\d"))
    director.tap("Another hall?")
    director.sees("This event has a hall of its own.")
    director.does_not_see("taken by other events")
    director.tap(re.compile("^Undo: This event has a hall"))
    director.sees("taken by other events")


@pytest.fixture
def night_on_paper(club: Club, alice: User) -> list[str]:
    """A knockout of eight that was played a week ago without this site; its seven results, the final first."""
    event = last_week(club, alice, stages=(StageSettings(KNOCKOUT, lengths=(5,)),))
    Tournament.objects.filter(pk=event.pk).update(status=Tournament.Status.RUNNING)
    event.divisions.update(status=Division.Status.RUNNING)
    fixtures = Fixture.objects.filter(stage__division__tournament=event, match__isnull=False).order_by("number")
    pairs = [[player.name for player in row.match.players] for row in fixtures if row.match is not None]
    played = []
    while pairs:
        played += [f"{winner} – {loser} 5-2" for winner, loser in pairs]
        winners = [winner for winner, _loser in pairs]
        pairs = [winners[place : place + 2] for place in range(0, len(winners) - 1, 2)]
    return played[::-1]


@pytest.mark.usefixtures("_time_to_undo")
@pytest.mark.journey("past night by paste")
def test_a_past_night_is_pasted(journey: Journey, night_on_paper: list[str], alice: User) -> None:
    final, *others = night_on_paper
    director = journey.at_desk(alice)
    director.tap(re.compile("Club night"), first=True)
    director.tap("Floor")
    director.pastes("Quick entry", "\n".join([final.replace("5-2", "5-5"), *others]))
    director.press("Enter")
    director.sees("5–5 has no winner.")
    assert director.copies("Quick entry") == final.replace("5-2", "5-5")
    assert Result.objects.count() == 6
    director.type("Quick entry", final)
    director.press("Enter")
    director.sees(re.compile("M7 · .+ (5–2|2–5)"))
    assert Result.objects.count() == 7


@pytest.mark.usefixtures("_time_to_undo")
@pytest.mark.journey("on paper without the server, and typed back in")
def test_a_night_goes_on_on_paper_and_is_typed_back_in(
    journey: Journey, evening: Tournament, alice: User, expected_errors: list[re.Pattern[str]]
) -> None:
    """What is typed is read off the printed sheet: the numbers of the matches and their players."""
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED|NetworkError|Failed to load resource|htmx:"))
    director = journey.at_desk(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap("Continue on paper")
    sheet = director.prints()
    assert "type the results in the quick entry, one line each: m25 7-4" in sheet
    on_tables = re.findall(r"^\d\nM(\d+)$", sheet.partition("Queue, in order")[0], re.MULTILINE)
    assert len(on_tables) == 4
    director.goes_back()
    director.sees(re.compile(r"Kept on this device: \d\d:\d\d"))
    director.has_line(False)
    director.sees("No connection since")
    director.tap("Show without the server")
    assert re.sub(r"\d\d:\d\d", "", director.prints()) == re.sub(r"\d\d:\d\d", "", sheet), "the device has it, too"
    director.tap("Back")
    director.sees("No connection since")
    # They are played, and so is the next match of a winner, for whom the sheet has a line.
    coming = re.findall(rf"M(\d+) .* – Winner of M{on_tables[0]}$", sheet, re.MULTILINE)
    numbers = [*on_tables, *coming]
    assert len(numbers) == 5
    before = Result.objects.count()
    director.has_line(True)
    director.does_not_see("No connection since")
    director.pastes("Quick entry", "\n".join(f"m{number} 7-{points}" for points, number in enumerate(numbers)))
    director.press("Enter")
    director.sees("7–4")
    fixtures = Fixture.objects.filter(number__in=numbers).select_related("match")
    scores = {row.number: row.match.results.get().score for row in fixtures if row.match is not None}
    assert scores == {int(number): (7, points) for points, number in enumerate(numbers)}
    assert Result.objects.count() == before + 5


@pytest.mark.journey("late entry")
def test_a_late_entry(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap(re.compile("^Arrivals"))
    director.type("Find or add a player", "Wanda Late")
    director.tap("New player Wanda Late")
    director.tap("Let in")
    director.sees("Wanda Late")


@pytest.mark.journey("no-show")
def test_a_no_show(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    absent = director.reads(r"5\d min\n(.+)\n")
    director.tap(re.compile("^Needs you"))
    director.tap_text("Who is missing?")
    director.tap(absent)
    director.sees("forfeit")
    director.sees("Nothing needs your attention")


@pytest.mark.journey("closing time, and go on")
def test_closing_time(journey: Journey, evening: Tournament, alice: User) -> None:
    now = timezone.now()
    set_autopilot(tournament=evening, mode=Autopilot.CALL, by=Actor.of(alice), now=now - timedelta(minutes=30))
    Tournament.objects.filter(pk=evening.pk).update(ends_at=now - timedelta(seconds=1))
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.sees("1 free")
    assert call_ready(tournament_id=evening.pk, now=now) == [], "closing time is over"
    director.tap(re.compile("^Needs you"))
    director.sees(re.compile(r"\d\d:\d\d is over: .*\d+ wait"))
    director.tap("Go on")
    director.does_not_see("Go on")
    assert len(call_ready(tournament_id=evening.pk, now=timezone.now())) != 0


@pytest.mark.journey("a player goes home")
def test_a_player_goes_home(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap(re.compile("^Arrivals"))
    director.tap(f"More · {NAMES[0]}")
    director.tap("Withdraw…")
    director.sees(re.compile(f"M\\d+: {NAMES[0]} .+ goes through"))
    director.tap("Withdraw from this division")
    director.sees(f"{NAMES[0]} has withdrawn")


@pytest.mark.journey("gone home, found out by the call")
def test_a_player_who_was_called_has_gone_home(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    absent = director.reads(r"5\d min\n(.+)\n")
    director.tap(re.compile("^Needs you"))
    director.tap_text("Gone home?")
    director.tap(f"Gone home? {absent}")
    director.sees(re.compile(f"{absent} forfeits, and .+ goes through"))
    director.sees(f"{absent} no longer plays in: Main draw, Progressive consolation")
    director.tap("Withdraw from the whole event")
    director.sees(f"{absent} has withdrawn")
    director.sees("Nothing needs your attention")


@pytest.mark.journey("calls follow check-in: all here")
def test_calls_follow_check_in(journey: Journey, evening: Tournament, alice: User) -> None:
    entry = Entry.objects.select_related("division__tournament").get(player__name=NAMES[0])
    check_in.mark(entry=entry, state="here", by=Actor.of(alice), now=timezone.now())
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.sees("not here")
    director.tap("All here")
    director.sees("players are here")
    director.does_not_see("not here")


@pytest.mark.journey("a table breaks, and is repaired")
def test_a_table_breaks(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap(re.compile("^Table 1"))
    director.tap_text("Table 1 is broken…")
    director.type("What is broken?", "Leg broken")
    director.tap("Take out of use")
    director.sees("goes to table 5")
    director.sees("Leg broken")
    # Repaired.
    director.tap(re.compile("^Table 1"))
    director.tap("Back in use")
    director.does_not_see("Leg broken")
