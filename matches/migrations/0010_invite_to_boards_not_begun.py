"""Boards on which nobody has rolled yet wait for both players; open challenges are known as such."""

from datetime import timedelta

from django.db import migrations
from django.db.models import F
from django.utils import timezone

OPEN_FOR = timedelta(hours=2)
LASTS = timedelta(minutes=10)
LASTS_BY_CORRESPONDENCE = timedelta(days=3)
BATCH = 200


def invite(apps, schema_editor):
    """Store of every board who is here: both, or on one that nobody has begun to play on whoever was ready.

    The clock of such a board stands still until both are.
    """
    now = timezone.now()
    boards = apps.get_model("matches", "LiveMatch").objects
    waiting = boards.filter(match__state="live", begun_at=None, bot_side=None, state__match__phase="opening")
    invited = set(waiting.exclude(actions__in=_other_actions(apps)).values_list("pk", flat=True))
    changed = []
    for board in boards.exclude(state__has_key="here").iterator(BATCH):
        board.state["here"] = [True, True]
        if board.pk in invited:
            _invite(board, now)
        changed.append(board)
        if len(changed) == BATCH:
            _save(boards, changed)
    _save(boards, changed)


def _other_actions(apps):
    return apps.get_model("matches", "Action").objects.exclude(kind="ready")


def _invite(board, now):
    board.state["here"] = board.state["ready"]
    if board.state["clock"]:
        for side in board.state["clock"]["sides"]:
            side[:4] = board.delay, board.bank, board.overtime, None
    board.due_at = None
    board.invited_at = board.started_at
    board.lapses_at = now + (LASTS_BY_CORRESPONDENCE if board.correspondence else LASTS)


def _save(boards, changed):
    boards.bulk_update(changed, ["state", "due_at", "invited_at", "lapses_at"])
    changed.clear()


def name_open_challenges(apps, schema_editor):
    """A challenge to everybody can be accepted for two hours, one to a player for longer."""
    challenges = apps.get_model("matches", "Challenge").objects
    challenges.filter(expires_at__lte=F("created_at") + OPEN_FOR).update(is_open=True)


class Migration(migrations.Migration):
    dependencies = [("matches", "0009_invitations")]

    operations = [
        migrations.RunPython(invite, migrations.RunPython.noop),
        migrations.RunPython(name_open_challenges, migrations.RunPython.noop),
    ]
