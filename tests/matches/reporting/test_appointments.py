"""Bob and Carol have agreed to play at a time: reminders, who comes, and their calendars."""

from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from engine.errors import Refused
from matches.lifecycle import arrivals, links
from matches.lifecycle.events import events
from matches.lifecycle.play_rules import PlayRules
from matches.lifecycle.voiding import void_matches
from matches.models import CalendarFeed, Match, Proposal, Result
from matches.reporting import appointments, calendars
from matches.reporting.appointments import send_due_reminders
from matches.reporting.calendars import token_of
from players.actors import SYSTEM, Actor
from players.models import Delivery, Player, User
from players.notifications.emails import send_emails
from tests.matches.cast import BOB, CAROL, NOW, match_between
from tests.pages import html

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
HOURS, MINUTES = timedelta(hours=1), timedelta(minutes=1)
AT = NOW + 48 * HOURS


@pytest.fixture
def agreed(match: Match) -> Proposal:
    """Bob proposed a time, which Carol has accepted."""
    return agree(match, AT)


def agree(match: Match, at: datetime, *, now: datetime = NOW) -> Proposal:
    offer = appointments.Dates([at])
    offered = appointments.propose(match=match, side=BOB, offer=offer, by=Actor.link(BOB), now=now)
    return appointments.accept(proposal=offered, side=CAROL, time=at, by=Actor.link(CAROL), now=now)


# Reminders


def reminded(now: datetime) -> list[str]:
    """Who gets an e-mail for a reminder at this time."""
    Delivery.objects.update(state=Delivery.State.SENT)
    mail.outbox.clear()
    send_due_reminders(now=now)
    for user in User.objects.order_by("email"):
        send_emails(user=user.pk, now=now)
    return [message.to[0].partition("@")[0] for message in mail.outbox]


def test_both_are_reminded_a_day_and_an_hour_before(agreed: Proposal) -> None:
    assert reminded(AT - 24 * HOURS - MINUTES) == []
    assert reminded(AT - 24 * HOURS) == ["bob", "carol"]
    assert reminded(AT - 23 * HOURS) == []
    assert reminded(AT - HOURS) == ["bob", "carol"]
    assert reminded(AT - MINUTES) == []
    assert reminded(AT + MINUTES) == []


def test_a_reminder_names_the_opponent_and_the_time_where_its_reader_is(agreed: Proposal, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(time_zone="Asia/Tokyo")
    reminded(AT - HOURS)
    to_bob = mail.outbox[0]
    assert to_bob.subject.startswith("You play Carol on ")
    assert "22 Nov 2026, 21:00 CET (Mon 23 Nov 2026, 05:00 for you)" in to_bob.body, "20:00 UTC is five o'clock there"
    assert f"/m/{links.token_for(agreed.match, BOB)}/" in to_bob.body
    assert "22 Nov 2026, 21:00 CET" in mail.outbox[1].body


def test_what_was_agreed_shortly_before_is_not_reminded_of_at_once(match: Match) -> None:
    agree(match, AT, now=AT - 2 * HOURS)
    assert reminded(AT - 2 * HOURS + MINUTES) == []
    assert reminded(AT - HOURS) == ["bob", "carol"]


def test_one_reminder_makes_up_for_a_sweep_that_was_missed(agreed: Proposal) -> None:
    assert reminded(AT - MINUTES) == ["bob", "carol"]
    assert reminded(AT - MINUTES) == []


def test_nobody_is_reminded_of_a_match_that_is_over(agreed: Proposal, match: Match) -> None:
    void_matches({match: False}, club=match.club, by=SYSTEM, now=NOW)
    assert reminded(AT - HOURS) == []


def test_a_player_without_an_account_gets_no_email(carol_player: Player) -> None:
    agree(match_between(Player.objects.create(name="Jens"), carol_player), AT)
    assert reminded(AT - HOURS) == ["carol"]


# I'm here


def arrive(match: Match, side: int, at: datetime) -> Proposal:
    return arrivals.arrive(match=match, side=side, by=Actor.link(side), now=at)


def claim(match: Match, side: int, at: datetime) -> Result:
    return arrivals.claim_no_show(match=match, side=side, by=Actor.link(side), now=at)


def code(call: object, *args: object) -> str:
    with pytest.raises(Refused) as refused:
        call(*args)  # type: ignore[operator]
    return refused.value.code


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event lets the player who came claim the match."""
    monkeypatch.setattr(events(), "play_rules", lambda topic: PlayRules(no_show_loses=True))


def test_a_player_is_there_from_a_quarter_of_an_hour_before(agreed: Proposal, match: Match) -> None:
    assert code(arrive, match, BOB, AT - 16 * MINUTES) == "appointment_later"
    assert arrive(match, BOB, AT - 15 * MINUTES).here == (AT - 15 * MINUTES, None)
    assert arrive(match, BOB, AT).here == (AT - 15 * MINUTES, None), "the first time counts"
    match.refresh_from_db()
    assert match.begun_at is None


def test_without_an_appointment_there_is_nothing_to_come_to(match: Match, strict: None) -> None:
    assert code(arrive, match, BOB, AT) == "no_appointment"
    assert code(claim, match, BOB, AT) == "no_appointment"


def test_a_director_decides_unless_the_event_says_otherwise(agreed: Proposal, match: Match) -> None:
    arrive(match, BOB, AT)
    assert code(claim, match, BOB, AT + HOURS) == "no_show_by_director"


def test_whoever_came_claims_after_a_quarter_of_an_hour(agreed: Proposal, match: Match, strict: None) -> None:
    assert code(claim, match, BOB, AT + HOURS) == "not_here"
    arrive(match, BOB, AT - 5 * MINUTES)
    assert code(claim, match, BOB, AT + 14 * MINUTES) == "no_show_wait"
    assert code(claim, match, CAROL, AT + HOURS) == "not_here"
    result = claim(match, BOB, AT + 15 * MINUTES)
    assert (result.winner, result.kind, result.score) == (BOB, Result.Kind.FORFEIT, None)
    assert code(claim, match, BOB, AT + HOURS) == "match_settled"
    assert code(arrive, match, CAROL, AT + HOURS) == "match_settled"


def test_whoever_is_late_themselves_waits_a_quarter_of_an_hour(agreed: Proposal, match: Match, strict: None) -> None:
    arrive(match, BOB, AT + HOURS)
    assert code(claim, match, BOB, AT + HOURS + 14 * MINUTES) == "no_show_wait"
    arrive(match, CAROL, AT + HOURS + 14 * MINUTES)
    assert code(claim, match, BOB, AT + 2 * HOURS) == "opponent_is_here"


def test_at_the_deadline_the_one_who_came_has_tried(agreed: Proposal, match: Match) -> None:
    assert appointments.who_tried(match, AT + 24 * HOURS).side is None
    arrive(match, CAROL, AT)
    assert appointments.who_tried(match, AT + 24 * HOURS).side == CAROL
    arrive(match, BOB, AT)
    assert appointments.who_tried(match, AT + 24 * HOURS).side is None


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_page_shows_who_is_here_and_when_to_claim(
    match: Match, strict: None, bob: User, carol: User, dave: User
) -> None:
    now = timezone.now().replace(microsecond=0)
    proposal = agree(match, now + HOURS, now=now)
    page = f"/matches/{match.public_id}/"
    assert "I’m here" not in html(as_(bob).get(page))
    Proposal.objects.filter(pk=proposal.pk).update(agreed_at=now - 10 * MINUTES)
    assert "I’m here" in html(as_(bob).get(page))
    assert "I’m here" not in html(as_(dave).get(page))
    assert as_(dave).post(f"{page}here/").status_code == 404
    shown = html(as_(bob).post(f"{page}here/", follow=True))
    assert "<bdi>Bob</bdi> is here" in shown
    assert "you can claim the match from" in shown
    assert "Claim the match" not in shown
    Proposal.objects.filter(pk=proposal.pk).update(here_0=now - 16 * MINUTES, agreed_at=now - 16 * MINUTES)
    assert "Claim the match" in html(as_(bob).get(page))
    assert "Claim the match" not in html(as_(carol).get(page))
    assert as_(carol).post(f"{page}no-show/").status_code == 409
    assert "You have won the match by forfeit." in html(as_(bob).post(f"{page}no-show/", follow=True))
    assert Result.objects.get().winner == BOB


# Calendars


def calendar(client: Client, feed: CalendarFeed) -> str:
    response = client.get(f"/calendar/{token_of(feed)}.ics")
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return response.content.decode().replace("\r\n ", "")


def test_a_calendar_has_appointments_and_deadlines(
    agreed: Proposal, match: Match, bob_player: Player, carol_player: Player, bob: User, client: Client
) -> None:
    due = match_between(bob_player, carol_player, due_at=AT)
    match_between(Player.objects.create(name="Jens"), carol_player, due_at=AT)
    text = calendar(client, calendars.renew(user=bob, now=NOW))
    assert text.count("BEGIN:VEVENT") == 2
    assert f"UID:match-{match.public_id}@barpoint" in text
    assert f"UID:deadline-{due.public_id}@barpoint" in text
    assert f"URL:http://testserver/matches/{match.public_id}/" in text


def test_another_link_revokes_the_first(bob: User, client: Client) -> None:
    first = f"/calendar/{token_of(calendars.renew(user=bob, now=NOW))}.ics"
    assert client.get(first).status_code == 200
    second = f"/calendar/{token_of(calendars.renew(user=bob, now=NOW))}.ics"
    assert [client.get(path).status_code for path in (first, second)] == [404, 200]
    calendars.revoke(user=bob)
    assert client.get(second).status_code == 404


def test_a_forged_or_deactivated_link_shows_nothing(bob: User, client: Client) -> None:
    token = token_of(calendars.renew(user=bob, now=NOW))
    forged = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert client.get(f"/calendar/{forged}.ics").status_code == 404
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert client.get(f"/calendar/{token}.ics").status_code == 404


def test_my_matches_offers_the_link(bob_player: Player, bob: User) -> None:
    client = as_(bob)
    assert "Get a calendar link" in html(client.get("/my/"))
    page = html(client.post("/my/calendar/", follow=True))
    assert f"http://testserver/calendar/{token_of(CalendarFeed.objects.get())}.ics" in page
    assert "Get a calendar link" in html(client.post("/my/calendar/revoke/", follow=True))
    assert not CalendarFeed.objects.exists()
