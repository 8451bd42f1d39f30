"""What is older than the site keeps it is deleted daily."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from engine.records import write
from engine.simulation import play_out
from matches.models import Card, ChatMessage, Match, Puzzle, PuzzleAnswer, Submission
from matches.records.submissions import RecordFile, submit
from matches.reporting.records import adjudicate_submission
from players.actors import SYSTEM, log
from players.models import Club, DataExport, LogEntry, Notification, Player, User
from players.privacy.retention import delete_expired
from tournaments.models import Letter, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
NOW = timezone.now()


def days_ago(days: int) -> Any:
    return NOW - timedelta(days=days)


@pytest.fixture
def old_and_new(bob: User, settings: Any) -> None:
    """Data of 10 and of 30 days ago, in a site that keeps it for 20."""
    for name in ("LOG", "RECORDS", "CHECKED_RECORDS", "CHAT", "NOTIFICATIONS"):
        setattr(settings, f"{name}_KEPT_DAYS", 20)
    players = [Player.objects.create(name=name) for name in ("Bob", "Carol")]
    for days in (10, 30):
        at = days_ago(days)
        LogEntry.objects.filter(pk=log(SYSTEM, "invited", f"days:{days}").pk).update(at=at)
        Notification.objects.create(user=bob, kind="ruled", url="/", key=str(days), on_site=True, created_at=at)
        DataExport.objects.create(player=players[0], requested_by=bob, expires_at=NOW + timedelta(days=20 - days))
        match = Match.objects.create(
            player_0=players[0], player_1=players[1], length=3, state=Match.State.SETTLED, finished_at=at
        )
        ChatMessage.objects.create(match=match, room="players", side=0, text=str(days))
        void = Match.objects.create(player_0=players[0], player_1=players[1], length=3, state=Match.State.VOID)
        ChatMessage.objects.create(match=void, room="players", side=0, text=f"void {days}", at=at)
        content: dict[str, Any] = {
            "source": "api",
            "data": b"x",
            "size": 1,
            "sha256": f"void {days}",
            "file_name": f"void {days}",
        }
        Submission.objects.create(match=void, created_at=at, **content)
        text = write(play_out(days, 3, players=("Bobby Tables", "Carol C")), "mat")
        sent = submit(file=RecordFile(text, Submission.Source.UPLOAD, f"{days}.mat"), now=at).submission
        adjudicate_submission(submission_id=sent.pk, now=at)
        Submission.objects.create(match=match, source="api", data=b"x", size=1, sha256=str(days), file_name=str(days))


def test_only_what_has_expired_is_deleted(old_and_new: None) -> None:
    deleted = delete_expired(now=NOW)
    assert deleted | {"log": 1, "notifications": 1, "data_exports": 1, "records": 3, "chat": 2} == deleted
    assert {row.topic for row in LogEntry.objects.filter(topic__startswith="days:")} == {"days:10"}
    assert sorted(message.text for message in ChatMessage.objects.all()) == ["10", "void 10"]
    assert [row.key for row in Notification.objects.all()] == ["10"]
    assert sorted(row.file_name for row in Submission.objects.exclude(data=b"")) == ["10", "10.mat", "void 10"]
    old = Submission.objects.get(match=None, data=b"")
    assert old.transcript is not None
    assert old.transcript["players"] == ["", ""]
    assert old.transcript["games"]
    assert "Bobby Tables" not in str(old.verdicts.get().content)
    assert not any(delete_expired(now=NOW).values())


def test_letters_go_with_notifications_and_puzzles_when_they_may_come_again(bob: User, settings: Any) -> None:
    settings.NOTIFICATIONS_KEPT_DAYS = 1
    club = Club.objects.create(name="Harbour", slug="harbour")
    for days in (3, 20):
        values = {"club": club, "starts_at": days_ago(days)}
        sent, read, away = (Tournament.objects.create(**values, name=f"{days}", slug=f"{days}-{n}") for n in range(3))
        Letter.objects.create(user=bob, event=sent, sent_at=days_ago(days))
        Letter.objects.create(user=bob, event=read)
        Letter.objects.create(user=bob, event=away, dismissed_at=days_ago(days - 1))
    puzzle: dict[str, Any] = {"club": club, "question": {}, "difficulty": "easy"}
    for days in (390, 401, 402):
        row = Puzzle.objects.create(**puzzle, date=days_ago(days).date(), key=str(days))
        PuzzleAnswer.objects.create(puzzle=row, user=bob, play="8/5", at=days_ago(days))
    Card.objects.create(user=bob, puzzle=row, due=NOW.date())
    deleted = delete_expired(now=NOW)
    assert (deleted["letters"], deleted["puzzles"]) == (3, 2)
    assert set(Letter.objects.values_list("event__name", flat=True)) == {"3"}, "a letter is not sent again"
    assert [row.key for row in Puzzle.objects.all()] == ["390", "402"], "a card keeps its puzzle"
    assert [answer.puzzle.key for answer in PuzzleAnswer.objects.all()] == ["390"]


def test_nothing_is_deleted_where_data_is_kept_forever(old_and_new: None, settings: Any) -> None:
    for name in ("LOG", "RECORDS", "CHECKED_RECORDS", "CHAT", "NOTIFICATIONS"):
        setattr(settings, f"{name}_KEPT_DAYS", 0)
    deleted = delete_expired(now=NOW)
    assert {name for name, count in deleted.items() if count} == {"data_exports"}
