"""What the replay of ratings needs: its claim, its basis, the order of matches."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0002_matches"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="moved",
            field=models.BooleanField(
                default=True, help_text="Each side has moved, or no record tells; else it is not rated."
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", False)),
                fields=["finished_at", "id"],
                name="match_in_order",
            ),
        ),
        migrations.AddField(
            model_name="playerrating",
            name="last_change",
            field=models.FloatField(default=0.0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="ratingpool",
            name="basis",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="The settings and merged players of the last replay; others replay anew.",
            ),
        ),
        migrations.AddField(
            model_name="ratingpool",
            name="claimed_from",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="ratingpool",
            name="claimed_match",
            field=models.BigIntegerField(blank=True, null=True),
        ),
    ]
