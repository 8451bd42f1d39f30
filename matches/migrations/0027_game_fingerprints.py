"""Fingerprints of the games of every record of a match, and of every match that was played here."""

import contextlib
from typing import Any

from django.db import migrations, models

from engine.errors import Refused
from engine.records import from_data
from matches.play.transcripts import transcript_of
from matches.records.comparison import fingerprints

BATCH = 100


def note_games(apps: Any, _schema_editor: Any) -> None:
    """Compute them from what is stored, in batches, so that nothing is locked for long."""
    games, boards = apps.get_model("matches", "GameFingerprint"), apps.get_model("matches", "LiveMatch").objects
    records = apps.get_model("matches", "Submission").objects.filter(match__isnull=False, transcript__isnull=False)
    played = boards.filter(match__state="settled").select_related("match__player_0", "match__player_1")
    for rows in (records.defer("data"), played):
        ids = list(rows.order_by("pk").values_list("pk", flat=True))
        for start in range(0, len(ids), BATCH):
            new = []
            for row in rows.filter(pk__in=ids[start : start + BATCH]):
                # One that cannot be read any more settles no other match either.
                with contextlib.suppress(Refused):
                    found = fingerprints(transcript_of(row) if rows is played else from_data(row.transcript))
                    sent = None if rows is played else row.pk
                    new += [games(match_id=row.match_id, submission_id=sent, fingerprint=each) for each in set(found)]
            games.objects.bulk_create(new)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0026_event_opponents"),
    ]

    operations = [
        migrations.CreateModel(
            name="GameFingerprint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fingerprint", models.BigIntegerField(db_index=True)),
                ("match", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="matches.match")),
                ("submission", models.ForeignKey(null=True, on_delete=models.CASCADE, related_name="+", to="matches.submission")),
            ],
        ),
        migrations.RunPython(note_games, migrations.RunPython.noop),
    ]
