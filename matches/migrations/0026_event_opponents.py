"""Count opponents who have matches in events themselves, instead of all; replays of all pools fill it, as is due."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0025_chances_puzzles_cards"),
    ]

    operations = [
        migrations.RemoveField(model_name="playerrating", name="opponents"),
        migrations.AddField(
            model_name="playerrating",
            name="event_opponents",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="Different opponents who have enough rated matches in events themselves.",
            ),
        ),
    ]
