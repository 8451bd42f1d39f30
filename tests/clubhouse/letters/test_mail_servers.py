"""Letters through mail servers that refuse, hesitate, close and die, with workers that are killed.

None is lost. One is sent again, with the same Message-ID, only if its worker never learned that it was received.
"""

import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest
from django.core.cache import cache
from django.db import connection

from clubhouse.letters import sending
from matches.lifecycle.finish import ResultInput
from players.models import Club, Delivery, Player, User
from players.notifications.emails import send_emails
from tests.faults.mailbox import ANSWERED, CLOSING, CONNECTED, RECEIVED, Mailbox
from tests.tournaments.support.correcting import KNOCKOUT, Cup

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]
EIGHT = datetime(2026, 11, 21, 7, tzinfo=UTC)
"""08:00 in Copenhagen on the morning after the event."""
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
CLAIM = 0.4
"""Seconds."""


def refuses(code: int) -> Callable[[str], str | None]:
    return lambda step: f"{code} no" if step == "RCPT" else None


def refuses_text(code: int) -> Callable[[str], str | None]:
    return lambda step: f"{code} no" if step == RECEIVED else None


def hesitates(step: str) -> None:
    if step in (CONNECTED, "EHLO", "MAIL", "RCPT", "DATA"):
        time.sleep(CLAIM / 3)


def closes(step: str) -> str | None:
    return f"354 go on{CLOSING}" if step == "DATA" else None


def accepts_and_dies(step: str) -> None:
    if step == ANSWERED:
        raise ConnectionError


def works(step: str) -> None:
    return None


SERVERS: dict[str, Callable[[str], str | None]] = {
    **{f"refuses {code}": refuses(code) for code in (421, 450, 451, 550)},
    **{f"refuses the text {code}": refuses_text(code) for code in (451, 550)},
    "hesitates": hesitates,
    "closes": closes,
    "accepts and dies": accepts_and_dies,
    "works": works,
}
KILLED_AT = ("never", "DATA", ANSWERED)


class Fate(NamedTuple):
    """Which server a reader's first e-mail goes through, and at which of its steps the worker is killed."""

    server: str
    killed_at: str


FATES = [Fate(*each) for each in product(SERVERS, KILLED_AT) if not each[0].startswith("refuses") or each[1] == "never"]
FATES += [Fate("works", step) for step in (CONNECTED, "MAIL", "RCPT")]
FATES.sort(key=lambda fate: fate not in (("works", "never"), ("refuses 451", "never")))  # Those of the finalists.


class Post:
    """Sends what is due through a mail server, and knows what each address has received."""

    def __init__(self, settings: Any) -> None:
        self.mailbox = Mailbox()
        settings.EMAIL_BACKEND, settings.EMAIL_HOST = "core.mail.SmtpBackend", "127.0.0.1"
        settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = self.mailbox.port, CLAIM
        settings.QUEUE_CLAIM_LASTS = CLAIM

    def attempt(self, reader: int, fate: Fate, now: datetime) -> bool:
        """Let a worker try to send to a reader once, and return whether it was killed."""
        cache.clear()  # Servers are left alone for other reasons than those of this test.
        if fate.killed_at == "never":
            self.mailbox.behave = SERVERS[fate.server]
            send_emails(user=reader, now=now)
            was_killed = False
        else:
            was_killed = self._attempt_and_kill(reader, fate, now)
        with self.mailbox.busy:  # It has kept what it received.
            return was_killed

    def _attempt_and_kill(self, reader: int, fate: Fate, now: datetime) -> bool:
        connection.close()
        read, write = os.pipe()
        worker = os.fork()
        if worker == 0:
            os.read(read, 1)
            try:
                send_emails(user=reader, now=now)
            finally:
                os._exit(0)

        def behave(step: str) -> str | None:
            if step == fate.killed_at:
                os.kill(worker, signal.SIGKILL)
            return SERVERS[fate.server](step)

        self.mailbox.behave = behave
        os.write(write, b"!")
        _, status = os.waitpid(worker, 0)
        os.close(read)
        os.close(write)
        return os.WIFSIGNALED(status)

    def letters(self) -> dict[str, list[tuple[str, str]]]:
        """Return the Message-ID and subject of each letter that was received, by address, in order."""
        received = defaultdict(list)
        for message in self.mailbox.messages:
            if "/my/letters/" in str(message.get_payload(decode=True)):
                received[str(message["To"])].append((str(message["Message-ID"]), str(message["Subject"])))
        return received


@pytest.fixture
def post(settings: Any) -> Iterator[Post]:
    post = Post(settings)
    yield post
    post.mailbox.close()


def readers_of_an_evening() -> tuple[Cup, list[User]]:
    """An event whose players all have accounts, and who they are, the finalists first."""
    users = User.objects.bulk_create(
        User(email=f"p{number}@example.org", display_name=f"P{number}", email_verified_at=EIGHT - DAY)
        for number in range(len(FATES))
    )
    cast = [Player.objects.create(name=user.display_name, user=user) for user in users]
    cup = Cup.of(cast, KNOCKOUT, "one")
    cup.at = EIGHT - timedelta(hours=14)
    cup.play(Random(0), wild=False)
    final = cup.fixtures()[-1].match
    assert final is not None
    finalists = {player.pk for player in final.players}
    return cup, [user for _, user in sorted(zip(cast, users, strict=True), key=lambda row: row[0].pk not in finalists)]


def correct_final(cup: Cup, now: datetime) -> None:
    match = cup.fixtures()[-1].match
    assert match is not None
    winner = match.results.latest("version").winner
    assert winner is not None
    cup.correct(cup.fixtures()[-1], ResultInput(1 - winner, (3, 1) if winner else (1, 3)), now=now)


def plan_letters() -> None:
    """Plan the letters, and leave out what else happened."""
    for now in (EIGHT, EIGHT + MINUTE):
        sending.sweep(now=now)
    Delivery.objects.exclude(notification__kind="morning").delete()


def go_on(post: Post, readers: list[User], times: list[datetime]) -> None:
    """Let workers go on through a server that works."""
    for now in times:
        sending.sweep(now=now)
        sending.sweep_corrections(now=now)
        for user in readers:
            post.attempt(user.pk, Fate("works", "never"), now)


@pytest.mark.parametrize("is_corrected", [False, True])
def test_no_letter_is_lost_and_none_is_sent_twice(club: Club, post: Post, is_corrected: bool) -> None:
    cup, readers = readers_of_an_evening()
    plan_letters()
    unknown = set()
    for user, fate in zip(readers, FATES, strict=True):
        before = len(post.mailbox.messages)
        was_killed = post.attempt(user.pk, fate, EIGHT + MINUTE)
        if len(post.mailbox.messages) > before and (was_killed or fate.server == "accepts and dies"):
            unknown.add(user)
    assert unknown
    received = post.letters().keys()
    if is_corrected:
        correct_final(cup, EIGHT + 2 * MINUTE)
    go_on(post, readers, [EIGHT + minutes * MINUTE for minutes in (3, 10, 65, 66)])

    letters = post.letters()
    for user, fate in zip(readers, FATES, strict=True):
        assert len(letters[user.email]) == (2 if user in unknown and not is_corrected else 1), fate
        assert len({message_id for message_id, _ in letters[user.email]}) == 1, fate
        assert not letters[user.email][0][1].startswith("Corrected"), fate
    go_on(post, readers, [EIGHT + DAY, EIGHT + DAY + MINUTE])
    corrected = {to for to, own in post.letters().items() if own[-1][1].startswith("Corrected")}
    wrong = {user.email for user in readers[:2] if user.email in received}
    assert len(wrong) == 1
    assert corrected == (wrong if is_corrected else set()), "who was sent the wrong winner"


def test_a_letter_that_was_withdrawn_amid_its_conversation_is_not_handed_over(
    evening: Cup, bob: User, post: Post, settings: Any
) -> None:
    settings.QUEUE_CLAIM_LASTS = settings.EMAIL_TIMEOUT = 60
    plan_letters()

    def correct(step: str) -> None:
        if step == "RCPT":
            post.mailbox.behave = works
            correct_final(evening, EIGHT + MINUTE)
            sending.sweep(now=EIGHT + 65 * MINUTE)
            connection.close()

    post.mailbox.behave = correct
    assert send_emails(user=bob.pk, now=EIGHT + MINUTE) == 0
    assert post.mailbox.messages == []
    go_on(post, [bob], [EIGHT + 66 * MINUTE, EIGHT + 67 * MINUTE])
    assert [each for _, each in post.letters()[bob.email]] == ["Cup one at Harbour Backgammon: you came 2nd"]
