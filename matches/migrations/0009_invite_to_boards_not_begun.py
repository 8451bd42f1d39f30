"""Boards on which nobody has rolled yet wait for both players; open challenges are known as such."""

from datetime import timedelta

from django.db import migrations
from django.db.models import F
from django.utils import timezone

OPEN_FOR = timedelta(hours=2)
LASTS = timedelta(minutes=10)
LASTS_BY_CORRESPONDENCE = timedelta(days=3)


def invite(apps, schema_editor):
    """Stop the clocks of boards that nobody has begun to play on; whoever was ready is here."""
    now = timezone.now()
    boards = apps.get_model("matches", "LiveMatch").objects.filter(
        match__state="live", begun_at=None, bot_side=None, invited_at=None
    )
    for board in boards:
        if board.state["match"]["phase"] != "opening" or board.actions.exclude(kind="ready").exists():
            continue
        board.state["here"] = board.state["ready"]
        if board.state["clock"]:
            for side in board.state["clock"]["sides"]:
                side[:4] = board.delay, board.bank, board.overtime, None
        board.due_at = None
        board.invited_at = board.started_at
        board.lapses_at = now + (LASTS_BY_CORRESPONDENCE if board.correspondence else LASTS)
        board.save(update_fields=["state", "due_at", "invited_at", "lapses_at"])


def name_open_challenges(apps, schema_editor):
    """A challenge to everybody can be accepted for two hours, one to a player for longer."""
    challenges = apps.get_model("matches", "Challenge").objects
    challenges.filter(expires_at__lte=F("created_at") + OPEN_FOR).update(is_open=True)


class Migration(migrations.Migration):
    dependencies = [("matches", "0008_invitations")]

    operations = [
        migrations.RunPython(invite, migrations.RunPython.noop),
        migrations.RunPython(name_open_challenges, migrations.RunPython.noop),
    ]
