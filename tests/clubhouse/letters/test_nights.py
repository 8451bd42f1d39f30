"""Simulated nights: corrections, events opened again, mail servers and workers that fail; nothing goes wrong."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from clubhouse.letters import sending
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.models import Club, Delivery, Player, User
from players.notifications.deliveries import claim_emails, mark_failed
from players.notifications.emails import _send, send_emails
from players.notifications.services import save_choices
from tests.event_cast import join
from tests.tiers import TEST_SEED, TIER_NAME
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
NIGHTS = 200 if TIER_NAME == "soak" else 3
FIRST = datetime(2026, 10, 24, 21, tzinfo=UTC)
"""Hours before the clocks go back in Copenhagen."""
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
WAITING = Delivery.objects.filter(state=Delivery.State.WAITING)
ZONES = {"Bob": "", "Carol": "America/New_York", "Dave": "Asia/Tokyo", "Erin": "Asia/Kathmandu"}


class Nights:
    """A club whose event of four is played every other week."""

    def __init__(self, chance: Random, players: list[Player]) -> None:
        self.chance, self.players = chance, players
        self.seen: Counter[str] = Counter()
        """How often what was simulated."""
        self.sent: dict[tuple[str, str, bool], set[str]] = {}
        """Reader, event and whether it is a correction -> the Message-IDs."""
        self.faults: list[str] = []

    def night(self, number: int) -> None:
        """Play an evening, and let workers and directors do what they do until a week later."""
        at = FIRST + number * timedelta(days=14) + self.chance.randrange(300) * MINUTE
        cup = Cup.of(self.players, KNOCKOUT, f"{number}")
        cup.at = at
        cup.play(self.chance, wild=False)
        for now in self.times(cup.at):
            if self.chance.random() < 0.08:
                self.correct(cup, now)
            before = len(mail.outbox)
            sending.sweep(now=now)
            sending.sweep_corrections(now=now)
            for user in User.objects.filter(pk__in=WAITING.values("notification__user")).order_by("pk"):
                self.work(user, now)
            for message in mail.outbox[before:]:
                if "/my/letters/" in message.body:
                    self.check(message, now)

    def times(self, end: datetime) -> Iterator[datetime]:
        """Yield when workers run, in order: at the mornings of all readers, and whenever else."""
        day = end.replace(hour=0, minute=0)
        mornings = [day + hours * HOUR for hours in (7, 8, 13, 23, 26, 31, 32, 37)]
        others = [end + self.chance.randrange(1, 8 * 24 * 60) * MINUTE for _ in range(6)]
        soon = [end + self.chance.randrange(60, 12 * 60) * MINUTE for _ in range(4)]
        for at in sorted([*mornings, *others, *soon]):
            if at > end and self.chance.random() < 0.85:
                yield at
                yield at + 1 * MINUTE
                yield at + 3 * MINUTE

    def correct(self, cup: Cup, now: datetime) -> None:
        """Correct the final, or a semi-final, after which the final is played again at once or later."""
        cup.at = max(cup.at, now)
        if cup.ready():
            self.seen["played again"] += 1
            cup.play(self.chance, wild=False)
            return
        fixture = cup.fixtures()[self.chance.choice([0, -1, -1])]
        if fixture.match is None or fixture.match.state != Match.State.SETTLED:
            return
        winner = self.chance.randrange(2)
        score = (3, self.chance.randrange(3))
        new = ResultInput(winner, score if winner == 0 else score[::-1])
        if new == ResultInput.of(fixture.match.results.latest("version")):
            return
        cup.correct(fixture, new, now=now)
        self.seen["corrected"] += 1
        if cup.ready():
            self.seen["opened again"] += 1

    def work(self, user: User, now: datetime) -> None:
        """Send what is due, unless the worker dies before or after it has sent an e-mail, or the server fails."""
        fate = self.chance.random()
        if fate < 0.75:
            while send_emails(user=user.pk, now=now):
                pass
            return
        claimed = claim_emails(user=user.pk, now=now)
        if claimed and fate < 0.85:
            self.seen["died after sending"] += 1
            _send(claimed, now)
        elif claimed and fate < 0.95:
            self.seen["died before sending"] += 1
        elif claimed:
            self.seen["server failed"] += 1
            mark_failed(claimed, "OSError: away", now)

    def check(self, message: EmailMessage, now: datetime) -> None:
        """Note what is wrong with an e-mail that was sent now."""
        [to] = message.to
        user = User.objects.get(email=to)
        hour = now.astimezone(ZoneInfo(user.time_zone or "Europe/Copenhagen")).hour
        if not 8 <= hour < 22:
            self.faults.append(f"{now} {to}: quiet hours")
        if user.email_verified_at is None:
            self.faults.append(f"{now} {to}: unconfirmed")
        is_correction = message.subject.startswith("Corrected")
        events = [line.split("/")[-2] for line in message.body.splitlines() if "/my/letters/" in line]
        for public_id in events:
            ids = self.sent.setdefault((to, public_id, is_correction), set())
            ids.add(message.extra_headers["Message-ID"])
            self.seen["corrections" if is_correction else "letters"] += 1
            if len(ids) > 1:
                self.faults.append(f"{now} {to} {public_id}: twice")
            if not self.is_true(message, user, Tournament.objects.get(public_id=public_id)):
                self.faults.append(f"{now} {to} {public_id}: wrong winner")

    def is_true(self, message: EmailMessage, user: User, event: Tournament) -> bool:
        """Whether an e-mail about one event says who won each match of its reader, and the event is over."""
        topics = [division.topic for division in event.divisions.all()]
        own = Player.objects.get(user=user)
        told = [line for line in message.body.splitlines() if line.startswith(("You beat ", "You lost to "))]
        expected = []
        for match in Match.objects.filter(parent_topic__in=topics).exclude(state=Match.State.VOID):
            if own in match.players:
                side = match.players.index(own)
                has_won = match.results.latest("version").winner == side
                expected.append(f"You {'beat' if has_won else 'lost to'} {match.players[1 - side].name} ")
        is_told = all(any(line.startswith(start) for line in told) for start in expected)
        return event.status == "finished" and len(told) == len(expected) and is_told


def test_no_night_goes_wrong(club: Club, bob: User, carol: User, dave: User, erin: User) -> None:
    players = [join(club, user) for user in (bob, carol, dave)]
    for user in (bob, carol, dave, erin):
        User.objects.filter(pk=user.pk).update(time_zone=ZONES[user.display_name])
    save_choices(user=erin, wanted={"club_night": {"email"}})
    User.objects.filter(pk=dave.pk).update(email_verified_at=None)
    nights = Nights(Random(TEST_SEED), [*players, Player.objects.create(name="Player 4")])
    for number in range(NIGHTS):
        nights.night(number)
    assert nights.faults == [], dict(nights.seen)
    assert nights.seen["letters"]
    if NIGHTS > 100:
        assert nights.seen.keys() >= {"corrections", "opened again", "played again", "died after sending"}
