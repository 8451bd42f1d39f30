"""Until when the start of an evening can be undone; facts of the floor outlive the fixtures of a draw taken back."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0012_no_show_minutes")]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="undo_until",
            field=models.DateTimeField(
                blank=True,
                help_text="Until when the start of the evening can be undone. Emails and pushes wait until then.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="floorevent",
            name="fixture",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="floor_events",
                to="tournaments.fixture",
            ),
        ),
    ]
