"""Who is sent a letter on the morning after, once, and when a correction follows."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from clubhouse.console import console_page
from clubhouse.letters import sending
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Club, Delivery, Notification, Player, PushSubscription, User
from players.notifications.deliveries import claim_emails, claim_push, mark_failed, mark_sent
from players.notifications.emails import _send, send_emails
from players.notifications.services import change_emails, save_choices
from tests.clubhouse.letters.conftest import event_of
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.models import Letter, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
EIGHT = datetime(2026, 11, 21, 7, tzinfo=UTC)
"""08:00 in Copenhagen on the morning after `evening`."""
FOURTEEN = EIGHT + 6 * HOUR
"""08:00 in New York."""


def run(now: datetime) -> list[EmailMessage]:
    """Let the workers do what is due, until nothing is left; return the letters that were sent."""
    before = len(mail.outbox)
    sending.sweep(now=now)
    sending.sweep_corrections(now=now)
    for user in User.objects.order_by("pk"):
        while send_emails(user=user.pk, now=now):
            pass
    return [message for message in mail.outbox[before:] if is_letter(message)]


def is_letter(message: EmailMessage) -> bool:
    """Whether a message is one, and not about a draw or a match."""
    return "/my/letters/" in message.body


def morning(at: datetime = EIGHT) -> dict[str, list[str]]:
    """Return the subjects that each address is sent from `at` on, until letters of a minute were due."""
    messages = [*run(at), *run(at + MINUTE)]
    return {to: [str(each.subject) for each in messages if each.to == [to]] for each in messages for to in each.to}


def correct(cup: Cup, new: ResultInput, now: datetime) -> None:
    """Correct the final."""
    cup.correct(cup.fixtures()[-1], new, now=now)


def turned(cup: Cup) -> ResultInput:
    """The result of the final with the other winner."""
    match = cup.fixtures()[-1].match
    assert match is not None
    winner = match.results.latest("version").winner
    assert winner is not None
    return ResultInput(1 - winner, (3, 1) if winner else (1, 3))


def test_who_played_gets_the_letter_at_eight_and_once(evening: Cup, bob: User, carol: User) -> None:
    assert morning(EIGHT - 10 * MINUTE) == {}
    assert morning() == {
        bob.email: ["Cup one at Harbour Backgammon: you came 1st"],
        carol.email: ["Cup one at Harbour Backgammon: you came 2nd"],
    }
    rows = Letter.objects.filter(event=event_of(evening))
    assert [row.user for row in rows.order_by("user")] == [bob, carol]
    assert {row.sent_at for row in rows} == {EIGHT + MINUTE}
    assert not any(name in str(row.facts) for row in rows for name in ("Bob", "Carol", "Player"))
    assert morning(EIGHT + DAY) == {}


def test_other_members_are_told_on_the_site_and_by_email_only_if_they_want(
    evening: Cup, alice: User, erin: User, dave: User
) -> None:
    save_choices(user=erin, wanted={"club_night": {"email"}})
    assert morning()[erin.email] == ["Cup one at Harbour Backgammon: Bob won"]
    assert Notification.objects.get(user=alice).on_site
    assert not Notification.objects.filter(user=dave).exists()


def test_nothing_is_sent_to_unconfirmed_addresses_or_after_unsubscribing(evening: Cup, bob: User, carol: User) -> None:
    User.objects.filter(pk=bob.pk).update(email_verified_at=None)
    change_emails(user=carol, kinds=["morning"], wanted=False)
    assert morning() == {}


def test_a_reader_further_west_gets_it_at_eight_there(evening: Cup, bob: User, carol: User) -> None:
    User.objects.filter(pk=bob.pk).update(time_zone="America/New_York")
    assert morning().keys() == {carol.email}
    assert morning(FOURTEEN - HOUR) == {}
    assert morning(FOURTEEN).keys() == {bob.email}


def test_a_server_that_was_down_all_day_sends_nothing_at_night(evening: Cup, bob: User) -> None:
    sending.sweep(now=EIGHT)
    assert run(EIGHT + 15 * HOUR) == []
    assert morning(EIGHT + DAY).keys() == {bob.email, "carol@example.org"}


def test_after_72_hours_there_is_only_the_page(evening: Cup) -> None:
    assert morning(EIGHT + 3 * DAY) == {}


def test_a_club_may_send_an_hour_after_the_end(evening: Cup, bob: User) -> None:
    Club.objects.update(letter_on_close=True)
    assert morning(evening.at + 50 * MINUTE) == {}
    assert bob.email in morning(evening.at + HOUR)


def test_a_correction_before_it_was_sent_gives_another_hour(evening: Cup, bob: User) -> None:
    sending.sweep(now=EIGHT)
    correct(evening, turned(evening), EIGHT + timedelta(seconds=10))
    assert run(EIGHT + MINUTE) == [], "withdrawn"
    assert morning(EIGHT + 58 * MINUTE) == {}
    assert morning(EIGHT + 65 * MINUTE)[bob.email] == ["Cup one at Harbour Backgammon: you came 2nd"]
    assert morning(EIGHT + DAY) == {}


def test_a_correction_of_ones_own_winner_is_sent_once_at_the_next_eight(evening: Cup, bob: User, alice: User) -> None:
    assert len(morning()) == 2
    correct(evening, turned(evening), EIGHT + 2 * HOUR)
    assert morning(EIGHT + 4 * HOUR) == {}
    corrected = morning(EIGHT + DAY)
    assert corrected[bob.email] == ["Corrected: Cup one at Harbour Backgammon: you came 2nd"]
    assert corrected.keys() == {bob.email, "carol@example.org"}
    correct(evening, turned(evening), EIGHT + DAY + 2 * HOUR)
    assert morning(EIGHT + 2 * DAY) == {}


def test_a_score_or_anothers_result_is_on_the_page_only(evening: Cup) -> None:
    assert len(morning()) == 2
    other = ResultInput(0, (3, 0)) if turned(evening).winner else ResultInput(1, (0, 3))
    correct(evening, other, EIGHT + HOUR)
    assert morning(EIGHT + DAY) == {}


def test_what_was_changed_back_before_eight_or_after_a_week_is_not_sent(evening: Cup) -> None:
    first = turned(evening)
    assert len(morning()) == 2
    correct(evening, first, EIGHT + HOUR)
    correct(evening, turned(evening), EIGHT + 2 * HOUR)
    assert morning(EIGHT + DAY) == {}
    correct(evening, first, EIGHT + 8 * DAY)
    assert morning(EIGHT + 9 * DAY) == {}


def test_an_email_whose_worker_died_is_repeated_with_its_message_id(evening: Cup, bob: User) -> None:
    run(EIGHT)
    assert claim_emails(user=bob.pk, now=EIGHT + MINUTE), "and the worker dies"
    batch = Delivery.objects.get(notification__user=bob, notification__kind="morning").batch
    [message] = [each for each in run(EIGHT + 5 * MINUTE) if each.to == [bob.email]]
    assert message.extra_headers["Message-ID"].startswith(f"<{batch}@")


def test_what_a_dead_worker_may_have_sent_is_corrected_and_not_sent_anew(evening: Cup, bob: User) -> None:
    run(EIGHT)
    _send(claim_emails(user=bob.pk, now=EIGHT + MINUTE), EIGHT + MINUTE)
    correct(evening, turned(evening), EIGHT + 2 * MINUTE)
    assert bob.email not in morning(EIGHT + 65 * MINUTE)
    assert morning(EIGHT + DAY)[bob.email] == ["Corrected: Cup one at Harbour Backgammon: you came 2nd"]


def test_a_letter_that_was_refused_is_planned_anew_after_a_correction_and_its_push_is_not_repeated(
    evening: Cup, bob: User
) -> None:
    save_choices(user=bob, wanted={"morning": {"email", "push"}})
    PushSubscription.objects.create(user=bob, endpoint="https://push.example/", p256dh="", auth="", session="s")
    run(EIGHT)
    pushes = Delivery.objects.filter(channel="push", notification__kind="morning")
    push = claim_push(delivery=pushes.get().pk, now=EIGHT + MINUTE)
    assert push is not None
    mark_sent([push], EIGHT + MINUTE)
    mark_failed(claim_emails(user=bob.pk, now=EIGHT + MINUTE), "451", EIGHT + MINUTE, is_refused=True)
    correct(evening, turned(evening), EIGHT + 2 * MINUTE)
    assert run(EIGHT + 2 * MINUTE) == []
    assert morning(EIGHT + 65 * MINUTE)[bob.email] == ["Cup one at Harbour Backgammon: you came 2nd"]
    assert pushes.get().state == Delivery.State.DROPPED
    assert bob.email not in morning(EIGHT + DAY), "what he was sent is right"


def test_several_evenings_are_one_email(evening: Cup, bob: User, bob_player: Player, carol_player: Player) -> None:
    other = Cup.of([bob_player, carol_player], KNOCKOUT, "two")
    other.play(Random(3), wild=False)
    messages = [each for each in [*run(EIGHT), *run(EIGHT + MINUTE)] if each.to == [bob.email]]
    [message] = messages
    assert message.body.count("/my/letters/") == 2
    assert "The draw is out" not in message.body, "a letter shares its e-mail, and how it is stopped, with no others"
    assert Letter.objects.filter(user=bob, sent_at__isnull=False).count() == 2


def test_a_letter_that_cannot_be_written_is_given_up_with_its_reason(evening: Cup, bob: User) -> None:
    run(EIGHT)
    Club.objects.update(time_zone="Nowhere")
    sending._nights.clear()
    letters = Delivery.objects.filter(notification__user=bob, notification__kind="morning")
    attempts = 0
    while letters.filter(state=Delivery.State.WAITING).exists():
        attempts += 1
        assert attempts < 100
        run(EIGHT + attempts * 5 * MINUTE)
    row = letters.get()
    assert (row.state, row.attempts) == (Delivery.State.GIVEN_UP, 6)
    assert "Nowhere" in row.reason


def test_the_email_is_short_plain_text_with_one_tap_to_unsubscribe(evening: Cup, bob: User) -> None:
    Tournament.objects.update(name="A night with a name as long as it may be, and then some more of it")
    morning()
    message = next(each for each in mail.outbox if is_letter(each) and each.to == [bob.email])
    lines = message.body.splitlines()
    assert len(lines) <= 60
    assert all(len(line) <= 78 or "http" in line for line in lines)
    assert any(line.startswith("You beat Carol ") and " · Final · M" in line for line in lines)
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "club_night" not in message.extra_headers["List-Unsubscribe"]


def test_a_hidden_name_is_nowhere_in_an_email(evening: Cup, erin: User) -> None:
    save_choices(user=erin, wanted={"club_night": {"email"}})
    Player.objects.filter(name="Bob").update(initials_only=True)
    morning()
    letters = [message for message in mail.outbox if is_letter(message)]
    assert len(letters) == 3
    for message in letters:
        assert "Bob" not in message.message().as_string()


def test_directors_see_how_many_letters_were_sent_and_no_names(evening: Cup, bob: User, alice: User) -> None:
    run(EIGHT)
    [row] = claim_emails(user=bob.pk, now=EIGHT + MINUTE)
    mark_failed([row], "no such mailbox", EIGHT + MINUTE, for_good=True, is_refused=True)
    run(EIGHT + 2 * MINUTE)

    def page(at: datetime) -> str:
        return str(console_page(event_of(evening), "", SYSTEM, at)["letters_sent"])

    assert page(EIGHT + HOUR) == "Letters: 1 of 2 sent."
    assert page(EIGHT + 30 * DAY) == ""


def test_directors_see_which_match_keeps_the_letter_waiting(club: Club) -> None:
    cup = Cup.create(4, KNOCKOUT)
    cup.play(Random(3), most=2, wild=False)

    def waiting(at: datetime) -> list[str]:
        page = console_page(event_of(cup), "", SYSTEM, at)
        return list(page["waits"])

    assert waiting(EIGHT - MINUTE) == []
    assert waiting(EIGHT) == ["Last night’s letter waits: M3 is open."]
    assert waiting(EIGHT + 3 * DAY) == []
    cup.at = EIGHT
    cup.play(Random(3), wild=False)
    assert waiting(EIGHT) == []
