"""500 letters of a morning: queries and processor time of each, and how often the event is read for all of them.

32 play a knockout, the others are members of the club who want the short letter by e-mail.

    python -m benchmarks.bench_letters
"""

from datetime import timedelta
from random import Random
from statistics import median
from time import process_time
from unittest.mock import patch

from benchmarks.pages import database

# isort: split
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from clubhouse.letters import sending
from clubhouse.letters.night import night_of
from players.models import Club, Membership, NotificationChoice, Player, User
from players.notifications.emails import send_emails
from tests.event_cast import NOON
from tests.tournaments.support.correcting import KNOCKOUT, Cup

LETTERS, PLAYERS = 500, 32
MOST_QUERIES, MOST_MS = 12, 30
MORNING = NOON + timedelta(hours=20)


def evening() -> list[User]:
    """Play an event of a club whose members all have accounts; return them."""
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="UTC")
    people = [User(email=f"{n}@example.org", display_name=f"P{n}", email_verified_at=NOON) for n in range(LETTERS)]
    users = User.objects.bulk_create(people)
    players = Player.objects.bulk_create([Player(name=user.display_name, user=user) for user in users])
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in players])
    NotificationChoice.objects.bulk_create(
        [NotificationChoice(user=user, kind=sending.CLUB_NIGHT, site=False, email=True, push=False) for user in users]
    )
    Cup.of(players[:PLAYERS], KNOCKOUT, "one").play(Random(1), wild=False)  # noqa: S311
    return users


def main() -> None:
    queries, milliseconds = [], []
    with database(), override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend"):
        users = evening()
        for user in users:
            while send_emails(user=user.pk, now=MORNING - timedelta(hours=10)):
                pass
        mail.outbox.clear()
        begun = process_time()
        with CaptureQueriesContext(connection) as planning, patch.object(sending, "night_of", wraps=night_of) as read:
            sending.sweep(now=MORNING)
            print(f"planned: {len(planning)} queries, {process_time() - begun:.2f} s of CPU")
            for number, user in enumerate(users):
                now = MORNING + timedelta(minutes=1 + number // 60)
                with CaptureQueriesContext(connection) as sent:
                    begun = process_time()
                    send_emails(user=user.pk, now=now)
                    milliseconds.append((process_time() - begun) * 1000)
                queries.append(len(sent))
        print(f"{len(mail.outbox)} letters; the event was read {read.call_count} times")
    print(f"queries: median {median(queries)}, most {max(queries)}; goal {MOST_QUERIES}")
    print(f"CPU: median {median(milliseconds):.1f} ms, most {max(milliseconds):.1f} ms; goal {MOST_MS}")


if __name__ == "__main__":
    main()
