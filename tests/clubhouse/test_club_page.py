"""The page of a club: its next evening and how one gets in, its calendar and feed, winners, and how it looks."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from icalendar import Calendar

from clubhouse.clubs import latest_winners
from formats.settings import LEAGUE, StageSettings
from players.actors import SYSTEM, Actor
from players.clubs.services import update_club
from players.models import Club, Membership, Player, User
from players.people.erasure import erase_player
from players.people.pairs import pair_of
from tests.event_cast import join
from tests.pages import html
from tests.tournaments.support.correcting import DOUBLE, GROUPS, KNOCKOUT, PROGRESSIVE, ROUND_ROBIN, SWISS_FIRST, Cup
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Entry, Tournament
from tournaments.standings.placings import champions
from tournaments.state.stages import set_stages

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

PAGE = "/clubs/harbour/"
Evening = Callable[..., Division]


@pytest.fixture
def evening(club: Club, by_alice: Actor) -> Evening:
    """Create an evening in so many days with a division, published unless it is to stay a draft."""

    def make(name: str = "Club Night", days: float = 2, *, draft: bool = False, **settings: Any) -> Division:
        now = timezone.now()
        starts = now + timedelta(days=days)
        event = events.create_tournament(club=club, by=by_alice, now=now, name=name, starts_at=starts)
        division = events.create_division(
            tournament=event, by=by_alice, now=now, **{"name": "Open", "self_registration": True, **settings}
        )
        if not draft:
            events.publish_tournament(tournament=event, by=by_alice, now=now)
        return division

    return make


def shown(client: Client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return html(response)


def card(client: Client) -> str:
    """The text of the card with the next evening."""
    page = shown(client)
    start = page.index('aria-labelledby="evening"')
    return " ".join(re.sub(r"<[^>]+>", " ", page[start : page.index("</section>", start)]).split())


def enter(division: Division, *names: str, **fields: object) -> list[Player]:
    players = [Player.objects.create(name=name, **fields) for name in names]
    entries.enter(division=division, players=players, by=SYSTEM, now=timezone.now())
    return players


def test_a_club_without_events_says_whom_to_ask(club: Club, client: Client, alice_client: Client) -> None:
    assert "No evening planned. Ask Alice" in card(client)
    assert "Plan an event" in card(alice_client)
    Membership.objects.update(role=Membership.Role.MEMBER)
    assert card(client).endswith("No evening planned.")


def test_the_next_evening_is_the_first_to_come(evening: Evening, client: Client) -> None:
    evening("Later", 9)
    evening("Draft", 1, draft=True)
    evening("Long ago", -3)
    evening("Next", 2, match_length=5)
    text = card(client)
    assert "Next evening" in text
    assert "Next Knockout, 5 points" in text
    assert "0 are coming" in text
    assert shown(client).index("Next") < shown(client).index("Later")
    assert "Draft" not in shown(client)


def test_what_is_being_played_gives_way_to_what_is_to_come(evening: Evening, client: Client) -> None:
    Tournament.objects.filter(pk=evening("Tonight", -0.1).tournament_id).update(status=Tournament.Status.RUNNING)
    assert "Being played now" in card(client)
    evening("Next week", 6)
    assert "Next week" in card(client)
    assert "Tonight" in shown(client)


def test_a_member_joins_and_leaves_from_the_page(evening: Evening, club: Club, bob: User, client: Client) -> None:
    division = evening(days=1)
    join(club, bob)
    client.force_login(bob)
    base = f"/events/harbour/{division.tournament.slug}/{division.public_id}/"
    on = f"I’m coming on {division.tournament.starts_at.astimezone(ZoneInfo(division.tournament.time_zone)):%A}"
    assert card(client).endswith(on)
    for path, text in (
        ("register/", "You are entered. I can’t come"),
        ("withdraw/", on),
        ("register/", "You are entered."),
    ):
        assert f'action="{base}{path}"' in shown(client)
        assert client.post(f"{base}{path}", {"back": "club"})["Location"] == PAGE
        assert text in card(client)
    assert "1 is coming" in card(client)
    assert client.post(f"{base}withdraw/", {"back": "//evil.example"})["Location"] == base


@pytest.mark.parametrize("days", [6, 7, -0.1])
def test_the_button_names_the_day_within_six_days_and_otherwise_the_date(
    evening: Evening, client: Client, days: float
) -> None:
    event = evening(days=days).tournament
    zone = ZoneInfo(event.time_zone)
    starts = event.starts_at.astimezone(zone)
    # Just after midnight, what began an hour ago began yesterday.
    is_near = 0 <= (starts.date() - timezone.now().astimezone(zone).date()).days <= 6
    assert f"I’m coming on {starts:{'%A' if is_near else '%-d %B'}}" in card(client)


def test_a_league_is_entered(evening: Evening, by_alice: Actor, client: Client) -> None:
    division = evening(days=3)
    league = StageSettings(LEAGUE, lengths=(5,))
    set_stages(division=division, stages=[league], after=division.seq, by=by_alice, now=timezone.now())
    assert card(client).endswith("Enter")


def test_who_is_in_two_divisions_is_counted_once(evening: Evening, by_alice: Actor, client: Client) -> None:
    division = evening(days=3)
    second = events.create_division(tournament=division.tournament, by=by_alice, now=timezone.now(), name="Doubling")
    enter(division, "Anna Berg", "Ben Ort")
    twice = Player.objects.get(name="Anna Berg")
    entries.enter(division=second, players=[twice], by=by_alice, now=timezone.now())
    evening("Tomorrow", days=1)
    assert "2 players" in re.sub(r"\s+", " ", shown(client))
    assert "3 players" not in shown(client)


def test_a_full_evening_offers_a_place_on_the_waiting_list(
    evening: Evening, club: Club, bob: User, carol: User, client: Client
) -> None:
    division = evening(capacity=2)
    enter(division, "Anna Berg", "Ben Ort")
    enter(division, "Cleo", "Dan")
    assert "2 are coming · 0 places free" in card(client)
    assert "Join the waiting list, 3rd" in card(client)
    entries.register(division=division, player=join(club, bob), by=Actor.of(bob), now=timezone.now())
    entries.register(division=division, player=join(club, carol), by=Actor.of(carol), now=timezone.now())
    for user, place in ((bob, "3rd"), (carol, "4th")):
        client.force_login(user)
        assert f"You are on the waiting list, {place} I can’t come" in card(client)
    entries.withdraw(entry=Entry.objects.get(player__name="Anna Berg"), by=SYSTEM, now=timezone.now())
    assert "You are on the waiting list, 3rd" in card(client)


def test_without_self_registration_the_page_says_how_one_enters(evening: Evening, client: Client) -> None:
    division = evening(self_registration=False)
    assert "The director enters the players. Ask Alice" in card(client)
    Division.objects.filter(pk=division.pk).update(self_registration=True, closes_at=timezone.now())
    assert "Entries are closed." in card(client)


def test_of_several_open_divisions_one_is_chosen_on_the_page_of_the_event(
    evening: Evening, by_alice: Actor, client: Client
) -> None:
    division = evening(name="Open night")
    events.create_division(
        tournament=division.tournament, by=by_alice, now=timezone.now(), name="Beginners", self_registration=True
    )
    assert "Open, Beginners" in card(client)
    assert card(client).endswith("Choose a division")


def test_after_the_draw_leaving_takes_more_than_a_tap(evening: Evening, club: Club, bob: User, client: Client) -> None:
    division = evening()
    entries.register(division=division, player=join(club, bob), by=Actor.of(bob), now=timezone.now())
    Division.objects.filter(pk=division.pk).update(status=Division.Status.RUNNING)
    client.force_login(bob)
    assert card(client).endswith("You are entered. Open the event")


def test_who_comes_is_shown_by_initials_and_never_by_name(evening: Evening, client: Client) -> None:
    division = evening()
    enter(division, "Rosa Maria Fernández", "Gus")
    enter(division, "Hidden Person", initials_only=True)
    [gone] = enter(division, "Erased Person")
    Player.objects.filter(pk=gone.pk).update(erased_at=timezone.now())
    text = card(client)
    assert "RF G HP" in text
    assert "4 are coming" in text
    assert not re.search("Rosa|Hidden|Erased|EP", text)


def test_both_of_a_pair_come(evening: Evening, by_alice: Actor, bob: User, client: Client) -> None:
    division = evening(sides="two", self_registration=False)
    Tournament.objects.filter(pk=division.tournament_id).update(tables=4)
    people = [Player.objects.create(name=name) for name in ("Anna Berg", "Ben Ort", "Cleo Dam")]
    bobs = Player.objects.create(name="Bob", user=bob)
    with transaction.atomic():
        pairs = [pair_of(people[0], people[1]), pair_of(people[2], bobs)]
    entries.enter(division=division, players=pairs, by=by_alice, now=timezone.now())
    singles = events.create_division(tournament=division.tournament, by=by_alice, now=timezone.now(), name="Singles")
    entries.enter(division=singles, players=people[:2], by=by_alice, now=timezone.now())
    assert "AB BO CD B 4 are coming · 2 boards free" in card(client), "two for four sides"
    client.force_login(bob)
    assert "You are entered." in card(client)
    erase_player(player=people[0], by=by_alice, now=timezone.now())
    assert "CD B" in card(client)
    assert "AB" not in card(client)


def test_anonymous_visitors_sign_in_and_come_back(evening: Evening, client: Client) -> None:
    evening()
    assert 'href="/sign-in/?next=%2Fclubs%2Fharbour%2F"' in shown(client)
    assert "csrfmiddlewaretoken" not in shown(client)[: shown(client).index("site-footer")]


def test_queries_do_not_grow_with_events_and_entries(evening: Evening, client: Client) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(PAGE)
        return len(queries)

    enter(evening(), "Anna", "Ben")
    count()  # The first view in a minute also prepares the picture for shared links.
    few = count()
    for number in range(6):
        enter(evening(f"Night {number}", 3 + number), *(f"Player {number}-{other}" for other in range(8)))
    assert count() == few


@pytest.mark.parametrize("stages", [KNOCKOUT, DOUBLE, PROGRESSIVE, GROUPS, ROUND_ROBIN, SWISS_FIRST])
@pytest.mark.parametrize("seed", range(3))
def test_winners_are_the_champions_of_their_divisions(stages: list[StageSettings], seed: int) -> None:
    cup = Cup.create(8, stages).play(Random(seed), wild=seed > 0)
    cup.division.refresh_from_db()
    assert cup.division.status == Division.Status.FINISHED
    nobody = AnonymousUser()
    expected = champions(nobody, [cup.division])[cup.division.pk]
    shown_winners = latest_winners(nobody, [cup.division], staff=False)
    assert [winner.name for winner in shown_winners] == [expected] * bool(expected)
    for winner in shown_winners:
        if winner.score:
            first, second = map(int, winner.score.split("–"))
            assert first > second
            assert winner.loser not in {"", winner.name}


def test_the_page_shows_the_last_final_with_its_score(client: Client) -> None:
    Cup.create(4, KNOCKOUT).play(Random(1), wild=False)
    page = " ".join(re.sub(r"<[^>]+>", " ", shown(client)).split())
    assert re.search(r"Player \d Cup first \d+–\d+ in the final, Player \d", page)


def test_hidden_names_of_winners_are_initials(client: Client) -> None:
    Cup.create(4, KNOCKOUT).play(Random(1), wild=False)
    Player.objects.update(initials_only=True)
    assert "in the final" in shown(client)
    assert "Player " not in shown(client)


def test_the_feed_has_every_published_event_and_needs_no_account(evening: Evening, client: Client) -> None:
    division = evening("Tuesday")
    evening("Draft", draft=True)
    evening("Years ago", -800)
    cancelled = evening("Thursday", 4).tournament
    events.cancel_tournament(tournament=cancelled, by=SYSTEM, now=timezone.now(), reason="ill")
    response = client.get(f"{PAGE}calendar.ics")
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    rows = Calendar.from_ical(response.content).walk("VEVENT")
    assert [str(row["SUMMARY"]) for row in rows] == ["Tuesday", "Thursday is cancelled"]
    assert str(rows[0]["UID"]) == f"event-{division.tournament.public_id}@barpoint"
    assert client.get("/clubs/nowhere/calendar.ics").status_code == 404
    with CaptureQueriesContext(connection) as queries:
        client.get(f"{PAGE}calendar.ics", headers={"Accept-Language": "en"})
    assert len(queries) == 2


def test_what_the_director_writes_is_shown_and_escaped(club: Club, alice_client: Client, client: Client) -> None:
    fields = {
        "name": club.name, "time_zone": "Europe/Copenhagen", "tagline": "Every <b>Tuesday</b>.", "colour": "rose",
        "meets": "Café\nQuay 9", "contact": "carol@example.org", "year_fee": "200 kr. a year", "board": "slate",
        "imprint": "Carol <script>",
    }  # fmt: skip
    assert alice_client.post(f"{PAGE}edit/", fields)["Location"] == PAGE
    page = shown(client)
    for text in ("Every &lt;b&gt;Tuesday", "Café<br>Quay 9", 'href="mailto:carol@example.org"', "200 kr. a year",
                 "Carol &lt;script&gt;", "board-slate", "club-rose"):  # fmt: skip
        assert text in page
    for wrong in ({"colour": "red;background:url(//x)"}, {"colour": "#fff"}, {"board": "x"}, {"tagline": "x" * 121}):
        assert alice_client.post(f"{PAGE}edit/", fields | wrong).status_code == 422
        assert alice_client.patch("/api/v1" + PAGE, wrong, content_type="application/json").status_code == 422
    assert alice_client.patch("/api/v1" + PAGE, {"colour": "grey"}, content_type="application/json").status_code == 200
    assert client.get("/api/v1" + PAGE).json()["colour"] == "grey"
    # A form without the pickers changes neither.
    alice_client.post(f"{PAGE}edit/", {"name": club.name, "time_zone": "UTC"})
    club.refresh_from_db()
    assert (club.colour, club.board, club.tagline) == ("grey", "slate", "")


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_white_is_readable_on_every_colour_of_a_club() -> None:
    css = Path("players/static/players/club.css").read_text()
    colours = dict(re.findall(r"\.club-(\w+) \{\s+--club: (#[0-9a-f]{6});", css))
    assert set(colours) == set(Club.Colour.values)
    assert min(1.05 / (luminance(colour) + 0.05) for colour in colours.values()) >= 4.5
    assert set(re.findall(r"\.board-(\w+) \{", css)) == set(Club.Board.values)


def test_a_change_of_the_face_is_in_the_log(club: Club, alice: User) -> None:
    changed = update_club(club=club, by=Actor.of(alice), tagline="We play.", colour=Club.Colour.RED)
    assert (changed.tagline, changed.colour) == ("We play.", "red")
