"""Alice moves an event and cancels it: its people hear of it, their calendars show it, and its dates move along."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from formats.settings import LEAGUE, SWISS, StageSettings
from matches.reporting import calendars
from players.actors import Actor
from players.models import Club, Delivery, Notification, Player, User
from players.notifications.deliveries import claim_emails
from players.notifications.emails import send_emails
from players.notifications.kinds import texts_of
from tests.event_cast import NOON, RunningEvent, join
from tests.pages import html
from tests.tournaments.events.test_event_pages import FORM
from tests.tournaments.support import calendars as reader
from tournaments.draws.round_lengths import RoundLength, change_round_lengths
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.events.dates import dates_of
from tournaments.events.deadlines import extend_deadline, set_deadlines
from tournaments.models import Division, Entry, FinalPlace, Fixture, Round, Series, Tournament
from tournaments.state.changes import CANCELLED, CHANGED, TELL_AFTER, audience_of
from tournaments.state.stages import set_stages

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql, pytest.mark.time_machine(NOON)]
WEEK, HOUR, MINUTE = timedelta(days=7), timedelta(hours=1), timedelta(minutes=1)
COPENHAGEN, NEW_YORK = "Europe/Copenhagen", "America/New_York"
STARTS = datetime(2026, 12, 5, 18, 30, tzinfo=ZoneInfo(COPENHAGEN))


@pytest.fixture
def planned(
    open_division: Division, bob_player: Player, carol_player: Player, by_alice: Actor, make_players: Any
) -> Division:
    """A published event with one place: Bob is entered; Carol waits, with a guest who has no account."""
    events.update_tournament(
        tournament=open_division.tournament,
        by=by_alice,
        now=NOON - timedelta(days=1),
        starts_at=STARTS,
        ends_at=STARTS + timedelta(hours=4),
        check_in_opens_at=STARTS - timedelta(hours=1),
        venue="Harbour Café; 1st floor, left",
    )
    division = events.update_division(
        division=open_division, after=0, by=by_alice, now=NOON, capacity=2, closes_at=STARTS - timedelta(days=1)
    )
    players = [bob_player, Player.objects.create(name="Alice's guest"), carol_player, *make_players(1)]
    entries.enter(division=division, players=players, by=by_alice, now=NOON)
    assert [entry.status for entry in division.entries.order_by("pk")] == ["in", "in", "waiting", "waiting"]
    return Division.objects.select_related("tournament__club").get(pk=division.pk)


def change(division: Division, by: Actor, now: datetime = NOON, **values: Any) -> Tournament:
    return events.update_tournament(tournament=division.tournament, by=by, now=now, **values)


def told(kind: str = CHANGED) -> list[str]:
    """Who was notified, by name."""
    rows = Notification.objects.filter(kind=kind).order_by("user__display_name", "pk")
    return [row.user.display_name for row in rows.select_related("user")]


def sentences(user: User) -> list[str]:
    rows = Notification.objects.filter(user=user, kind__in=(CHANGED, CANCELLED)).order_by("pk")
    return [text.sentence for text in texts_of(list(rows))]


def send(user: User, now: datetime = NOON + TELL_AFTER) -> list[str]:
    """Send what waits for a user; return the bodies of all e-mails so far."""
    send_emails(user=user.pk, now=now)
    return [str(message.body) for message in mail.outbox]


def url_of(division: Division) -> str:
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/"


def event_in(client: Client, division: Division, path: str = "") -> reader.Entry:
    uid = f"event-{division.tournament.public_id}@barpoint"
    return reader.read(client.get(path or f"{url_of(division)}calendar.ics").content)[uid]


def test_several_changes_are_read_at_once(
    planned: Division, by_alice: Actor, bob: User, django_assert_num_queries: Any
) -> None:
    for hours in range(1, 5):
        change(planned, by_alice, now=NOON + hours * HOUR, venue=f"Hall {hours}")
    events.cancel_tournament(tournament=planned.tournament, by=by_alice, now=NOON + 6 * HOUR, reason="Rain")
    rows = list(Notification.objects.filter(user=bob, kind__in=(CHANGED, CANCELLED)).order_by("pk"))
    assert len(rows) == 5
    for few in (rows[-2:], rows):
        # Events, twice their divisions, stages, rounds; reasons.
        with django_assert_num_queries(6):
            texts_of(few)


def test_an_event_is_moved_and_then_cancelled(
    planned: Division, alice_client: Client, client: Client, bob: User, carol: User
) -> None:
    before = event_in(client, planned)
    edit = f"{url_of(planned)}edit/"
    form = FORM | {
        "starts_at": "2026-12-12T18:30", "ends_at": "2026-12-05T22:30", "closing_rule": "adjourn",
        "silent_desk": "wait", "check_in_opens_at": "2026-12-05T17:30", "venue": "Club house",
    }  # fmt: skip
    asked = html(alice_client.post(edit, form))
    assert "2 of 4 players are notified." in asked
    for line in ("Ends: Sat 12 Dec 2026, 22:30 (was Sat 5 Dec 2026, 22:30)", "Check-in opens: Sat 12 Dec 2026, 17:30",
                 "Open · Registration closes: Fri 11 Dec 2026, 18:30"):  # fmt: skip
        assert line in asked
    assert asked.count('name="move"') == 3
    assert event_in(client, planned) == before, "nothing is saved before"

    question = asked.split('name="checked" value="')[1].split('"')[0]
    keys = [row.key for row in dates_of(planned.tournament, {})]
    assert alice_client.post(edit, form | {"checked": question, "move": keys}).status_code == 302
    planned.refresh_from_db()
    event = Tournament.objects.get()
    assert event.ends_at == STARTS + WEEK + timedelta(hours=4)
    assert event.check_in_opens_at == STARTS + WEEK - timedelta(hours=1)
    assert planned.closes_at == STARTS + WEEK - timedelta(days=1)
    assert told() == ["Bob", "Carol"]
    moved = event_in(client, planned)
    assert moved.number > before.number
    assert moved.last_modified > before.last_modified
    assert (moved.dtstart, moved.location, moved.status) == ("20261212T173000Z", "Club house", "CONFIRMED")

    cancel = f"{url_of(planned)}cancel/"
    assert "2 of 4 players are notified." in html(alice_client.get(cancel))
    alice_client.post(cancel, {"event": event.public_id, "reason": "The roof leaks."})
    assert told(CANCELLED) == ["Bob", "Carol"]
    for path in ("", f"/clubs/{event.club.slug}/calendar.ics"):
        gone = event_in(client, planned, path)
        assert gone.number > moved.number
        assert gone.status == "CANCELLED"
        assert gone.last_modified >= moved.last_modified
    [body] = send(carol, timezone.now() + TELL_AFTER)
    assert "The event is cancelled. Reason: The roof leaks." in body
    assert "Club house" not in body, "what was changed before does not matter any more"


def test_what_is_said_is_what_has_changed_since(planned: Division, by_alice: Actor, bob: User) -> None:
    bob.time_zone = COPENHAGEN
    bob.save()
    change(planned, by_alice, venue="Club house")
    change(planned, by_alice, NOON + MINUTE, starts_at=STARTS + WEEK)
    change(planned, by_alice, NOON + MINUTE, starts_at=STARTS + WEEK)
    assert told() == ["Bob", "Carol"], "one message for several changes in a row"
    assert Delivery.objects.filter(next_at__lt=NOON + TELL_AFTER).count() == 0
    [body] = send(bob)
    assert "Start: Sat 12 Dec 2026, 18:30 (was Sat 5 Dec 2026, 18:30)." in body.replace("\n", " ")
    assert "Venue: Club house (was Harbour Café; 1st floor, left)." in body.replace("\n", " ")


def test_a_change_that_is_changed_back_is_not_sent(planned: Division, by_alice: Actor, bob: User) -> None:
    change(planned, by_alice, venue="Club house")
    change(planned, by_alice, NOON + MINUTE, venue=planned.tournament.venue)
    assert claim_emails(user=bob.pk, now=NOON + TELL_AFTER) == []
    assert sentences(bob) == ["The event has changed. Everything is as it was before."]
    # Once it was sent, going back is another change.
    change(planned, by_alice, NOON + WEEK, venue="Club house")
    assert len(send(bob, NOON + WEEK + TELL_AFTER)) == 1
    change(planned, by_alice, NOON + WEEK + TELL_AFTER, venue=planned.tournament.venue)
    assert len(send(bob, NOON + WEEK + 3 * TELL_AFTER)) == 2


def test_what_concerns_nobody_is_not_told(planned: Division, by_alice: Actor) -> None:
    change(planned, by_alice, name="Winter Cup", about="New text", tables=9, ends_at=None)
    change(planned, by_alice, starts_at=STARTS, venue=planned.tournament.venue)
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    change(planned, by_alice, venue="Club house")
    events.cancel_tournament(tournament=planned.tournament, by=by_alice, now=NOON)
    assert Notification.objects.count() == 0


def test_each_person_hears_once_of_their_own_divisions(
    planned: Division, make_division: Callable[..., Division], by_alice: Actor, club: Club, carol_player: Player,
    bob: User, carol: User, dave: User, alice: User,
) -> None:  # fmt: skip
    other = make_division(name="Beginners")
    merged = Player.objects.create(name="Carol C.", merged_into=carol_player)
    hidden = join(club, dave)
    Player.objects.filter(pk=hidden.pk).update(initials_only=True)
    entries.enter(division=other, players=[carol_player, hidden, Player.objects.get(user=alice)], by=by_alice, now=NOON)
    Entry.objects.create(division=other, player=merged)
    audience = audience_of(Tournament.objects.get(), by_alice, NOON)
    assert (len(audience.divisions), audience.people) == (3, 6), "Alice makes the change"
    other.refresh_from_db()
    set_stages(division=other, stages=[StageSettings(SWISS, rounds=5)], after=other.seq, by=by_alice, now=NOON)
    assert told() == ["Carol", "Dave"]
    change(planned, by_alice, NOON, venue="Club house")
    assert told() == ["Bob", "Carol", "Dave"]
    assert sentences(bob) == ["The event has changed. Venue: Club house (was Harbour Café; 1st floor, left)."]
    format_ = "Format of Beginners: Swiss, 5 rounds (was Knockout)."
    assert format_ in sentences(carol)[0]
    assert format_ in sentences(dave)[0]
    assert "Dave" not in "".join(sentences(carol))


def test_who_is_invited_to_the_final_hears_until_they_decline(
    planned: Division, club: Club, by_alice: Actor, dave: User
) -> None:
    final = planned.tournament
    days = {"first_day": NOON.date(), "last_day": NOON.date()}
    series = Series.objects.create(club=club, name="2026", slug="2026", final=final, **days)
    place = FinalPlace.objects.create(series=series, player=join(club, dave), rank=1, answer_by=NOON + WEEK)
    change(planned, by_alice, venue="Club house")
    assert told() == ["Bob", "Carol", "Dave"]
    place.answer = FinalPlace.Answer.DECLINED
    place.save()
    assert len(audience_of(final, by_alice, NOON).divisions) == 2


def test_who_has_left_or_does_not_want_it_is_not_notified(planned: Division, by_alice: Actor, bob: User) -> None:
    entry = planned.entries.get(player__user=bob)
    entries.withdraw(entry=entry, by=by_alice, now=NOON)
    User.objects.filter(display_name="Carol").update(is_active=False)
    change(planned, by_alice, venue="Club house")
    assert told() == []


def test_a_shortened_round_is_told(running: RunningEvent, by_alice: Actor, bob: User) -> None:
    final = Round.objects.get(bracket__stage__division=running.division, number=2)
    change_round_lengths(tournament=running.tournament, changes=[RoundLength(final.pk, 7, 5)], by=by_alice, now=NOON)
    assert sentences(bob) == ["The event has changed. Match length of Open, round 2: 5 (was 7)."]


# Dates that depend on the start.


def test_an_untick_leaves_a_date(planned: Division, by_alice: Actor) -> None:
    event = change(planned, by_alice, starts_at=STARTS + WEEK, move=["ends_at"])
    planned.refresh_from_db()
    assert event.ends_at == STARTS + WEEK + timedelta(hours=4)
    assert event.check_in_opens_at == STARTS - timedelta(hours=1)
    assert planned.closes_at == STARTS - timedelta(days=1)


def test_moving_twice_or_with_a_date_of_its_own(planned: Division, by_alice: Actor) -> None:
    for _time in range(2):
        event = change(planned, by_alice, starts_at=STARTS + WEEK, ends_at=STARTS + WEEK + 5 * timedelta(hours=1))
    planned.refresh_from_db()
    assert event.ends_at == STARTS + WEEK + 5 * timedelta(hours=1)
    assert planned.closes_at == STARTS + WEEK - timedelta(days=1)


def test_a_corrected_time_zone_keeps_the_clock(planned: Division, by_alice: Actor) -> None:
    event = change(planned, by_alice, time_zone=NEW_YORK)
    planned.refresh_from_db()
    there = ZoneInfo(NEW_YORK)
    times = (event.starts_at, event.ends_at, event.check_in_opens_at, planned.closes_at)
    clocks = [f"{at.astimezone(there):%d %H:%M}" for at in times if at is not None]
    assert clocks == ["05 18:30", "05 22:30", "05 17:30", "04 18:30"]


def test_the_clock_stays_when_summer_time_begins(planned: Division, by_alice: Actor) -> None:
    summer = datetime(2027, 6, 5, 18, 30, tzinfo=ZoneInfo(COPENHAGEN))
    event = change(planned, by_alice, starts_at=summer)
    assert event.ends_at == summer + timedelta(hours=4)


def test_deadlines_of_a_drawn_division_move_with_their_matches(running: RunningEvent, by_alice: Actor) -> None:
    first = NOON + WEEK
    set_deadlines(
        division=running.division, deadlines=[first, first + WEEK], after=running.division.seq, by=by_alice, now=NOON
    )
    extend_deadline(fixture=running.fixture, due_at=first + timedelta(days=2), by=by_alice, now=NOON)
    change(running.division, by_alice, starts_at=running.tournament.starts_at + WEEK)
    deadlines = Round.objects.filter(bracket__stage__division=running.division).order_by("number")
    assert [row.deadline for row in deadlines] == [first + WEEK, first + 2 * WEEK]
    due = Fixture.objects.filter(stage__division=running.division).order_by("number").select_related("match")
    assert [row.due_at for row in due] == [first + WEEK + timedelta(days=2), first + WEEK, first + 2 * WEEK]
    assert [row.match.due_at for row in due if row.match] == [first + WEEK + timedelta(days=2), first + WEEK]


def test_the_last_day_of_a_league_moves(planned: Division, by_alice: Actor) -> None:
    league = StageSettings(LEAGUE, until="2026-12-31", join_until="2026-12-15")
    set_stages(division=planned, stages=[league], after=planned.seq, by=by_alice, now=NOON)
    change(planned, by_alice, starts_at=STARTS + WEEK)
    settings = planned.stages.get().settings
    assert [date.fromisoformat(settings[name]).day for name in ("until", "join_until")] == [7, 22]


# In the API.


def api(client: Client, division: Division, path: str = "", **body: Any) -> dict[str, Any]:
    url, kind = f"/api/v1/tournaments/{division.tournament.public_id}/{path}", "application/json"
    answer = client.post(url, body, kind) if path else client.patch(url, body, kind)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_program_previews_a_change_and_makes_it(planned: Division, alice_client: Client) -> None:
    closes = f"{planned.public_id}.closes_at"
    values = {"starts_at": (STARTS + WEEK).isoformat(), "ends_at": (STARTS + WEEK).isoformat()}
    preview = api(alice_client, planned, **values, preview=True)
    assert preview["notified"] == 2
    assert set(preview["moved"]) == {"check_in_opens_at", closes}, "the end is as given"
    assert told() == []
    assert Tournament.objects.get().starts_at == STARTS
    answer = api(alice_client, planned, **values)
    assert (answer["notified"], answer["moved"]) == (2, preview["moved"])
    planned.refresh_from_db()
    assert datetime.fromisoformat(answer["moved"][closes]) == planned.closes_at == STARTS + WEEK - timedelta(days=1)
    assert datetime.fromisoformat(answer["check_in_opens_at"]) == STARTS + WEEK - timedelta(hours=1)
    again = api(alice_client, planned, **values)
    assert (again["notified"], again["moved"]) == (0, {})
    assert told() == ["Bob", "Carol"]


def test_a_program_leaves_the_dates_or_cancels(planned: Division, alice_client: Client) -> None:
    answer = api(alice_client, planned, starts_at=(STARTS + timedelta(hours=1)).isoformat(), move_dates=False)
    assert answer["moved"] == {}
    planned.refresh_from_db()
    assert planned.closes_at == STARTS - timedelta(days=1)
    assert api(alice_client, planned, "cancel/", reason="ill", preview=True)["notified"] == 2
    assert told(CANCELLED) == []
    assert api(alice_client, planned, "cancel/", reason="ill")["status"] == "cancelled"
    assert told(CANCELLED) == ["Bob", "Carol"]


def test_a_start_beyond_all_calendars_is_refused(planned: Division, alice_client: Client) -> None:
    url = f"/api/v1/tournaments/{planned.tournament.public_id}/"
    for starts_at in ("9999-12-31T23:00:00Z", "0001-01-01T00:00:00Z"):
        assert alice_client.patch(url, {"starts_at": starts_at}, "application/json").status_code == 422
    posted = FORM | {"starts_at": "9999-12-31T23:30", "ends_at": "2026-12-05T22:30"}
    assert alice_client.post(f"{url_of(planned)}edit/", posted).status_code == 422


# Calendars.


def test_texts_are_escaped_and_lines_folded(planned: Division, by_alice: Actor, client: Client) -> None:
    name = "Ä; Ö, Ü \\ " + "é" * 60
    change(planned, by_alice, name=name)
    entry = event_in(client, planned)
    assert entry.summary == name
    assert entry.location == "Harbour Café; 1st floor, left"


def test_a_players_calendar_cancels_with_the_event(
    running: RunningEvent, by_alice: Actor, bob: User, client: Client
) -> None:
    due = timezone.now() + WEEK
    set_deadlines(division=running.division, deadlines=[due], after=running.division.seq, by=by_alice, now=NOON)
    path = f"/calendar/{calendars.token_of(calendars.renew(user=bob, now=NOON))}.ics"
    [before] = reader.read(client.get(path).content).values()
    change(running.division, by_alice, NOON + MINUTE, venue="Club house")
    [moved] = reader.read(client.get(path).content).values()
    events.cancel_tournament(tournament=running.tournament, by=by_alice, now=NOON + 2 * MINUTE)
    [after] = reader.read(client.get(path).content).values()
    assert (before.location, moved.location) == ("", "Club house")
    assert before.number < moved.number < after.number
    assert (before.status, after.status) == ("CONFIRMED", "CANCELLED")
